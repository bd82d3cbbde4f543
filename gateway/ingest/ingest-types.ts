/** The interface of ingest, and the options of its start. */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { BusReader, Links, LiveReader } from '#contract/context.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity, DeviceTrail, IngestMessage, Refusal, RefusedRequest } from '#contract/fleet/ingest.ts';
import type { Health } from '#contract/site/node.ts';
import type { History } from '#history/history.ts';
import type { Refused, SetAside } from '#ingest/fold/fold-state.ts';
import type { Disk } from '#ingest/journal/disk.ts';
import type { JournalStats } from '#ingest/journal/journal.ts';
import type { Timers } from '#ingest/journal/timers.ts';
import type { Changed } from '#ingest/live/live-state.ts';
import type { RunCount } from '#ingest/writer/run-counts.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import type { Budgets } from './budgets.ts';
import type { Headroom } from './headroom.ts';
import type { IngestProblem } from './ingest-health.ts';
import type { RefusedLogin } from './refused-logins.ts';

/** The dependencies of ingest; tests replace each of them. */
export interface IngestOptions {
  /** The data folder; the journal is in its subfolder `journal`. */
  readonly folder: string;
  readonly store: IngestStore;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Called when the journal failed for good: the process should end. */
  readonly onFatal?: (error: Error) => void;
  readonly tickMs?: number;
  readonly commitMs?: number;
  /** A monotonic time in milliseconds. */
  readonly monotonic?: () => number;
  /** The timers of Node.js when absent. */
  readonly timers?: Timers;
  readonly disk?: Disk;
  /** The limit of the raw journal, in bytes. */
  readonly rawBytes?: number;
  readonly segmentBytes?: number;
  /** Acknowledged groups kept in memory for the fold; groups over the limit are read from disk again. */
  readonly queueBytes?: number;
  readonly decodeCan?: typeof decodeCanPayload;
  /** False while the clock cannot give the age of raw messages; none is removed for its age then. */
  readonly agesKnown?: () => boolean;
}

/** Running ingest; disposing it folds and stores all accepted messages. */
export interface Ingest extends AsyncDisposable {
  /** Resolves when the message would survive a power cut; rejects when its sender must keep it. */
  accept(message: IngestMessage): Promise<void>;
  /** Reads the live state from memory. */
  readonly live: LiveReader & Links & BusReader;
  /** Calls back after each tick with changes; returns a function that unsubscribes. */
  watch(listener: (changed: Changed) => void): () => void;
  /** The samples of a machine's signal in its unit, at most one a second. */
  history(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History>;
  connected(device: DeviceIdentity, address: string): void;
  disconnected(device: DeviceIdentity): void;
  /**
   * A listener refused something; the source is a device_id or an address. `of` names the device and the kind of
   * refusal.
   */
  refused(source: string, reason: string, of?: Refusal): void;
  /**
   * The broker refused a login that named this device_id. It is counted for the address, and for the device if there
   * is one.
   */
  loginRefused(device_id: string, address: string, reason: string): void;
  /** An HTTP request named a device and did not have its key. It is counted for the device if there is one. */
  requestRefused(request: RefusedRequest): void;
  /** The last refused login of a device since the process began, by the id of its record. */
  refusedLogin(device: string): RefusedLogin | undefined;
  /** The newest data of a device and its newest refusals; `device` is the id of its record. */
  trail(device: string): DeviceTrail;
  health(): Promise<
    Pick<Health, 'journal' | 'sources' | 'gaps' | 'writers'> & {
      readonly problems: readonly IngestProblem[];
      /** Budgets that are used up. */
      readonly over: ReturnType<Budgets['problems']>;
    }
  >;
  /** Resolves when the store has everything accepted so far, with its results. */
  settled(): Promise<void>;
  /** The samples that a run read from a file and that reached the store since this process began. */
  counted(run: string): RunCount;
  /**
   * The frames that a device sent since `since_ms`, as far as the raw journal reaches; the batch is reused after each
   * step.
   */
  recent(device: string, since_ms: number): AsyncIterable<FrameBatch>;
  /** Sheds load until the next call; the lost data is reported as gaps when it is over. */
  setHeadroom(headroom: Headroom): void;
  /** False while ingest refuses messages that it may accept later. */
  readonly accepting: boolean;
  /**
   * Reports raw messages that were removed outside of the raw ring; their gap is reported when there is space again.
   */
  rawRemoved(gone: {
    readonly from_ms: number;
    readonly to_ms: number;
    readonly segments: number;
    readonly bytes: number;
  }): void;
  /** The first segment of the journal that a restart reads. */
  readonly tail: number;
  /** The storage budgets of devices and machines. */
  readonly budgets: Budgets;
  /** Counters of the journal, and the messages and documents that were set aside. */
  stats(): {
    journal: JournalStats;
    set_aside: readonly SetAside[];
    set_aside_total: number;
    refused: readonly Refused[];
    refused_total: number;
    /** Ticks that ended, and whether a commit is still under way. */
    rounds: number;
    storing: boolean;
  };
}
