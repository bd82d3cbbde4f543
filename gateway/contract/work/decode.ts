/** Decoding of recorded logs. The gateway decodes each log once when it arrives, and again on request. Passwords open encrypted logs. */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { Task } from './task.ts';

/** Largest number of stored passwords per device. */
export const MAX_LOG_PASSWORDS = 5;

/** The stored passwords for the encrypted logs of a device. */
export interface LogPasswordsData {
  /** The encrypted passwords, the newest first. */
  sealed: string[];
}

/** Id of the document that stores the passwords of a device. */
export const logPasswordsId = (device: string): string => `log_passwords:${device}`;

const LogPasswords = z
  .object({
    object: z.literal('log_passwords'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    count: z
      .number()
      .int()
      .meta({ description: `Number of stored passwords, at most ${MAX_LOG_PASSWORDS}. Decoding tries each of them.` }),
    set_at: Timestamp,
  })
  .meta({
    id: 'LogPasswords',
    description: 'Whether passwords are stored for the encrypted logs of a device. The passwords are never shown.',
  });

/** Operations on the decoding of logs. */
export const decodeOperations = {
  artifacts_decode: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/decodes`,
    summary: 'Decode a log of a device again; returns its task with the new run',
    description:
      'The gateway decodes each log once when it arrives. Decode it again after you have linked the device, added a password or activated a DBC file. Existing history is not changed.',
    input: z.object({ ...idPath, artifact_id: Id.meta({ description: 'A file of this device.' }) }),
    output: Task,
    status: 202,
    roles: [...ADMINS, 'supervisor', 'mechanic', 'agent'],
    errors: ['not_found', 'decode_in_progress', 'limit_reached'],
    source: { extension: 'people must be able to decode a log again' },
  }),
  devices_log_password: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/log-passwords`,
    summary: 'Store a password for the encrypted logs of a device; it is stored encrypted and never shown',
    httpOnly: 'secret',
    input: z.object({ ...idPath, password: z.string().min(1).max(256) }),
    output: LogPasswords,
    status: 201,
    roles: ADMINS,
    errors: ['not_found'],
    source: { extension: 'loggers encrypt their logs; a model must never see a password, so there is no MCP tool' },
  }),
} as const;
