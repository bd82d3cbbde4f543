/**
 * Resumable uploads, tus 1.0.0 (https://tus.io/protocols/resumable-upload): core, creation, checksum, expiration and termination.
 *
 *   POST -> Location ... PATCH (append) ... HEAD (how far?) ... PATCH -> the last byte makes the artifact
 *
 * How far an upload is, is how long its file is; what an upload is, the operations behind say, and they judge who may.
 */
import type { Request, Response } from 'express';
import type { Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Output } from '#contract/operations.ts';
import { SNIFFED, sniffMedia } from '#contract/work/media.ts';
import { sendJson } from '#servers/base/answer.ts';
import { endedEarly, tooSlow } from '#servers/base/body.ts';
import { createPlaces } from '#servers/base/fair-share.ts';
import { BrokenOff, paced, TooSlow } from '#servers/base/pace.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { payForBytes } from '#servers/invoke/spending.ts';
import { ArtifactTooLarge } from '#store/artifacts.ts';
import { type Digest, DigestMismatch, OffsetMismatch, UploadBusy, type Uploads } from '#store/uploads.ts';

type Call = Parameters<Invoke['call']>[0];
type Upload = Output<'devices_media_status'>;

const VERSION = '1.0.0';
const ALGORITHMS = ['sha256', 'sha1', 'md5'] as const;
/** Uploads of one device or key that are written at once; each holds a file and a hash. */
const WRITES_EACH = 4;

/** What the gateway finds out by itself stands in the input of these; anything that fits will do to judge who may. */
const FOUND_OUT: { readonly [N in Call['name']]?: Call['input'] } = {
  devices_media_create: { bytes: 1 },
  devices_media_append: { bytes: 1, sha256: '0'.repeat(64) },
};

/** Answers OPTIONS: what this server can (tus 1.0.0, OPTIONS). */
export function sendTusOptions(response: Response): void {
  response
    .writeHead(204, {
      'Tus-Resumable': VERSION,
      'Tus-Version': VERSION,
      'Tus-Extension': 'creation,checksum,expiration,termination',
      'Tus-Max-Size': LIMITS.artifact.value,
      'Tus-Checksum-Algorithm': ALGORITHMS.join(','),
    })
    .end();
}

/** The uploads over the invoker; `room` is how many bytes the disk has to give, and devices pay for theirs as they come. */
export function createTus(options: {
  invoke: Pick<Invoke, 'call' | 'admit'>;
  uploads: Uploads;
  room: () => number;
  budgets: Spending;
}) {
  const { invoke, uploads, room, budgets } = options;
  const writing = createPlaces({ total: LIMITS.upload_writes.value, each: WRITES_EACH, what: 'uploads' });

  const ask = async (call: Call, name: Call['name'], input: Call['input']): Promise<Upload> =>
    (await invoke.call({ ...call, name, input })).body as unknown as Upload;

  function needRoom(bytes: number): void {
    if (bytes > room())
      throw new OperationError('storage_full', `The disk of the gateway has no room for ${bytes} bytes more.`);
  }

  async function create(request: Request, response: Response, call: Call): Promise<void> {
    const length = request.headers['upload-length'];
    if (length === undefined || !/^\d{1,15}$/.test(String(length)))
      throw new OperationError('parameter_missing', 'Send `Upload-Length`; a deferred length is not taken.', {
        param: 'Upload-Length',
      });
    if (Number(length) > LIMITS.artifact.value)
      throw new OperationError('payload_too_large', `A file has at most ${LIMITS.artifact.value} bytes.`);
    needRoom(Number(length));
    const metadata = readMetadata(String(request.headers['upload-metadata'] ?? ''));
    const upload = await ask(call, 'devices_media_create', { ...call.input, ...metadata, bytes: Number(length) });
    response.setHeader('Location', upload.upload_url);
    tell(response, upload);
    sendJson(response, 201, { ...upload, received: 0 });
  }

  async function look(request: Request, response: Response, call: Call): Promise<void> {
    const upload = await ask(call, 'devices_media_status', call.input);
    const received = upload.artifact_id === null ? await uploads.size(upload.id) : upload.bytes;
    tell(response, upload, received);
    response.setHeader('Upload-Length', upload.bytes);
    response.setHeader('Cache-Control', 'no-store');
    if (request.method === 'HEAD') response.writeHead(200).end();
    else sendJson(response, 200, { ...upload, received });
  }

  async function append(request: Request, response: Response, call: Call): Promise<void> {
    if ((request.headers['content-type'] ?? '') !== 'application/offset+octet-stream')
      throw new OperationError('unsupported_media_type', 'Append as `application/offset+octet-stream`.');
    const offset = request.headers['upload-offset'];
    if (offset === undefined || !/^\d{1,15}$/.test(String(offset)))
      throw new OperationError('parameter_missing', 'Send `Upload-Offset`.', { param: 'Upload-Offset' });
    const upload = await ask(call, 'devices_media_status', call.input);
    if (upload.artifact_id !== null) {
      if (Number(offset) !== upload.bytes) throw new OffsetMismatch(upload.bytes);
    } else {
      needRoom(upload.bytes - Number(offset));
      await write(request, call, upload, Number(offset));
    }
    const received = upload.artifact_id === null ? await uploads.size(upload.id) : upload.bytes;
    const done = received === upload.bytes && upload.artifact_id === null ? await finish(call, upload) : upload;
    tell(response, done, received);
    if (done.artifact_id !== null) response.setHeader('Artifact-ID', done.artifact_id);
    response.writeHead(204).end();
  }

  async function* paid(request: Request, caller: Call['caller']): AsyncGenerator<Buffer> {
    for await (const chunk of paced(request)) {
      payForBytes(budgets, caller, chunk.length);
      yield chunk;
    }
  }

  async function write(request: Request, { caller }: Call, upload: Upload, offset: number): Promise<void> {
    const release = writing.take(`${caller.kind}:${caller.id}`);
    try {
      const digest = readChecksum(request.headers['upload-checksum']);
      await uploads.append(upload.id, offset, paid(request, caller), {
        limit: upload.bytes,
        ...(digest ? { digest } : {}),
      });
    } catch (error) {
      if (error instanceof TooSlow) throw tooSlow();
      // Who went away comes back and asks how far it got.
      throw error instanceof BrokenOff ? endedEarly(error) : error;
    } finally {
      release();
    }
  }

  /** The whole file is here: it becomes an artifact, unless it is not what its sender said. */
  async function finish(call: Call, upload: Upload): Promise<Upload> {
    if (upload.sha256 !== null && (await uploads.digest(upload.id)) !== upload.sha256) {
      await uploads.remove(upload.id);
      throw new OperationError('checksum_mismatch', 'The file is not what its SHA-256 says; begin again from 0.');
    }
    const content_type = sniffMedia(await uploads.head(upload.id, SNIFFED));
    const { sha256, bytes } = await uploads.finish(upload.id);
    const told = content_type === undefined ? {} : { content_type };
    return ask(call, 'devices_media_append', { ...call.input, sha256, bytes, ...told });
  }

  async function end(response: Response, call: Call): Promise<void> {
    const upload = await ask(call, 'devices_media_status', call.input);
    await uploads.remove(upload.id);
    await ask(call, 'devices_media_end', call.input);
    response.writeHead(204).end();
  }

  return {
    /** Serves one request of the protocol; throws what the caller can act on. */
    async serve(request: Request, response: Response, call: Call): Promise<void> {
      // Who may is judged before what was sent.
      await invoke.admit({ ...call, input: { ...call.input, ...FOUND_OUT[call.name] } });
      response.setHeader('Tus-Resumable', VERSION);
      const plainRead = request.method === 'GET';
      if (!plainRead && request.headers['tus-resumable'] !== VERSION) {
        response.setHeader('Tus-Version', VERSION);
        throw new OperationError('tus_version_unsupported', `Send \`Tus-Resumable: ${VERSION}\`.`);
      }
      try {
        if (call.name === 'devices_media_create') await create(request, response, call);
        else if (call.name === 'devices_media_append') await append(request, response, call);
        else if (call.name === 'devices_media_end') await end(response, call);
        else await look(request, response, call);
      } catch (error) {
        throw asRefusal(error);
      }
    },
  };
}

