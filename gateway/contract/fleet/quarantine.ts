/** Operations on a misbehaving device: quarantine it, and purge its data. */
import { z } from 'zod';
import { idPath } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';
import { Device } from './device.ts';

/** Kinds of data that a purge can remove. */
export const PURGED = ['events', 'files', 'history'] as const;
export type Purged = (typeof PURGED)[number];

/** Numbers of items that one purge call removed. */
export const PurgeCounts = z.object({
  events: z.number().int(),
  files: z.number().int().meta({ description: 'Frames, files, uploads and objects of the bucket.' }),
  segments: z.number().int().meta({ description: 'Documents of history from which values were removed.' }),
  freed_bytes: z.number().int().meta({ description: 'Bytes freed on the disk.' }),
  done: z.boolean().meta({ description: 'False if more remains; call again.' }),
});
export type PurgeCounts = z.infer<typeof PurgeCounts>;

const DevicePurge = z
  .object({
    object: z.literal('device_purge'),
    device_id: z.string().meta({ description: 'Record id.' }),
    ...PurgeCounts.shape,
  })
  .meta({ id: 'DevicePurge' });

/** Operations on quarantine and purge. */
export const quarantineOperations = {
  devices_quarantine: operation({
    method: 'PUT',
    path: `${V1}/devices/{id}/quarantine`,
    summary: 'Put a device in quarantine, or end the quarantine',
    description: 'In quarantine the gateway closes its connections and refuses its keys. Record, keys and data stay.',
    roles: ADMINS,
    hints: HINTS.CHANGE,
    input: z.object({ ...idPath, quarantined: z.boolean(), reason: z.string().trim().min(1).max(500).optional() }),
    output: Device,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
    source: { extension: 'one call stops a device that fills the disk' },
  }),
  devices_purge: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/purge`,
    summary: 'Delete the data of a device for some seconds; repeat until `done`',
    description:
      'Deletes permanently: log entries that it caused, its files, and with `history` the history of its machine since the link.',
    roles: ADMINS,
    hints: HINTS.REMOVE,
    input: z.object({
      ...idPath,
      what: z.array(z.enum(PURGED)).min(1).max(PURGED.length).default(['events', 'files']),
    }),
    output: DevicePurge,
    errors: ['not_found'],
    source: { extension: 'people can delete the data of a device to free disk space' },
  }),
} as const;
