/**
 * Artifact: a file that a device sent as a camera frame, a resumable upload or a bucket object, or a photo that a person took of a machine.
 * Clients read the file or a byte range.
 */
import { z } from 'zod';
import { base, Context, freeJson, Id, idPath, listOf, listQuery, Timestamp } from '#contract/base/common.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { ADMINS, operation, READERS, V1, WRITERS } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';

const ARTIFACT_KIND = ['mf4', 'frame', 'clip', 'image', 'file', 'blackbox'] as const;
export type ArtifactKind = (typeof ARTIFACT_KIND)[number];

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hex digits');
const origin = z.object({
  session: z.string().nullable(),
  split: z.string().nullable(),
  object_key: z.string().nullable(),
});

const described = {
  kind: z.enum(ARTIFACT_KIND),
  name: z.string().nullable().meta({ description: 'File name given by the sender.' }),
  content_type: z.string(),
  bytes: z.number().int().meta({ unit: 'B' }),
  sha256: Sha256.meta({ description: 'SHA-256 of the content in hexadecimal; also its ETag.' }),
  captured_at: Timestamp.nullable(),
  received_at: Timestamp,
  device_id: z.string().nullable().meta({ description: 'Record id of the device that sent it.' }),
  subject: z.object({ object: z.string(), id: z.string() }).nullable().meta({ description: 'What it shows.' }),
  origin: origin.nullable(),
  retention_until: Timestamp.nullable().meta({ description: 'Time of deletion; null: kept.' }),
  replication: z.enum(['local', 'queued', 'cloud']).meta({
    description:
      'local: this end made the file, and the other end does not have its content yet. queued: the content is to come from the other end. cloud: head office has it.',
  }),
  wanted_at: Timestamp.nullable().meta({ description: 'When a person asked that this file is sent first.' }),
  media: z.record(z.string(), z.unknown()).nullable().meta({
    description:
      'For frames: sequence, width, height, detections. For logs in the bucket: the metadata from the logger.',
  }),
};

export const Artifact = z
  .object({
    object: z.literal('artifact'),
    ...base,
    ...described,
    kind: shown(ARTIFACT_KIND),
    decode_task_id: z
      .string()
      .nullable()
      .meta({ description: 'The task that decodes this log; null if the file is not a log.' }),
    download_url: z.string(),
    context: Context,
  })
  .meta({ id: 'Artifact', description: 'File or image that a device produced.' });
/** `data` of a stored artifact. */
export type ArtifactData = Omit<z.infer<z.ZodObject<typeof described>>, 'wanted_at'> & {
  run_id: string | null;
  /** Absent: nobody asked for the file. */
  wanted_at?: string | null;
};

