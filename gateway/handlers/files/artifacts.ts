/** Operations on artifacts (records of stored files) and uploads. The servers write the bytes to disk before they call a handler. */

import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { ArtifactData, ArtifactKind, UploadData } from '#contract/work/artifact.ts';
import { recordedType } from '#contract/work/media.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { decodeTaskId, decodeTaskWrites, isRecording } from '#domain/runs/decode-task.ts';
import { stageAll } from '#domain/runs/writes.ts';
import { fromBase64 } from '#handlers/base/base64.ts';
import { NO_CONTEXT, notFound, requireRecord, wireBase } from '#handlers/base/documents.ts';
import { listPage } from '#handlers/base/lists.ts';
import { removedTasks } from '#handlers/tasks/removed-tasks.ts';

type Artifact = Output<'artifacts_get'>;
type Upload = Output<'devices_media_create'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Number of days after which the gateway deletes a camera image. The gateway keeps other files without a time limit. */
const FRAME_DAYS = 14;
/** A camera image may arrive twice. `sameFrame` compares it with at most this many stored files that have the same content. */
const SAME = 20;

/** Converts an artifact to the API form. */
export function toArtifact(document: Stored<ArtifactData>, decode_task_id: string | null): Artifact {
  const { run_id, ...data } = document.data;
  return {
    object: 'artifact',
    ...wireBase(document),
    ...data,
    wanted_at: data.wanted_at ?? null,
    decode_task_id,
    download_url: `/api/v1/artifacts/${document.id}/content`,
    context: { ...NO_CONTEXT, run_id, device_id: data.device_id },
  };
}

/** Converts artifacts to the API form. A recorded log also gets the id of its decode task. */
async function toArtifacts(context: HandlerContext, found: readonly Stored<ArtifactData>[]): Promise<Artifact[]> {
  const logs = found.filter(({ data }) => data.kind === 'mf4' || data.kind === 'file');
  const tasks = await context.view.getMany(
    'records',
    logs.map(({ id }) => decodeTaskId(id)),
  );
  const there = new Set(tasks.map(({ id }) => id));
  const isRemoved = there.size === logs.length ? () => false : await removedTasks(context.view);
  return found.map((document) => {
    const task_id = decodeTaskId(document.id);
    return toArtifact(document, there.has(task_id) || isRemoved(document) ? task_id : null);
  });
}

async function oneArtifact(context: HandlerContext, document: Stored<ArtifactData>): Promise<Artifact> {
  const [one] = await toArtifacts(context, [document]);
  if (one === undefined) throw new Error(`file ${document.id} was deleted between two reads`);
  return one;
}

/** Returns the subject of a file from a device: the machine to which the device is linked, or else the location of the device. */
export function subjectOf({ data }: Stored<DeviceData>): ArtifactData['subject'] {
  if (data.equipment_id !== null) return { object: 'equipment', id: data.equipment_id };
  return data.location_id === null ? null : { object: 'location', id: data.location_id };
}

const KIND_BY_NAME: readonly (readonly [ending: RegExp, kind: ArtifactKind])[] = [
  [/\.(mf4|mfc|mfe|mfm)$/i, 'mf4'],
  [/\.(mp4|webm|mkv|avi|h264)$/i, 'clip'],
  [/\.(jpe?g|png|webp|avif|gif|heic)$/i, 'image'],
];

function kindOf(name: string | null, content_type: string | null): ArtifactKind {
  const byName = KIND_BY_NAME.find(([ending]) => ending.test(name ?? ''))?.[1];
  if (byName !== undefined) return byName;
  if (content_type === 'application/x-mf4') return 'mf4';
  if (content_type?.startsWith('image/')) return 'image';
  return content_type?.startsWith('video/') ? 'clip' : 'file';
}

type Made = Pick<ArtifactData, 'kind' | 'content_type' | 'bytes' | 'sha256'> & Partial<ArtifactData>;

/** Throws `limit_reached` if the number of logs of this device that wait for decoding has reached the limit `decodes`. */
export function requireTurn(context: Pick<HandlerContext<'decodesWaiting'>, 'decodesWaiting'>, device: string): void {
  const most = LIMITS.decodes.value;
  if (context.decodesWaiting(device) >= most)
    throw new OperationError(
      'limit_reached',
      say('{most} logs of this device wait to be decoded. Send the next log after some of them are decoded.', { most }),
    );
}

function stageArtifact(context: HandlerContext, device: Stored<DeviceData>, made: Made): Stored<ArtifactData> {
  const data: ArtifactData = {
    name: null,
    captured_at: null,
    received_at: context.now,
    device_id: device.id,
    subject: subjectOf(device),
    origin: null,
    retention_until: null,
    replication: 'local',
    media: null,
    run_id: null,
    ...made,
  };
  const id = context.newId('artifact');
  if (isRecording(data)) {
    const { caller } = context;
    const created_by = { type: caller.kind, id: caller.id, name: caller.name };
    stageAll(context.view, decodeTaskWrites(context, id, data, created_by));
  }
  return context.view.stage({ collection: 'records', id, object: 'artifact', data, expected: 0 });
}

