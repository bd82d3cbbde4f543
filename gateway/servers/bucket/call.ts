/** An authenticated request to the bucket, and helpers for its answers. */
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

/** The services that the bucket uses. */
export interface BucketParts {
  readonly objects: BucketObjects;
  readonly uploads: BucketUploads;
  readonly parts: Parts;
  readonly artifacts: Pick<Artifacts, 'put' | 'read' | 'find'>;
  /** Returns the free disk space in bytes. */
  readonly room: () => number;
  /** Returns how many logs wait for decoding. `device` is the record id of the device that uploaded them. */
  readonly decodesWaiting: (device: string) => number;
  /** Storage budgets of devices. */
  readonly budgets: Spending;
}

export interface BucketCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: ReadonlyMap<string, string>;
  /** Query parameters. If a name is repeated, the last value applies. */
  readonly query: ReadonlyMap<string, string>;
  readonly device: BucketDevice;
  readonly claim: SigClaim;
  readonly signingKey: Buffer;
}

/** A bucket call on one object. */
export interface ObjectCall extends BucketCall {
  /** Object key without the prefix of the device. */
  readonly key: string;
  /** Object key as in the request, with the prefix of the device. */
  readonly sent: string;
}

const META = 'x-amz-meta-';

/** Sends an XML document. */
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

/** Returns the content type, the `x-amz-meta-*` fields and the `KEPT_HEADERS` of a request; throws `MetadataTooLarge`. */
export function readMetadata(headers: ReadonlyMap<string, string>) {
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
    // Remove `aws-chunked` before storing the value, because it describes the transfer and not the content.
    const lasting = name === 'content-encoding' ? withoutChunked(value) : value;
    if (lasting !== '') kept[name] = lasting;
  }
  return { content_type: headers.get('content-type') ?? 'binary/octet-stream', meta, headers: kept };
}

function withoutChunked(encoding: string): string {
  const all = encoding.split(',').map((one) => one.trim());
  return all.filter((one) => one.toLowerCase() !== 'aws-chunked').join(', ');
}

/** Header fields of every answer. With them a browser neither shows an object as a page nor executes it. */
export const GUARDS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Changes a Content-Disposition to `attachment`, and keeps its file name. */
export function asAttachment(disposition: string | undefined): string {
  const [, rest = ''] = /^[^;]*(;.*)?$/s.exec(disposition ?? '') ?? [];
  return `attachment${rest}`;
}

/** Sets the response header fields that describe an object, such as `ETag` and `Last-Modified`. */
export function setObjectHeaders(response: ServerResponse, object: BucketObject): void {
  response.setHeader('ETag', `"${object.etag}"`);
  response.setHeader('Last-Modified', new Date(object.modified_ms).toUTCString());
  response.setHeader('Content-Type', object.content_type);
  for (const [name, value] of Object.entries(object.headers)) response.setHeader(name, value);
  response.setHeader('Content-Disposition', asAttachment(object.headers['content-disposition']));
  for (const [name, value] of Object.entries(object.meta)) response.setHeader(`${META}${name}`, value);
}

/** Formats a time for XML. */
export function xmlTime(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Sends `100 Continue` if the client waits for it, and starts to read the body. Call it after authentication, so that the gateway never
 * reads the body of an unknown client.
 */
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

/** Reads the XML body of a request; throws a bucket error if it is invalid. */
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

/** Returns the ETag in a condition such as `If-Match`, without its quotes and without the prefix `W/`. */
export function bareTag(text: string | undefined): string | undefined {
  return text?.trim().replace(/^W\//, '').replace(/^"|"$/g, '');
}

/**
 * Charges the storage budget of a device (the bytes that it may store a day) for `bytes` of content and two records. Throws `SlowDown` if
 * the budget is used up.
 */
export function chargeBudget({ budgets }: Pick<BucketParts, 'budgets'>, device: BucketDevice, bytes: number): void {
  const { device: id, project_id } = device;
  const refused = budgets.spend({ object: 'device', id, project_id }, 'files', bytes + 2 * DOCUMENT_BYTES);
  if (refused !== undefined)
    throw new BucketError('SlowDown', 'This device has stored as many files as its budget allows.', {
      RetryAfterSeconds: String(refused.retry_after_s),
    });
}
