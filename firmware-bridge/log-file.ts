/**
 * Opens log files of every known format and returns their frames.
 *
 *   await using log = await openLogFile(path, { passwords: ['...'], timezone: 'Europe/Berlin' });
 *   for await (const batch of log.batches()) ...       // the next iteration overwrites the batch
 *   log.gaps, log.counters
 *
 * The format is recognised by the bytes of the file, never by its name. The reader goes forward through the file once, and its memory does
 * not grow with the file. It throws a `LogFileError` if the file is not a log that it can read. For a partly readable log, `gaps` lists the
 * parts that could not be read. Frames of text formats come in the order of the file, frames of MF4 by time and then by bus (rule [F7] in
 * SPEC.md). `counters.late` counts the frames that have an earlier time than a previous frame. Frames without a date have `FRAME.noTime`
 * and microseconds since the first frame. Dates without a time zone are read in the zone that the caller assumes.
 */
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ASC } from '#codec/asc.ts';
import { CANDUMP } from '#codec/candump.ts';
import { isWrapper } from '#codec/canedge-wrapper.ts';
import {
  type LogCounters,
  LogFileError,
  type LogFormat,
  type LogGap,
  type LogInfo,
  type LogWrapping,
  type TextFormat,
} from '#codec/log-types.ts';
import { mdf4Version } from '#codec/mdf4/blocks.ts';
import { TRC } from '#codec/trc.ts';
import { createWallClock, type WallClock } from '#codec/wall-clock.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import { openMdf4File } from './log-mdf4.ts';
import { createTextReader, type Piece, type PieceGap, readLines } from './log-text.ts';

export {
  type LogCounters,
  LogFileError,
  type LogFileErrorCode,
  type LogFormat,
  type LogGap,
  type LogInfo,
} from '#codec/log-types.ts';

export interface OpenLogOptions {
  /** Passwords for an encrypted log, which the reader tries in this order. */
  readonly passwords?: readonly string[];
  /** IANA time zone that the reader assumes for dates without a zone; default UTC. */
  readonly timezone?: string;
}

/** A place in a log at which a later reading of the same file can begin. */
export interface LogPlace {
  readonly at_byte: number;
  /** The number of frames before the place. */
  readonly frames: number;
}

/** An open log; `batches()` may be called once. */
export interface LogFile extends AsyncDisposable {
  readonly format: LogFormat;
  readonly info: LogInfo;
  /** Size of the file on disk. */
  readonly size_bytes: number;
  /** Number of bytes of the file that were read so far; a caller can show it as the progress. */
  readonly position: number;
  /**
   * Returns the frames in batches of some thousands, from the start or from a place of this file. The next iteration overwrites the batch,
   * so copy frames that you need longer.
   */
  batches(from?: LogPlace): AsyncIterable<FrameBatch>;
  /**
   * The place at which the current batch begins. It is null if a reading cannot begin there. That is so in binary and packed files, in
   * formats in which the times of frames depend on earlier lines, and in files without dates.
   */
  readonly place: LogPlace | null;
  /**
   * The parts of the file that could not be read, among the parts read so far. There are at most 100 entries; if there are more gaps, the
   * last entry says so.
   */
  readonly gaps: readonly LogGap[];
  readonly counters: LogCounters;
}

/** The largest number of entries in `gaps`, so that a damaged file does not fill the memory. */
const MAX_GAPS = 100;

const HEAD_BYTES = 64;
const READ_ONCE = 'batches() of a log file is read once; open the file again';
const SILENT_INFO: LogInfo = {
  started_us: null,
  comment: null,
  device_type: null,
  serial_number: null,
  firmware: null,
  session: null,
  split: null,
  tool: null,
  buses: [],
  clock: 'relative',
  local_time: false,
  zone: null,
  wrapping: [],
};

/**
 * Text formats in the order in which the reader tries them. candump is last, because its test accepts every file that has one candump line.
 */
const TEXT_FORMATS: readonly TextFormat[] = [ASC, TRC, CANDUMP];

/** Opens a log file of any known format; rejects with a `LogFileError` when it cannot be read. */
export async function openLogFile(path: string, options: OpenLogOptions = {}): Promise<LogFile> {
  const wall = createWallClock(options.timezone ?? 'UTC');
  const { head, size } = await headOf(path);
  if (isWrapper(head) || mdf4Version(head) !== undefined) return openBinary(path, size, options.passwords ?? [], wall);
  const gzip = head[0] === 0x1f && head[1] === 0x8b;
  return openText(path, size, gzip, wall);
}

async function headOf(path: string): Promise<{ head: Uint8Array; size: number }> {
  try {
    await using file = await open(path, 'r');
    const found = await file.stat();
    if (found.isDirectory()) throw new LogFileError('not_a_log', `${path} is a folder; name a file in it.`);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead === 0)
      throw new LogFileError(
        'empty',
        `${path} is empty: the recorder has written no data, or the file was not copied completely.`,
      );
    return { head: buffer.subarray(0, bytesRead), size: found.size };
  } catch (error) {
    throw asLogError(error, path);
  }
}

