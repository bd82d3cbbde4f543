/**
 * Key pairs of loggers: the pair in use, and the roll (replacing it by a new pair). After a roll both pairs are valid for some time. These
 * types contain no secret.
 */
import { z } from 'zod';
import { idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

/** Hours for which the replaced pair stays valid after a roll; at most 30 days. */
const OVERLAP_H = 24;
const MOST_OVERLAP_H = 720;

const Pair = z.object({
  access_key_id: z.string(),
  made_at: Timestamp.nullable().meta({ description: 'Null for pairs of earlier builds.' }),
  last_used_at: Timestamp.nullable().meta({ description: 'Accurate to ten minutes; null if never used.' }),
});

const Delivery = z.enum(['over_the_air', 'by_hand']).meta({
  description:
    'over_the_air: the logger gets the new pair with its configuration. by_hand: a person must enter it: no configuration is stored, or it names another server.',
});

const BucketKey = z
  .object({
    object: z.literal('bucket_key'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    current: Pair.nullable().meta({ description: 'The pair in its configuration; null before the first.' }),
    previous: Pair.extend({
      ends_at: Timestamp.nullable().meta({ description: 'Valid until then; null if it has ended.' }),
      ended_at: Timestamp.nullable(),
    })
      .nullable()
      .meta({ description: 'The pair before the last roll.' }),
    in_use: z.string().nullable().meta({ description: 'Access key id of the last request with a valid signature.' }),
    delivery: Delivery,
  })
  .meta({ id: 'BucketKey' });

const BucketKeyRoll = z
  .object({
    object: z.literal('bucket_key_roll'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    access_key_id: z.string().nullable().meta({ description: 'The new pair; null in a dry run.' }),
    previous: z
      .object({ access_key_id: z.string(), ends_at: Timestamp })
      .nullable()
      .meta({ description: 'The pair that stays valid: the one that the logger used last; null if there was none.' }),
    rolled_at: Timestamp,
    delivery: Delivery,
    config_files: z
      .array(z.string())
      .meta({ description: 'Files that were written again for the logger with the new pair.' }),
    secret_ref: z
      .string()
      .nullable()
      .meta({ description: 'POST to this address once, with an admin key, to get the secret.' }),
    secret_ref_expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'BucketKeyRoll', description: 'A roll of the key pair of a logger. It contains no secret.' });

const PATH = `${V1}/devices/{id}/bucket-key`;
const UNDER = {
  extension: 'after a roll the old key pair of a logger stays valid for a while, like an old device key',
};

/** Operations on the key pair of a logger. */
export const bucketKeyOperations = {
  devices_bucket_key_get: operation({
    method: 'GET',
    path: PATH,
    summary: 'Get the key pair that a logger uses, and the end of the previous one',
    input: z.object(idPath),
    output: BucketKey,
    errors: ['not_found'],
    source: UNDER,
  }),
  devices_bucket_key_roll: operation({
    method: 'POST',
    path: `${PATH}/roll`,
    summary: 'Make a new key pair for a logger and put it into its configuration; the old pair stays valid for a while',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      overlap_hours: z.number().int().min(1).max(MOST_OVERLAP_H).default(OVERLAP_H).meta({
        description: 'How long the current pair stays valid. Choose it longer than the logger may be offline.',
        unit: 'h',
      }),
      dry_run: z
        .boolean()
        .default(false)
        .meta({ description: 'Validate and return the answer without writing anything.' }),
    }),
    output: BucketKeyRoll,
    status: 201,
    errors: ['not_found', 'config_invalid'],
    source: UNDER,
  }),
} as const;
