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
 * - acked <= readTo < next. A rewind sets readTo back to acked. An eviction (the deletion of the oldest file when the spool is full) moves
 *   both forward. `early` has the numbers above acked whose messages were already acknowledged or lost.
 * - A number is never used twice, even if its message was lost, because the gateway ignores a message with a number that it has received.
 * - When `append` returns, the kernel has the record, so a killed process loses nothing. When a message has waited for a second, the spool
 *   syncs all files every second, so a power cut loses at most the messages of two seconds. While the broker acknowledges within a second,
 *   nothing is synced, and most files are removed before the kernel writes them to disk. So flash disks last longer.
 * - Before the spool removes a file with unacknowledged messages, it counts these messages in `lost`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lossIn, SpoolCursor } from './spool-cursor.ts';
import { type Lost, openLosses, openMarker, type SpoolLog } from './spool-notes.ts';
import { type Spooled, writeRecord } from './spool-record.ts';
import { openSegments, type Segment } from './spool-segments.ts';

export interface SpoolOptions {
  /** Folder of the spool. It is created when absent, and locked so that only one process can use it. */
  readonly folder: string;
  /** The largest number of bytes of all files together; default 256 MiB. */
  readonly maxBytes?: number;
  readonly log: SpoolLog;
}

export interface Spool extends AsyncDisposable {
  /** The number that the next appended message will get. */
  readonly nextNumber: number;
  /** Appends a message; returns false when it cannot be written to disk, and then counts it as lost. */
  append(message: Omit<Spooled, 'n'>): boolean;
  /** Returns the oldest message that `next` has not returned since the last `rewind`; undefined when there is none. */
  next(): Spooled | undefined;
  /** Sets the read position back to the oldest unacknowledged message. */
  rewind(): void;
  acknowledge(n: number): void;
  readonly waiting: { readonly messages: number; readonly bytes: number };
  /** The losses that were not reported yet, merged into one; null when there are none. */
  readonly lost: Lost | null;
  /** Removes a loss that was reported; `until` is the value of `lost` in the report. */
  forgetLost(until: Lost): void;
  /** Number of frames that were lost since the folder was created. */
  readonly lostFrames: number;
}

/** Thrown when the folder of a spool cannot be used; the message gives the reason. */
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

/** Opens the spool in a folder, with the messages of an earlier process; throws a `SpoolError` when the folder cannot be used. */
export function openSpool(options: SpoolOptions): Spool {
  return new DiskSpool(options, holdFolder(options.folder));
}

class DiskSpool implements Spool {
  private readonly log: SpoolLog;
  private readonly maxBytes: number;
  private readonly lock: DatabaseSync;
  private readonly marker: ReturnType<typeof openMarker>;
  private readonly losses: ReturnType<typeof openLosses>;
  private readonly segments: ReturnType<typeof openSegments>;
  private readonly cursor = new SpoolCursor();
  private readonly timer: NodeJS.Timeout;
  private acked: number;
  /**
   * Numbers of messages that were acknowledged or lost while a message before them was still unacknowledged. All these numbers are above
   * `acked`.
   */
  private readonly early = new Set<number>();
  private nextN: number;
  private readTo: number;
  /** The newest message number at the previous call of `syncWaiting`, which the spool calls every second. */
  private newestThen: number;

  constructor({ folder, log, maxBytes = MAX_BYTES }: SpoolOptions, lock: DatabaseSync) {
    this.log = log;
    this.maxBytes = maxBytes;
    this.lock = lock;
    this.marker = openMarker(folder, log);
    this.losses = openLosses(folder, log);
    this.segments = openSegments(folder, Math.min(SEGMENT_BYTES, Math.max(4096, Math.floor(maxBytes / 8))), log);
    this.acked = this.marker.acked;
    this.nextN = Math.max(this.acked, this.segments.newest?.last ?? 0) + 1;
    this.readTo = this.acked;
    this.newestThen = this.acked;
    this.dropAcked();
    this.timer = setInterval(() => this.syncWaiting(), SYNC_MS);
    this.timer.unref();
  }

  get nextNumber(): number {
    return this.nextN;
  }

