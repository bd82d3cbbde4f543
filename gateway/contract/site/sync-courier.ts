/** Bundles: files that a person carries between a site and head office, for example on a USB stick. */
import { z } from 'zod';
import { Timestamp, Words } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';

const MIB = 1 << 20;
/** Largest size of one file, if the person does not choose another one. */
const FILE_BYTES = 256 * MIB;
const LEAST_FILE_BYTES = 64 << 10;
/** A file on a USB stick with the file system FAT32 has less than 4 GiB. */
const MOST_FILE_BYTES = 2_048 * MIB - 1;
/** Bundles that each end lists. The oldest are deleted from the list. */
export const MOST_LISTED = 50;

const Bundle = z
  .object({
    object: z.literal('courier_bundle'),
    id: z.string(),
    way: z.enum(['made', 'taken']).meta({ description: '`made`: written at this end. `taken`: read at this end.' }),
    state: z.enum(['on_its_way', 'confirmed', 'taken', 'not_confirmed', 'incomplete']).meta({
      description:
        '`on_its_way`: the other end has not confirmed it. `confirmed`: the other end has everything in it. `taken`: this end has everything in it. `not_confirmed`: this end has it, but it is of a time of the site that head office does not know. `incomplete`: the file ended early.',
    }),
    sentence: z.string().meta({ description: 'The state in one sentence.' }),
    words: Words.optional(),
    gateway_id: z.string(),
    site: z.string().meta({ description: 'Name of the site.' }),
    bundle: z.string().meta({ description: 'Id of the first file of an export.' }),
    volume: z.number().int().meta({ description: 'Which file of the export it is; the first one is 1.' }),
    more: z
      .boolean()
      .meta({ description: 'True if something waits that did not fit: make the next file after this one.' }),
    made_at: Timestamp,
    at: Timestamp.meta({ description: 'When this end wrote or read it.' }),
    bytes: z.number().int().meta({ description: 'Size of the file.', unit: 'bytes' }),
    changes: z.number().int(),
    files: z.number().int().meta({ description: 'Photos and logs that it makes complete.' }),
    file_bytes: z.number().int().meta({ unit: 'bytes' }),
    files_left: z.number().int().meta({
      description: 'Files that wait and are not in it; of one that was read, files that this end could not take.',
    }),
    not_taken: z.number().int().meta({ description: 'Changes that this end could not take.' }),
    skipped: z.array(z.string()).meta({
      description: 'Projects that are not in the file: they need one contact over a network first.',
    }),
  })
  .meta({ id: 'CourierBundle', description: 'A file that a person carries between a site and head office.' });
export type CourierBundle = z.infer<typeof Bundle>;

/** How far a bundle goes in a project: at a site, rows of each lane; at head office, a row of its log. */
export interface CourierSpan {
  readonly project_id: string;
  /** The id of the bundle in the replication of this project. */
  readonly id: string;
  readonly to: readonly number[];
  /** At head office, the mark of the row. */
  readonly chain?: string;
}

/** The fields that bundles of earlier versions do not have. */
type Files = 'files' | 'file_bytes' | 'files_left';

/**
 * How many files were left out, by reason. gap: bytes before them are not here. busy: the network brought them. full: the disk had no room.
 * disk: the disk refused them. wrong: they have another SHA-256. unknown: their record is not here. unreadable: the end that wrote the bundle
 * could not read them.
 */
export type FilesLeft = {
  readonly [reason in 'gap' | 'busy' | 'full' | 'disk' | 'wrong' | 'unknown' | 'unreadable']?: number;
};

/** Where the files of a bundle end: at a byte of the file with this key, and of each file that somebody asked for. */
export interface FilesEnd {
  readonly key: string;
  readonly from: number;
  readonly asked?: Readonly<Record<string, number>>;
}

