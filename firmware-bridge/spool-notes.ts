/**
 * Two small files beside the messages of a spool: the last acknowledged number, and the losses that were not reported yet.
 *
 *   acked       8 number, 4 CRC-32    written in place, not synced: after a crash some messages are sent twice, with their numbers
 *   lost.json   { total, untold }     replaced as a whole after each loss and each report
 *
 * Invariant: when one of these files cannot be read or written, messages are repeated or a count is wrong; no message is lost.
 */
import { closeSync, constants, openSync, readFileSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Messages that were evicted, damaged or not written. */
export interface Lost {
  /** Number of the first message; it identifies the loss. */
  readonly n: number;
  readonly messages: number;
  readonly frames: number;
  readonly from_us: number | null;
  readonly to_us: number | null;
}

export type SpoolLog = (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;

/** Merges two losses; the result has the number of `a`. */
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

/** Opens the file of the last acknowledged number; `acked` is 0 when it cannot be read. */
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
        // After a crash more messages are sent twice; the gateway recognises them by their numbers.
        log('warn', 'the last acknowledged number could not be written', { error: String(error) });
      }
    },
    close: () => closeSync(fd),
  };
}

function readLosses(path: string): { total: number; untold: Lost | null } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Nothing was lost, or a power cut damaged the file.
    return { total: 0, untold: null };
  }
}

/** Losses in the list; beyond this the oldest half is merged into one. */
const MOST_APART = 64;

/** Opens the file of the losses. */
export function openLosses(folder: string, log: SpoolLog) {
  const path = join(folder, 'lost.json');
  let { total, untold } = readLosses(path);
  /** Unreported losses, oldest first. Storing a loss report may evict frames; that eviction is reported separately. */
  let apart = untold === null ? [] : [untold];
  return {
    /** Frames lost since the folder was created. */
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
    /** Removes the losses that were reported; later losses stay. */
    reported(until: Lost): void {
      for (let { messages } = until; messages > 0 && apart.length > 0; ) messages -= (apart.shift() as Lost).messages;
      untold = apart.length === 0 ? null : apart.reduce(joinLost);
    },
    save(): void {
      try {
        writeFileSync(`${path}.new`, JSON.stringify({ total, untold }));
        renameSync(`${path}.new`, path);
      } catch (error) {
        log('error', 'the losses could not be written to disk', { error: String(error) });
      }
    },
  };
}
