/**
 * How far the database is known to have come, in a small file beside it. Written after each sync of the database and never
 * synced itself: what it says was on disk then, so a database that has come less far has lost commits.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, write, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeDurably } from '#store/base/durable.ts';

export interface HighWaterMark {
  /** Which life of the database; see `incarnation.ts`. */
  readonly incarnation: number;
  readonly seq: number;
  /** Wall time, ISO 8601. */
  readonly at: string;
}

/** Within one sector, so that it is there whole or not at all. */
const BYTES = 256;

function encode(mark: HighWaterMark): Buffer {
  const text = JSON.stringify(mark);
  return Buffer.from(`${crc32(text).toString(16).padStart(8, '0')} ${text}`.padEnd(BYTES - 1).concat('\n'));
}

/** The mark in a file; undefined when there is none that is whole. */
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

/** Writes a mark that a power cut does not take. */
export function writeHighWaterMark(file: string, mark: HighWaterMark): void {
  writeDurably(file, encode(mark));
}

/** Where marks are noted while the database is open; an error of this file harms nothing and is not told. */
export interface HighWaterMarkWriter extends Disposable {
  note(mark: HighWaterMark): void;
}

/** Opens an existing mark for many notes; one is on its way at a time, and the latest follows it. */
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
