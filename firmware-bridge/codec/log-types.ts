/** Types of log files of every format, for readers, tools and the decode run. */
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { LogZone, WallClock } from './wall-clock.ts';

export type LogFormat = 'candump' | 'asc' | 'trc' | 'mf4';

/** A compression or encryption around the log. */
export type LogWrapping = 'gzip' | 'heatshrink' | 'aes_gcm';

/**
 * The clock of the times. `device`: a logger or an adapter whose own clock has the date. `host`: the computer that recorded. `relative`:
 * no date; frames have `FRAME.noTime`, and `t` is microseconds since the first frame.
 */
export type LogClock = 'device' | 'host' | 'relative';

/** A bus in the header of the file; unknown properties are null. */
export interface LogBus {
  readonly bus: number;
  readonly name: string | null;
  readonly bit_rate: number | null;
  readonly fd_bit_rate: number | null;
}

/** The header of a log; unknown properties are null. */
export interface LogInfo {
  /** The header's time, or that of the first frame; microseconds since 1970. */
  readonly started_us: number | null;
  readonly comment: string | null;
  readonly device_type: string | null;
  readonly serial_number: string | null;
  readonly firmware: string | null;
  readonly session: number | null;
  readonly split: number | null;
  /** The program or device that wrote the log, as the file names it. */
  readonly tool: string | null;
  /** Buses in the header; frames may come from other buses too. */
  readonly buses: readonly LogBus[];
  readonly clock: LogClock;
  /** True when the file has dates without a time zone. */
  readonly local_time: boolean;
  /** The time zone that the reader assumed for dates without a zone; null when the dates name a zone or the file has no dates. */
  readonly zone: LogZone | null;
  readonly wrapping: readonly LogWrapping[];
}

/** Reasons why a part of a log was not read. */
export type LogGapCode =
  /** The file ends in the middle of a record or line; everything before it is read. */
  | 'cut'
  /** Bytes contradict the format; reading continues after them where possible. */
  | 'damaged'
  /** There are fewer records than the header of the file states. */
  | 'missing'
  /** The reader does not support this variant of the format. */
  | 'unsupported'
  /** A limit of the reader is exceeded. */
  | 'too_large'
  /** The compression ratio is higher than that of any log of a bus; the rest is not read. */
  | 'too_dense';

/** Logs of buses compress to a fortieth at most. After `DENSE_AFTER_BYTES` unpacked bytes, reading stops at a higher ratio than this. */
export const DENSEST = 100;
export const DENSE_AFTER_BYTES = 64 << 20;

/** A part of the log that could not be read. */
export interface LogGap {
  readonly code: LogGapCode;
  /** Offset in the unpacked log. */
  readonly at_byte: number;
  /** Number of frames that were read before the gap. */
  readonly at_frame: number;
  readonly message: string;
}

/** Counters up to the last batch that was read. */
export interface LogCounters {
  readonly frames: number;
  /** Lines or records that should be frames but cannot be read. */
  readonly unparsable: number;
  /** Records that are no CAN frames: LIN, analog channels. */
  readonly skipped: number;
  /** Frames that are earlier than a frame before them. */
  readonly late: number;
}

/** Reasons why a log file cannot be read. */
export type LogFileErrorCode =
  | 'not_found'
  | 'unreadable'
  | 'not_a_log'
  | 'empty'
  | 'unsupported'
  | 'damaged'
  | 'too_large'
  | 'password_needed'
  | 'wrong_password'
  | 'not_authentic';

/** A log file cannot be read; the message states what to do. */
export class LogFileError extends Error {
  readonly code: LogFileErrorCode;

  constructor(code: LogFileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogFileError';
    this.code = code;
  }
}

/** Reads the frames of a text file, which the caller passes piece by piece. */
export interface TextParser {
  /**
   * Adds the frames of all complete lines to `into`. `final` marks the last piece of the file. A frame without a date gets its time since
   * the start (below `FIRST_DATE_US`), which the caller replaces.
   */
  parse(bytes: Uint8Array, into: FrameBatch, final: boolean): { readonly unparsable: number };
  /** The header properties that the parser has found so far. */
  readonly foundInfo: Partial<LogInfo>;
}

/** A text format that `log-file.ts` can open. */
export interface TextFormat {
  readonly format: LogFormat;
  /** True when the first lines of a file look like it. */
  recognise(head: Uint8Array): boolean;
  /** The clock of its dates. */
  readonly clock: Exclude<LogClock, 'relative'>;
  create(wall?: WallClock): TextParser;
}