function asLogError(error: unknown, path: string): unknown {
  if (error instanceof LogFileError)
    return error.message.includes(path)
      ? error
      : new LogFileError(error.code, `${path}: ${error.message}`, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new LogFileError('not_found', `There is no file ${path}.`, { cause: error });
  if (code === 'EISDIR')
    return new LogFileError('not_a_log', `${path} is a folder; name a file in it.`, { cause: error });
  return new LogFileError(
    'unreadable',
    `${path} cannot be read (${code ?? error}); check its permissions and the disk.`,
    {
      cause: error,
    },
  );
}

/** Creates the list of gaps, with at most `MAX_GAPS` entries. `frames` returns the number of frames that were read so far. */
function createGaps(frames: () => number): { readonly list: LogGap[]; add(gap: PieceGap, at_frame?: number): void } {
  const list: LogGap[] = [];
  return {
    list,
    add(gap, at_frame = frames()) {
      if (list.length < MAX_GAPS - 1) list.push({ ...gap, at_frame });
      else if (list.length < MAX_GAPS)
        list.push({
          ...gap,
          at_frame,
          message: 'Further parts of the file could not be read. This list does not name them.',
        });
    },
  };
}

async function openBinary(
  path: string,
  size_bytes: number,
  passwords: readonly string[],
  wall: WallClock,
): Promise<LogFile> {
  const gaps = createGaps(() => 0);
  let file: Awaited<ReturnType<typeof openMdf4File>> | undefined;
  try {
    file = await openMdf4File(path, passwords, wall, gaps.add);
  } catch (error) {
    throw asLogError(error, path);
  }
  const { info, counters, wrapping } = file;
  const frames = file.batches();
  let called = false;

  async function* batches(): AsyncGenerator<FrameBatch, void, undefined> {
    if (called) throw new Error(READ_ONCE);
    called = true;
    try {
      for (const batch of frames) {
        yield batch;
        // Reading blocks the thread, so let other tasks run between two batches.
        await nextTurn();
      }
    } catch (error) {
      throw asLogError(error, path);
    }
  }

  return {
    format: 'mf4',
    info: { ...info, wrapping },
    size_bytes,
    get position() {
      return file?.position ?? size_bytes;
    },
    batches,
    place: null,
    gaps: gaps.list,
    counters,
    async [Symbol.asyncDispose]() {
      frames.return();
      file?.[Symbol.dispose]();
      file = undefined;
    },
  };
}

async function openText(path: string, size_bytes: number, gzip: boolean, wall: WallClock): Promise<LogFile> {
  let frames = 0;
  const gaps = createGaps(() => frames);
  const place = { position: 0 };
  let lines = readLines(path, gzip, gaps.add, place);
  const next = async (): Promise<Piece | undefined> => {
    const { value, done } = await lines.next().catch((error) => {
      throw asLogError(error, path);
    });
    return done ? undefined : value;
  };
  let piece = await next();
  const format = TEXT_FORMATS.find((each) => piece !== undefined && each.recognise(piece.bytes));
  if (piece === undefined || format === undefined) {
    await lines.return();
    throw new LogFileError(
      'not_a_log',
      `${path} is no log that can be read. Supported formats are MF4, Vector ASC, PEAK TRC and candump text.`,
    );
  }
  const reader = createTextReader(format, wall);
  let batch: FrameBatch | undefined = reader.read(piece);
  const wrapping: LogWrapping[] = gzip ? ['gzip'] : [];
  const clock = reader.undated ? 'relative' : format.clock;
  const started_us = reader.undated || batch.count === 0 ? null : (batch.t[0] as number);
  const zone = reader.undated ? null : (reader.foundInfo.zone ?? null);
  const info: LogInfo = { ...SILENT_INFO, started_us, clock, ...reader.foundInfo, zone, wrapping };
  let called = false;
  let begin: LogPlace = { at_byte: 0, frames: 0 };
  const canBegin = format.hasWholeLines === true && !gzip;

  async function* batches(from?: LogPlace): AsyncGenerator<FrameBatch, void, undefined> {
    if (called) throw new Error(READ_ONCE);
    called = true;
    if (from !== undefined && from.at_byte > 0) {
      if (!canBegin) throw new Error('a reading of this log can begin only at its start');
      await lines.return();
      lines = readLines(path, gzip, gaps.add, place, from.at_byte);
      frames = from.frames;
      piece = await next();
      batch = piece === undefined ? undefined : reader.read(piece);
    }
    while (batch !== undefined) {
      begin = { at_byte: piece?.at_byte ?? 0, frames };
      frames += batch.count;
      if (batch.count > 0) yield batch;
      piece = await next();
      batch = piece === undefined ? undefined : reader.read(piece);
    }
  }

  return {
    format: format.format,
    info,
    size_bytes,
    get position() {
      return place.position;
    },
    batches,
    get place() {
      return canBegin && !reader.undated ? begin : null;
    },
    gaps: gaps.list,
    counters: {
      get frames() {
        return frames;
      },
      get unparsable() {
        return reader.unparsable;
      },
      skipped: 0,
      get late() {
        return reader.late;
      },
    },
    async [Symbol.asyncDispose]() {
      await lines.return();
    },
  };
}
