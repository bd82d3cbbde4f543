/**
 * Resumable uploads, tus 1.0.0 (https://tus.io/protocols/resumable-upload): core, creation, checksum, expiration and termination.
 *
 *   POST -> Location ... PATCH (append) ... HEAD (offset?) ... PATCH -> the last byte creates the artifact (the stored file)
 *
 * The offset of an upload is the length of its file. Each step of the protocol calls an operation, such as `devices_media_append`. That
 * operation checks the caller and writes the record of the upload.
 */
import type { Request, Response } from 'express';
import type { Spending } from '#contract/base/budget.ts';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import type { Bytes } from '#contract/base/operation.ts';
import type { OperationName, Output } from '#contract/operations.ts';
import { SNIFFED, sniffMedia } from '#contract/work/media.ts';
import { sendJson } from '#servers/base/answer.ts';
import { endedEarly, tooSlow } from '#servers/base/body.ts';
import { createPlaces, type Places } from '#servers/base/fair-share.ts';
import { BrokenOff, paced, TooSlow } from '#servers/base/pace.ts';
import { liftTime, unhurried } from '#servers/base/request-time.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { TABLE } from '#servers/invoke/json-schemas.ts';
import { payForBytes } from '#servers/invoke/spending.ts';
import { ArtifactTooLarge } from '#store/artifacts.ts';
import { type Digest, DigestMismatch, OffsetMismatch, UploadBusy, type Uploads } from '#store/uploads.ts';

type Call = Parameters<Invoke['call']>[0];
type Upload = Output<'devices_media_status'>;
type UploadStep = Extract<Bytes, `upload_${string}`>;

const VERSION = '1.0.0';
const ALGORITHMS = ['sha256', 'sha1', 'md5'] as const;
/** Largest number of concurrent uploads of one device or key. Each upload needs an open file and the running computation of a hash. */
const WRITES_EACH = 4;

/** The operation that each step of the tus protocol calls. */
const OPERATIONS: ReadonlyMap<Bytes, OperationName> = new Map(
  [...TABLE].flatMap(([name, { bytes }]) => (isUpload(bytes) ? [[bytes, name] as const] : [])),
);

/**
 * Placeholders for input fields that the gateway computes from the bytes. With these placeholders it checks the caller before the bytes
 * arrive.
 */
const COMPUTED: Readonly<Record<UploadStep, Call['input']>> = {
  upload_create: { bytes: 1 },
  upload_append: { bytes: 1, sha256: '0'.repeat(64) },
  upload_status: {},
  upload_end: {},
};

/** Returns true if `bytes`, the kind of transfer that an operation declares, is a step of an upload. */
export function isUpload(bytes: Bytes | undefined): bytes is UploadStep {
  return bytes?.startsWith('upload_') === true;
}

/** Answers an OPTIONS request with the tus version, the extensions and the size limit of this server (tus 1.0.0, OPTIONS). */
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

export interface Tus {
  /** Serves one request of the protocol; throws an `OperationError` if it is refused. */
  serve(step: UploadStep, request: Request, response: Response, call: Call): Promise<void>;
}

interface TusOptions {
  readonly invoke: Pick<Invoke, 'call' | 'admit'>;
  readonly uploads: Uploads;
  /** Returns the free disk space that uploads may use, in bytes. */
  readonly room: () => number;
  /** Storage budgets of devices (how much each device may store a day). The gateway charges them while bytes arrive. */
  readonly budgets: Spending;
}

export function createTus(options: TusOptions): Tus {
  const steps = new UploadSteps(options);
  return {
    async serve(step, request, response, call) {
      // Check the caller before the headers and the bytes.
      await options.invoke.admit({ ...call, input: { ...call.input, ...COMPUTED[step] } });
      response.setHeader('Tus-Resumable', VERSION);
      if (request.method !== 'GET' && request.headers['tus-resumable'] !== VERSION) {
        response.setHeader('Tus-Version', VERSION);
        throw new OperationError('tus_version_unsupported', `Send \`Tus-Resumable: ${VERSION}\`.`);
      }
      try {
        await steps[step](request, response, call);
      } catch (error) {
        throw asRefusal(error);
      }
    },
  };
}

