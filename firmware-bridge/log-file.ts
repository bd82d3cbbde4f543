/**
 * The one door to a recorded bus: whatever a file is, it comes out as frames.
 *
 *   await using log = await openLogFile(path, { passwords: ['...'], timezone: 'Europe/Berlin' });
 *   for await (const batch of log.batches()) ...       // the batch is filled again: be done with it before the next
 *   log.gaps, log.counters
 *
 * What a file is, its bytes tell, never its name. Reading is forward, once, and bounded: a file of any size takes the same memory.
 * A file that gives nothing is a `LogFileError` whose message says what to do; a file that gives a part gives it and tells the rest
 * in `gaps`. Order: text as it stands in the file; MF4 by time, then by bus ([F7] of SPEC.md), so that frames of one bus come as they
 * were sent. Frames that are earlier than one before them all the same are counted in `late`.
 * Frames without a date carry `FRAME.noTime` and their microseconds since the first. Dates that name no zone are read in the one that the
 * caller assumes; `info.zone` says which that was.
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
  /** Tried in turn on an encrypted log. */
  readonly passwords?: readonly string[];
  /** Of the IANA table: how dates are read that name no zone; UTC when absent. */
  readonly timezone?: string;
}

/** An open log; `batches()` may be called once. */
export interface LogFile extends AsyncDisposable {
  readonly format: LogFormat;
  readonly info: LogInfo;
  /** Of the file as it lies on the disk. */
  readonly size_bytes: number;
  /** How far of that reading has come, for who shows it. */
  readonly position: number;
  /** The frames in batches of some thousands. The batch is one and the same: what is kept of it must be copied before the next. */
  batches(): AsyncIterable<FrameBatch>;
  /** Grows while it is read; at most 100, the last of which stands for all that follow. */
  readonly gaps: readonly LogGap[];
  readonly counters: LogCounters;
}

/** More gaps than this are not told one by one. */
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

/** Text formats in the order in which they are tried; candump takes whatever has one line of it. */
const TEXT_FORMATS: readonly TextFormat[] = [ASC, TRC, CANDUMP];

/** Opens a log file of any known format; rejects with a `LogFileError` when it gives nothing. */
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
    if (bytesRead === 0) throw new LogFileError('empty', `${path} is empty; nothing was recorded or copied.`);
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
  return new LogFileError('unreadable', `${path} cannot be read (${code ?? error}); see to its rights and its disk.`, {
    cause: error,
  });
}

/** Gaps with their place among the frames, bounded. */
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
          message: 'More parts could not be read; they are not told one by one.',
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
        // Reading blocks; whatever else this thread has to do comes in between.
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
  const lines = readLines(path, gzip, gaps.add, place);
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
      `${path} is no recording of a known form: MF4, Vector ASC, PEAK TRC, candump text.`,
    );
  }
  const reader = createTextReader(format, wall);
  let batch: FrameBatch | undefined = reader.read(piece);
  const wrapping: LogWrapping[] = gzip ? ['gzip'] : [];
  const clock = reader.undated ? 'relative' : format.clock;
  const started_us = reader.undated || batch.count === 0 ? null : (batch.t[0] as number);
  const zone = reader.undated ? null : (reader.told.zone ?? null);
  const info: LogInfo = { ...SILENT_INFO, started_us, clock, ...reader.told, zone, wrapping };
  let called = false;

  async function* batches(): AsyncGenerator<FrameBatch, void, undefined> {
    if (called) throw new Error(READ_ONCE);
    called = true;
    while (batch !== undefined) {
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
