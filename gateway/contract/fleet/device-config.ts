/** The configuration file of a device: what it should run with, and what it says it runs with; for loggers the file and the firmware too. */
import { z } from 'zod';
import { freeJson, Id, idPath, Timestamp } from '#contract/base/common.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { ADMINS, operation, READERS, V1 } from '#contract/base/operation.ts';

/** Largest configuration in bytes of JSON. */
export const MAX_CONFIG = 256 * 1024;

/** What a device told of its configuration. */
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
  name: z.string().meta({ description: '`config-XX.XX.json`: the firmware that reads it is in its name.' }),
  bytes: z.number().int(),
  crc32: z.string().meta({ description: 'CRC-32 in hex; a heartbeat with the same one means: applied.' }),
  encrypted: z.boolean().meta({ description: 'Whether its secrets can be read by this logger alone.' }),
  checked: z.boolean().meta({ description: "Whether the logger's own schema was there to check it." }),
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
      description: 'Secrets of a logger read `********`; sent back so, they stay as they are.',
    }),
    file: ConfigFile.nullable().meta({ description: 'What a logger downloads; null for devices that fetch JSON.' }),
    reported: Applied.meta({ description: 'What the device said last; all null before it said anything.' }),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'DeviceConfig', description: 'The configuration that a device should run with.' });

/** What a device should run with, at rest. */
export interface DeviceConfigData {
  device: string;
  /** Secrets of a logger are sealed. */
  config: Record<string, unknown>;
  /** Absent in records of earlier builds. */
  file?: z.infer<typeof ConfigFile> | null;
}
/** What is told of it in `live`: the revision wanted, and what the device reported. */
export interface DeviceConfigLive {
  desired: number;
  reported: z.infer<typeof Applied>;
}

const DeviceFirmware = z
  .object({
    object: z.literal('device_firmware'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    running: z.string().nullable().meta({ description: 'As its last heartbeat says.' }),
    offered: z
      .object({
        version: z.string(),
        model: z.string(),
        bytes: z.number().int(),
        sha256: z.string(),
        config: z.string().meta({ description: 'The configuration file that stands ready for it.' }),
        offered_at: Timestamp,
      })
      .nullable(),
    status: z
      .enum(['none', 'offered', 'installed'])
      .meta({ description: 'installed: the heartbeat says the version that was offered.' }),
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
    source: { extension: 'config download hangs off the device (D-32)' },
  }),
  devices_config_put: operation({
    method: 'PUT',
    path: PATH,
    summary: 'Replace the configuration that a device should run with',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      // The handler refuses more than 256 KiB by a code of its own.
      config: freeJson(120, 1_000, LIMITS.body.value),
      firmware: FirmwareVersion.optional().meta({
        description: 'Makes the file of a logger for this firmware; told by its heartbeat when absent.',
      }),
    }),
    output: DeviceConfig,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch', 'payload_too_large', 'config_invalid', 'parameter_invalid'],
    source: { extension: 'config download hangs off the device (D-32)' },
  }),
  devices_config_file: operation({
    method: 'GET',
    path: `${PATH}/file`,
    summary: 'The configuration file of a logger with its secrets, to put on its SD card',
    httpOnly: 'secret',
    roles: ADMINS,
    input: z.object(idPath),
    output: ConfigFile.extend({
      object: z.literal('device_config_file'),
      content: z.string().meta({ description: 'To be saved under `name`.' }),
    }),
    errors: ['not_found'],
    source: { extension: 'config download hangs off the device (D-32)' },
  }),
  devices_firmware_get: operation({
    method: 'GET',
    path: FIRMWARE,
    summary: 'Firmware that a logger runs, and the one that waits for it',
    input: z.object(idPath),
    output: DeviceFirmware,
    errors: ['not_found'],
    source: { extension: 'firmware over the air goes through the bucket of the logger (D-32)' },
  }),
  devices_firmware_put: operation({
    method: 'PUT',
    path: FIRMWARE,
    summary: 'Offer a firmware file to a logger, its configuration carried over to the new schema',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      artifact_id: Id.meta({ description: 'The firmware file (`firmware.bin` of the maker), uploaded as a file.' }),
    }),
    output: DeviceFirmware,
    errors: ['not_found', 'firmware_invalid', 'config_invalid', 'config_missing'],
    source: { extension: 'firmware over the air goes through the bucket of the logger (D-32)' },
  }),
  devices_firmware_withdraw: operation({
    method: 'DELETE',
    path: FIRMWARE,
    summary: 'Take back a firmware file that a logger has not fetched',
    roles: ADMINS,
    input: z.object(idPath),
    output: DeviceFirmware,
    errors: ['not_found'],
    source: { extension: 'firmware over the air goes through the bucket of the logger (D-32)' },
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
