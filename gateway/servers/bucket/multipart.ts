/** Multipart uploads: a client starts one, sends parts in any order, and completes it as one object or aborts it. */
import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { LIMITS } from '#contract/base/limits.ts';
import {
  BUCKET,
  type BucketUpload,
  CHECKSUMS,
  type Checksum,
  type ChecksumName,
  ownObjectBytes,
} from '#contract/fleet/bucket.ts';
import type { Part } from '#store/parts.ts';
import {
  type BucketCall,
  type BucketParts,
  bareTag,
  chargeBudget,
  type ObjectCall,
  readMetadata,
  sendEmpty,
  sendXml,
  takeBody,
  takeXml,
  xmlTime,
} from './call.ts';
import { checksumHeader, checksumType, startChecksum } from './checksums.ts';
import { BucketError } from './errors.ts';
import { conditionsOf, needRoom } from './objects.ts';
import { readXml, textOf, writeElement, XML_HEAD } from './xml.ts';

const MIN_PART = 5 * 2 ** 20;
const MOST_PARTS = LIMITS.bucket_parts.value;
/**
 * While the bucket joins the parts of an upload, it sends one space every `KEEPALIVE_MS` milliseconds, so that the client does not time
 * out.
 */
const KEEPALIVE_MS = 10_000;

/** A part that the client lists to complete an upload. */
interface ListedPart {
  readonly number: number;
  readonly etag: string;
}

function numberOf(text: string | undefined): number {
  const number = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  if (number < 1 || number > MOST_PARTS)
    throw new BucketError('InvalidArgument', `Part number must be an integer between 1 and ${MOST_PARTS}, inclusive`);
  return number;
}

/** Returns the checksum algorithm that the client chose for a new upload; null if the request names none. */
function algorithmOf(headers: ReadonlyMap<string, string>): BucketUpload['checksum'] {
  const name = headers.get('x-amz-checksum-algorithm')?.toUpperCase();
  if (name === undefined) return null;
  const algorithm = CHECKSUMS.find((one) => one === name);
  if (algorithm === undefined) throw new BucketError('InvalidRequest', `Supported checksums: ${CHECKSUMS.join(', ')}.`);
  const type = headers.get('x-amz-checksum-type')?.toUpperCase();
  const whole = type === 'FULL_OBJECT' || algorithm === 'CRC64NVME';
  if (whole && algorithm.startsWith('SHA'))
    throw new BucketError('InvalidRequest', `${algorithm} does not support the checksum type FULL_OBJECT.`);
  return { algorithm, whole };
}

const md5OfParts = (parts: readonly ListedPart[]): string =>
  `${createHash('md5')
    .update(Buffer.from(parts.map(({ etag }) => etag).join(''), 'hex'))
    .digest('hex')}-${parts.length}`;

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

/** Returns the name of the XML element of a checksum, such as `ChecksumCRC32`. */
const elementOf = (name: ChecksumName) => `Checksum${name}` as const;

/**
 * Returns the stored parts that the client lists. Throws a `BucketError` for a wrong order, an unknown part, a wrong ETag, a part that
 * is too small, or a total over `most` bytes.
 */
function chooseParts(named: readonly ListedPart[], kept: readonly Part[], most: number): Part[] {
  const byNumber = new Map(kept.map((part) => [part.number, part]));
  const chosen = named.map(({ number, etag }, i) => {
    if (i > 0 && number <= (named[i - 1]?.number ?? 0)) throw new BucketError('InvalidPartOrder');
    const part = byNumber.get(number);
    if (part?.md5 !== etag) throw new BucketError('InvalidPart', undefined, { PartNumber: String(number) });
    return part;
  });
  const small = chosen.slice(0, -1).find(({ bytes }) => bytes < MIN_PART);
  if (small !== undefined)
    throw new BucketError('EntityTooSmall', undefined, {
      PartNumber: String(small.number),
      ProposedSize: String(small.bytes),
      MinSizeAllowed: String(MIN_PART),
    });
  if (bytesOf(chosen) > most) throw new BucketError('EntityTooLarge', undefined, { MaxSizeAllowed: String(most) });
  return chosen;
}

function checksumOf({ checksum }: BucketUpload, chosen: readonly Part[], whole: Buffer | undefined): Checksum | null {
  if (checksum === null) return null;
  const { algorithm } = checksum;
  if (whole !== undefined) return { algorithm, value: whole.toString('base64') };
  const all = startChecksum(algorithm);
  for (const part of chosen) all.update(Buffer.from(part.checksum ?? '', 'hex'));
  return { algorithm, value: `${all.digest().toString('base64')}-${chosen.length}` };
}

