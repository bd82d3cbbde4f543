/** A request to the bucket whose sender is known, and what every answer shares. */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DOCUMENT_BYTES, type Spending } from '#contract/base/budget.ts';
import { LIMITS } from '#contract/base/limits.ts';
import {
  type BucketDevice,
  type BucketObject,
  type BucketObjects,
  type BucketUploads,
  KEPT_HEADERS,
} from '#contract/fleet/bucket.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Parts } from '#store/parts.ts';
import { BucketError } from './errors.ts';
import { type Intake, type IntakeOptions, openIntake } from './intake.ts';
import type { SigClaim } from './sigv4.ts';
import { writeXml, type XmlNode } from './xml.ts';

/** What the bucket stands on. */
export interface BucketParts {
  readonly objects: BucketObjects;
  readonly uploads: BucketUploads;
  readonly parts: Parts;
  readonly artifacts: Pick<Artifacts, 'put' | 'read' | 'find'>;
  /** How many more bytes the disk takes. */
  readonly room: () => number;
  /** How many logs of a device (its record id) wait to be decoded. */
  readonly decodesWaiting: (device: string) => number;
  /** What devices may have stored. */
  readonly budgets: Spending;
}

export interface BucketCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: ReadonlyMap<string, string>;
  /** The last of equal names counts. */
  readonly query: ReadonlyMap<string, string>;
  readonly device: BucketDevice;
  readonly claim: SigClaim;
  readonly signingKey: Buffer;
}

/** A call on one object. */
export interface ObjectCall extends BucketCall {
  /** Without the device's prefix. */
  readonly key: string;
  /** As its sender names it. */
  readonly sent: string;
}

const META = 'x-amz-meta-';

/** Sends a document. */
export function sendXml(response: ServerResponse, status: number, root: string, node: XmlNode): void {
  const text = writeXml(root, node);
  response.writeHead(status, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** Sends a status without a body. */
export function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, status === 204 || status === 304 ? {} : { 'Content-Length': 0 });
  response.end();
}

/** What the sender says of an object besides its content; throws `MetadataTooLarge`. */
export function describedBy(headers: ReadonlyMap<string, string>) {
  const meta: Record<string, string> = {};
  let size = 0;
  for (const [name, value] of headers) {
    if (!name.startsWith(META)) continue;
    meta[name.slice(META.length)] = value;
    size += name.length - META.length + value.length;
  }
  const most = LIMITS.bucket_meta.value;
  if (size > most)
    throw new BucketError('MetadataTooLarge', undefined, { Size: String(size), MaxSizeAllowed: String(most) });
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    if (value === undefined) continue;
    // How the body was framed on its way is no property of the content.
    const lasting = name === 'content-encoding' ? withoutChunked(value) : value;
    if (lasting !== '') kept[name] = lasting;
  }
  return { content_type: headers.get('content-type') ?? 'binary/octet-stream', meta, headers: kept };
}

function withoutChunked(encoding: string): string {
  const all = encoding.split(',').map((one) => one.trim());
  return all.filter((one) => one.toLowerCase() !== 'aws-chunked').join(', ');
}

/** What browsers are told about every answer of the bucket: nothing in it is a page, whatever it holds. */
export const GUARDS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** A Content-Disposition that saves the content and never shows it; its file name stays. */
export function asAttachment(disposition: string | undefined): string {
  const [, rest = ''] = /^[^;]*(;.*)?$/s.exec(disposition ?? '') ?? [];
  return `attachment${rest}`;
}

/** Sets the header fields that tell of an object. */
export function tellObject(response: ServerResponse, object: BucketObject): void {
  response.setHeader('ETag', `"${object.etag}"`);
  response.setHeader('Last-Modified', new Date(object.modified_ms).toUTCString());
  response.setHeader('Content-Type', object.content_type);
  for (const [name, value] of Object.entries(object.headers)) response.setHeader(name, value);
  response.setHeader('Content-Disposition', asAttachment(object.headers['content-disposition']));
  for (const [name, value] of Object.entries(object.meta)) response.setHeader(`${META}${name}`, value);
}

/** A time as XML tells it. */
export function xmlTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Lets the sender begin, and opens the body: only now, for a stranger's body is not read. */
export function takeBody(
  call: BucketCall,
  limit: number,
  more: Pick<IntakeOptions, 'algorithm' | 'otherChecksum'> = {},
): Intake {
  const { request, headers, claim, signingKey } = call;
  const intake = openIntake({ request, headers, claim, key: signingKey, limit, ...more });
  if (/100-continue/i.test(headers.get('expect') ?? '')) call.response.writeContinue();
  return intake;
}

/** The XML of a request; throws what is wrong with it. */
export async function takeXml(call: BucketCall, more: Pick<IntakeOptions, 'otherChecksum'> = {}): Promise<string> {
  const intake = takeBody(call, LIMITS.bucket_xml.value, more);
  const chunks: Buffer[] = [];
  for await (const chunk of intake.content) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  intake.verify({ bytes: bytes.length, sha256: hash('sha256', bytes) });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BucketError('MalformedXML');
  }
}

/** An ETag of a condition, without what is around it. */
export function bareTag(text: string | undefined): string | undefined {
  return text?.trim().replace(/^W\//, '').replace(/^"|"$/g, '');
}

/** Pays for a content and its records; throws `SlowDown` when the device has stored as much as its budget allows. */
export function payForContent({ budgets }: Pick<BucketParts, 'budgets'>, device: BucketDevice, bytes: number): void {
  const { device: id, project_id } = device;
  const refused = budgets.spend({ object: 'device', id, project_id }, 'files', bytes + 2 * DOCUMENT_BYTES);
  if (refused !== undefined)
    throw new BucketError('SlowDown', 'This device has stored as many files as its budget allows.', {
      RetryAfterSeconds: String(refused.retry_after_s),
    });
}
