/** Reads the messages in a file of the spool (the queue on disk) one after another. */
import { closeSync, readFileSync } from 'node:fs';
import { joinLost, type Lost } from './spool-notes.ts';
import { readMessage, readRecord, type Spooled } from './spool-record.ts';
import { openToRead, type Segment } from './spool-segments.ts';

export class SpoolCursor {
  private open: { readonly segment: Segment; readonly fd: number; at: number } | undefined;

  get segment(): Segment | undefined {
    return this.open?.segment;
  }

  /** Opens a file and moves to its start; returns false when the file cannot be opened. */
  start(segment: Segment): boolean {
    this.close();
    const fd = openToRead(segment.path);
    if (fd !== undefined) this.open = { segment, fd, at: 0 };
    return fd !== undefined;
  }

  /** Reads the next message of the file; returns undefined when the message is damaged or the disk cannot read it. */
  read(): Spooled | undefined {
    if (this.open === undefined) return undefined;
    const message = readMessage(this.open.fd, this.open.at);
    if (message === undefined) return undefined;
    const { end, ...spooled } = message;
    this.open.at = end;
    return spooled;
  }

  close(): void {
    if (this.open !== undefined) closeSync(this.open.fd);
    this.open = undefined;
  }
}

/** Returns the bytes of a file; an empty buffer when the file cannot be read. */
function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Counts the unacknowledged messages of a file, that is, the messages whose number is above `after` and not in `early`. Returns undefined
 * if all messages of the file are acknowledged.
 */
export function lossIn(segment: Segment, after: number, early: ReadonlySet<number>): Lost | undefined {
  let lost: Lost | undefined;
  const add = (one: Lost) => {
    lost = lost === undefined ? one : joinLost(lost, one);
  };
  const file = readWhole(segment.path);
  let seen = after;
  for (let at = 0, record = readRecord(file, at); record !== undefined; record = readRecord(file, at)) {
    const { n, frames, first_us, last_us } = record;
    at = record.end;
    if (n <= after || early.has(n)) continue;
    seen = n;
    add({ n, messages: 1, frames, from_us: first_us, to_us: last_us });
  }
  // The messages after a damaged one cannot be read. Count these messages, but leave out their frames and times.
  for (let n = seen + 1; n <= segment.last; n++)
    if (!early.has(n)) add({ n, messages: 1, frames: 0, from_us: null, to_us: null });
  return lost;
}
