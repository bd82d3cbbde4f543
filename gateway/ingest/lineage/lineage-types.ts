/**
 * Types of the lineage. A trace is the search for the raw message from which a stored number was decoded. These types say where a trace
 * reads, and what it finds.
 */
import type { LogFile } from '#bridge/log-file.ts';
import type { decodeCanPayload } from '#codec/can-payload.ts';
import type { View } from '#contract/base/view.ts';
import type { LineageStatus } from '#contract/fleet/lineage.ts';
import type { NewSegment } from '#domain/history/samples.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import type { KnownLogs } from './known-logs.ts';
import type { StoredSample } from './stored-sample.ts';
import type { DeviceDecoders, FoundValue, RawFrame } from './value-scan.ts';

/** The stores and decoders that a trace reads. */
export interface LineageSources {
  readonly view: View;
  readonly journal: Pick<Journal, 'search' | 'start' | 'end' | 'stats'>;
  readonly decodeCan: typeof decodeCanPayload;
  /** Returns the segments of a machine that are not stored yet. */
  readonly memory: (equipment_id: string) => readonly Pick<NewSegment, 'series' | 'origins' | 'raw'>[];
  /** Returns the DBC files and the GNSS channels of a device as they are now. */
  readonly decodersOf: (device: string) => DeviceDecoders;
  /** Returns the DBC signal (`LiveTarget.source`) from which a present value of the machine with this `ref` came; null for none. */
  readonly dbcOf: (equipment_id: string | null, ref: string) => string | null;
  /** Opens a log file of the project; undefined if it has none with this artifact id. Throws `LogFileError` if it cannot be read. */
  readonly openLog: (artifact_id: string) => Promise<OpenedLog | undefined>;
  readonly logs: KnownLogs;
}

/** A log file, its device, and when the gateway received it. */
export interface OpenedLog {
  readonly log: LogFile;
  readonly device: string | null;
  readonly received_ms: number;
}

/** The message from which a number came. */
export interface TracedMessage {
  readonly ref: string;
  readonly device: string;
  readonly machine: string | null;
  readonly topic: string;
  readonly received_ms: number;
  readonly frame: RawFrame | null;
  readonly values: readonly FoundValue[];
}

/**
 * The result of a trace. `sample` is the stored sample if the trace began at a sample, otherwise null. `message` is null if it was not
 * found; `status` says why.
 */
export interface Traced {
  readonly status: LineageStatus;
  readonly message: TracedMessage | null;
  readonly sample: StoredSample | null;
  /** The decoders that decoded the message, if they are not the present decoders of the device. */
  readonly decodersOf?: LineageSources['decodersOf'];
}
