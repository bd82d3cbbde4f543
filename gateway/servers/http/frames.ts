/**
 * Receives a frame (a picture of a camera), as a form with two parts or as a plain image. The size is limited. The gateway finds the type
 * of the image by its first bytes. The file is synced to disk before the record is created.
 *
 *   body -> (multipart) -> first bytes -> artifact file, hashed and synced -> metadata, hash, size and type
 */
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { StoreError } from '#contract/base/store-error.ts';
import { FRAME_TYPES, SNIFFED, sniffMedia } from '#contract/work/media.ts';
import { parseJson, tooSlow } from '#servers/base/body.ts';
import { paced, TooSlow } from '#servers/base/pace.ts';
import type { Artifacts } from '#store/artifacts.ts';

const MAX_FRAME = LIMITS.frame.value;
/** Largest size of the JSON in the form part `meta`, in bytes. */
const MAX_META = 256 * 1024;

/** A frame (a camera picture) with its image file on disk. */
export interface Frame {
  /** Metadata that the camera sent with the image, such as `captured_at`. The operation that stores the frame gets them as its input. */
  readonly meta: Record<string, unknown>;
  readonly sha256: string;
  readonly bytes: number;
  readonly content_type: string;
}

/**
 * Receives the frame of a request and stores its file. Throws an `OperationError` if the frame is refused. The function calls `pay` with
 * the length of each chunk; if `pay` throws, the upload ends.
 */
export async function takeFrame(
  request: IncomingMessage,
  artifacts: Pick<Artifacts, 'put'>,
  pay: (bytes: number) => void,
): Promise<Frame> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (Number(request.headers['content-length'] ?? 0) > MAX_FRAME + MAX_META) throw tooLarge();
  if (type === 'multipart/form-data') return takeForm(request, artifacts, pay);
  if (!FRAME_TYPES.has(type)) throw notAFrame(type === '' ? 'a body without Content-Type' : type);
  const stored = await store(paced(request), artifacts, type, pay);
  const sequence = request.headers['x-sequence'];
  const meta = {
    ...(request.headers['x-captured-at'] === undefined ? {} : { captured_at: request.headers['x-captured-at'] }),
    ...(sequence === undefined ? {} : { sequence: /^\d{1,15}$/.test(String(sequence)) ? Number(sequence) : sequence }),
  };
  return { meta, ...stored };
}

const tooLarge = () =>
  new OperationError('payload_too_large', `A frame may have at most ${MAX_FRAME} bytes.`, { param: 'frame' });
const notAFrame = (type: string) =>
  new OperationError('unsupported_media_type', `A frame must be one of ${[...FRAME_TYPES].join(', ')}, not ${type}.`, {
    param: 'frame',
  });
const malformed = (why: string, cause?: unknown) =>
  new OperationError('body_malformed', why, cause === undefined ? {} : { cause });

/** Writes the image to an artifact file. `declared` is the Content-Type that the sender stated. */
async function store(
  content: AsyncIterable<Buffer>,
  artifacts: Pick<Artifacts, 'put'>,
  declared: string | undefined,
  pay: (bytes: number) => void,
): Promise<Omit<Frame, 'meta'>> {
  let content_type = '';
  async function* judged(): AsyncGenerator<Buffer> {
    let head: Buffer | undefined = Buffer.alloc(0);
    let bytes = 0;
    const judge = (first: Buffer) => {
      const found = sniffMedia(first);
      if (found === undefined || !FRAME_TYPES.has(found)) throw notAFrame(found ?? 'an unknown type');
      if (declared !== undefined && declared !== found) throw notAFrame(`${found} with the Content-Type ${declared}`);
      content_type = found;
    };
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > MAX_FRAME) throw tooLarge();
      pay(chunk.length);
      if (head === undefined) {
        yield chunk;
        continue;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < SNIFFED) continue;
      judge(head);
      yield head;
      head = undefined;
    }
    if (head === undefined) return;
    judge(head);
    yield head;
  }
  const { sha256, bytes } = await artifacts.put(judged()).catch((error: unknown) => {
    // The sender caused any other error: it disconnected, or its form is damaged.
    if (error instanceof OperationError || error instanceof StoreError) throw error;
    if (error instanceof TooSlow) throw tooSlow();
    throw malformed('The frame ended early.', error);
  });
  return { sha256, bytes, content_type };
}

/** A form with the parts `meta` and `frame`, in any order. */
async function takeForm(
  request: IncomingMessage,
  artifacts: Pick<Artifacts, 'put'>,
  pay: (bytes: number) => void,
): Promise<Frame> {
  let meta: Promise<Record<string, unknown>> | undefined;
  let stored: Promise<Omit<Frame, 'meta'>> | undefined;
  const content = Readable.from(paced(request));
  await new Promise<void>((resolve, reject) => {
    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({
        headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
        // Some libraries send `meta` as a file part with JSON. Treat this part as a field, too.
        isPartAFile: (name) => name === 'frame',
        limits: { fields: 1, files: 1, parts: 2, fieldSize: MAX_META, fileSize: MAX_FRAME + 1, headerPairs: 50 },
      });
    } catch (cause) {
      reject(malformed('The form has no boundary.', cause));
      return;
    }
    const fail = (error: unknown) => {
      content.unpipe(parser).destroy();
      reject(error);
    };
    parser.on('field', (name, text, _nameCut, cut) => {
      if (name !== 'meta')
        return fail(malformed(`The form has a part \`${name}\`; only \`meta\` and \`frame\` are allowed.`));
      if (cut) return fail(malformed(`\`meta\` may have at most ${MAX_META} bytes.`));
      meta = readMeta(text);
      meta.catch(fail);
    });
    parser.on('file', (_name, file: Readable) => {
      // `store` reads the image and reports its errors. The `error` listener here is still needed, because without it Node ends the process
      // at an error.
      const image = file.pipe(new PassThrough());
      image.on('error', () => {});
      file.on('error', (error) => image.destroy(error));
      stored = store(image, artifacts, undefined, pay);
      stored.catch(fail);
    });
    parser.on('partsLimit', () => fail(malformed('The form has more than two parts.')));
    parser.on('fieldsLimit', () => fail(malformed('The form has more than one `meta`.')));
    parser.on('filesLimit', () => fail(malformed('The form has more than one `frame`.')));
    parser.on('error', (error: unknown) => fail(malformed('The form is damaged or ended early.', error)));
    parser.on('finish', () => resolve());
    content
      .on('error', (error) => fail(error instanceof TooSlow ? tooSlow() : malformed('The form ended early.', error)))
      .pipe(parser);
  });
  if (stored === undefined) throw malformed('The form has no part `frame`.');
  return { meta: (await meta) ?? {}, ...(await stored) };
}

async function readMeta(text: string): Promise<Record<string, unknown>> {
  const value = await parseJson(Buffer.from(text)).catch((cause: Error) => {
    throw malformed(`\`meta\`: ${cause.message}`, cause);
  });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('`meta` must be an object.');
  return value as Record<string, unknown>;
}
