/** Types that all formats of log files share: header, gaps, counters, errors and the text parsers. */
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { LogZone, WallClock } from './wall-clock.ts';

export type LogFormat = 'candump' | 'asc' | 'trc' | 'mf4';

/** A compression or encryption of the whole log file. */
export type LogWrapping = 'gzip' | 'heatshrink' | 'aes_gcm';

/**
 * The clock from which the times of a log come. `device`: a logger or an adapter with a clock that has the date. `host`: the computer that
 * recorded the log. `relative`: the log has no date, so frames have `FRAME.noTime`, and `t` is microseconds since the first frame.
 */
export type LogClock = 'device' | 'host' | 'relative';

/** A bus that the header of a log describes; a property that the header does not state is null. */
export interface LogBus {
  readonly bus: number;
  readonly name: string | null;
  readonly bit_rate: number | null;
  readonly fd_bit_rate: number | null;
}

/** The header of a log; a property that the log does not state is null. */
export interface LogInfo {
  /** The start time in the header, otherwise the time of the first frame; microseconds since 1970. */
  readonly started_us: number | null;
  readonly comment: string | null;
  readonly device_type: string | null;
  readonly serial_number: string | null;
  readonly firmware: string | null;
  readonly session: number | null;
  readonly split: number | null;
  /** The name of the program or device that wrote the log, as the header states it. */
  readonly tool: string | null;
  /** The buses that the header describes. Frames may also come from buses that the header does not describe. */
  readonly buses: readonly LogBus[];
  readonly clock: LogClock;
  /** True when the file has dates without a time zone. */
  readonly local_time: boolean;
  /** The time zone that the reader assumed for dates without a zone; null when dates have a zone, or when the file has no dates. */
  readonly zone: LogZone | null;
  readonly wrapping: readonly LogWrapping[];
}

/** Codes of the reasons why a part of a log was not read. */
export type LogGapCode =
  /** The file ends in the middle of a record or line. The reader returned all frames before this point. */
  | 'cut'
  /** Some bytes do not follow the format. The reader continues after these bytes if it can find the next record. */
  | 'damaged'
  /** The file has fewer records than its header states. */
  | 'missing'
  /** The file uses a feature of the format that the reader does not support. */
  | 'unsupported'
  /** The file exceeds a limit of the reader, for example its number of groups. */
  | 'too_large'
  /**
   * The ratio of unpacked to packed bytes is much higher than in a real log. The reader stops, because somebody may have made the file in
   * order to fill the memory of the gateway.
   */
  | 'too_dense';

/**
 * The highest accepted ratio of unpacked to packed bytes. The reader checks the ratio only after `DENSE_AFTER_BYTES` unpacked bytes, and
 * stops if the ratio is higher. Logs of real buses have a ratio of at most 40.
 */
export const DENSEST = 100;
export const DENSE_AFTER_BYTES = 64 << 20;

/** A part of the log that could not be read. */
export interface LogGap {
  readonly code: LogGapCode;
  /** Byte offset of the gap in the unpacked log. */
  readonly at_byte: number;
  /** Number of frames that the reader found before the gap. */
  readonly at_frame: number;
  readonly message: string;
}

/** Counters of a reader, for the batches that it has returned so far. */
export interface LogCounters {
  readonly frames: number;
  /** Number of lines or records that should be frames but cannot be read. */
  readonly unparsable: number;
  /** Number of records that are not CAN frames, for example LIN frames or analog channels. */
  readonly skipped: number;
  /** Number of frames with an earlier time than a previous frame in the log. */
  readonly late: number;
}

/** Codes of the reasons why nothing of a log file can be read. */
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

/** Thrown when nothing of a log file can be read. The message says what is wrong and what a user can do. */
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
   * Adds the frames of all complete lines to `into`. `final` is true for the last piece of the file. A frame without a date gets the time
   * in its line as microseconds (below `FIRST_DATE_US`); the caller replaces this time.
   */
  parse(bytes: Uint8Array, into: FrameBatch, final: boolean): { readonly unparsable: number };
  /** The header properties that the parser has found so far. */
  readonly foundInfo: Partial<LogInfo>;
}

/** A text format that `log-file.ts` can open. */
export interface TextFormat {
  readonly format: LogFormat;
  /** Returns true when the first bytes of a file look like this format. */
  recognise(head: Uint8Array): boolean;
  /** Tells whether dates in this format come from the clock of a logger (`device`) or of the recording computer (`host`). */
  readonly clock: Exclude<LogClock, 'relative'>;
  /** True if the parser can read a line with a date without the lines before it. */
  readonly hasWholeLines?: boolean;
  create(wall?: WallClock): TextParser;
}
