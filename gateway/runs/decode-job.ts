/**
 * The types of the messages between the main thread, which executes a run (one attempt to decode a file), and the thread that reads the
 * file.
 */
import type { LogFileErrorCode, LogGap, LogInfo } from '#codec/log-types.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import type { DbcFileData } from '#contract/fleet/dbc.ts';
import type { LogClockResult } from '#domain/clock/log-clock.ts';
import type { ConversionRule } from '#domain/j1939/faults.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import type { RecordingSpan } from '#domain/logs/recording.ts';
import type { RecordedFault, RecordingSummary } from '#domain/logs/recording-summary.ts';

/** The input of the thread, passed when it is created. */
export interface DecodeJob {
  readonly path: string;
  readonly passwords: readonly string[];
  readonly artifact: string;
  readonly run: string;
  /** Record id of the device that recorded the file. */
  readonly device: string;
  /** The IANA time zone for dates in the file that have no time zone. */
  readonly timezone: string;
  readonly received_us: number;
  readonly spans: readonly RecordingSpan[];
  /** Rules that state how to read trouble codes (DM1) whose conversion bit is set. */
  readonly conversion: readonly ConversionRule[];
  /** The CAN channels on which the device sends its own GNSS position, from the settings of the device. */
  readonly gnss: readonly GnssChannel[];
  /** The DBC files that are active for the device. */
  readonly dbc: readonly ({ readonly id: string } & Pick<DbcFileData, 'layout' | 'mapping'>)[];
}

/** A summary of the file, which the thread sends after the last part. */
export interface DecodeReport extends Omit<RecordingSummary, 'identities' | 'faults'> {
  readonly format: string;
  readonly info: LogInfo;
  readonly identities: readonly IdentityMessage[];
  readonly faults: readonly RecordedFault[];
  readonly gaps: readonly LogGap[];
  /** The judgement about the clock of the logger. */
  readonly clock: LogClockResult;
  readonly unparsable: number;
  readonly skipped: number;
  readonly late: number;
  readonly cpu_ms: number;
}

export interface DecodeProgress {
  readonly frames: number;
  /** Time of the newest frame that was read, in microseconds since 1970; null if no frame had a time. */
  readonly at_us: number | null;
  /** The share of the file that was already read, from 0 to 1. */
  readonly share: number;
}

/** Why a file cannot be read to its end. `too_dense`: the compressed file unpacks to more bytes than a real log would. */
export type RefusalCode = LogFileErrorCode | 'too_dense';

/**
 * A message of the thread. After a message with a `part`, the thread waits for an answer: any message, which the receiver sends when the
 * part is in the journal (the files with all accepted messages).
 */
export type DecodeAnswer =
  | { readonly part: Uint8Array }
  | { readonly progress: DecodeProgress }
  | { readonly done: DecodeReport }
  | { readonly failed: { readonly code: RefusalCode; readonly message: string } };
