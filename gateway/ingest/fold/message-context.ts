/** The parts that all steps of the fold (the code that applies messages) share, and the context of the current message. */
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

/** A reason is cut to this number of characters. */
const MAX_REASON = 300;

/** Rules for the live status with a negative maximum age, so that every observation is too old to change the live status. */
export const NEVER_LIVE: LiveRules = { ...LIVE_RULES, stale_s: -1 };

/** The parts and values that all messages share. */
export interface FoldShared {
  readonly state: FoldState;
  readonly ids: Ids;
  readonly sources: Sources;
  /** The changes of the state since the last call of `Fold.take`. */
  changes: Changes;
  /** The present monotonic time in milliseconds. */
  mono: number;
  /** Returns false while samples are dropped because the disk is almost full. */
  readonly storesSamples: () => boolean;
  /** The storage budgets of devices. */
  readonly budgets: Pick<Spending, 'spend'>;
}

/** The numbers of good and broken parts of a message. The status of the device is computed from them. */
export interface MessageResult {
  readonly good: number;
  readonly broken: number;
  /** The number of good samples, for content without values, such as a picture; absent for other messages. */
  readonly samples?: number;
}

/** One message with its sender, its machine, and its results so far. */
export class MessageContext {
  readonly device: DeviceState;
  /** The machine to which the message belongs; undefined if the device was linked to none. */
  machine: MachineState | undefined;
  readonly position: number;
  readonly received_ms: number;
  /** The fields that all values of the message share. */
  readonly arrival: {
    readonly device: string;
    run_id: string | null;
    ref: string | null;
    readonly received_us: number;
    rules: LiveRules;
    readonly events: FactEvent[];
  };
  /**
   * `values` is the number of values. `late` is the number of values that are too old to change the latest values of the device or machine.
   * `newest_us` is the newest time of all values.
   */
  values = 0;
  late = 0;
  newest_us = 0;
  /** The number of event ids that this message has used. */
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

  /** Returns the id of the next event of the message. */
  nextId(): string {
    return this.shared.ids.at('event', this.received_ms, this.position, this.made++);
  }

  /** Records an error of the sender, which health shows. */
  reportError(reason: string): void {
    this.shared.sources.error(this.device.identity.device_id, reason, this.received_ms);
  }

  /** Counts unusable content of the message, and records the reason, which health shows. */
  reportUnusable(reason: string, count: number): void {
    this.device.counts.broken += count;
    this.device.last.unusable = { reason: reason.slice(0, MAX_REASON), at_ms: this.received_ms };
    this.shared.sources.count(this.device.identity.device_id, 'unparsable', count);
    this.reportError(reason);
  }

  /** Counts content that the device sent before. */
  noteRepeats(count: number): void {
    this.device.counts.duplicates += count;
    this.shared.sources.count(this.device.identity.device_id, 'duplicates', count);
  }

  /** Compares the clock of the device, which a time in the message shows, with the clock of the gateway. */
  judgeClock(t_us: number): void {
    const ahead = t_us - this.arrival.received_us;
    noteSkew(this.device, ahead / 1000, this.received_ms);
    if (ahead <= AHEAD_US) return;
    this.arrival.rules = NEVER_LIVE;
    this.reportError(
      `its clock is ${Math.round(ahead / 1e6)} s ahead of the clock of the gateway, so its values do not change the live status`,
    );
  }

  /** Charges a log entry to the budget of the device. If it returns false, the caller must not store the entry. */
  charge(kind: BudgetKind, bytes: number): boolean {
    return chargeBudget(this.shared, this.device, kind, bytes, this.received_ms);
  }

  /**
   * Creates the decode run of the device (the stored document that describes its live decoding), if it has none for this version of the
   * decoder. Each value names its run.
   */
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

/** Charges a log entry to the budget of a device. If the budget is used up, it counts the entry as dropped and returns false. */
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
  sources.error(device_id, `the budget for ${kind} is used up: further data of this kind is not stored`, now_ms);
  return false;
}
