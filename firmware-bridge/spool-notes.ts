/**
 * Two small files in the folder of a spool (a queue on disk): the last acknowledged message number, and the losses that were not reported
 * yet.
 *
 *   acked       8 number, 4 CRC-32    overwritten and not synced: after a crash some messages are sent twice, with the same numbers
 *   lost.json   { total, untold }     replaced after each loss and each report; `untold` is the loss that was not reported yet
 *
 * Invariant: if one of these files cannot be read or written, no message is lost. The only effects are that messages are sent twice, or
 * that a count is wrong.
 */
import { closeSync, constants, openSync, readFileSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** A loss: messages that were deleted because the spool was full, that were damaged, or that could not be written. */
export interface Lost {
  /** Number of the first lost message, which identifies the loss. */
  readonly n: number;
  readonly messages: number;
  readonly frames: number;
  readonly from_us: number | null;
  readonly to_us: number | null;
}

export type SpoolLog = (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;

/** Merges two losses into one; the result has the message number of `a`. */
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

/** Opens the file `acked`. The last acknowledged number is 0 when the file cannot be read. */
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
        // The acknowledged number on disk is now too small. So after a crash, the bridge sends more messages a second time; the gateway
        // ignores messages with numbers that it has already received.
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
    // The file is absent because nothing was lost, or a power cut has damaged it.
    return { total: 0, untold: null };
  }
}

/** The largest number of separate losses in memory. If there are more, the oldest half of them is merged into one loss. */
const MOST_APART = 64;

/** Opens the file `lost.json`. */
export function openLosses(folder: string, log: SpoolLog) {
  const path = join(folder, 'lost.json');
  let { total, untold } = readLosses(path);
  /**
   * Losses that were not reported yet, oldest first. The report of a loss is itself a message in the spool. If the spool is full, storing
   * this report deletes other messages, which is a new loss; so the list keeps each loss separate.
   */
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
    /** Removes the losses that were merged into `until`, because they were reported. Later losses stay. */
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
