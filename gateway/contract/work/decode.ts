/** Decoding of logs that a device recorded: once by itself when a log arrives, again when somebody asks, and what opens locked ones. */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { Task } from './task.ts';

/** Passwords kept per device, the newest first. */
export const MAX_LOG_PASSWORDS = 5;

/** What opens the locked logs of a device, at rest. */
export interface LogPasswordsData {
  /** The newest first. */
  sealed: string[];
}

/** The id of the document that keeps them. */
export const logPasswordsId = (device: string): string => `log_passwords:${device}`;

const LogPasswords = z
  .object({
    object: z.literal('log_passwords'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    count: z
      .number()
      .int()
      .meta({ description: `Passwords that are kept, ${MAX_LOG_PASSWORDS} at most; each is tried.` }),
    set_at: Timestamp,
  })
  .meta({ id: 'LogPasswords', description: 'That a device has passwords for its locked logs; they are never shown.' });

/** Operations on the decoding of logs. */
export const decodeOperations = {
  artifacts_decode: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/decodes`,
    summary: 'Have a log of a device decoded again; answers its task with the new run',
    description:
      'A log is decoded once by itself. Again is worth it after a link was made or mended, a password was given, or a newer version decodes more. What history has already stays as it is.',
    input: z.object({ ...idPath, artifact_id: Id.meta({ description: 'A file of this device.' }) }),
    output: Task,
    status: 202,
    roles: [...ADMINS, 'supervisor', 'mechanic', 'agent'],
    errors: ['not_found', 'decode_in_progress', 'limit_reached'],
    source: { extension: 'the run of a log must be repeatable; artifacts take no POST (R15)' },
  }),
  devices_log_password: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/log-passwords`,
    summary: 'Give the password of the locked logs of a device; it is kept sealed and never shown',
    httpOnly: 'secret',
    input: z.object({ ...idPath, password: z.string().min(1).max(256) }),
    output: LogPasswords,
    status: 201,
    roles: ADMINS,
    errors: ['not_found'],
    source: { extension: 'loggers lock their logs; a secret passes no model, so HTTP only' },
  }),
} as const;
