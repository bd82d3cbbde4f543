/** Files between a site and head office: how gateways offer, send and fetch their content, and how a person sees and hurries it. */
import { z } from 'zod';
import { Id, idPath, Timestamp, Words } from '#contract/base/common.ts';
import { operation, READERS, V1, WRITERS } from '#contract/base/operation.ts';

/** Files of one offer. */
export const MOST_OFFERED = 100;
/** Files are compared in this many groups, by the first byte of their SHA-256. */
export const FILE_GROUPS = 256;

/** Characters of a name and of an error in the report of a site. Longer ones are cut. */
export const MOST_NAME = 255;
export const MOST_CODE = 60;
export const MOST_MESSAGE = 1_000;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hex digits');

/** Why no file is sent now. */
export const FilesPaused = z.object({
  why: z.enum(['budget', 'window', 'metered']).meta({
    description:
      'budget: the bytes that are left of this month are too few. window: outside the hours for files. metered: the link costs money, and large files wait until somebody asks for them.',
  }),
  until: Timestamp.nullable().meta({ description: 'Null: until somebody asks for a file.' }),
});
export type FilesPaused = z.infer<typeof FilesPaused>;

/** The files of a link, as both ends show them. */
export const LinkFiles = z.object({
  waiting: z.number().int().meta({ description: 'Files that the other end does not have yet; counted up to 10,000.' }),
  waiting_bytes: z.number().int().meta({ unit: 'B' }),
  current: z
    .object({
      sha256: Sha256,
      name: z.string().max(MOST_NAME).nullable(),
      direction: z.enum(['up', 'down']),
      bytes: z.number().int().meta({ unit: 'B' }),
      done: z.number().int().meta({ unit: 'B' }),
    })
    .nullable()
    .meta({ description: 'The file that is on its way.' }),
  bytes_per_second: z.number().nullable().meta({ description: 'Speed of the last files; null before the first one.' }),
  expected_at: Timestamp.nullable().meta({
    description: 'When all files will have arrived; null if nobody can say.',
  }),
  paused: FilesPaused.nullable(),
  error: z
    .object({ code: z.string().max(MOST_CODE), message: z.string().max(MOST_MESSAGE) })
    .nullable()
    .meta({ description: 'Why files do not move, such as a full disk. Everything else goes on.' }),
});
export type LinkFiles = z.infer<typeof LinkFiles>;

const FileTransfer = z
  .object({
    object: z.literal('file_transfer'),
    artifact_id: z.string(),
    state: z.enum(['here', 'waiting', 'arriving', 'elsewhere', 'missing']).meta({
      description:
        'here: this end has the content. waiting, arriving: it comes from the other end. elsewhere: the other end has it, and it comes when somebody asks for it. missing: neither end has it.',
    }),
    bytes: z.number().int().meta({ unit: 'B' }),
    received: z.number().int().meta({ unit: 'B', description: 'Bytes that this end has.' }),
    wanted_at: Timestamp.nullable().meta({ description: 'When somebody asked for it first.' }),
    expected_at: Timestamp.nullable().meta({ description: 'When the content will be here; null if nobody can say.' }),
    sentence: z.string(),
    words: Words.optional(),
  })
  .meta({ id: 'FileTransfer', description: 'Where the content of a file is, and when it comes.' });
export type FileTransfer = z.infer<typeof FileTransfer>;

/** What one end needs to know of a file to say where it is. */
export interface FileAsked {
  readonly artifact_id: string;
  readonly project_id: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly replication: string;
  readonly wanted_at: string | null;
}

const OfferInput = z.object({
  project_id: Id,
  files: z.array(Sha256).max(MOST_OFFERED),
  lost: z
    .array(Sha256)
    .max(MOST_OFFERED)
    .optional()
    .meta({ description: 'Files that the site does not have, and that head office did not have either.' }),
  sums: z
    .array(z.string().regex(/^[0-9a-f]{32}$/))
    .length(FILE_GROUPS)
    .optional()
    .meta({ description: 'For each group, the sum of the files that head office should have, to find what it lacks.' }),
  report: LinkFiles.optional().meta({ description: 'What the site shows about its files.' }),
});
export type FileOffer = z.infer<typeof OfferInput>;

const OfferAnswer = z
  .object({
    object: z.literal('file_offer'),
    files: z.array(
      z.object({
        sha256: z.string(),
        known: z.boolean().meta({ description: 'False: head office has no record of this file yet.' }),
        has: z.boolean(),
        received: z.number().int().meta({ unit: 'B' }),
      }),
    ),
    differs: z.array(z.number().int()).meta({ description: 'The groups whose sums differ.' }),
  })
  .meta({ id: 'FileOffer' });
export type FileOfferAnswer = z.infer<typeof OfferAnswer>;

const source = { extension: 'a site and head office exchange files' };
const onePath = `${V1}/sync/projects/{project_id}/files/{sha256}`;
const oneFile = z.object({ project_id: Id, sha256: Sha256 });

export const syncFileOperations = {
  artifacts_transfer: operation({
    method: 'GET',
    path: `${V1}/artifacts/{id}/transfer`,
    summary: 'Tell where the content of a file is, and when it comes',
    roles: READERS,
    input: z.object(idPath),
    output: FileTransfer,
    errors: ['not_found'],
    source,
  }),
  artifacts_fetch: operation({
    method: 'POST',
    path: `${V1}/artifacts/{id}/transfer`,
    summary: 'Ask for the content of a file before all other files',
    roles: [...WRITERS, 'mechanic', 'operator'],
    input: z.object(idPath),
    output: FileTransfer,
    status: 202,
    errors: ['not_found'],
    source,
  }),
  sync_files_offer: operation({
    method: 'POST',
    path: `${V1}/sync/files`,
    summary: 'Tell which of these files head office has; gateways call this',
    httpOnly: 'gateway',
    scope: 'node',
    roles: ['gateway'],
    input: OfferInput,
    output: OfferAnswer,
    errors: ['permission_denied'],
    source,
  }),
  sync_files_put: operation({
    method: 'PUT',
    path: onePath,
    summary: 'Send bytes of a file, from the offset in Content-Range; gateways call this',
    httpOnly: 'gateway',
    bytes: 'sync_file',
    scope: 'node',
    roles: ['gateway'],
    input: oneFile,
    output: z.object({}),
    status: 204,
    errors: [
      'not_found',
      'permission_denied',
      'parameter_invalid',
      'upload_offset_mismatch',
      'operation_in_progress',
      'checksum_mismatch',
      'payload_too_large',
      'storage_full',
    ],
    source,
  }),
  sync_files_get: operation({
    method: 'GET',
    path: onePath,
    summary: 'Read bytes of a file; gateways call this',
    httpOnly: 'gateway',
    bytes: 'sync_file',
    scope: 'node',
    roles: ['gateway'],
    input: oneFile,
    output: z.object({}),
    errors: ['not_found', 'permission_denied', 'range_not_satisfiable'],
    source,
  }),
} as const;