/** Handles the four requests of the protocol: create, append, offset, terminate. */
class UploadSteps {
  readonly #options: TusOptions;
  readonly #writing: Places = createPlaces({ total: LIMITS.upload_writes.value, each: WRITES_EACH, what: 'uploads' });

  constructor(options: TusOptions) {
    this.#options = options;
  }

  async upload_create(request: Request, response: Response, call: Call): Promise<void> {
    const length = request.headers['upload-length'];
    if (length === undefined || !/^\d{1,15}$/.test(String(length)))
      throw new OperationError(
        'parameter_missing',
        'Send `Upload-Length`. Uploads without a length are not supported.',
        {
          param: 'Upload-Length',
        },
      );
    if (Number(length) > LIMITS.artifact.value)
      throw new OperationError('payload_too_large', `A file may have at most ${LIMITS.artifact.value} bytes.`);
    this.#needRoom(Number(length));
    const metadata = readMetadata(String(request.headers['upload-metadata'] ?? ''));
    const upload = await this.#call(call, 'upload_create', { ...call.input, ...metadata, bytes: Number(length) });
    response.setHeader('Location', upload.upload_url);
    setUploadHeaders(response, upload);
    sendJson(response, 201, { ...upload, received: 0 });
  }

  async upload_status(request: Request, response: Response, call: Call): Promise<void> {
    const upload = await this.#call(call, 'upload_status', call.input);
    const received = await this.#received(upload);
    setUploadHeaders(response, upload, received);
    response.setHeader('Upload-Length', upload.bytes);
    response.setHeader('Cache-Control', 'no-store');
    if (request.method === 'HEAD') response.writeHead(200).end();
    else sendJson(response, 200, { ...upload, received });
  }

  async upload_append(request: Request, response: Response, call: Call): Promise<void> {
    if ((request.headers['content-type'] ?? '') !== 'application/offset+octet-stream')
      throw new OperationError(
        'unsupported_media_type',
        'Send the bytes with `Content-Type: application/offset+octet-stream`.',
      );
    const offset = request.headers['upload-offset'];
    if (offset === undefined || !/^\d{1,15}$/.test(String(offset)))
      throw new OperationError('parameter_missing', 'Send `Upload-Offset`.', { param: 'Upload-Offset' });
    const upload = await this.#call(call, 'upload_status', call.input);
    if (upload.artifact_id !== null) {
      if (Number(offset) !== upload.bytes) throw new OffsetMismatch(upload.bytes);
    } else {
      this.#needRoom(upload.bytes - Number(offset));
      liftTime(request);
      await this.#write(request, call, upload, Number(offset));
    }
    const received = await this.#received(upload);
    const isComplete = received === upload.bytes && upload.artifact_id === null;
    // After a restart the gateway reads the whole file again to compute its SHA-256. It sends no byte meanwhile.
    const after = isComplete ? await unhurried(response, this.#finish(call, upload)) : upload;
    setUploadHeaders(response, after, received);
    if (after.artifact_id !== null) response.setHeader('Artifact-ID', after.artifact_id);
    response.writeHead(204).end();
  }

  async upload_end(_request: Request, response: Response, call: Call): Promise<void> {
    const upload = await this.#call(call, 'upload_status', call.input);
    await this.#options.uploads.remove(upload.id);
    await this.#call(call, 'upload_end', call.input);
    response.writeHead(204).end();
  }

  /** Calls the operation of a step with the key of this request. */
  async #call(call: Call, step: UploadStep, input: Call['input']): Promise<Upload> {
    const name = OPERATIONS.get(step);
    if (name === undefined) throw new Error(`no operation declares ${step}`);
    return (await this.#options.invoke.call({ ...call, name, input })).body as unknown as Upload;
  }

  /** Returns the number of bytes that the upload has so far. */
  async #received(upload: Upload): Promise<number> {
    return upload.artifact_id === null ? this.#options.uploads.size(upload.id) : upload.bytes;
  }

  #needRoom(bytes: number): void {
    if (bytes > this.#options.room())
      throw new OperationError('storage_full', `The disk of the gateway has no room for another ${bytes} bytes.`);
  }