  append(message: Omit<Spooled, 'n'>): boolean {
    const record = writeRecord(message, this.nextN);
    while (this.segments.bytes + record.length > this.maxBytes && this.evictOldest('the spool is full')) {}
    for (;;) {
      try {
        this.segments.write(record, this.nextN);
        break;
      } catch (error) {
        if (this.evictOldest('the disk takes no more')) continue;
        this.log('error', 'a message was lost, because it could not be written to the disk', { error: String(error) });
        const { frames, first_us, last_us } = message;
        this.losses.add({ n: this.nextN, messages: 1, frames, from_us: first_us, to_us: last_us });
        return false;
      }
    }
    this.nextN++;
    return true;
  }

  next(): Spooled | undefined {
    const { cursor } = this;
    for (;;) {
      if (this.readTo < this.acked) this.rewind();
      if (this.readTo >= this.nextN - 1) return undefined;
      if (cursor.segment === undefined || cursor.segment.last <= this.readTo) {
        const following = this.segments.after(this.readTo);
        if (following === undefined || !cursor.start(following)) return undefined;
      }
      const segment = cursor.segment as Segment;
      const message = cursor.read();
      if (message === undefined) {
        this.skipDamaged(segment);
        continue;
      }
      if (message.n <= this.readTo || this.early.has(message.n)) {
        this.readTo = Math.max(this.readTo, message.n);
        continue;
      }
      this.readTo = message.n;
      return message;
    }
  }

  rewind(): void {
    this.cursor.close();
    this.readTo = this.acked;
  }

  acknowledge(n: number): void {
    if (n <= this.acked || n >= this.nextN) return;
    if (n === this.acked + 1) this.setAcked(n);
    else this.early.add(n);
    this.dropAcked();
  }

  get waiting(): { readonly messages: number; readonly bytes: number } {
    const messages = Math.max(0, this.nextN - 1 - this.acked - this.early.size);
    return { messages, bytes: this.segments.bytes };
  }

  get lost(): Lost | null {
    return this.losses.untold;
  }

  forgetLost(until: Lost): void {
    this.losses.reported(until);
    this.losses.save();
  }

  get lostFrames(): number {
    return this.losses.total;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.cursor.close();
    this.segments.close(this.acked < this.nextN - 1);
    this.marker.close();
    this.lock.close();
  }

  /** Syncs the files if a message has waited for a second. */
  private syncWaiting(): void {
    const waited = this.acked < this.newestThen;
    this.newestThen = this.nextN - 1;
    this.segments.settle(waited);
  }

  private remove(segment: Segment): void {
    if (this.cursor.segment === segment) this.cursor.close();
    this.segments.remove(segment);
  }

  /** Removes each file in which all messages are acknowledged. It removes the newest file only if this file is full. */
  private dropAcked(): void {
    const { segments } = this;
    for (let { oldest } = segments; oldest !== undefined && oldest.last <= this.acked; oldest = segments.oldest) {
      if (!segments.finish(oldest)) return;
      this.remove(oldest);
    }
  }

  private setAcked(n: number): void {
    const { early } = this;
    this.acked = n;
    while (early.delete(this.acked + 1)) this.acked++;
    for (const one of early) if (one <= this.acked) early.delete(one);
    this.marker.note(this.acked);
  }

  /** Counts the unacknowledged messages of a file with numbers above `after` as lost. */
  private noteLost(segment: Segment, after: number, why: string): void {
    const lost = lossIn(segment, after, this.early);
    if (lost === undefined) return;
    this.losses.add(lost);
    this.losses.save();
    this.log('warn', `messages were lost: ${why}`, { messages: lost.messages, frames: lost.frames });
  }

  /** Deletes the oldest file and counts its messages as lost; returns false when only the file for new messages is left. */
  private evictOldest(why: string): boolean {
    const { oldest } = this.segments;
    if (oldest === undefined || this.segments.count === 1) return false;
    this.noteLost(oldest, this.acked, why);
    if (this.acked < oldest.last) this.setAcked(oldest.last);
    this.remove(oldest);
    return true;
  }

  /** Counts the unread messages of a damaged file as lost and continues with the next file. */
  private skipDamaged(segment: Segment): void {
    this.cursor.close();
    this.noteLost(segment, this.readTo, 'damaged on disk');
    for (let n = this.readTo + 1; n <= segment.last; n++) this.early.add(n);
    this.readTo = segment.last;
    if (this.early.has(this.acked + 1)) this.setAcked(this.acked);
    this.dropAcked();
  }
}