const resultOf = (call: ObjectCall, { etag, checksum }: { etag: string; checksum: Checksum | null }) => ({
  Location: `${call.request.socket instanceof TLSSocket ? 'https' : 'http'}://${call.headers.get('host') ?? ''}/${BUCKET}/${call.sent}`,
  Bucket: BUCKET,
  Key: call.sent,
  ETag: `"${etag}"`,
  ...(checksum === null
    ? {}
    : {
        [elementOf(checksum.algorithm)]: checksum.value,
        ChecksumType: checksumType(checksum.value),
      }),
});

/** The routes of multipart uploads. */
export class MultipartRoutes {
  readonly #bucket: BucketParts;
  /** Ids of the uploads that a running request completes or aborts. */
  readonly #ending = new Set<string>();

  constructor(bucket: BucketParts) {
    this.#bucket = bucket;
  }

  async begin(call: ObjectCall): Promise<void> {
    const { key, device, headers, response } = call;
    const checksum = algorithmOf(headers);
    chargeBudget(this.#bucket, device, 0);
    const upload = await this.#bucket.uploads.begin(device, { key, ...readMetadata(headers), checksum });
    if (checksum !== null) {
      response.setHeader('x-amz-checksum-algorithm', checksum.algorithm);
      response.setHeader('x-amz-checksum-type', checksum.whole ? 'FULL_OBJECT' : 'COMPOSITE');
    }
    sendXml(response, 200, 'InitiateMultipartUploadResult', { Bucket: BUCKET, Key: call.sent, UploadId: upload.id });
  }

  async put(call: ObjectCall): Promise<void> {
    const { query, response, device } = call;
    const number = numberOf(query.get('partNumber'));
    const upload = await this.#require(call);
    const intake = takeBody(call, LIMITS.artifact.value, { algorithm: upload.checksum?.algorithm });
    needRoom(this.#bucket, device, intake.bytes);
    chargeBudget(this.#bucket, device, intake.bytes);
    const part = await this.#bucket.parts.put(upload.id, number, intake.content, (made) => {
      intake.verify(made);
      return { md5: intake.md5(), checksum: intake.checksumHex() };
    });
    response.setHeader('ETag', `"${part.md5}"`);
    const checksum = intake.checksum();
    if (checksum !== null) response.setHeader(checksumHeader(checksum.algorithm), checksum.value);
    sendEmpty(response, 200);
  }

  async complete(call: ObjectCall): Promise<void> {
    const { response } = call;
    // A checksum in the header of this request is the checksum of the whole object, not of the XML body.
    const root = readXml(await takeXml(call, { otherChecksum: true }));
    const named = root.children
      .filter(({ name }) => name === 'Part')
      .map((one) => ({
        number: numberOf(textOf(one, 'PartNumber')?.trim()),
        etag: (bareTag(textOf(one, 'ETag')) ?? '').toLowerCase(),
      }));
    if (root.name !== 'CompleteMultipartUpload' || named.length === 0 || named.length > MOST_PARTS)
      throw new BucketError('MalformedXML');
    const upload = await this.#require(call).catch(async (error: unknown) => {
      // If the upload was completed before and the answer was lost, the object exists with this ETag. Send the answer again.
      const there = await this.#bucket.objects.get(call.device, call.key);
      if (there?.etag !== md5OfParts(named)) throw error;
      return there;
    });
    if (named.some(({ etag }) => !/^[0-9a-f]{32}$/.test(etag))) throw new BucketError('InvalidPart');
    if ('etag' in upload) return sendXml(response, 200, 'CompleteMultipartUploadResult', resultOf(call, upload));
    await this.#alone(upload.id, async () => {
      const keepalive = setInterval(() => {
        if (!response.headersSent) {
          response.writeHead(200, { 'Content-Type': 'application/xml' });
          response.write(XML_HEAD);
        }
        response.write(' ');
      }, KEEPALIVE_MS);
      try {
        const result = resultOf(call, await this.#finish(call, upload, named));
        if (response.headersSent) response.end(writeElement('CompleteMultipartUploadResult', result));
        else sendXml(response, 200, 'CompleteMultipartUploadResult', result);
      } finally {
        clearInterval(keepalive);
      }
    });
  }

  async abort(call: ObjectCall): Promise<void> {
    const upload = await this.#require(call);
    await this.#alone(upload.id, async () => {
      await this.#bucket.uploads.end(call.device, upload.id);
      await this.#bucket.parts.remove(upload.id);
    });
    sendEmpty(call.response, 204);
  }

  async listParts(call: ObjectCall): Promise<void> {
    const { query } = call;
    const upload = await this.#require(call);
    const after = Number(query.get('part-number-marker') ?? 0);
    const asked = Number(query.get('max-parts') ?? LIMITS.bucket_list.value);
    if (!Number.isInteger(after) || !Number.isInteger(asked) || after < 0 || asked < 0)
      throw new BucketError('InvalidArgument');
    const most = Math.min(asked, LIMITS.bucket_list.value);
    const all = (await this.#bucket.parts.list(upload.id)).filter(({ number }) => number > after);
    const page = all.slice(0, most);
    sendXml(call.response, 200, 'ListPartsResult', {
      Bucket: BUCKET,
      Key: call.sent,
      UploadId: upload.id,
      StorageClass: 'STANDARD',
      ChecksumAlgorithm: upload.checksum?.algorithm,
      PartNumberMarker: after,
      NextPartNumberMarker: page.at(-1)?.number ?? after,
      MaxParts: most,
      IsTruncated: all.length > page.length,
      Part: page.map((part) => ({
        PartNumber: part.number,
        LastModified: xmlTime(part.modified_ms),
        ETag: `"${part.md5}"`,
        Size: part.bytes,
        ...(upload.checksum === null || part.checksum === null
          ? {}
          : { [elementOf(upload.checksum.algorithm)]: base64(part.checksum) }),
      })),
    });
  }

  async listUploads(call: BucketCall): Promise<void> {
    const { device, query } = call;
    const root = `${device.prefixes[0]}/`;
    const prefix = query.get('prefix') ?? '';
    const all = (await this.#bucket.uploads.list(device)).map((one) => ({ ...one, name: `${root}${one.key}` }));
    sendXml(call.response, 200, 'ListMultipartUploadsResult', {
      Bucket: BUCKET,
      KeyMarker: '',
      UploadIdMarker: '',
      Prefix: prefix,
      MaxUploads: LIMITS.bucket_list.value,
      IsTruncated: false,
      Upload: all
        .filter(({ name }) => name.startsWith(prefix))
        .map((one) => ({
          Key: one.name,
          UploadId: one.id,
          StorageClass: 'STANDARD',
          Initiated: xmlTime(one.initiated_ms),
        })),
    });
  }

  async #require(call: ObjectCall): Promise<BucketUpload> {
    const found = await this.#bucket.uploads.get(call.device, call.query.get('uploadId') ?? '');
    if (found === undefined || found.key !== call.key) throw new BucketError('NoSuchUpload');
    return found;
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (this.#ending.has(id)) throw new BucketError('OperationAborted');
    this.#ending.add(id);
    try {
      return await work();
    } finally {
      this.#ending.delete(id);
    }
  }

  /** Joins the parts into one content. When the promise resolves, the content is on disk, but no record refers to it yet. */
  async #join(upload: BucketUpload, chosen: readonly Part[]) {
    const running = upload.checksum?.whole === true ? startChecksum(upload.checksum.algorithm) : undefined;
    const { parts, artifacts } = this.#bucket;
    async function* content(): AsyncGenerator<Uint8Array> {
      for (const part of chosen) {
        const md5 = createHash('md5');
        for await (const chunk of parts.read(upload.id, part)) {
          md5.update(chunk);
          running?.update(chunk);
          yield chunk;
        }
        if (md5.digest('hex') !== part.md5) throw new Error(`part ${part.number} of ${upload.id} has changed on disk`);
      }
    }
    const made = await artifacts.put(content());
    return { ...made, checksum: checksumOf(upload, chosen, running?.digest()) };
  }

  async #finish(call: ObjectCall, upload: BucketUpload, named: readonly ListedPart[]) {
    const most = ownObjectBytes(upload.key) ?? LIMITS.artifact.value;
    const chosen = chooseParts(named, await this.#bucket.parts.list(upload.id), most);
    needRoom(this.#bucket, call.device, bytesOf(chosen));
    const { sha256, bytes, checksum } = await this.#join(upload, chosen);
    const sent = upload.checksum === null ? undefined : call.headers.get(checksumHeader(upload.checksum.algorithm));
    if (sent !== undefined && sent !== checksum?.value) throw new BucketError('BadDigest');
    const { key, content_type, meta, headers } = upload;
    const made = { key, sha256, bytes, etag: md5OfParts(named), content_type, meta, headers, checksum };
    const stored = await this.#bucket.objects.put(call.device, made, call.sent, conditionsOf(call));
    await this.#bucket.uploads.end(call.device, upload.id);
    await this.#bucket.parts.remove(upload.id);
    return stored;
  }
}

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
