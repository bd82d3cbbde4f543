/** What ingest is given, and what it gives. */
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
import type { RunCount } from '#ingest/writer/run-counts.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import type { Budgets } from './budgets.ts';
import type { Headroom } from './headroom.ts';
import type { IngestProblem } from './ingest-health.ts';
import type { Changed } from './live-state.ts';
import type { RefusedLogin } from './refused-logins.ts';

/** The world that ingest works in; a simulator can stand in for each piece. */
export interface IngestOptions {
  /** The data folder; the journal lives in `journal` inside. */
  readonly folder: string;
  readonly store: IngestStore;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** The journal can no longer be trusted with a message: the process should end. */
  readonly onFatal?: (error: Error) => void;
  readonly tickMs?: number;
  readonly commitMs?: number;
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number;
  /** Node's when absent. */
  readonly timers?: Timers;
  readonly disk?: Disk;
  /** What the raw journal may take, in bytes. */
  readonly rawBytes?: number;
  readonly segmentBytes?: number;
  /** Acknowledged groups kept in memory for the fold; beyond it they are read from disk again. */
  readonly queueBytes?: number;
  readonly decodeCan?: typeof decodeCanPayload;
  /** False while the clock says nothing of how old raw messages are: none gives way for its age. */
  readonly agesKnown?: () => boolean;
}

/** The door; disposing it folds and stores what was accepted. */
export interface Ingest extends AsyncDisposable {
  /** Resolves when the message survives a power cut; rejects when its sender must keep it. */
  accept(message: IngestMessage): Promise<void>;
  /** The truth in memory. */
  readonly live: LiveReader & Links & BusReader;
  /** Calls back after each tick that changed something; returns the unsubscribe. */
  watch(listener: (changed: Changed) => void): () => void;
  /** Samples of a machine's signal in its unit, one a second at most. */
  history(equipment_id: string, signal: SignalName, from_ms: number, to_ms: number): Promise<History>;
  connected(device: DeviceIdentity, address: string): void;
  disconnected(device: DeviceIdentity): void;
  /** Something was refused at a door; the source is a device_id or an address. `of`: what of which device it was. */
  refused(source: string, reason: string, of?: Refusal): void;
  /** The broker refused a login that named this device_id. It is counted for the address, and for the device if there is one. */
  loginRefused(device_id: string, address: string, reason: string): void;
  /** A request over HTTP that names a device does not have its key. It is counted for the device if there is one. */
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
  /** Resolves when everything accepted so far is in the store with what follows from it. */
  settled(): Promise<void>;
  /** What a run that read a file brought into history since this process began, as far as it is in the store. */
  counted(run: string): RunCount;
  /** The frames that came from a device since then, as far as the raw journal reaches; the batch is filled again after each. */
  recent(device: string, since_ms: number): AsyncIterable<FrameBatch>;
  /** Does without what there is no room for, until told otherwise; what was given up is told when it is over. */
  setHeadroom(headroom: Headroom): void;
  /** False while messages are refused that may be taken later. */
  readonly accepting: boolean;
  /** Raw messages gave way outside of the raw ring: told when there is room again. */
  rawRemoved(gone: {
    readonly from_ms: number;
    readonly to_ms: number;
    readonly segments: number;
    readonly bytes: number;
  }): void;
  /** The first file of raw messages that a restart reads. */
  readonly tail: number;
  /** What devices may have stored, and have. */
  readonly budgets: Budgets;
  /** Besides health: what the journal did, what the fold could not digest, and what the store did not take. */
  stats(): {
    journal: JournalStats;
    set_aside: readonly SetAside[];
    set_aside_total: number;
    refused: readonly Refused[];
    refused_total: number;
    /** Rounds of the fold that ended, and whether a commit that one of them began is still under way. */
    rounds: number;
    storing: boolean;
  };
}