  /** Yields the bytes of the request. Each chunk is charged to the budget of the caller before it is written. */
  async *#charged(request: Request, caller: Call['caller']): AsyncGenerator<Buffer> {
    for await (const chunk of paced(request)) {
      payForBytes(this.#options.budgets, caller, chunk.length);
      yield chunk;
    }
  }

  async #write(request: Request, { caller }: Call, upload: Upload, offset: number): Promise<void> {
    const release = this.#writing.take(`${caller.kind}:${caller.id}`);
    try {
      const digest = readChecksum(request.headers['upload-checksum']);
      await this.#options.uploads.append(upload.id, offset, this.#charged(request, caller), {
        limit: upload.bytes,
        ...(digest ? { digest } : {}),
      });
    } catch (error) {
      if (error instanceof TooSlow) throw tooSlow();
      // If the connection breaks, keep the received bytes. The client reads the offset with HEAD and continues the upload there.
      throw error instanceof BrokenOff ? endedEarly(error) : error;
    } finally {
      release();
    }
  }

  /**
   * Makes an artifact from a complete upload. If the SHA-256 of the bytes differs from the one that the client stated, removes the bytes
   * and throws `checksum_mismatch`.
   */
  async #finish(call: Call, upload: Upload): Promise<Upload> {
    const { uploads } = this.#options;
    if (upload.sha256 !== null && (await uploads.digest(upload.id)) !== upload.sha256) {
      await uploads.remove(upload.id);
      throw new OperationError(
        'checksum_mismatch',
        'The content does not have the SHA-256 of this upload, so the gateway deleted the bytes. Start again at offset 0.',
      );
    }
    const content_type = sniffMedia(await uploads.head(upload.id, SNIFFED));
    const { sha256, bytes } = await uploads.finish(upload.id);
    const type = content_type === undefined ? {} : { content_type };
    return this.#call(call, 'upload_append', { ...call.input, sha256, bytes, ...type });
  }
}

function setUploadHeaders(response: Response, upload: Upload, received?: number): void {
  if (received !== undefined) response.setHeader('Upload-Offset', received);
  response.setHeader('Upload-Expires', new Date(upload.expires_at).toUTCString());
}

function asRefusal(error: unknown): unknown {
  if (error instanceof OffsetMismatch)
    return new OperationError('upload_offset_mismatch', `The upload continues at offset ${error.size}.`, {
      param: 'Upload-Offset',
      details: [{ offset: error.size }],
    });
  if (error instanceof DigestMismatch)
    return new OperationError(
      'checksum_mismatch',
      'The bytes do not match `Upload-Checksum`. None of them were stored.',
    );
  if (error instanceof UploadBusy)
    return new OperationError('operation_in_progress', 'Another request appends to this upload.');
  if (error instanceof ArtifactTooLarge)
    return new OperationError(
      'payload_too_large',
      'The request has more bytes than the rest of the upload. None of them were stored.',
    );
  return error;
}

/** Parses a header such as `Upload-Checksum: sha1 <base64>` (tus 1.0.0, checksum). */
function readChecksum(header: string | string[] | undefined): Digest | undefined {
  if (header === undefined) return undefined;
  const [name = '', text = ''] = String(header).split(' ');
  const algorithm = ALGORITHMS.find((one) => one === name);
  if (algorithm === undefined)
    throw new OperationError('parameter_invalid', `Upload-Checksum supports ${ALGORITHMS.join(', ')}.`, {
      param: 'Upload-Checksum',
    });
  return { algorithm, value: Buffer.from(text, 'base64') };
}

/**
 * The keys that the header `Upload-Metadata` may have (tus 1.0.0, for example `filename bmFtZQ==,filetype ...`), each with the input field
 * that gets its value.
 */
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
      throw new OperationError(
        'parameter_unknown',
        `Upload-Metadata supports the keys ${Object.keys(METADATA).join(', ')}.`,
        {
          param: 'Upload-Metadata',
        },
      );
    const text = Buffer.from(value, 'base64').toString();
    if (text !== '') found[field] = text;
  }
  return found;
}
