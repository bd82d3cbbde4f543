/**
 * What stands beside the messages of a spool: how far the broker has them, and what was lost and not told yet.
 *
 *   acked       8 number, 4 CRC-32    written in place; not synced: after a crash little is sent twice, and what is has its number
 *   lost.json   { total, untold }     replaced as a whole, whenever something is lost or was told
 *
 * Invariant: a note that cannot be read or written costs a repeat, or a count; never a message.
 */
import { closeSync, constants, openSync, readFileSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** What gave way for want of room, or was damaged, and has not been told yet. */
export interface Lost {
  /** Number of the first message: names the loss. */
  readonly n: number;
  readonly messages: number;
  readonly frames: number;
  readonly from_us: number | null;
  readonly to_us: number | null;
}

export type SpoolLog = (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;

/** Two losses as one; the first gives it its number. */
export function joinLost(a: Lost, b: Lost): Lost {
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

/** Opens the note of how far the broker is; `acked` is what was noted last, 0 when that cannot be read. */
export function openMarker(folder: string, log: SpoolLog) {
  const fd = openSync(join(folder, 'acked'), constants.O_RDWR | constants.O_CREAT, 0o600);
  const mark = Buffer.alloc(12);
  const whole = readSync(fd, mark, 0, 12, 0) === 12 && crc32(mark.subarray(0, 8)) === mark.readUInt32LE(8);
  return {
    acked: whole ? Number(mark.readBigUInt64LE(0)) : 0,
    note(acked: number): void {
      mark.writeBigUInt64LE(BigInt(acked), 0);
      mark.writeUInt32LE(crc32(mark.subarray(0, 8)), 8);
      try {
        writeSync(fd, mark, 0, 12, 0);
      } catch (error) {
        // Then more is sent twice after a crash; its numbers tell.
        log('warn', 'how far the broker is could not be noted', { error: String(error) });
      }
    },
    close: () => closeSync(fd),
  };
}

function readLosses(path: string): { total: number; untold: Lost | null } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Nothing was lost, or the power went while it was noted.
    return { total: 0, untold: null };
  }
}

/** Losses that are kept apart; the oldest of more become one. */
const MOST_APART = 64;

/** Opens the note of what was lost. */
export function openLosses(folder: string, log: SpoolLog) {
  const path = join(folder, 'lost.json');
  let { total, untold } = readLosses(path);
  /** Not told yet, the oldest first: the news of a loss needs room, and what gives way for it is news of its own. */
  let apart = untold === null ? [] : [untold];
  return {
    /** Frames since the folder was made. */
    get total() {
      return total;
    },
    get untold() {
      return untold;
    },
    add(lost: Lost): void {
      total += lost.frames;
      untold = untold === null ? lost : joinLost(untold, lost);
      apart.push(lost);
      if (apart.length > MOST_APART) apart = [apart.splice(0, MOST_APART / 2).reduce(joinLost), ...apart];
    },
    /** It was told; what came since then stays. */
    told(until: Lost): void {
      for (let { messages } = until; messages > 0 && apart.length > 0; ) messages -= (apart.shift() as Lost).messages;
      untold = apart.length === 0 ? null : apart.reduce(joinLost);
    },
    save(): void {
      try {
        writeFileSync(`${path}.new`, JSON.stringify({ total, untold }));
        renameSync(`${path}.new`, path);
      } catch (error) {
        log('error', 'what was lost could not be noted on disk', { error: String(error) });
      }
    },
  };
}
