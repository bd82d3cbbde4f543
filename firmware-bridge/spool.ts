/**
 * Messages that wait for the broker, on disk, oldest first.
 *
 *              acked              readTo                    next
 *   acknowledged │ sent, no answer  │ not read yet            │ append
 *   ─────────────┴──────────────────┴─────────────────────────┴────────▶ numbers
 *   files gone     `rewind` begins here
 *
 *   spool-record.ts     one message in bytes
 *   spool-segments.ts   the files (256 KiB each, bytes bounded: the oldest gives way)
 *   spool-notes.ts      how far the broker is, and what was lost
 *
 * Invariants
 * - acked <= readTo < next, but for a rewind and for files that gave way: then readTo follows acked. What is acknowledged, or given up,
 *   out of turn is in `early`.
 * - A number is used once, also when its message was lost: the gateway knows repeats by it.
 * - A record is in the kernel's hands when `append` returns, so a killed process loses none. Once something has waited for a second all
 *   is synced every second, so a power cut loses two seconds of what the broker did not have. While the broker keeps up nothing is
 *   synced, and most files are gone before the kernel writes them: a flash disk is spared.
 * - What does not reach the broker is counted in `lost` before its file is gone.
 */
import { closeSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { joinLost, type Lost, openLosses, openMarker, type SpoolLog } from './spool-notes.ts';
import { readMessage, readRecord, type Spooled, writeRecord } from './spool-record.ts';
import { openSegments, openToRead, type Segment } from './spool-segments.ts';

export interface SpoolOptions {
  /** Made when absent; held by one process. */
  readonly folder: string;
  /** Bytes on disk at most; 256 MiB when absent. */
  readonly maxBytes?: number;
  readonly log: SpoolLog;
}

export interface Spool extends AsyncDisposable {
  /** Number that the next message gets. */
  readonly nextNumber: number;
  /** False when the disk took it not; then it is lost, and counted as such. */
  append(message: Omit<Spooled, 'n'>): boolean;
  /** The oldest message that was not read since the last `rewind`; undefined when all were. */
  next(): Spooled | undefined;
  /** All that is not acknowledged is to be read again. */
  rewind(): void;
  acknowledge(n: number): void;
  readonly waiting: { readonly messages: number; readonly bytes: number };
  readonly lost: Lost | null;
  /** The loss was told; `until` is the one that was read. */
  forgetLost(until: Lost): void;
  /** Lost since the folder was made. */
  readonly lostFrames: number;
}

/** The folder cannot be used; the message says why. */
export class SpoolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SpoolError';
  }
}

const SEGMENT_BYTES = 256 * 1024;
const MAX_BYTES = 256 << 20;
const SYNC_MS = 1_000;

/** The folder for one process; the kernel lets it go when that dies. */
function holdFolder(folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true });
    const lock = new DatabaseSync(join(folder, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    const busy = /locked/.test(String(cause));
    const why = busy ? 'is in use by another bridge' : `cannot be used: ${(cause as Error).message}`;
    throw new SpoolError(`The folder ${folder} ${why}.`, { cause });
  }
}

