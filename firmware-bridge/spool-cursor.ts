/** The read position in the files of a spool. */
import { closeSync, readFileSync } from 'node:fs';
import { joinLost, type Lost } from './spool-notes.ts';
import { readMessage, readRecord, type Spooled } from './spool-record.ts';
import { openToRead, type Segment } from './spool-segments.ts';

export class SpoolCursor {
  private open: { readonly segment: Segment; readonly fd: number; at: number } | undefined;

  get segment(): Segment | undefined {
    return this.open?.segment;
  }

  /** Moves to the start of a file; false when the file cannot be opened. */
  start(segment: Segment): boolean {
    this.close();
    const fd = openToRead(segment.path);
    if (fd !== undefined) this.open = { segment, fd, at: 0 };
    return fd !== undefined;
  }

  /** Reads the next message of the file; undefined when it is damaged or the disk does not return it. */
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

/** The bytes of a file; none when the disk does not return them. */
function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** The messages of a file with numbers above `after`, except those in `early`; undefined when there are none. */
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
  // Behind damage the frames and times of a message cannot be read.
  for (let n = seen + 1; n <= segment.last; n++)
    if (!early.has(n)) add({ n, messages: 1, frames: 0, from_us: null, to_us: null });
  return lost;
}
