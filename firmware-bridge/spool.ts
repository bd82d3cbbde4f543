/**
 * Messages that wait for the broker, on disk, oldest first.
 *
 *   append ─▶ segment files (256 KiB each, bytes bounded: the oldest segment gives way) ─▶ next ─▶ acknowledge ─▶ segment removed
 *
 *   record   0   4  bytes of the payload, little-endian
 *            4   4  CRC-32 of everything behind it
 *            8   8  number of the message, counted from 1, never used twice
 *           16   4  frames in it
 *           20   8  time of the first and
 *           28   8  of the last frame, microseconds since 1970
 *           36   1  kind
 *           37   n  payload
 *
 * A record is in the kernel's hands when `append` returns, so a killed process loses none. Once something has waited for a second all
 * is synced every second, so a power cut loses two seconds of what the broker did not have. While the broker keeps up nothing is
 * synced, and most segments are gone before the kernel writes them: a flash disk is spared.
 * `acked` holds how far the broker has it: after a crash little is sent twice, and what is has its number.
 */
import {
  closeSync,
  constants,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

const KINDS = ['can', 'events'] as const;
export type SpoolKind = (typeof KINDS)[number];

/** A message that waits. */
export interface Spooled {
  readonly n: number;
  readonly kind: SpoolKind;
  readonly payload: Uint8Array;
  readonly frames: number;
  readonly first_us: number;
  readonly last_us: number;
}

/** What gave way for want of room, or was damaged, and has not been told yet. */
export interface Lost {
  /** Number of the first message: names the loss. */
  readonly n: number;
  readonly messages: number;
  readonly frames: number;
  readonly from_us: number | null;
  readonly to_us: number | null;
}

export interface SpoolOptions {
  /** Made when absent; held by one process. */
  readonly folder: string;
  /** Bytes on disk at most; 256 MiB when absent. */
  readonly maxBytes?: number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
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

const HEAD = 37;
const SEGMENT_BYTES = 256 * 1024;
const MAX_BYTES = 256 << 20;
/** One message; MQTT takes 256 KiB. */
const MAX_PAYLOAD = 1 << 20;
const SYNC_MS = 1_000;
const SUFFIX = '.spool';
const nameOf = (n: number) => `${String(n).padStart(16, '0')}${SUFFIX}`;

interface Segment {
  readonly first: number;
  /** Below `first` while it is empty. */
  last: number;
  bytes: number;
  readonly path: string;
}

interface Head {
  readonly n: number;
  readonly size: number;
  readonly frames: number;
  readonly first_us: number;
  readonly last_us: number;
  readonly kind: SpoolKind;
}

/** The record at `at`; undefined when there is no whole one. */
function readRecord(file: Buffer, at: number): (Head & { readonly end: number }) | undefined {
  if (at + HEAD > file.length) return undefined;
  const size = file.readUInt32LE(at);
  const end = at + HEAD + size;
  const kind = KINDS[file[at + 36] as number];
  if (size > MAX_PAYLOAD || end > file.length || kind === undefined) return undefined;
  if (crc32(file.subarray(at + 8, end)) !== file.readUInt32LE(at + 4)) return undefined;
  return {
    n: Number(file.readBigUInt64LE(at + 8)),
    size,
    frames: file.readUInt32LE(at + 16),
    first_us: file.readDoubleLE(at + 20),
    last_us: file.readDoubleLE(at + 28),
    kind,
    end,
  };
}

function writeRecord({ kind, payload, frames, first_us, last_us }: Omit<Spooled, 'n'>, n: number): Buffer {
  const record = Buffer.allocUnsafe(HEAD + payload.length);
  record.writeUInt32LE(payload.length, 0);
  record.writeBigUInt64LE(BigInt(n), 8);
  record.writeUInt32LE(frames, 16);
  record.writeDoubleLE(first_us, 20);
  record.writeDoubleLE(last_us, 28);
  record[36] = KINDS.indexOf(kind);
  record.set(payload, HEAD);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

/** Opens the folder and brings back what waited in it; throws `SpoolError` when it cannot be used. */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, log } = options;
  const maxBytes = options.maxBytes ?? MAX_BYTES;
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.max(4096, Math.floor(maxBytes / 8)));
  let lock: DatabaseSync;
  try {
    mkdirSync(folder, { recursive: true });
    // The kernel lets it go when the process dies.
    lock = new DatabaseSync(join(folder, 'lock'));
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    const busy = /locked/.test(String(cause));
    const why = busy ? 'is in use by another bridge' : `cannot be used: ${(cause as Error).message}`;
    throw new SpoolError(`The folder ${folder} ${why}.`, { cause });
  }

  const marker = openSync(join(folder, 'acked'), constants.O_RDWR | constants.O_CREAT, 0o600);
  let acked = readMarker(marker);
  /** Acknowledged, or given up, out of turn. */
  const early = new Set<number>();
  const segments: Segment[] = [];
  let bytes = 0;
  let { total: lostFrames, untold } = readLost(folder);

  for (const name of readdirSync(folder)
    .filter((one) => one.endsWith(SUFFIX))
    .sort()) {
    const path = join(folder, name);
    const first = Number(name.slice(0, -SUFFIX.length));
    if (Number.isSafeInteger(first) && first > 0)
      segments.push({ first, last: first - 1, bytes: statSync(path).size, path });
  }
  for (const [i, segment] of segments.entries()) segment.last = (segments[i + 1]?.first ?? segment.first) - 1;
  const newest = segments.at(-1);
  if (newest !== undefined) cutTail(newest);
  for (const segment of segments) bytes += segment.bytes;
  let next = Math.max(acked, newest?.last ?? 0) + 1;
  let writing: number | undefined;
  /** Where reading stands: a segment, its bytes so far, and the place in them. */
  let reading: { segment: Segment; fd: number; at: number } | undefined;
  let readTo = acked;
  /** Files that were written since the last sync and are closed with it. */
  let written: number[] = [];
  /** The newest number a second ago. */
  let newestThen = acked;
  dropAcked();

  /** The end of the newest segment that was being written when the power went. */
  function cutTail(segment: Segment): void {
    const file = readFileSync(segment.path);
    let at = 0;
    let record = readRecord(file, at);
    segment.last = segment.first - 1;
    for (; record !== undefined; record = readRecord(file, at)) {
      segment.last = record.n;
      at = record.end;
    }
    if (at === file.length) return;
    log('warn', 'a torn message at the end of the spool was cut off', { bytes: file.length - at });
    const fd = openSync(segment.path, 'r+');
    ftruncateSync(fd, at);
    closeSync(fd);
    segment.bytes = at;
  }

  function addLost(lost: Lost): void {
    lostFrames += lost.frames;
    untold = untold === null ? lost : joinLost(untold, lost);
  }

  /** What of a segment is behind `after` and not acknowledged is lost. */
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
    addLost(lost);
    saveLost();
    log('warn', `messages were lost: ${why}`, { messages: lost.messages, frames: lost.frames });
  }

  function saveLost(): void {
    try {
      const path = join(folder, 'lost.json');
      writeFileSync(`${path}.new`, JSON.stringify({ total: lostFrames, untold }));
      renameSync(`${path}.new`, path);
    } catch (error) {
      log('error', 'what was lost could not be noted on disk', { error: String(error) });
    }
  }

  function remove(segment: Segment): void {
    if (reading?.segment === segment) closeReading();
    segments.splice(segments.indexOf(segment), 1);
    bytes -= segment.bytes;
    try {
      rmSync(segment.path, { force: true });
    } catch (error) {
      // It is found at the next start, and what is in it is known for repeats.
      log('warn', 'a file of the spool could not be removed', { error: String(error) });
    }
  }

  function closeReading(): void {
    if (reading !== undefined) closeSync(reading.fd);
    reading = undefined;
  }

  function closeWriting(): void {
    if (writing !== undefined) written.push(writing);
    writing = undefined;
  }

  /** Removes segments that the broker has; the one that is written goes when it is full or large. */
  function dropAcked(): void {
    for (let oldest = segments[0]; oldest !== undefined && oldest.last <= acked; oldest = segments[0]) {
      if (segments.length === 1 && writing !== undefined) {
        if (oldest.bytes < segmentBytes) return;
        closeWriting();
      }
      remove(oldest);
    }
  }

  /** The oldest segment gives way; false when there is none beside the one that is written. */
  function giveWay(why: string): boolean {
    const oldest = segments[0];
    if (oldest === undefined || segments.length === 1) return false;
    noteLost(oldest, acked, why);
    if (acked < oldest.last) setAcked(oldest.last);
    remove(oldest);
    return true;
  }

  function setAcked(n: number): void {
    acked = n;
    while (early.delete(acked + 1)) acked++;
    for (const one of early) if (one <= acked) early.delete(one);
    const mark = Buffer.allocUnsafe(12);
    mark.writeBigUInt64LE(BigInt(acked), 0);
    mark.writeUInt32LE(crc32(mark.subarray(0, 8)), 8);
    try {
      writeSync(marker, mark, 0, 12, 0);
    } catch (error) {
      // Then more is sent twice after a crash; its numbers tell.
      log('warn', 'how far the broker is could not be noted', { error: String(error) });
    }
  }

  function begin(): Segment {
    closeWriting();
    const path = join(folder, nameOf(next));
    writing = openSync(path, 'a');
    const segment = { first: next, last: next - 1, bytes: 0, path };
    segments.push(segment);
    return segment;
  }

  function write(record: Buffer): void {
    let segment = segments.at(-1);
    if (writing === undefined || segment === undefined || segment.bytes + record.length > segmentBytes)
      segment = begin();
    const fd = writing as number;
    let done = 0;
    try {
      while (done < record.length) done += writeSync(fd, record, done);
    } catch (error) {
      // What was written of it is behind the last message and is never read.
      if (done > 0) closeWriting();
      throw error;
    }
    segment.bytes += record.length;
    segment.last = next;
    bytes += record.length;
  }

  function waitingMessages(): number {
    return Math.max(0, next - 1 - acked - early.size);
  }

  const timer = setInterval(() => {
    const waited = acked < newestThen;
    newestThen = next - 1;
    const closed = written;
    written = [];
    if (!waited) for (const fd of closed) closeSync(fd);
    else void syncAll(closed);
  }, SYNC_MS);
  timer.unref();

  async function syncAll(closed: readonly number[]): Promise<void> {
    const directory = openToRead(folder);
    const own = directory === undefined ? closed : [...closed, directory];
    for (const fd of writing === undefined ? own : [...own, writing])
      await new Promise<void>((done) => {
        fdatasync(fd, (error) => {
          // A file that was closed meanwhile was the broker's.
          if (error && error.code !== 'EBADF') log('warn', 'the spool could not be synced', { error: error.message });
          done();
        });
      });
    for (const fd of own) closeSync(fd);
  }

  return {
    get nextNumber() {
      return next;
    },
    append(message) {
      const record = writeRecord(message, next);
      while (bytes + record.length > maxBytes && giveWay('the spool is full')) {}
      for (;;) {
        try {
          write(record);
          break;
        } catch (error) {
          if (giveWay('the disk takes no more')) continue;
          log('error', 'a message was lost: the disk takes nothing', { error: String(error) });
          const { frames, first_us, last_us } = message;
          addLost({ n: next, messages: 1, frames, from_us: first_us, to_us: last_us });
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
          const segment = segments.find(({ last }) => last > readTo);
          if (segment === undefined) return undefined;
          const fd = openToRead(segment.path);
          if (fd === undefined) return undefined;
          reading = { segment, fd, at: 0 };
        }
        const { segment, fd } = reading;
        const message = readAt(fd, reading.at);
        if (message === undefined) {
          closeReading();
          noteLost(segment, readTo, 'damaged on disk');
          for (let n = readTo + 1; n <= segment.last; n++) early.add(n);
          readTo = segment.last;
          if (early.has(acked + 1)) setAcked(acked);
          dropAcked();
          continue;
        }
        reading.at += HEAD + message.payload.length;
        if (message.n <= readTo || early.has(message.n)) {
          readTo = Math.max(readTo, message.n);
          continue;
        }
        readTo = message.n;
        return message;
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
      return { messages: waitingMessages(), bytes };
    },
    get lost() {
      return untold;
    },
    forgetLost(until) {
      if (untold === until) untold = null;
      saveLost();
    },
    get lostFrames() {
      return lostFrames;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      closeReading();
      closeWriting();
      for (const fd of written) {
        if (acked < next - 1) fsyncSync(fd);
        closeSync(fd);
      }
      closeSync(marker);
      lock.close();
    },
  };
}