/** All of a file; nothing when the disk does not give it. */
function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Opens the folder and brings back what waited in it; throws `SpoolError` when it cannot be used. */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, log } = options;
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  const lock = holdFolder(folder);
  const marker = openMarker(folder, log);
  const losses = openLosses(folder, log);
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.max(4096, Math.floor(maxBytes / 8)));
  const segments = openSegments(folder, segmentBytes, log);

  let { acked } = marker;
  /** Acknowledged, or given up, out of turn. */
  const early = new Set<number>();
  let next = Math.max(acked, segments.newest?.last ?? 0) + 1;
  let readTo = acked;
  /** Where reading stands: a file and the place in it. */
  let reading: { segment: Segment; fd: number; at: number } | undefined;
  /** The newest number a second ago. */
  let newestThen = acked;
  dropAcked();

  function closeReading(): void {
    if (reading !== undefined) closeSync(reading.fd);
    reading = undefined;
  }

  function remove(segment: Segment): void {
    if (reading?.segment === segment) closeReading();
    segments.remove(segment);
  }

  /** Removes files that the broker has; the one that is written goes when it is full or not the last. */
  function dropAcked(): void {
    for (let oldest = segments.oldest; oldest !== undefined && oldest.last <= acked; oldest = segments.oldest) {
      if (!segments.finish(oldest)) return;
      remove(oldest);
    }
  }

  function setAcked(n: number): void {
    acked = n;
    while (early.delete(acked + 1)) acked++;
    for (const one of early) if (one <= acked) early.delete(one);
    marker.note(acked);
  }

  /** What of a file is behind `after` and not acknowledged is lost. */
  function noteLost(segment: Segment, after: number, why: string): void {
    let lost: Lost | undefined;
    const note = (one: Lost) => {
      lost = lost === undefined ? one : joinLost(lost, one);
    };
    const file = readWhole(segment.path);
    let seen = after;
    for (let at = 0, record = readRecord(file, at); record !== undefined; record = readRecord(file, at)) {
      const { n, frames, first_us, last_us } = record;
      at = record.end;
      if (n <= after || early.has(n)) continue;
      seen = n;
      note({ n, messages: 1, frames, from_us: first_us, to_us: last_us });
    }
    // Frames and times of what is behind damage are not known.
    for (let n = seen + 1; n <= segment.last; n++)
      if (!early.has(n)) note({ n, messages: 1, frames: 0, from_us: null, to_us: null });
    if (lost === undefined) return;
    losses.add(lost);
    losses.save();
    log('warn', `messages were lost: ${why}`, { messages: lost.messages, frames: lost.frames });
  }

  /** The oldest file gives way; false when there is none beside the one that is written. */
  function giveWay(why: string): boolean {
    const { oldest } = segments;
    if (oldest === undefined || segments.count === 1) return false;
    noteLost(oldest, acked, why);
    if (acked < oldest.last) setAcked(oldest.last);
    remove(oldest);
    return true;
  }

  /** Passes over the rest of a file that is damaged. */
  function passOver(segment: Segment): void {
    closeReading();
    noteLost(segment, readTo, 'damaged on disk');
    for (let n = readTo + 1; n <= segment.last; n++) early.add(n);
    readTo = segment.last;
    if (early.has(acked + 1)) setAcked(acked);
    dropAcked();
  }

  const timer = setInterval(() => {
    const waited = acked < newestThen;
    newestThen = next - 1;
    segments.settle(waited);
  }, SYNC_MS);
  timer.unref();

  return {
    get nextNumber() {
      return next;
    },
    append(message) {
      const record = writeRecord(message, next);
      while (segments.bytes + record.length > maxBytes && giveWay('the spool is full')) {}
      for (;;) {
        try {
          segments.write(record, next);
          break;
        } catch (error) {
          if (giveWay('the disk takes no more')) continue;
          log('error', 'a message was lost: the disk takes nothing', { error: String(error) });
          const { frames, first_us, last_us } = message;
          losses.add({ n: next, messages: 1, frames, from_us: first_us, to_us: last_us });
          return false;
        }
      }
      next++;
      return true;
    },
    next() {
      for (;;) {
        if (readTo < acked) {
          readTo = acked;
          closeReading();
        }
        if (readTo >= next - 1) return undefined;
        if (reading !== undefined && reading.segment.last <= readTo) closeReading();
        if (reading === undefined) {
          const segment = segments.after(readTo);
          const fd = segment && openToRead(segment.path);
          if (segment === undefined || fd === undefined) return undefined;
          reading = { segment, fd, at: 0 };
        }
        const message = readMessage(reading.fd, reading.at);
        if (message === undefined) {
          passOver(reading.segment);
          continue;
        }
        const { end, ...spooled } = message;
        reading.at = end;
        if (message.n <= readTo || early.has(message.n)) {
          readTo = Math.max(readTo, message.n);
          continue;
        }
        readTo = message.n;
        return spooled;
      }
    },
    rewind() {
      closeReading();
      readTo = acked;
    },
    acknowledge(n) {
      if (n <= acked || n >= next) return;
      if (n === acked + 1) setAcked(n);
      else early.add(n);
      dropAcked();
    },
    get waiting() {
      return { messages: Math.max(0, next - 1 - acked - early.size), bytes: segments.bytes };
    },
    get lost() {
      return losses.untold;
    },
    forgetLost(until) {
      losses.told(until);
      losses.save();
    },
    get lostFrames() {
      return losses.total;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      closeReading();
      segments.close(acked < next - 1);
      marker.close();
      lock.close();
    },
  };
}
