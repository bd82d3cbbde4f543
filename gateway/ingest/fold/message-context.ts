/** What all parts of the fold share, and the message that it has in hand. */
import type { BudgetKind, Spending } from '#contract/base/budget.ts';
import { AHEAD_US } from '#domain/base/times.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { LIVE_RULES, type LiveRules } from '#domain/machine/live-status.ts';
import { positionOf, refOf } from '#ingest/journal/position.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { DECODER, type DeviceState, noteSkew } from './device-state.ts';
import type { Changes, FoldState } from './fold-state.ts';
import type { Ids } from './ids.ts';
import type { MachineState } from './machine-state.ts';
import type { Sources } from './sources.ts';

/** Characters of a reason that are kept. */
const MAX_REASON = 300;

/** Nothing observed under these rules is fresh. */
export const NEVER_LIVE: LiveRules = { ...LIVE_RULES, stale_s: -1 };

/** What lasts from message to message. */
export interface FoldShared {
  readonly state: FoldState;
  readonly ids: Ids;
  readonly sources: Sources;
  /** What was made since the last time that somebody took it. */
  changes: Changes;
  /** The clock that never goes back. */
  mono: number;
  /** False while there is no room for samples. */
  readonly storesSamples: () => boolean;
  /** What devices may have stored. */
  readonly budgets: Pick<Spending, 'spend'>;
}

/** What a message was good for, as the device's status judges it. */
export interface MessageResult {
  readonly good: number;
  readonly broken: number;
  /** Set where what it held is no value, and is as good as one. */
  readonly samples?: number;
}

/** One message, who sent it, where it counts, and what came of it so far. */
export class MessageContext {
  readonly device: DeviceState;
  /** Undefined: it counts for no machine. */
  machine: MachineState | undefined;
  readonly position: number;
  readonly received_ms: number;
  /** What its values have in common. */
  readonly arrival: {
    readonly device: string;
    run_id: string | null;
    ref: string | null;
    readonly received_us: number;
    rules: LiveRules;
    readonly events: FactEvent[];
  };
  /** Values that were taken, those of them that moved nothing for their age, and the newest time of all. */
  values = 0;
  late = 0;
  newest_us = 0;
  /** Events that have an id. */
  made = 0;
  readonly shared: FoldShared;

  constructor(shared: FoldShared, device: DeviceState, machine: MachineState | undefined, reader: RecordReader) {
    this.shared = shared;
    this.device = device;
    this.machine = machine;
    this.position = positionOf(reader.segment, reader.offset);
    this.received_ms = reader.received_at_ms;
    this.arrival = {
      device: device.identity.device,
      run_id: device.run?.run_id ?? null,
      ref: refOf(this.position),
      received_us: reader.received_at_ms * 1000,
      rules: LIVE_RULES,
      events: [],
    };
  }

  /** The id of the next event of the message. */
  nextId(): string {
    return this.shared.ids.at('event', this.received_ms, this.position, this.made++);
  }

  /** Has an error of the sender shown. */
  reportError(reason: string): void {
    this.shared.sources.error(this.device.identity.device_id, reason, this.received_ms);
  }

  /** Counts what could not be used, and says why. */
  reportUnusable(reason: string, count: number): void {
    this.device.counts.broken += count;
    this.device.last.unusable = { reason: reason.slice(0, MAX_REASON), at_ms: this.received_ms };
    this.shared.sources.count(this.device.identity.device_id, 'unparsable', count);
    this.reportError(reason);
  }

  /** Counts what had come before. */
  noteRepeats(count: number): void {
    this.device.counts.duplicates += count;
    this.shared.sources.count(this.device.identity.device_id, 'duplicates', count);
  }

  /** Judges the device's clock by a time that it told. */
  judgeClock(t_us: number): void {
    const ahead = t_us - this.arrival.received_us;
    noteSkew(this.device, ahead / 1000, this.received_ms);
    if (ahead <= AHEAD_US) return;
    this.arrival.rules = NEVER_LIVE;
    this.reportError(
      `its clock is ${Math.round(ahead / 1e6)} s ahead of this gateway's: values are taken, nothing becomes live`,
    );
  }

  /** Pays for an entry in a log from the budget of the device; false: it is not stored. */
  charge(kind: BudgetKind, bytes: number): boolean {
    return chargeBudget(this.shared, this.device, kind, bytes, this.received_ms);
  }

  /** Values name a run: makes the device's when it has none of this decoder. */
  needRun(): void {
    const { device, shared, received_ms, position } = this;
    if (device.run?.decoder === DECODER) return;
    device.run = {
      decoder: DECODER,
      task_id: shared.ids.at('task', received_ms, position, 0),
      run_id: shared.ids.at('run', received_ms, position, 0),
    };
    this.arrival.run_id = device.run.run_id;
    shared.changes.runs.push({ ...device.run, device: device.identity, started_ms: received_ms });
  }
}

/** Pays for an entry in a log from the budget of a device; false: it is not stored, and counted. */
export function chargeBudget(
  { budgets, sources }: FoldShared,
  { identity, counts }: DeviceState,
  kind: BudgetKind,
  bytes: number,
  now_ms: number,
): boolean {
  const { device: id, project_id, device_id } = identity;
  if (budgets.spend({ object: 'device', id, project_id }, kind, bytes, 1, now_ms) === undefined) return true;
  counts.dropped++;
  sources.error(device_id, `the budget for ${kind} is used up: what comes beyond it is not stored`, now_ms);
  return false;
}