/** A stored bundle. Its id is `bdl_...`. */
export type CourierBundleData = Omit<CourierBundle, 'object' | 'id' | 'state' | 'sentence' | Files> & {
  readonly files?: number;
  readonly file_bytes?: number;
  readonly files_left?: number;
  /** Where its files end, so that the next one goes on there. */
  readonly files_end?: FilesEnd | undefined;
  /** The other end has all files of it. */
  readonly files_there?: boolean;
  /** Why files were left out. */
  readonly files_why?: FilesLeft;
  readonly spans: readonly CourierSpan[];
  readonly confirmed: boolean;
  readonly complete: boolean;
};

const Running = z.object({
  way: z.enum(['made', 'taken']),
  site: z.string(),
  bytes: z.number().int().meta({ unit: 'bytes' }),
  changes: z.number().int(),
  files: z.number().int(),
  file_bytes: z.number().int().meta({ unit: 'bytes' }),
  since: Timestamp,
});
export type CourierRunning = z.infer<typeof Running>;

const source = { extension: 'a site without a link and head office exchange data on a USB stick' };

/** Operations on bundles, the same at both ends. */
export const courierOperations = {
  sync_courier: operation({
    method: 'GET',
    path: `${V1}/sync/courier`,
    summary: 'List the bundles that this end wrote, read, or is writing or reading',
    scope: 'node',
    roles: ADMINS,
    input: z.object({}),
    output: z
      .object({ object: z.literal('courier'), running: Running.nullable(), data: z.array(Bundle) })
      .meta({ id: 'Courier' }),
    source,
  }),
  sync_courier_export: operation({
    method: 'GET',
    path: `${V1}/sync/courier/bundle`,
    summary: 'Write a bundle with the changes that the other end does not have',
    description: 'The answer is the file. If something did not fit (`more`, `files_left`), call again with `after`.',
    httpOnly: 'stream',
    bytes: 'courier',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      gateway_id: z
        .string()
        .max(80)
        .optional()
        .meta({ description: 'At head office: the gateway for which the bundle is. At a site: absent.' }),
      most_bytes: z
        .number()
        .int()
        .min(LEAST_FILE_BYTES)
        .max(MOST_FILE_BYTES)
        .default(FILE_BYTES)
        .meta({ description: 'Largest size of the file.', unit: 'bytes' }),
      file_bytes: z
        .number()
        .int()
        .min(0)
        .default(MOST_FILE_BYTES)
        .meta({ description: 'Most bytes of photos and logs in the file; 0: none.', unit: 'bytes' }),
      after: z
        .string()
        .max(80)
        .optional()
        .meta({ description: 'Id of the bundle before, if it had not room for everything.' }),
    }),
    output: z.object({}),
    errors: ['sync_off', 'sync_fenced', 'bundle_revoked', 'not_found', 'parameter_missing', 'rate_limited'],
    source,
  }),
  sync_courier_import: operation({
    method: 'POST',
    path: `${V1}/sync/courier/bundle`,
    summary: 'Read a bundle of the other end; reading one again changes nothing',
    description:
      'The body is the file. The header `Earlier-Life: take` also takes a bundle that the site wrote before it was put back from a backup.',
    httpOnly: 'stream',
    bytes: 'courier',
    scope: 'node',
    roles: ADMINS,
    input: z.object({
      id: z
        .string()
        .max(80)
        .meta({ description: 'The gateway makes this id when it has read the file. Do not send it.' }),
    }),
    output: Bundle,
    status: 201,
    errors: [
      ...(['sync_off', 'bundle_unknown', 'bundle_unsupported', 'bundle_damaged', 'bundle_incomplete'] as const),
      ...(['bundle_wrong_end', 'bundle_other_site', 'bundle_replaced', 'bundle_revoked'] as const),
      ...(['bundle_earlier_life', 'bundle_gap', 'sync_fenced', 'limit_reached', 'rate_limited', 'not_found'] as const),
    ],
    source,
  }),
} as const;
