/** The interface of ingest, and the options of its start. */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type {
  BusReader,
  LineageQuery,
  Links,
  LiveReader,
  Meters,
  TelemetryQuery,
  TelemetryRead,
} from '#contract/context.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity, DeviceTrail, IngestMessage, Refusal, RefusedRequest } from '#contract/fleet/ingest.ts';
import type { Health } from '#contract/site/node.ts';
import type { WatchedReader } from '#domain/watch/machine-watch.ts';
import type { History } from '#history/history.ts';
import type { RunStates } from '#history/run-states.ts';
import type { Refused, SetAside } from '#ingest/fold/fold-state.ts';
import type { Disk } from '#ingest/journal/disk.ts';
import type { JournalStats } from '#ingest/journal/journal.ts';
import type { Timers } from '#ingest/journal/timers.ts';
import type { LineageAnswer } from '#ingest/lineage/lineage.ts';
import type { LineageSources } from '#ingest/lineage/lineage-types.ts';
import type { Changed } from '#ingest/live/live-state.ts';
import type { RunCount } from '#ingest/writer/run-counts.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import type { Budgets } from './budgets.ts';
import type { Headroom } from './headroom.ts';
import type { IngestProblem } from './ingest-health.ts';
import type { RawWindow, WindowFrames } from './raw-window.ts';
import type { RefusedLogin } from './refused-logins.ts';

/** The dependencies and limits of ingest. Tests replace each of them. */
export interface IngestOptions {
  /** The data folder; the journal is in its subfolder `journal`. */
  readonly folder: string;
  readonly store: IngestStore;
  /** Returns the present time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Called when the journal cannot be written any more. The process should then end, because a restart may repair it. */
  readonly onFatal?: (error: Error) => void;
  readonly tickMs?: number;
  readonly commitMs?: number;
  /** Returns a monotonic time in milliseconds. */
  readonly monotonic?: () => number;
  /** The timers to use; by default those of Node.js. */
  readonly timers?: Timers;
  readonly disk?: Disk;
  /** The limit of the journal in bytes; by default 4 GiB. */
  readonly rawBytes?: number;
  readonly segmentBytes?: number;
  /** The limit of acknowledged messages in memory that wait for processing, in bytes. Messages over this limit are read from disk. */
  readonly queueBytes?: number;
  readonly decodeCan?: typeof decodeCanPayload;
  /** Returns false while the clock may be wrong. Ingest then removes no raw message because of its age. */
  readonly agesKnown?: () => boolean;
  /** True if this box took the place of another one: then its machines begin with the live documents that head office gave back. */
  readonly tookOver?: boolean;
}

/** Running ingest. Disposing it first applies all accepted messages and stores their results. */
export interface Ingest extends AsyncDisposable {
  /** Resolves when the message is on disk and survives a power cut. Rejects if its sender must keep it and send it again. */
  accept(message: IngestMessage): Promise<void>;
  readonly meters: Meters;
  /** Reads the live state from memory. */
  readonly live: LiveReader & Links & BusReader;
  /** The values of machines that alert rules watch. */
  readonly watched: WatchedReader;
  /** Calls the listener with changed machines and devices; returns a function that unsubscribes. */
  watch(listener: (changed: Changed) => void): () => void;
  /** Writes changed values of machines of each of these projects to the store each 2 s in place of each minute, for so many seconds. */
  writeLive(live: ReadonlyMap<string, number>): void;
  /** Returns the samples of one signal of a machine between two times, in the unit of the signal, at most one a second. */
  history(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History>;
  /** Returns what `history` returns, but with the totals of a meter: each stored reading plus the offset of its segment. */
  totals(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History>;
  /** Reads samples of several signals, as single samples or summarised in time steps; throws `rate_limited` if too many reads wait. */
  readTelemetry(query: TelemetryQuery): Promise<TelemetryRead>;
  /** Reads the run states of machines from history. */
  readonly runStates: RunStates;
  /** Follows a number back to its raw message; undefined if the project has no such message or sample. */
  lineage(query: LineageQuery, openLog: LineageSources['openLog']): Promise<LineageAnswer | undefined>;
  connected(device: DeviceIdentity, address: string): void;
  disconnected(device: DeviceIdentity): void;
  /**
   * Counts a message or request that a listener refused. `source` is a device_id or an address; `of` names the device and the kind of
   * refusal if they are known.
   */
  refused(source: string, reason: string, of?: Refusal): void;
  /**
   * Counts a login with this device_id that the broker refused. The login counts for its address, and for the device if it exists.
   */
  loginRefused(device_id: string, address: string, reason: string): void;
  /** Counts an HTTP request that named a device but did not have its key, if the device exists. */
  requestRefused(request: RefusedRequest): void;
  /** Returns the last refused login of a device since the process began; `device` is the id of its record. */
  refusedLogin(device: string): RefusedLogin | undefined;
  /** Returns the newest data of a device and the newest refusals of its messages; `device` is the id of its record. */
  trail(device: string): DeviceTrail;
  health(): Promise<
    Pick<Health, 'journal' | 'sources' | 'gaps' | 'writers'> & {
      readonly problems: readonly IngestProblem[];
      /** A list with one problem if devices or machines have used up their storage budget; otherwise an empty list. */
      readonly over: ReturnType<Budgets['problems']>;
    }
  >;
  /** Resolves when every message accepted so far is applied and its results are in the store. */
  settled(): Promise<void>;
  /** Returns how many samples of a run (one decoding of a file) were committed since this process began. */
  counted(run: string): RunCount;
  /**
   * Yields the frames that a device sent since `since_ms` and that are still in the journal. The generator fills and yields the same batch
   * object each time.
   */
  recent(device: string, since_ms: number): AsyncIterable<FrameBatch>;
  /** Yields the frames of a time window that are still in the journal, in the order of the journal. */
  window(window: RawWindow): AsyncIterable<WindowFrames>;
  /** Sets the present disk space and memory. If they are short, ingest refuses messages, and reports the lost data as gaps afterwards. */
  setHeadroom(headroom: Headroom): void;
  /** False while ingest refuses messages because of a full disk or short memory, and may accept them later. */
  readonly accepting: boolean;
  /**
   * Records that code outside of ingest removed raw messages. Ingest reports the gap when there is space again.
   */
  rawRemoved(gone: {
    readonly from_ms: number;
    readonly to_ms: number;
    readonly segments: number;
    readonly bytes: number;
  }): void;
  /** The first segment (file) of the journal that a restart would read. */
  readonly tail: number;
  /** The storage budgets of devices and machines. */
  readonly budgets: Budgets;
  /** Returns counters of the journal, and the messages and documents that were set aside (skipped because of an error). */
  stats(): {
    journal: JournalStats;
    set_aside: readonly SetAside[];
    set_aside_total: number;
    refused: readonly Refused[];
    refused_total: number;
    /** The number of ticks that ended, and whether a commit is running. */
    rounds: number;
    storing: boolean;
  };
}