function tell(response: Response, upload: Upload, received?: number): void {
  if (received !== undefined) response.setHeader('Upload-Offset', received);
  response.setHeader('Upload-Expires', new Date(upload.expires_at).toUTCString());
}

function asRefusal(error: unknown): unknown {
  if (error instanceof OffsetMismatch)
    return new OperationError('upload_offset_mismatch', `The upload goes on at ${error.size}.`, {
      param: 'Upload-Offset',
      details: [{ offset: error.size }],
    });
  if (error instanceof DigestMismatch)
    return new OperationError('checksum_mismatch', 'The chunk is not what its checksum says; nothing of it is kept.');
  if (error instanceof UploadBusy)
    return new OperationError('operation_in_progress', 'Another request appends to this upload.');
  if (error instanceof ArtifactTooLarge)
    return new OperationError('payload_too_large', 'More bytes came than the upload has; nothing of them is kept.');
  return error;
}

/** `Upload-Checksum: sha1 base64` (tus 1.0.0, checksum). */
function readChecksum(header: string | string[] | undefined): Digest | undefined {
  if (header === undefined) return undefined;
  const [name = '', text = ''] = String(header).split(' ');
  const algorithm = ALGORITHMS.find((one) => one === name);
  if (algorithm === undefined)
    throw new OperationError('parameter_invalid', `Upload-Checksum takes ${ALGORITHMS.join(', ')}.`, {
      param: 'Upload-Checksum',
    });
  return { algorithm, value: Buffer.from(text, 'base64') };
}

/** Metadata of uploads that have a name of ours: `filename bmFtZQ==,filetype ...` (tus 1.0.0, Upload-Metadata). */
const METADATA: Readonly<Record<string, string>> = {
  filename: 'name',
  name: 'name',
  filetype: 'content_type',
  content_type: 'content_type',
  kind: 'kind',
  captured_at: 'captured_at',
  sha256: 'sha256',
};

function readMetadata(header: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of header.split(',').map((one) => one.trim())) {
    if (pair === '') continue;
    const [key = '', value = ''] = pair.split(' ');
    const field = METADATA[key];
    if (field === undefined)
      throw new OperationError('parameter_unknown', `Upload-Metadata takes ${Object.keys(METADATA).join(', ')}.`, {
        param: 'Upload-Metadata',
      });
    const text = Buffer.from(value, 'base64').toString();
    if (text !== '') found[field] = text;
  }
  return found;
}
