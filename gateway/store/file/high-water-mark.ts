/**
 * The high-water mark: a small file beside the database with the last sequence number that is on disk. (Each write of a document gets the
 * next sequence number.) The store writes the mark after each sync of the database, so it is never higher than the number on disk. A
 * database with a lower sequence number than its mark has lost commits.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, write, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { AuditHead } from '#store/base/audit-chain.ts';
import { writeDurably } from '#store/base/durable.ts';

export interface HighWaterMark {
  /** The number of the incarnation of the database, which rises when commits are lost; see `incarnation.ts`. */
  readonly incarnation: number;
  readonly seq: number;
  /** Time of the write, ISO 8601. */
  readonly at: string;
  /** The last entry of the audit log; absent in the marks of earlier versions. */
  readonly audit?: AuditHead | undefined;
}

/** Size of the file. It fits into one disk sector, so a power cut leaves the old or the new content. */
const BYTES = 256;

function encode(mark: HighWaterMark): Buffer {
  const text = JSON.stringify(mark);
  return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')} ${text}`.padEnd(BYTES - 1).concat('\n'));
}

/** Reads the mark from a file. Returns undefined if there is no file or its checksum is wrong. */
export function readHighWaterMark(file: string): HighWaterMark | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
  const body = text.slice(9);
  if (Number.parseInt(text.slice(0, 8), 16) !== crc32(body)) return undefined;
  return JSON.parse(body) as HighWaterMark;
}

/** Writes a mark and syncs it, so that it survives a power cut. */
export function writeHighWaterMark(file: string, mark: HighWaterMark): void {
  writeDurably(file, encode(mark));
}

/**
 * Writes marks while the database is open. It ignores errors of the file, because an older mark is also correct: it only detects fewer lost
 * commits.
 */
export interface HighWaterMarkWriter extends Disposable {
  /** Starts to write a mark. If a write is running, this mark waits for its end, and replaces a mark that already waits. */
  note(mark: HighWaterMark): void;
}

/** Opens an existing file for writing marks. One write runs at a time. */
export function openHighWaterMark(file: string): HighWaterMarkWriter {
  const handle = openSync(file, 'r+');
  ftruncateSync(handle, BYTES);
  let busy = false;
  let next: HighWaterMark | undefined;
  let closed = false;
  const send = (): void => {
    if (busy || next === undefined) return;
    const bytes = encode(next);
    next = undefined;
    busy = true;
    write(handle, bytes, 0, bytes.length, 0, () => {
      busy = false;
      if (closed) closeSync(handle);
      else send();
    });
  };
  return {
    note(mark) {
      next = mark;
      send();
    },
    [Symbol.dispose]() {
      closed = true;
      if (busy) return;
      if (next) writeSync(handle, encode(next), 0, BYTES, 0);
      closeSync(handle);
    },
  };
}
