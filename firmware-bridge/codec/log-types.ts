/** What every log file tells, whatever its format: the words that readers, tools and the decode run share. */
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { LogZone, WallClock } from './wall-clock.ts';

export type LogFormat = 'candump' | 'asc' | 'trc' | 'mf4';

/** What the frames lie in, outermost first. */
export type LogWrapping = 'gzip' | 'heatshrink' | 'aes_gcm';

/**
 * `device`: a logger or an adapter with a clock of its own that knows the date. `host`: the computer that recorded. `relative`: no date
 * at all; frames carry `FRAME.noTime` and `t` is microseconds since the first of them.
 */
export type LogClock = 'device' | 'host' | 'relative';

/** A bus as the file's header tells it; what is not told is null. */
export interface LogBus {
  readonly bus: number;
  readonly name: string | null;
  readonly bit_rate: number | null;
  readonly fd_bit_rate: number | null;
}

/** What a log's header tells; what it does not tell is null. */
export interface LogInfo {
  /** The header's time, or that of the first frame; microseconds since 1970. */
  readonly started_us: number | null;
  readonly comment: string | null;
  readonly device_type: string | null;
  readonly serial_number: string | null;
  readonly firmware: string | null;
  readonly session: number | null;
  readonly split: number | null;
  /** What recorded or wrote it, in its own words. */
  readonly tool: string | null;
  /** Buses that the header tells of; frames may come from others. */
  readonly buses: readonly LogBus[];
  readonly clock: LogClock;
  /** The dates in the file name no zone. */
  readonly local_time: boolean;
  /** The zone in which they were read all the same; null where they have a zone of their own, or there are none. */
  readonly zone: LogZone | null;
  readonly wrapping: readonly LogWrapping[];
}

/** Why a part of a log is not among the frames. */
export type LogGapCode =
  /** The file ends in the middle of something; everything before is read. */
  | 'cut'
  /** Bytes that contradict the format; reading goes on behind them where that is possible. */
  | 'damaged'
  /** Fewer records than the file says. */
  | 'missing'
  /** A form that this reader does not know. */
  | 'unsupported'
  /** More than a bound of this reader. */
  | 'too_large'
  /** It unpacks to more than a log of a bus does; what follows is not read. */
  | 'too_dense';

/** Logs of buses pack to a fortieth at most. Past `DENSE_AFTER_BYTES` unpacked bytes, what is denser than this is no log, and is not read on. */
export const DENSEST = 100;
export const DENSE_AFTER_BYTES = 64 << 20;

/** A part of the log that could not be read. */
export interface LogGap {
  readonly code: LogGapCode;
  /** Where, in bytes of the unpacked log. */
  readonly at_byte: number;
  /** How many frames were read before it. */
  readonly at_frame: number;
  readonly message: string;
}

/** Counts up to the batch that was read last. */
export interface LogCounters {
  readonly frames: number;
  /** Lines or records that should be frames and are none. */
  readonly unparsable: number;
  /** Records of other kinds, which are no frames of a CAN bus: LIN, analog channels. */
  readonly skipped: number;
  /** Frames that are earlier than one before them. */
  readonly late: number;
}

/** Why a file gives no frames at all. */
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

/** A log file that cannot be read; the message says what to do. */
export class LogFileError extends Error {
  readonly code: LogFileErrorCode;

  constructor(code: LogFileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogFileError';
    this.code = code;
  }
}

/** Turns pieces of a text format into frames, one after the other. */
export interface TextParser {
  /**
   * Adds the frames of whole lines to `into`. `final` tells that nothing follows. Frames without a date keep their small time
   * (below `FIRST_DATE_US`); the caller settles it.
   */
  parse(bytes: Uint8Array, into: FrameBatch, final: boolean): { readonly unparsable: number };
  /** What the lines so far told beside frames. */
  readonly told: Partial<LogInfo>;
}

/** A text format as the door knows it. */
export interface TextFormat {
  readonly format: LogFormat;
  /** True when the first lines of a file look like it. */
  recognise(head: Uint8Array): boolean;
  /** What clock stands behind its dates. */
  readonly clock: Exclude<LogClock, 'relative'>;
  create(wall?: WallClock): TextParser;
}
