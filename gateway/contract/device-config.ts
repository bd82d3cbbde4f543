/** The configuration file of a device: what it should run with, and what it says it runs with. */
import { z } from 'zod';
import { idPath, Timestamp } from './common.ts';
import { ADMINS, operation, READERS, V1 } from './operation.ts';

/** Largest configuration in bytes of JSON. */
export const MAX_CONFIG = 256 * 1024;

/** What a device told of its configuration. */
const Applied = z.object({
  revision: z.number().int().nullable(),
  status: z.enum(['applied', 'failed']).nullable(),
  applied_at: Timestamp.nullable(),
  error: z.string().nullable(),
});

const DeviceConfig = z
  .object({
    object: z.literal('device_config'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    revision: z.number().int().meta({ description: 'Counts changes; 0 before the first. Also the ETag.' }),
    config: z.record(z.string(), z.unknown()),
    reported: Applied.meta({ description: 'What the device said last; all null before it said anything.' }),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'DeviceConfig', description: 'The configuration that a device should run with.' });

/** What a device should run with, at rest. */
export interface DeviceConfigData {
  device: string;
  config: Record<string, unknown>;
}
/** What is told of it in `live`: the revision wanted, and what the device reported. */
export interface DeviceConfigLive {
  desired: number;
  reported: z.infer<typeof Applied>;
}

const PATH = `${V1}/devices/{id}/config`;

/** Operations on the configuration of a device. */
export const deviceConfigOperations = {
  devices_config_get: operation({
    method: 'GET',
    path: PATH,
    summary: 'Download the configuration that a device should run with',
    roles: [...READERS, 'device'],
    input: z.object(idPath),
    output: DeviceConfig,
    revision: 'etag',
    errors: ['not_found'],
    source: { extension: 'config download hangs off the device (D-32)' },
  }),
  devices_config_put: operation({
    method: 'PUT',
    path: PATH,
    summary: 'Replace the configuration that a device should run with',
    roles: ADMINS,
    input: z.object({ ...idPath, config: z.record(z.string().max(120), z.unknown()) }),
    output: DeviceConfig,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch', 'payload_too_large'],
    source: { extension: 'config download hangs off the device (D-32)' },
  }),
  devices_config_ack: operation({
    method: 'POST',
    path: `${PATH}/ack`,
    summary: 'A device says which configuration it runs with',
    roles: [...ADMINS, 'device'],
    input: z.object({
      ...idPath,
      revision: z.number().int().min(0),
      status: z.enum(['applied', 'failed']).default('applied'),
      applied_at: Timestamp.optional(),
      error: z.string().max(500).optional().meta({ description: 'Why it was not applied.' }),
    }),
    output: DeviceConfig,
    errors: ['not_found', 'parameter_invalid'],
    source: { extension: 'config download hangs off the device (D-32)' },
  }),
} as const;
