/**
 * The values of one machine that alert rules watch. The watcher of alerts evaluates the rules once a second; this class keeps the values
 * since the last evaluation. The fold (the code that applies the messages of the journal) adds each value that changes the facts (the known
 * state) of the machine, in the order of the journal. So the values do not depend on how the fold groups messages, or on when the watcher
 * evaluates the rules.
 */

import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import type { Facts, Reading } from '#domain/machine/facts.ts';
import { unitOf } from '#domain/machine/latest-known.ts';
import { ChangeWindow } from './change-window.ts';
import { type CodeSpec, readCodes } from './codes.ts';
import { FENCE_STATE, Fence, type FenceSnapshot } from './fence.ts';
import { EMPTY_PLAN, type PlannedChange, type PlannedFence, type PlannedSignal, type WatchPlan } from './plan.ts';
import type { WatchedPoint } from './point.ts';
import { Runs, type RunsSnapshot } from './runs.ts';

/** The stored form of the watched values, by their name (`watchKey`). */
export interface WatchSnapshot {
  readonly runs: readonly (readonly [key: string, RunsSnapshot])[];
  readonly windows: readonly (readonly [key: string, ReturnType<ChangeWindow['snapshot']>])[];
  readonly fences?: readonly (readonly [key: string, FenceSnapshot])[];
}

/** A latitude or longitude of the machine that waits for the other coordinate of the same position. */
interface Coordinate {
  readonly value: number;
  readonly observed_us: number;
  readonly device: string;
}

const LATITUDE = SIGNAL_NAMES.indexOf('position.latitude');
const LONGITUDE = SIGNAL_NAMES.indexOf('position.longitude');
/** Latitude and longitude belong to one position if their times differ by at most this many microseconds. */
const SAME_POSITION_US = 1_000_000;
/** The limits between the states of a geofence. */
const FENCE_LIMITS = Object.values(FENCE_STATE).sort((a, b) => a - b);

/** Reads the watched values of machines. The caller must call `settle` after it has stored the alerts that these values raise. */
export interface WatchedReader {
  /** True if the machine has values since the last `settle`. */
  isWaiting(machine_id: string): boolean;
  /** Returns the values with this name (`watchKey`) since the last `settle`, in the order of their arrival. */
  take(machine_id: string, key: string): readonly WatchedPoint[];
  /** Returns the newest value with this name; null if there is none. */
  newest(machine_id: string, key: string): WatchedPoint | null;
  /** Forgets the values that `take` returned. */
  settle(machine_id: string): void;
}

/** The kept values of one signal, and the kept changes of the signal within the windows of rules. */
interface WatchedSignal {
  readonly runs: Runs | null;
  readonly changes: readonly { readonly window: ChangeWindow; readonly runs: Runs }[];
  /** The source of the last value, and the text that names this source. */
  reading: Reading | undefined;
  source: string;
}

export class MachineWatch {
  private plan = EMPTY_PLAN;
  private signals: (WatchedSignal | undefined)[] = [];
  private runs = new Map<string, Runs>();
  private windows = new Map<string, ChangeWindow>();
  private fences = new Map<string, { readonly fence: Fence; readonly runs: Runs }>();
  private codes: readonly { readonly spec: CodeSpec; readonly runs: Runs }[] = [];
  /** The table of trouble codes at the last call of `addCodes`. The table is a new array after a control unit was removed. */
  private units: Facts['faults']['sources'] | undefined;
  private latitude: Coordinate | undefined;
  private longitude: Coordinate | undefined;
  /** The values of the snapshot. They wait here until the first call of `setPlan`. */
  private saved: WatchSnapshot | undefined;
  /** `add` fills this one object again for each value, so that it allocates no memory. */
  private readonly point: WatchedPoint = {
    value: 0,
    level: 0,
    observed_us: 0,
    received_us: 0,
    device: '',
    ref: null,
    frame: 0,
    from: null,
    place: null,
    codes: null,
  };

  constructor(saved?: WatchSnapshot) {
    this.saved = saved;
  }

  /** Sets what the rules of the project watch now. The values that a rule still watches stay. */
  setPlan(plan: WatchPlan): void {
    if (plan === this.plan) return;
    this.plan = plan;
    const before = { runs: this.runs, windows: this.windows };
    const fences = this.fences;
    this.runs = new Map();
    this.windows = new Map();
    this.signals = plan.signals.map((one) => one && this.watchedSignal(one, before));
    this.codes = plan.codes.map(({ key, spec, limits }) => ({ spec, runs: this.runsOf(key, limits, before.runs) }));
    this.fences = new Map(
      plan.fences.map((one) => [one.key, this.fenceOf(one, before.runs, fences.get(one.key)?.fence)]),
    );
    this.saved = undefined;
  }

  /** True if a rule watches the signal with this index. */
  wants(index: number): boolean {
    return this.signals[index] !== undefined || (this.fences.size > 0 && (index === LATITUDE || index === LONGITUDE));
  }

  /** Adds the newest value of the signal with this index. */
  add(index: number, reading: Reading): void {
    const { point } = this;
    point.value = reading.value;
    point.level = reading.value;
    point.observed_us = reading.observed_us;
    point.received_us = reading.received_us;
    point.device = reading.device;
    point.ref = reading.ref;
    point.frame = reading.frame;
    point.from = null;
    point.place = null;
    point.codes = null;
    const watched = this.signals[index];
    if (watched !== undefined) this.addSignal(watched, reading);
    if (this.fences.size > 0 && (index === LATITUDE || index === LONGITUDE)) this.addCoordinate(index, reading);
  }

