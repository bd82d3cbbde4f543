/** The desired configuration of a device, and the configuration that it reports. Loggers also have a configuration file and firmware. */
import { z } from 'zod';
import { freeJson, Id, idPath, Timestamp } from '#contract/base/common.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { ADMINS, operation, READERS, V1 } from '#contract/base/operation.ts';

/** Largest configuration in bytes of JSON. */
export const MAX_CONFIG = 256 * 1024;

/** The configuration that a device reported. */
const Applied = z.object({
  revision: z.number().int().nullable(),
  status: z.enum(['applied', 'failed']).nullable(),
  applied_at: Timestamp.nullable(),
  error: z.string().nullable(),
});

const Problem = z.object({
  path: z.string().meta({ description: 'JSON pointer into the configuration.' }),
  message: z.string(),
});
export type ConfigProblem = z.infer<typeof Problem>;

/** The file that a CANedge-class logger downloads from its bucket. */
const ConfigFile = z.object({
  name: z.string().meta({ description: '`config-XX.XX.json`, where XX.XX is the firmware version.' }),
  bytes: z.number().int(),
  crc32: z.string().meta({
    description: 'CRC-32 in hexadecimal. A heartbeat with the same value confirms that the logger uses this file.',
  }),
  encrypted: z.boolean().meta({ description: 'True if its secrets are encrypted for this logger.' }),
  checked: z.boolean().meta({ description: "True if the logger's own schema was used to check it." }),
});

const FirmwareVersion = z
  .string()
  .regex(/^\d{2}\.\d{2}$/)
  .meta({ description: 'Major and minor version of the firmware, as `01.09`.' });

const DeviceConfig = z
  .object({
    object: z.literal('device_config'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    revision: z.number().int().meta({ description: 'Counts changes; 0 before the first. Also the ETag.' }),
    config: z.record(z.string(), z.unknown()).meta({
      description: 'Secrets of a logger are shown as `********`. Send `********` to keep one.',
    }),
    file: ConfigFile.nullable().meta({
      description: 'The file that a logger downloads; null for devices that fetch JSON.',
    }),
    reported: Applied.meta({ description: 'Last report of the device; all fields are null before the first.' }),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'DeviceConfig', description: 'The configuration that a device should run with.' });

/** The stored document of the configuration that a device should use. */
export interface DeviceConfigData {
  device: string;
  /** The configuration. The secrets of a logger in it are encrypted with the key file of the gateway. */
  config: Record<string, unknown>;
  /** The file for a logger. Absent in records that earlier versions of the gateway wrote. */
  file?: z.infer<typeof ConfigFile> | null;
}
/** Stored in `live`: the revision of the desired configuration, and the last report of the device. */
export interface DeviceConfigLive {
  desired: number;
  reported: z.infer<typeof Applied>;
}

const DeviceFirmware = z
  .object({
    object: z.literal('device_firmware'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    running: z.string().nullable().meta({ description: 'Firmware version in its last heartbeat.' }),
    offered: z
      .object({
        version: z.string(),
        model: z.string(),
        bytes: z.number().int(),
        sha256: z.string(),
        config: z.string().meta({ description: 'Name of the configuration file for this firmware.' }),
        offered_at: Timestamp,
      })
      .nullable(),
    status: z
      .enum(['none', 'offered', 'installed'])
      .meta({ description: 'installed: the heartbeat has the version that is offered.' }),
  })
  .meta({ id: 'DeviceFirmware' });

const PATH = `${V1}/devices/{id}/config`;
const FIRMWARE = `${V1}/devices/{id}/firmware`;

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
    source: { extension: 'the configuration of a logger belongs to its device' },
  }),
  devices_config_put: operation({
    method: 'PUT',
    path: PATH,
    summary: 'Replace the configuration that a device should run with',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      // The schema allows more than `MAX_CONFIG`, so that the handler can refuse a large configuration with a specific error code.
      config: freeJson(120, 1_000, LIMITS.body.value),
      firmware: FirmwareVersion.optional().meta({
        description: 'Firmware version to write the logger file for; default: the version in its heartbeat.',
      }),
    }),
    output: DeviceConfig,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch', 'payload_too_large', 'config_invalid', 'parameter_invalid'],
    source: { extension: 'the configuration of a logger belongs to its device' },
  }),
  devices_config_file: operation({
    method: 'GET',
    path: `${PATH}/file`,
    summary: 'Get the configuration file of a logger with its secrets, for its SD card',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object(idPath),
    output: ConfigFile.extend({
      object: z.literal('device_config_file'),
      content: z.string().meta({ description: 'To be saved under `name`.' }),
    }),
    errors: ['not_found'],
    source: { extension: 'the configuration of a logger belongs to its device' },
  }),
  devices_firmware_get: operation({
    method: 'GET',
    path: FIRMWARE,
    summary: 'Get the firmware that a logger runs, and the firmware that is offered to it',
    input: z.object(idPath),
    output: DeviceFirmware,
    errors: ['not_found'],
    source: { extension: 'a logger gets its firmware through its bucket' },
  }),
  devices_firmware_put: operation({
    method: 'PUT',
    path: FIRMWARE,
    summary: 'Offer a firmware file to a logger; its configuration is converted to the new schema',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      artifact_id: Id.meta({ description: 'The firmware file (`firmware.bin` of the maker), uploaded as a file.' }),
    }),
    output: DeviceFirmware,
    errors: ['not_found', 'firmware_invalid', 'config_invalid', 'config_missing'],
    source: { extension: 'a logger gets its firmware through its bucket' },
  }),
  devices_firmware_withdraw: operation({
    method: 'DELETE',
    path: FIRMWARE,
    summary: 'Withdraw a firmware file that a logger has not downloaded',
    roles: ADMINS,
    input: z.object(idPath),
    output: DeviceFirmware,
    errors: ['not_found'],
    source: { extension: 'a logger gets its firmware through its bucket' },
  }),
  devices_config_ack: operation({
    method: 'POST',
    path: `${PATH}/ack`,
    summary: 'Report the configuration that a device uses (called by the device)',
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
    source: { extension: 'the configuration of a logger belongs to its device' },
  }),
} as const;