function toUpload(context: HandlerContext, document: Stored<UploadData>): Upload {
  const { device, expires_ms, ...data } = document.data;
  return {
    object: 'upload',
    id: document.id,
    device_id: device,
    upload_url: `${context.caller.base_url}/api/v1/devices/${device}/media/${document.id}`,
    protocol: 'tus/1.0.0',
    received: null,
    ...data,
    expires_at: new Date(expires_ms).toISOString(),
  };
}

/** Stages (adds to the commit of this call) an upload of a device; throws `limit_reached` if the device has too many open uploads. */
async function stageUpload(
  context: HandlerContext<'decodesWaiting'>,
  device: string,
  input: Omit<Parsed<'devices_media_create'>, 'id'>,
): Promise<Stored<UploadData>> {
  const { view } = context;
  const now = Date.parse(context.now);
  const most = LIMITS.uploads.value;
  const found = await view.find<UploadData>('local', {
    object: 'upload',
    where: { 'data.device': device },
    limit: 200,
  });
  const open = found.filter(({ data }) => data.artifact_id === null && data.expires_ms > now);
  if (open.length >= most)
    throw new OperationError(
      'limit_reached',
      say('The device already has {most} open uploads. Finish one, or wait until one expires.', { most }),
      {
        details: open.map(({ id }) => ({ upload_id: id })),
      },
    );
  const name = input.name ?? null;
  const content_type = input.content_type ?? null;
  const kind = input.kind ?? kindOf(name, content_type);
  // The gateway knows only after the last byte whether the file is a log. So check the limit of waiting logs for every possible log.
  if (kind === 'mf4' || kind === 'file') requireTurn(context, device);
  const data: UploadData = {
    device,
    bytes: input.bytes,
    name,
    content_type,
    kind,
    captured_at: input.captured_at === undefined ? null : new Date(input.captured_at).toISOString(),
    sha256: input.sha256 ?? null,
    artifact_id: null,
    expires_ms: now + LIMITS.upload_time.value * HOUR_MS,
  };
  return view.stage({ collection: 'local', id: context.newId('upload'), object: 'upload', data, expected: 0 });
}

/** Reads an upload of this device. Throws `not_found` if the upload is unknown or expired, or if it belongs to another device. */
async function requireUpload(context: HandlerContext, device: string, id: string): Promise<Stored<UploadData>> {
  await requireRecord<DeviceData>(context.view, 'device', device);
  const found = await context.view.get<UploadData>('local', id);
  if (found?.object !== 'upload' || found.data.device !== device || found.data.expires_ms <= Date.parse(context.now))
    throw notFound('upload', 'upload_id');
  return found;
}

/** Throws `not_found` if the run does not belong to a task of this device. */
async function requireOwnRun(context: HandlerContext, device: string, run_id: string): Promise<void> {
  const run = await context.view.get<RunData>('records', run_id);
  const task = run?.object === 'run' ? await context.view.get<TaskData>('records', run.data.task_id) : undefined;
  if (task?.data.links?.device_id !== device) throw notFound('run', 'run_id');
}

const encoder = new TextEncoder();

/** Returns the stored camera image with the same device, content, time and sequence number; undefined if there is none. */
async function sameFrame(
  context: HandlerContext,
  device: string,
  media: Made,
): Promise<Stored<ArtifactData> | undefined> {
  const where = { 'data.sha256': media.sha256, 'data.device_id': device };
  const found = await context.view.find<ArtifactData>('records', { object: 'artifact', where, limit: SAME });
  return found.find(
    ({ data }) =>
      data.captured_at === media.captured_at && (data.media?.sequence ?? null) === (media.media?.sequence ?? null),
  );
}

export const artifactHandlers = handlerGroup([], {
  async artifacts_list(input, context) {
    const where = { 'data.sha256': input.sha256, 'data.device_id': input.device_id, 'data.kind': input.kind };
    return listPage<ArtifactData, Artifact>(
      context,
      context.view,
      'records',
      input,
      { object: 'artifact', where },
      (found) => toArtifacts(context, found),
    );
  },

  async artifacts_get({ id }, context) {
    return oneArtifact(context, await requireRecord<ArtifactData>(context.view, 'artifact', id));
  },

  async artifacts_content({ id }, context) {
    return oneArtifact(context, await requireRecord<ArtifactData>(context.view, 'artifact', id));
  },
});

