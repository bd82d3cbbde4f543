/**
 * The bytes of a document. The documents of the collection `telemetry` have encoded samples or statistics in the field `body` of their data.
 * The gateway reads and writes this field as bytes (`Uint8Array`). RxDB reads and writes it as base64 text, because its documents are JSON.
 */
import { Buffer } from 'node:buffer';
import type { CollectionName } from '#contract/base/view.ts';

/** Returns true if the documents of the collection may have bytes in the field `body` of their data. */
export const hasBodies = (collection: string): boolean => collection === ('telemetry' satisfies CollectionName);

type Data = Readonly<Record<string, unknown>>;

/** Data whose bytes are separate. */
export interface DataParts {
  /** The data without its bytes, which JSON can express. */
  readonly rest: Data;
  /** The bytes; null if the data has none. */
  readonly body: Uint8Array | null;
}

/** Separates the bytes of data from its other fields. */
export function splitData(data: Data): DataParts {
  if (!(data.body instanceof Uint8Array)) return { rest: data, body: null };
  const { body, ...rest } = data;
  return { rest, body: body as Uint8Array };
}

/**
 * Separates the bytes of data as RxDB writes it, with base64 text. Text that base64 cannot express exactly stays in the data.
 */
export function splitText(data: Data): DataParts {
  const { body, ...rest } = data;
  if (typeof body !== 'string') return splitData(data);
  const bytes = Buffer.from(body, 'base64');
  return bytes.toString('base64') === body ? { rest, body: bytes } : { rest: data, body: null };
}

/** Copies data through its JSON text, and keeps its bytes. So the copy has only values that a document can have. */
export function copyData(data: Data): Record<string, unknown> {
  const { rest, body } = splitData(data);
  const copy = JSON.parse(JSON.stringify(rest)) as Record<string, unknown>;
  return body === null ? copy : { ...copy, body };
}

interface WithData {
  readonly data: unknown;
}

/** Returns the document with bytes in place of base64 text. An earlier version stored base64 text. */
export function withBytes<T extends WithData>(document: T): T {
  const data = document.data as Data | undefined;
  if (typeof data?.body !== 'string') return document;
  return { ...document, data: { ...data, body: new Uint8Array(Buffer.from(data.body, 'base64')) } };
}

/** Returns the document with base64 text in place of bytes, as RxDB reads it. */
export function withText<T extends WithData>(document: T): T {
  const data = document.data as Data | undefined;
  const body = data?.body;
  if (!(body instanceof Uint8Array)) return document;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  return { ...document, data: { ...data, body: text } };
}
