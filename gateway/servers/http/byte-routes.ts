/**
 * Serves the operations that transfer bytes: frames (camera pictures), uploads, and the content of artifacts (stored files). `Invoke`
 * decides who may call these operations.
 */
import { promises, Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { DOCUMENT_BYTES, type Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Bytes } from '#contract/base/operation.ts';
import type { Output } from '#contract/operations.ts';
import type { FeedSource } from '#contract/site/live.ts';
import { laterReport } from '#contract/site/sync-report.ts';
import type { Courier, HeadOffice, SyncReader } from '#contract/sync-services.ts';
import { sendJson } from '#servers/base/answer.ts';
import { endedEarly, readBytes, tooSlow } from '#servers/base/body.ts';
import { sendContent } from '#servers/base/content.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import { BrokenOff, paced, TooSlow } from '#servers/base/pace.ts';
import { liftTime, unhurried } from '#servers/base/request-time.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { payForBytes } from '#servers/invoke/spending.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Uploads } from '#store/uploads.ts';
import {
  BOX_HEADER,
  HINT_HEADER,
  KEPT_HEADER,
  LIVE_HEADER,
  liveText,
  MEDIA_TYPE,
  MOST_BYTES,
  REPORT_HEADER,
} from '#sync/wire/frame.ts';
import { takeFrame } from './frames.ts';
import { createTus } from './tus.ts';

type Call = Parameters<Invoke['call']>[0];

/** The services that the byte routes use. */
export interface Files {
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  /** Returns the free disk space that uploads may use, in bytes. */
  readonly room: () => number;
  /** Storage budgets of devices: how much each device may store a day. */
  readonly budgets: Spending;
}

/** Serves a request of an operation that transfers bytes; `bytes` is the kind of transfer that the operation declares. */
export type ServeBytes = (bytes: Bytes, request: Request, response: Response, call: Call) => Promise<void>;

/**
 * Largest number of frames that the gateway receives from one camera at the same time. The gateway writes each frame to disk while the
 * frame arrives.
 */
const FRAMES_EACH = 8;

/**
 * Creates the routes for frames, uploads and artifacts. `media` returns an artifact that the boards of a display link (a link that needs no
 * login) show.
 */
export function createByteRoutes(options: {
  invoke: Invoke;
  files: Files;
  media: FeedSource['media'];
  headOffice: HeadOffice | undefined;
  courier: Courier | undefined;
  /** Tells where a file is whose content is not here. */
  fileState: SyncReader['fileState'];
}): ServeBytes {
  const { invoke, files, media } = options;
  const serveSync = createSyncRoute({ invoke, headOffice: options.headOffice });
  const serveCourier = createCourierRoute(options);
  const serveSyncFile = createSyncFileRoute({ invoke, headOffice: options.headOffice, artifacts: files.artifacts });
  const tus = createTus({ invoke, uploads: files.uploads, room: files.room, budgets: files.budgets });
  const frames = createPlaces({ total: LIMITS.frames.value, each: FRAMES_EACH, what: 'frames' });

  async function receiveFrame(request: Request, response: Response, call: Call): Promise<void> {
    // Before reading the body, check the caller, the free space and the Idempotency-Key. The hash and size of the body are not known yet,
    // so use placeholders for them.
    await invoke.admit({ ...call, input: { sha256: '0'.repeat(64), bytes: 1 } });
    if (call.idempotency_key === undefined)
      throw new OperationError(
        'idempotency_key_required',
        'Send an Idempotency-Key. If you repeat a frame, use the same key.',
        {
          param: 'Idempotency-Key',
        },
      );
    if (files.room() <= 0)
      throw new OperationError('storage_full', 'The disk of the gateway is too full to accept frames.');
    const release = frames.take(`${call.caller.kind}:${call.caller.id}`);
    try {
      // Charge the budget of the device. Charge now for two documents: the record of the frame, and the receipt (the stored answer for a
      // repeated request). Charge for the image while its bytes arrive.
      payForBytes(files.budgets, call.caller, 2 * DOCUMENT_BYTES, 1);
      const pay = (bytes: number) => payForBytes(files.budgets, call.caller, bytes);
      const { meta, ...stored } = await takeFrame(request, files.artifacts, pay);
      if (meta.content_type !== undefined && meta.content_type !== stored.content_type)
        throw new OperationError(
          'unsupported_media_type',
          `The frame is ${stored.content_type}, but \`meta\` names another type.`,
          { param: 'content_type' },
        );
      const reply = await invoke.call({ ...call, input: { ...meta, ...stored } });
      if (reply.replayed) response.setHeader('Idempotent-Replayed', 'true');
      sendJson(response, reply.status, reply.body);
    } finally {
      release();
    }
  }

  async function sendArtifact(request: Request, response: Response, call: Call): Promise<void> {
    const { body } = await invoke.call(call);
    const artifact = body as unknown as Output<'artifacts_get'>;
    if ((await files.artifacts.find(artifact.sha256))?.bytes !== artifact.bytes) {
      const { id: artifact_id, sha256, bytes, replication, wanted_at, project_id } = artifact;
      const asked = { artifact_id, project_id, sha256, bytes, replication, wanted_at };
      const { sentence, words } = await options.fileState(asked);
      throw new OperationError('content_not_here', words ?? sentence, { param: 'id' });
    }
    return sendContent(request, response, artifact, files.artifacts);
  }

  async function sendSharedArtifact(request: Request, response: Response, call: Call): Promise<void> {
    const { input } = await invoke.admit(call);
    const artifact = await media(String(input.share), String(input.id));
    if (artifact === undefined)
      throw new OperationError('not_found', 'No board of this display link shows this picture.', { param: 'id' });
    return sendContent(request, response, { id: artifact.id, ...artifact.data }, files.artifacts);
  }

  return async (bytes, request, response, call) => {
    if (bytes === 'frame') return receiveFrame(request, response, call);
    if (bytes === 'content') return sendArtifact(request, response, call);
    if (bytes === 'shared_content') return sendSharedArtifact(request, response, call);
    if (bytes === 'sync') return serveSync(request, response, call);
    if (bytes === 'courier') return serveCourier(request, response, call);
    if (bytes === 'sync_file') return serveSyncFile(request, response, call);
    return tus.serve(bytes, request, response, call);
  };
}

type Serve = (request: Request, response: Response, call: Call) => Promise<void>;

/** Messages that are received at the same time, in all and of one gateway. */
const MESSAGES = 128;
const MESSAGES_EACH = 8;

/** Creates the route of gateways at head office: messages of the sync protocol, and hints. */
function createSyncRoute(options: { invoke: Invoke; headOffice: HeadOffice | undefined }): Serve {
  const { invoke, headOffice } = options;
  const places = createPlaces({ total: MESSAGES, each: MESSAGES_EACH, what: 'sync messages' });

  return async (request, response, given) => {
    const call = request.method === 'GET' ? withReport(request, given) : given;
    await invoke.call(call);
    if (headOffice === undefined) throw new OperationError('operation_unavailable', 'This node is not a head office.');
    // No browser reads these answers, and each byte of them costs the site money.
    for (const name of response.getHeaderNames()) if (name !== 'x-request-id') response.removeHeader(name);
    if (request.method === 'GET') {
      const gone = new AbortController();
      response.on('close', () => gone.abort());
      const after = call.input.after === undefined ? undefined : String(call.input.after);
      const live_s = call.input.live_s === undefined ? undefined : Number(call.input.live_s);
      const asked = { after, live_s, box: request.get(BOX_HEADER) };
      const { state, live, kept } = await headOffice.hint(call.caller.id, asked, gone.signal);
      const headers = {
        [HINT_HEADER]: state,
        ...(live.size > 0 && { [LIVE_HEADER]: liveText(live) }),
        ...(kept !== undefined && { [KEPT_HEADER]: kept }),
      };
      response.writeHead(204, headers).end();
      return;
    }
    if (request.get('content-type') !== MEDIA_TYPE)
      throw new OperationError('unsupported_media_type', `Send a message as ${MEDIA_TYPE}.`);
    const release = places.take(`gateway:${call.caller.id}`);
    try {
      const answer = await headOffice.exchange(call.caller.id, await readBytes(request, MOST_BYTES));
      response.writeHead(200, { 'content-type': MEDIA_TYPE, 'content-length': answer.length }).end(answer);
    } finally {
      release();
    }
  };
}

/** Adds to the input of a call the fields of the report that newer gateways send in a header. What this version does not know is left out. */
function withReport(request: Request, call: Call): Call {
  const said = new URLSearchParams(request.get(REPORT_HEADER));
  const known = Object.entries(laterReport).flatMap(([name, field]) => {
    const value = said.get(name);
    return value !== null && field.safeParse(value).success ? [[name, value] as const] : [];
  });
  return { ...call, input: { ...call.input, ...Object.fromEntries(known) } };
}

/** Files that are received at the same time, in all and of one gateway. */
const FILES = 32;
const FILES_EACH = 2;

/** Creates the route with which gateways send and read bytes of files. */
function createSyncFileRoute(options: {
  invoke: Invoke;
  headOffice: HeadOffice | undefined;
  artifacts: Artifacts;
}): Serve {
  const { invoke, headOffice, artifacts } = options;
  const places = createPlaces({ total: FILES, each: FILES_EACH, what: 'files of gateways' });

  return async (request, response, call) => {
    await invoke.call(call);
    if (headOffice === undefined) throw new OperationError('operation_unavailable', 'This node is not a head office.');
    const of = { project_id: String(call.input.project_id), sha256: String(call.input.sha256) };
    if (request.method !== 'PUT') {
      const { bytes } = await headOffice.files.find(call.caller.id, of);
      const file = { ...of, id: of.sha256, bytes, name: null, content_type: 'application/octet-stream' };
      return sendContent(request, response, { ...file, received_at: new Date(0).toISOString() }, artifacts);
    }
    const offset = offsetOf(request.get('content-range'));
    const release = places.take(`gateway:${call.caller.id}`);
    try {
      liftTime(request);
      const received = await headOffice.files.receive(call.caller.id, { ...of, offset }, paced(request));
      response.writeHead(204, { 'Upload-Offset': received }).end();
    } catch (error) {
      if (error instanceof TooSlow) throw tooSlow();
      // The bytes that arrived stay, and the gateway continues after them.
      throw error instanceof BrokenOff ? endedEarly(error) : error;
    } finally {
      release();
    }
  };
}

/** Returns the first byte of a Content-Range (RFC 9110 14.4); throws `parameter_invalid`. */
function offsetOf(header: string | undefined): number {
  const [, from] = /^bytes (\d{1,15})-\d{1,15}\/\d{1,15}$/.exec(header ?? '') ?? [];
  if (from !== undefined) return Number(from);
  throw new OperationError('parameter_invalid', 'Send `Content-Range`, such as `bytes 0-65535/1048576`.', {
    param: 'Content-Range',
  });
}

const BUNDLE_TYPE = 'application/octet-stream';
/** Bytes that wait for a slow reader. */
const WAITING = 1 << 20;

/** Creates the route that writes a bundle as its answer, or reads one from the body. */
function createCourierRoute(options: { invoke: Invoke; courier: Courier | undefined }) {
  const { invoke, courier } = options;

  return async (request: Request, response: Response, call: Call): Promise<void> => {
    if (request.method === 'GET') {
      const { input } = await invoke.admit(call);
      await invoke.call(call);
      return sendBundle(courierOf(courier), response, input);
    }
    // The id is made when the file was read. Until then a placeholder stands for it.
    await invoke.admit({ ...call, input: { id: '-' } });
    if (request.get('content-type') !== BUNDLE_TYPE)
      throw new OperationError('unsupported_media_type', `Send the file as ${BUNDLE_TYPE}.`);
    try {
      // The gateway reads a bundle as fast as it takes its changes.
      liftTime(request);
      const earlier_life = request.get('earlier-life') === 'take';
      const taking = courierOf(courier).import(paced(request), { earlier_life });
      const { id } = await unhurried(response, taking);
      const reply = await invoke.call({ ...call, input: { id } });
      sendJson(response, reply.status, reply.body);
    } catch (error) {
      if (error instanceof TooSlow) throw tooSlow();
      throw error instanceof BrokenOff ? endedEarly(error) : error;
    }
  };
}

function courierOf(courier: Courier | undefined): Courier {
  if (courier === undefined) throw new OperationError('operation_unavailable', 'This node has no other end.');
  return courier;
}

async function sendBundle(courier: Courier, response: Response, input: Record<string, unknown>): Promise<void> {
  const { gateway_id, after } = input as { gateway_id?: string; after?: string };
  const asked = { gateway_id, after, most_bytes: Number(input.most_bytes), file_bytes: Number(input.file_bytes) };
  // The gateway first counts what it wrote since the last time. It sends no byte meanwhile.
  const { name, content } = await unhurried(response, courier.export(asked));
  response.writeHead(200, {
    'Content-Type': BUNDLE_TYPE,
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  });
  // If the reader stops, or writing fails, the connection is closed: the file is then incomplete, and the other end says so.
  await promises
    .pipeline(Readable.from(unhurriedAll(response, content), { objectMode: false, highWaterMark: WAITING }), response)
    .catch(() => response.destroy());
}

/** Gives the same pieces. The time in which the gateway makes a piece is no silence of the client. */
async function* unhurriedAll(response: Response, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const pieces = content[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await unhurried(response, pieces.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await pieces.return?.();
  }
}