/** Handlers with which a device sends camera images (frames), small files and uploads. */
export const mediaHandlers = handlerGroup(['accept', 'decodesWaiting', 'putArtifact'], {
  async devices_stream(input, context) {
    const id = context.caller.device;
    if (id === null) throw new OperationError('permission_denied', 'Images must be posted with the key of the device.');
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const { captured_at, sequence = null, width = null, height = null, detections = [], run_id = null } = input;
    if (run_id !== null) await requireOwnRun(context, id, run_id);
    const made = {
      kind: 'frame',
      content_type: input.content_type ?? 'application/octet-stream',
      bytes: input.bytes,
      sha256: input.sha256,
      captured_at: captured_at === undefined ? null : new Date(captured_at).toISOString(),
      retention_until: new Date(Date.parse(context.now) + FRAME_DAYS * DAY_MS).toISOString(),
      media: { sequence, width, height, detections },
      run_id,
    } as const;
    const before = await sameFrame(context, id, made);
    // Also write a message about the image to the journal (the file of all accepted messages), so that the image counts as activity of the
    // device.
    await context.accept({
      device: id,
      project_id: device.project_id,
      device_id: device.data.device_id,
      topic: 'picture',
      payload: encoder.encode(JSON.stringify({ sha256: input.sha256 })),
      received_at_ms: Date.parse(context.now),
      via: 'http',
    });
    const { id: artifact_id, data } = before ?? stageArtifact(context, device, made);
    const { sha256, received_at } = data;
    return { object: 'frame_ack', artifact_id, sha256, received_at, duplicate: before !== undefined };
  },

  async devices_upload_media({ id, dry_run, content_base64, bytes, ...input }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    if (content_base64 === undefined) {
      if (bytes === undefined)
        throw new OperationError(
          'parameter_missing',
          'Give `bytes` to get an upload slot, or the file itself as `content_base64`.',
          {
            param: 'bytes',
          },
        );
      const upload = toUpload(context, await stageUpload(context, id, { ...input, bytes }));
      return { object: 'media_slot', upload, artifact: null };
    }
    const content = fromBase64(content_base64);
    if (content.length === 0 || (bytes !== undefined && bytes !== content.length))
      throw new OperationError(
        'parameter_invalid',
        say('`content_base64` has {content} bytes. It must not be empty, and `bytes` must be the same number.', {
          content: content.length,
        }),
        {
          param: 'bytes',
        },
      );
    const name = input.name ?? null;
    const content_type = recordedType(content, input.content_type ?? null);
    const kind = input.kind ?? kindOf(name, content_type);
    if (isRecording({ kind, content_type, device_id: id, name })) requireTurn(context, id);
    const kept = dry_run ? undefined : await context.putArtifact(content);
    if (input.sha256 !== undefined && kept !== undefined && kept.sha256 !== input.sha256)
      throw new OperationError(
        'checksum_mismatch',
        say('The SHA-256 of the content is {sha256}.', { sha256: kept.sha256 }),
        {
          param: 'sha256',
        },
      );
    const artifact = stageArtifact(context, device, {
      kind,
      content_type,
      bytes: content.length,
      sha256: kept?.sha256 ?? '0'.repeat(64),
      name,
      captured_at: input.captured_at === undefined ? null : new Date(input.captured_at).toISOString(),
    });
    return {
      object: 'media_slot',
      upload: null,
      artifact: toArtifact(artifact, isRecording(artifact.data) ? decodeTaskId(artifact.id) : null),
    };
  },

  async devices_media_create({ id, ...input }, context) {
    await requireRecord<DeviceData>(context.view, 'device', id);
    return toUpload(context, await stageUpload(context, id, input));
  },

  async devices_media_status({ id, upload_id }, context) {
    return toUpload(context, await requireUpload(context, id, upload_id));
  },

  async devices_media_append({ id, upload_id, sha256, bytes, content_type: sent }, context) {
    const { view } = context;
    const current = await requireUpload(context, id, upload_id);
    if (current.data.artifact_id !== null) return toUpload(context, current);
    const device = await requireRecord<DeviceData>(view, 'device', id);
    const { name, kind, captured_at, content_type: claimed } = current.data;
    const content_type = sent ?? recordedType(undefined, claimed);
    const artifact = stageArtifact(context, device, {
      kind: kind === kindOf(name, claimed) ? kindOf(name, content_type) : kind,
      content_type,
      bytes,
      sha256,
      name,
      captured_at,
      origin: { session: null, split: null, object_key: name },
    });
    if (context.caller.device === id)
      await context.accept({
        device: id,
        project_id: device.project_id,
        device_id: device.data.device_id,
        topic: 'status',
        payload: encoder.encode(JSON.stringify({ status: 'online' })),
        received_at_ms: Date.parse(context.now),
        via: 'http',
      });
    const data: UploadData = { ...current.data, sha256, artifact_id: artifact.id };
    const write = { collection: 'local', id: upload_id, object: 'upload', data, current } as const;
    return toUpload(context, view.stage<UploadData>({ ...write, expected: current.revision }));
  },

  async devices_media_end({ id, upload_id }, context) {
    const current = await requireUpload(context, id, upload_id);
    const write = { collection: 'local', id: upload_id, object: 'upload', data: current.data, current } as const;
    context.view.stage<UploadData>({ ...write, expected: current.revision, deleted: true });
    return { object: 'upload', id: upload_id, deleted: true };
  },
});