function joinLost(a: Lost, b: Lost): Lost {
  const least = (x: number | null, y: number | null) => (x === null || y === null ? (x ?? y) : Math.min(x, y));
  const most = (x: number | null, y: number | null) => (x === null || y === null ? (x ?? y) : Math.max(x, y));
  return {
    n: a.n,
    messages: a.messages + b.messages,
    frames: a.frames + b.frames,
    from_us: least(a.from_us, b.from_us),
    to_us: most(a.to_us, b.to_us),
  };
}

/** How far the broker has it, as it was noted last; 0 when that cannot be read. */
function readMarker(fd: number): number {
  const mark = Buffer.alloc(12);
  const whole = readSync(fd, mark, 0, 12, 0) === 12 && crc32(mark.subarray(0, 8)) === mark.readUInt32LE(8);
  return whole ? Number(mark.readBigUInt64LE(0)) : 0;
}

function readLost(folder: string): { total: number; untold: Lost | null } {
  try {
    return JSON.parse(readFileSync(join(folder, 'lost.json'), 'utf8'));
  } catch {
    // Nothing was lost, or the power went while it was noted.
    return { total: 0, untold: null };
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

/** Undefined when the disk does not give it now; it is asked again. */
function openToRead(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** True when all of the buffer from `from` on was read. */
function fills(fd: number, buffer: Buffer, from: number, at: number): boolean {
  try {
    return readSync(fd, buffer, from, buffer.length - from, at) === buffer.length - from;
  } catch {
    return false;
  }
}

/** The message at `at`; undefined when it is damaged, or the disk does not give it. */
function readAt(fd: number, at: number): Spooled | undefined {
  const head = Buffer.alloc(HEAD);
  if (!fills(fd, head, 0, at)) return undefined;
  const size = head.readUInt32LE(0);
  if (size > MAX_PAYLOAD) return undefined;
  const whole = Buffer.allocUnsafe(HEAD + size);
  head.copy(whole);
  if (!fills(fd, whole, HEAD, at + HEAD)) return undefined;
  const record = readRecord(whole, 0);
  if (record === undefined) return undefined;
  const { n, kind, frames, first_us, last_us } = record;
  return { n, kind, payload: whole.subarray(HEAD), frames, first_us, last_us };
}