const Upload = z
  .object({
    object: z.literal('upload'),
    id: z.string(),
    device_id: z.string(),
    upload_url: z
      .string()
      .meta({ description: 'Append here with PATCH (tus 1.0.0), with the key of the device or of a person.' }),
    protocol: z.literal('tus/1.0.0'),
    bytes: z.number().int(),
    received: z.number().int().nullable().meta({ description: 'Number of bytes on disk; null if not requested.' }),
    name: z.string().nullable(),
    content_type: z.string().nullable(),
    kind: z.enum(ARTIFACT_KIND),
    captured_at: Timestamp.nullable(),
    sha256: z.string().nullable(),
    artifact_id: z.string().nullable().meta({ description: 'Set once the upload is complete.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'Upload', description: 'A resumable upload.' });

/** The stored state of an upload. */
export interface UploadData {
  device: string;
  bytes: number;
  name: string | null;
  content_type: string | null;
  kind: ArtifactKind;
  captured_at: string | null;
  /** SHA-256 that the sender gave for the content. */
  sha256: string | null;
  artifact_id: string | null;
  expires_ms: number;
}

const uploadInput = {
  bytes: z.number().int().min(1).max(LIMITS.artifact.value).meta({ description: 'Length of the whole file.' }),
  name: z.string().trim().min(1).max(255).optional(),
  content_type: z
    .string()
    .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/)
    .optional(),
  kind: z.enum(ARTIFACT_KIND).optional().meta({ description: 'Default: derived from name and content type.' }),
  captured_at: Timestamp.optional(),
  sha256: Sha256.optional().meta({ description: 'If given, content with another SHA-256 is refused at the end.' }),
};

const FrameAck = z.object({
  object: z.literal('frame_ack'),
  artifact_id: z.string(),
  sha256: z.string(),
  received_at: Timestamp,
  duplicate: z.boolean().meta({ description: 'True if the same frame was already stored.' }),
});

const MEDIA = `${V1}/devices/{id}/media`;
const UPLOAD = { extension: 'resumable uploads of a device, tus 1.0.0' };
const ONE_UPLOAD = {
  path: `${MEDIA}/{upload_id}`,
  httpOnly: 'stream',
  roles: [...WRITERS, 'mechanic', 'operator', 'device'],
  source: UPLOAD,
} as const;
const uploadPath = { ...idPath, upload_id: Id };

/** Largest number of photos of one machine that are in no inspection yet. */
export const MOST_WAITING_PHOTOS = 50;

/** Operations on artifacts and uploads. */
export const artifactOperations = {
  artifacts_list: operation({
    method: 'GET',
    path: `${V1}/artifacts`,
    summary: 'List files that devices produced',
    input: z.object({
      ...listQuery,
      device_id: Id.optional(),
      kind: z.enum(ARTIFACT_KIND).optional(),
      sha256: Sha256.optional(),
    }),
    output: listOf(Artifact),
    errors: ['invalid_cursor'],
    source: {
      extension: 'media are artifacts; a caller that gets their ids in `context.media` must be able to read them',
    },
  }),
  artifacts_get: operation({
    method: 'GET',
    path: `${V1}/artifacts/{id}`,
    summary: 'Get the record of a file',
    input: z.object(idPath),
    output: Artifact,
    revision: 'etag',
    errors: ['not_found'],
    source: {
      extension: 'media are artifacts; a caller that gets their ids in `context.media` must be able to read them',
    },
  }),
  artifacts_content: operation({
    method: 'GET',
    path: `${V1}/artifacts/{id}/content`,
    summary: 'Read the content of a file, whole or one byte range',
    description: 'The tool returns the record of the file, and its content as an image, text or base64.',
    bytes: 'content',
    input: z.object(idPath),
    output: Artifact,
    errors: ['not_found', 'range_not_satisfiable'],
    source: { extension: 'range reads of files' },
  }),
  devices_stream: operation({
    frequent: true,
    method: 'POST',
    path: `${V1}/devices/stream`,
    summary: 'Post a camera frame; the answer is sent once it is on disk',
    description:
      'With a device key. Either `multipart/form-data` with the parts `meta` (JSON) and `frame`, or the image as the body with `X-Captured-At` and `X-Sequence`. `Idempotency-Key` is required.',
    httpOnly: 'stream',
    bytes: 'frame',
    roles: ['device'],
    input: z.object({
      captured_at: Timestamp.optional(),
      sequence: z.number().int().min(0).optional(),
      content_type: z.string().max(120).optional(),
      width: z.number().int().min(1).max(100_000).optional(),
      height: z.number().int().min(1).max(100_000).optional(),
      detections: z
        .array(freeJson(64, 64, 16_384))
        .max(500)
        .optional(),
      run_id: Id.optional().meta({ description: 'The worker run of this device that the frame belongs to.' }),
      sha256: Sha256.meta({ description: 'SHA-256 of the frame as received.' }),
      bytes: z.number().int().min(1),
    }),
    output: FrameAck,
    status: 202,
    requires: ['idempotency-key'],
    errors: ['idempotency_key_required', 'unsupported_media_type', 'payload_too_large', 'storage_full', 'not_found'],
  }),
  devices_upload_media: operation({
    method: 'POST',
    path: `${V1}/devices/{id}/media-slots`,
    summary: 'Open an upload slot for a file of a device, or store a small file at once',
    description: `Small files go in \`content_base64\`; for others PATCH the slot's upload_url (tus 1.0.0), up to ${LIMITS.artifact.value} bytes.`,
    roles: [...ADMINS, 'supervisor', 'mechanic', 'agent'],
    input: z.object({
      ...idPath,
      ...uploadInput,
      bytes: uploadInput.bytes.optional().meta({ description: 'Length of the whole file, for a slot.' }),
      content_base64: z.base64().max(900_000).optional().meta({ description: 'The small file itself.' }),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      object: z.literal('media_slot'),
      upload: Upload.nullable().meta({ description: 'The slot; null if the request contained the file.' }),
      artifact: Artifact.nullable(),
    }),
    status: 201,
    errors: ['not_found', 'parameter_missing', 'checksum_mismatch', 'limit_reached'],
    source: { extension: 'the tool has a route, so that REST callers can do the same' },
  }),
  equipment_upload_photo: operation({
    method: 'POST',
    path: `${V1}/equipment/{id}/photos`,
    summary: 'Store a photo of a machine for an inspection',
    description: `A photo that is in no inspection is deleted after ${LIMITS.upload_time.value} hours.`,
    roles: [...WRITERS, 'mechanic', 'operator'],
    input: z.object({
      ...idPath,
      content_base64: z.base64().min(4).max(900_000).meta({ description: 'JPEG, PNG, WebP, GIF or AVIF.' }),
      name: uploadInput.name,
      captured_at: Timestamp.optional(),
    }),
    output: Artifact,
    status: 201,
    errors: ['not_found', 'parameter_invalid', 'limit_reached', 'storage_full'],
    source: { extension: 'a person documents a defect with a phone, and has no device whose files it could be' },
  }),
  devices_media_create: operation({
    method: 'POST',
    path: MEDIA,
    summary: 'Open a resumable upload (tus 1.0.0: creation)',
    httpOnly: 'stream',
    bytes: 'upload_create',
    roles: ['device'],
    input: z.object({ ...idPath, ...uploadInput }),
    output: Upload,
    status: 201,
    errors: ['not_found', 'payload_too_large', 'storage_full', 'limit_reached', 'tus_version_unsupported'],
    source: UPLOAD,
  }),
  devices_media_status: operation({
    ...ONE_UPLOAD,
    method: 'GET',
    summary: 'Get the progress of an upload; HEAD answers as in tus 1.0.0',
    bytes: 'upload_status',
    roles: [...READERS, 'device'],
    input: z.object(uploadPath),
    output: Upload,
    errors: ['not_found', 'tus_version_unsupported'],
  }),
  devices_media_append: operation({
    ...ONE_UPLOAD,
    method: 'PATCH',
    summary: 'Append to an upload (tus 1.0.0); the last byte completes the artifact',
    bytes: 'upload_append',
    status: 204,
    input: z.object({
      ...uploadPath,
      sha256: Sha256,
      bytes: z.number().int().min(1),
      content_type: z.string().max(120).optional().meta({ description: 'From the first bytes.' }),
    }),
    output: Upload,
    errors: [
      'not_found',
      'upload_offset_mismatch',
      'checksum_mismatch',
      'operation_in_progress',
      'payload_too_large',
      'storage_full',
      'tus_version_unsupported',
      'unsupported_media_type',
    ],
  }),
  devices_media_end: operation({
    ...ONE_UPLOAD,
    method: 'DELETE',
    summary: 'Cancel an upload and delete its bytes (tus 1.0.0: termination)',
    bytes: 'upload_end',
    status: 204,
    input: z.object(uploadPath),
    output: z.object({ object: z.literal('upload'), id: z.string(), deleted: z.literal(true) }),
    errors: ['not_found', 'operation_in_progress', 'tus_version_unsupported'],
  }),
} as const;
