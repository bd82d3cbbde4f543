/** A device that misbehaves: shut out by one call, and what it stored removed by another. */
import { z } from 'zod';
import { idPath } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';
import { Device } from './device.ts';

/** What can be removed of a device. */
export const PURGED = ['events', 'files', 'history'] as const;
export type Purged = (typeof PURGED)[number];

/** What one call of a purge removed. */
export const PurgeCounts = z.object({
  events: z.number().int(),
  files: z.number().int().meta({ description: 'Frames, files, uploads and objects of the bucket.' }),
  segments: z.number().int().meta({ description: 'Pieces of history, each of up to a minute.' }),
  freed_bytes: z.number().int().meta({ description: 'Bytes that went back to the disk.' }),
  done: z.boolean().meta({ description: 'False: there is more; call again.' }),
});
export type PurgeCounts = z.infer<typeof PurgeCounts>;

const DevicePurge = z
  .object({
    object: z.literal('device_purge'),
    device_id: z.string().meta({ description: 'Record id.' }),
    ...PurgeCounts.shape,
  })
  .meta({ id: 'DevicePurge' });

/** Operations that shut a device out and clear up behind it. */
export const quarantineOperations = {
  devices_quarantine: operation({
    method: 'PUT',
    path: `${V1}/devices/{id}/quarantine`,
    summary: 'Shut a device out, or let it in again',
    description: 'In quarantine its connections end and its keys are refused; record, keys and data stay.',
    roles: ADMINS,
    hints: HINTS.CHANGE,
    input: z.object({ ...idPath, quarantined: z.boolean(), reason: z.string().trim().min(1).max(500).optional() }),
    output: Device,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
    source: { extension: 'a device that fills the disk is shut out by one call' },
  }),
  devices_purge: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/purge`,
    summary: 'Remove what a device stored, for some seconds; repeat until `done`',
    description:
      'Removes for good: entries of its log that it caused, its files, and with `history` the history of its machine since the link.',
    roles: ADMINS,
    hints: HINTS.REMOVE,
    input: z.object({
      ...idPath,
      what: z.array(z.enum(PURGED)).min(1).max(PURGED.length).default(['events', 'files']),
    }),
    output: DevicePurge,
    errors: ['not_found'],
    source: { extension: 'what a device stored can be removed, and the room comes back' },
  }),
} as const;
