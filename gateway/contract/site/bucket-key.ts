/** The key pair that a logger uploads with: which one it uses, and a roll with an overlap. Shapes only; no secret passes here. */
import { z } from 'zod';
import { idPath, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

/** Hours that a rolled pair works on; 30 days at most. */
const OVERLAP_H = 24;
const MOST_OVERLAP_H = 720;

const Pair = z.object({
  access_key_id: z.string(),
  made_at: Timestamp.nullable().meta({ description: 'Null for pairs of earlier builds.' }),
  last_used_at: Timestamp.nullable().meta({ description: 'To within ten minutes; null: never.' }),
});

const Delivery = z.enum(['over_the_air', 'by_hand']).meta({
  description:
    'over_the_air: its configuration on this gateway brings the logger its new pair; by_hand: there is none, or it names another server, and somebody has to.',
});

const BucketKey = z
  .object({
    object: z.literal('bucket_key'),
    device_id: z.string().meta({ description: 'Record id of the device.' }),
    current: Pair.nullable().meta({ description: 'What its configuration holds; null before the first.' }),
    previous: Pair.extend({
      ends_at: Timestamp.nullable().meta({ description: 'Works until then; null: it has ended.' }),
      ended_at: Timestamp.nullable(),
    })
      .nullable()
      .meta({ description: 'The pair before the last roll.' }),
    in_use: z.string().nullable().meta({ description: 'Access key of the last request that was signed well.' }),
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
      .meta({ description: 'The pair that works on: the one that the logger used last; null where there was none.' }),
    rolled_at: Timestamp,
    delivery: Delivery,
    config_files: z
      .array(z.string())
      .meta({ description: 'What was laid out anew for the logger, with the new pair.' }),
    secret_ref: z
      .string()
      .nullable()
      .meta({ description: 'POST here over HTTP with an admin key, once, for the secret.' }),
    secret_ref_expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'BucketKeyRoll', description: 'A roll of the key pair of a logger; no secret is in it.' });

const PATH = `${V1}/devices/{id}/bucket-key`;
const UNDER = { extension: 'the key pair of a logger is rolled with an overlap, like its key (D-32, D-57)' };

/** Operations on the key pair of a logger. */
export const bucketKeyOperations = {
  devices_bucket_key_get: operation({
    method: 'GET',
    path: PATH,
    summary: 'Which key pair a logger uploads with, and when the one before ends',
    input: z.object(idPath),
    output: BucketKey,
    errors: ['not_found'],
    source: UNDER,
  }),
  devices_bucket_key_roll: operation({
    method: 'POST',
    path: `${PATH}/roll`,
    summary: 'Make a new key pair for a logger and lay it into its configuration; the old one works on for a while',
    roles: ADMINS,
    input: z.object({
      ...idPath,
      overlap_hours: z.number().int().min(1).max(MOST_OVERLAP_H).default(OVERLAP_H).meta({
        description: 'How long the pair that the logger uses works on. Longer than it may be out of reach.',
        unit: 'h',
      }),
      dry_run: z.boolean().default(false).meta({ description: 'Check and answer as if; nothing is written.' }),
    }),
    output: BucketKeyRoll,
    status: 201,
    errors: ['not_found', 'config_invalid'],
    source: UNDER,
  }),
} as const;