  /** True if a control unit was removed from the table of trouble codes, because it is silent, and a rule watches the table. */
  hasLostUnit({ faults }: Facts): boolean {
    return faults.sources !== this.units && this.units !== undefined && this.codes.length > 0;
  }

  /** Adds the state of the lamps and trouble codes of the machine after a message of this device. */
  addCodes(facts: Facts, seen: Pick<WatchedPoint, 'observed_us' | 'received_us' | 'device' | 'ref' | 'frame'>): void {
    this.units = facts.faults.sources;
    if (this.codes.length === 0) return;
    const { point } = this;
    point.observed_us = seen.observed_us;
    point.received_us = seen.received_us;
    point.device = seen.device;
    point.ref = seen.ref;
    point.frame = seen.frame;
    point.from = null;
    point.place = null;
    for (const { spec, runs } of this.codes) {
      readCodes(point, spec, facts);
      point.level = point.value;
      runs.add(point);
    }
  }

  private addSignal(watched: WatchedSignal, reading: Reading): void {
    const { point } = this;
    watched.runs?.add(point);
    if (watched.changes.length === 0) return;
    if (watched.reading !== reading) {
      watched.reading = reading;
      watched.source = `${reading.device} ${reading.bus} ${unitOf(reading)} ${reading.spn}`;
    }
    for (const { window, runs } of watched.changes) {
      window.add(point, watched.source);
      runs.add(point);
    }
  }

  get isWaiting(): boolean {
    for (const runs of this.runs.values()) if (runs.isWaiting) return true;
    return false;
  }

  private addCoordinate(index: number, { value, observed_us, device }: Reading): void {
    const coordinate = { value, observed_us, device };
    if (index === LATITUDE) this.latitude = coordinate;
    else this.longitude = coordinate;
    const { latitude, longitude, point } = this;
    if (latitude === undefined || longitude === undefined || latitude.device !== longitude.device) return;
    if (Math.abs(latitude.observed_us - longitude.observed_us) > SAME_POSITION_US) return;
    this.latitude = undefined;
    this.longitude = undefined;
    // A GNSS receiver that does not know its position sends 0, 0.
    if (latitude.value === 0 && longitude.value === 0) return;
    point.place = { latitude: latitude.value, longitude: longitude.value };
    point.from = null;
    for (const { fence, runs } of this.fences.values()) {
      const state = fence.add(latitude.value, longitude.value, observed_us);
      if (state === null) continue;
      point.value = state;
      runs.add(point);
    }
  }

  /** Returns the values with this name since the last `settle`. */
  take(key: string): readonly WatchedPoint[] {
    return this.runs.get(key)?.take() ?? [];
  }

  /** Returns the newest value with this name; null if there is none. */
  newest(key: string): WatchedPoint | null {
    return this.runs.get(key)?.newest ?? null;
  }

  /** Forgets the values that `take` returned, because their alerts are stored. */
  settle(): void {
    for (const runs of this.runs.values()) runs.settle();
  }

  /** Returns the state that a restart needs; undefined if a restart needs nothing. */
  snapshot(): WatchSnapshot | undefined {
    if (this.saved !== undefined) return this.saved;
    const windows = [...this.windows].map(([key, window]) => [key, window.snapshot()] as const);
    const runs = [...this.runs].flatMap(([key, one]) => {
      const saved = one.snapshot(this.windows.has(key) || this.fences.has(key));
      return saved === null ? [] : [[key, saved] as const];
    });
    const fences = [...this.fences].map(([key, { fence }]) => [key, fence.snapshot()] as const);
    return windows.length + runs.length + fences.length === 0 ? undefined : { runs, windows, fences };
  }

  private watchedSignal(
    { signal, limits, changes }: PlannedSignal,
    before: { readonly runs: ReadonlyMap<string, Runs>; readonly windows: ReadonlyMap<string, ChangeWindow> },
  ): WatchedSignal {
    return {
      runs: limits === null ? null : this.runsOf(signal, limits, before.runs),
      changes: changes.map((change) => ({
        window: this.windowOf(change, before.windows),
        runs: this.runsOf(change.key, change.limits, before.runs),
      })),
      reading: undefined,
      source: '',
    };
  }

  private fenceOf({ key, shape }: PlannedFence, before: ReadonlyMap<string, Runs>, known: Fence | undefined) {
    const kept = known?.shape.print === shape.print ? known : undefined;
    const fence = kept ?? new Fence(shape);
    const saved = this.saved?.fences?.find(([one]) => one === key)?.[1];
    if (known === undefined && saved !== undefined) fence.restore(saved);
    return { fence, runs: this.runsOf(key, FENCE_LIMITS, before) };
  }

  private runsOf(key: string, limits: readonly number[], before: ReadonlyMap<string, Runs>): Runs {
    const known = before.get(key);
    const runs = known ?? new Runs();
    const saved = this.saved?.runs.find(([one]) => one === key)?.[1];
    if (known === undefined && saved !== undefined) runs.restore(saved);
    runs.setLimits(limits);
    this.runs.set(key, runs);
    return runs;
  }

  private windowOf({ key, spec, stale_us }: PlannedChange, before: ReadonlyMap<string, ChangeWindow>): ChangeWindow {
    const known = before.get(key);
    const window = known ?? new ChangeWindow(spec, stale_us);
    const saved = this.saved?.windows.find(([one]) => one === key)?.[1];
    if (known === undefined && saved !== undefined) window.restore(saved);
    this.windows.set(key, window);
    return window;
  }
}
