/**
 * A queue on disk of the messages that the broker has not acknowledged, oldest first.
 *
 *              acked              readTo                    next
 *   acknowledged │ sent, no answer  │ not read yet            │ append
 *   ─────────────┴──────────────────┴─────────────────────────┴────────▶ numbers
 *   files removed  `rewind` returns to here
 *
 *   spool-record.ts     one message in bytes
 *   spool-segments.ts   the files, 256 KiB each
 *   spool-cursor.ts     the read position in the files
 *   spool-notes.ts      the last acknowledged number, and the losses
 *
 * Invariants
 * - acked <= readTo < next. After a rewind or an eviction readTo follows acked. Numbers that were acknowledged, or given up, out of order
 *   are in `early`.
 * - A number is never used twice, also when its message was lost: the gateway recognises repeated messages by their numbers.
 * - When `append` returns, the kernel has the record, so a killed process loses nothing. Once a message has waited for a second, all
 *   files are synced every second, so a power cut loses at most two seconds. While the broker keeps up nothing is synced, and most
 *   files are removed before the kernel writes them. This spares flash disks.
 * - A message that will not reach the broker is counted in `lost` before its file is removed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lossIn, SpoolCursor } from './spool-cursor.ts';
import { type Lost, openLosses, openMarker, type SpoolLog } from './spool-notes.ts';
import { type Spooled, writeRecord } from './spool-record.ts';
import { openSegments, type Segment } from './spool-segments.ts';

export interface SpoolOptions {
  /** Created when absent, and locked: one process at a time may use it. */
  readonly folder: string;
  /** Most bytes on disk; 256 MiB when absent. */
  readonly maxBytes?: number;
  readonly log: SpoolLog;
}

export interface Spool extends AsyncDisposable {
  /** Number that the next message gets. */
  readonly nextNumber: number;
  /** False when the disk does not take the message; it is then counted as lost. */
  append(message: Omit<Spooled, 'n'>): boolean;
  /** The oldest message that was not read since the last `rewind`; undefined when there is none. */
  next(): Spooled | undefined;
  /** Returns to the oldest unacknowledged message. */
  rewind(): void;
  acknowledge(n: number): void;
  readonly waiting: { readonly messages: number; readonly bytes: number };
  /** The losses that were not reported yet. */
  readonly lost: Lost | null;
  /** Call when a loss was reported; `until` is the value of `lost` that was reported. */
  forgetLost(until: Lost): void;
  /** Frames lost since the folder was created. */
  readonly lostFrames: number;
}

/** The folder cannot be used; the message gives the reason. */
export class SpoolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SpoolError';
  }
}

const SEGMENT_BYTES = 256 * 1024;
const MAX_BYTES = 256 << 20;
const SYNC_MS = 1_000;

/** Locks the folder; the kernel releases the lock when the process ends. */
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

/** Opens the folder with the messages that are in it; throws `SpoolError` when it cannot be used. */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, log } = options;
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  const lock = holdFolder(folder);
  const marker = openMarker(folder, log);
  const losses = openLosses(folder, log);
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.max(4096, Math.floor(maxBytes / 8)));
  const segments = openSegments(folder, segmentBytes, log);

  let { acked } = marker;
  /** Numbers acknowledged, or given up, out of order. */
  const early = new Set<number>();
  let next = Math.max(acked, segments.newest?.last ?? 0) + 1;
  let readTo = acked;
  const cursor = new SpoolCursor();
  /** The newest number a second ago. */
  let newestThen = acked;
  dropAcked();

  function remove(segment: Segment): void {
    if (cursor.segment === segment) cursor.close();
    segments.remove(segment);
  }

  /** Removes files whose messages are all acknowledged; the newest file only when it is full. */
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

  /** Counts the unacknowledged messages of a file above `after` as lost. */
  function noteLost(segment: Segment, after: number, why: string): void {
    const lost = lossIn(segment, after, early);
    if (lost === undefined) return;
    losses.add(lost);
    losses.save();
    log('warn', `messages were lost: ${why}`, { messages: lost.messages, frames: lost.frames });
  }

  /** Evicts the oldest file; false when only the file that is being written is left. */
  function evictOldest(why: string): boolean {
    const { oldest } = segments;
    if (oldest === undefined || segments.count === 1) return false;
    noteLost(oldest, acked, why);
    if (acked < oldest.last) setAcked(oldest.last);
    remove(oldest);
    return true;
  }

  /** Gives up the unread messages of a damaged file. */
  function skipDamaged(segment: Segment): void {
    cursor.close();
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
      while (segments.bytes + record.length > maxBytes && evictOldest('the spool is full')) {}
      for (;;) {
        try {
          segments.write(record, next);
          break;
        } catch (error) {
          if (evictOldest('the disk takes no more')) continue;
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
          cursor.close();
        }
        if (readTo >= next - 1) return undefined;
        if (cursor.segment === undefined || cursor.segment.last <= readTo) {
          const following = segments.after(readTo);
          if (following === undefined || !cursor.start(following)) return undefined;
        }
        const segment = cursor.segment as Segment;
        const message = cursor.read();
        if (message === undefined) {
          skipDamaged(segment);
          continue;
        }
        if (message.n <= readTo || early.has(message.n)) {
          readTo = Math.max(readTo, message.n);
          continue;
        }
        readTo = message.n;
        return message;
      }
    },
    rewind() {
      cursor.close();
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
      losses.reported(until);
      losses.save();
    },
    get lostFrames() {
      return losses.total;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      cursor.close();
      segments.close(acked < next - 1);
      marker.close();
      lock.close();
    },
  };
}
