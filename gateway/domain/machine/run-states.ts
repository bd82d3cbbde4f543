/**
 * Computes the run states (running, idle, off, unknown) of a machine from the stored samples of its history, with the rules of the live
 * status.
 *
 *   samples -> RunEvidence: one byte for each second of an hour -> runHour: the changes of that hour -> runStates: a window
 *
 * The states of an hour depend only on the samples of that hour and of the hour before. So two readers compute the same states, whichever
 * window they ask for and in whichever order the samples arrived.
 */
import type { LiveStatus } from '#contract/fleet/equipment.ts';
import type { RunStretch } from '#contract/fleet/run-state.ts';
import type { Origin } from '#domain/history/origins.ts';
import type { FactEvent } from './fact-events.ts';
import { createFacts, type LiveState } from './facts.ts';
import { staleAfterUs } from './latest-known.ts';
import { type EvidenceValues, judgeValues, LIVE_RULES, silence } from './live-status.ts';

/** The signals from whose samples the run states are computed. */
export const RUN_SIGNALS = ['engine.speed', 'vehicle.speed', 'engine.load'] as const;
type RunSignal = (typeof RUN_SIGNALS)[number];

export const HOUR_S = 3_600;
const SECOND_US = 1_000_000;
const RULES = LIVE_RULES;
/** The longest time, in milliseconds, by which a change may be dated before the sample that decided it. */
export const HOLD_MS = RULES.hold_s * 1_000;

export function isRunSignal(signal: string): signal is RunSignal {
  return (RUN_SIGNALS as readonly string[]).includes(signal);
}

/**
 * Returns true if samples of this origin are evidence of a run state. The speed from a GNSS receiver is no evidence, because a machine on a
 * trailer moves with its engine off. A GNSS value is the only value that comes from a bus without a parameter or a DBC signal.
 */
export function isEvidence({ bus, pgn, spn, dbc }: Origin): boolean {
  return bus === null || pgn !== null || spn !== null || dbc !== null;
}

/**
 * For each signal the ranges of its values that the rules distinguish, each with a value that stands for the range. The index of a range is
 * its code in a byte of `RunEvidence`; the code 0 means that the second has no sample.
 */
const RANGES: Readonly<Record<RunSignal, readonly (number | undefined)[]>> = {
  'engine.speed': [undefined, 0, RULES.idle_rpm, RULES.idle_rpm + RULES.above_idle_rpm, -1],
  'vehicle.speed': [undefined, 0, RULES.speed_kmh + 1],
  'engine.load': [undefined, 0, RULES.load_pct + 1],
};
/** The first bit of the code of each signal in a byte. */
const SHIFT: Readonly<Record<RunSignal, number>> = { 'engine.speed': 0, 'vehicle.speed': 3, 'engine.load': 5 };
const MASK: Readonly<Record<RunSignal, number>> = { 'engine.speed': 7, 'vehicle.speed': 3, 'engine.load': 3 };

function codeOf(signal: RunSignal, value: number): number {
  if (signal === 'vehicle.speed') return value > RULES.speed_kmh ? 2 : 1;
  if (signal === 'engine.load') return value > RULES.load_pct ? 2 : 1;
  if (value < 0) return 4;
  if (value === 0) return 1;
  return value >= RULES.idle_rpm + RULES.above_idle_rpm ? 3 : 2;
}

/** The evidence of one hour of a machine: for each second one byte, which says in which range each of the three signals was. */
export class RunEvidence {
  readonly #bytes: Uint8Array;
  #isEmpty: boolean;

  constructor(of?: RunEvidence) {
    this.#bytes = of === undefined ? new Uint8Array(HOUR_S) : of.#bytes.slice();
    this.#isEmpty = of === undefined || of.#isEmpty;
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Adds a sample of a second of the hour (0 to 3599). History has one sample for each second, so the first sample counts. */
  add(signal: RunSignal, second: number, value: number): void {
    const known = this.#bytes[second] as number;
    if (((known >> SHIFT[signal]) & MASK[signal]) !== 0) return;
    this.#bytes[second] = known | (codeOf(signal, value) << SHIFT[signal]);
    this.#isEmpty = false;
  }

  /** Returns the byte of a second; 0 if the second has no sample. */
  at(second: number): number {
    return this.#bytes[second] as number;
  }
}

/** A change of the run state of a machine. */
export interface RunChange {
  readonly at_ms: number;
  readonly live: LiveStatus;
}

const STALE_US = RUN_SIGNALS.map(staleAfterUs);

/** What the computation of an hour passes to the next hour: the live status with its timers, and the last sample of each signal. */
export interface RunCarry {
  readonly live: LiveState;
  readonly codes: readonly [rpm: number, speed: number, load: number];
  /** The times of these samples in microseconds since 1970. */
  readonly at_us: readonly [rpm: number, speed: number, load: number];
}

/** The state before the first sample of a machine. */
export const NO_CARRY: RunCarry = { live: createFacts().live, codes: [0, 0, 0], at_us: [0, 0, 0] };

/** The run states of one hour. */
export interface RunHour {
  /** The status at the start of the hour. */
  readonly first: LiveStatus;
  readonly changes: readonly RunChange[];
  readonly end: RunCarry;
}

/** Computes the run states of one hour, second by second. */
export class HourRun {
  readonly #start_s: number;
  readonly #first: LiveStatus;
  readonly #live: LiveState;
  readonly #codes: [number, number, number];
  readonly #at_us: [number, number, number];
  readonly #events: FactEvent[];
  readonly #values: EvidenceValues = { rpm: undefined, speed: undefined, load: undefined };
  #second: number;

  /** Begins the hour at `start_s` (seconds since 1970). `before` is the end of the hour before. With `of`, continues a copy of that run. */
  constructor(start_s: number, before: RunCarry, of?: HourRun) {
    const { live, codes, at_us } = of === undefined ? before : of.#carry;
    this.#start_s = start_s;
    this.#live = { ...live };
    this.#codes = [...codes];
    this.#at_us = [...at_us];
    this.#events = of === undefined ? [] : [...of.#events];
    this.#second = of === undefined ? 0 : of.#second;
    if (of === undefined) silence(this.#live, start_s * SECOND_US, RULES, []);
    this.#first = of === undefined ? this.#live.status : of.#first;
  }

  get #carry(): RunCarry {
    return { live: this.#live, codes: this.#codes, at_us: this.#at_us };
  }

  /** The next second of the hour. */
  get second(): number {
    return this.#second;
  }

  copy(): HourRun {
    return new HourRun(this.#start_s, NO_CARRY, this);
  }

  /** Applies the evidence up to but not including the second `until`. */
  advance(evidence: RunEvidence, until: number): void {
    for (; this.#second < until; this.#second++) {
      const byte = evidence.at(this.#second);
      if (byte !== 0) this.#take(byte);
    }
  }

  /** Returns the states of the hour. Call it after `advance` to the end of the hour. */
  finish(): RunHour {
    const changes = this.#events.flatMap((event) =>
      event.type === 'live_status_changed' ? [{ at_ms: event.occurred_us / 1_000, live: event.data.to }] : [],
    );
    return { first: this.#first, changes, end: this.#carry };
  }

  #take(byte: number): void {
    const now = (this.#start_s + this.#second) * SECOND_US;
    silence(this.#live, now, RULES, this.#events);
    this.#live.evidence_us = now;
    for (let i = 0; i < RUN_SIGNALS.length; i++) {
      const signal = RUN_SIGNALS[i] as RunSignal;
      const code = (byte >> SHIFT[signal]) & MASK[signal];
      if (code === 0) continue;
      this.#codes[i] = code;
      this.#at_us[i] = now;
    }
    this.#values.rpm = this.#valueAt(0, now);
    this.#values.speed = this.#valueAt(1, now);
    this.#values.load = this.#valueAt(2, now);
    judgeValues(this.#live, now, this.#values, RULES, this.#events);
  }

  #valueAt(i: number, now: number): number | undefined {
    if (now - (this.#at_us[i] as number) > (STALE_US[i] as number)) return undefined;
    return RANGES[RUN_SIGNALS[i] as RunSignal][this.#codes[i] as number];
  }
}

/** Computes the run states of the hour that begins at `start_s` (seconds since 1970). `before` is the end of the hour before. */
export function runHour(start_s: number, evidence: RunEvidence, before: RunCarry): RunHour {
  const run = new HourRun(start_s, before);
  if (!evidence.isEmpty) run.advance(evidence, HOUR_S);
  return run.finish();
}

/**
 * Joins consecutive hours into the stretches of a window. A stretch is a range of time with one run state. `hours` begin with the hour of
 * `from_ms`; `hour_ms` is the start of that hour. The stretches cover the whole window. After the last sample the status stays for
 * `stale_s` seconds and is then unknown.
 */
export function runStretches(
  hours: readonly RunHour[],
  hour_ms: number,
  from_ms: number,
  to_ms: number,
): readonly RunStretch[] {
  const changes: RunChange[] = [];
  let status: LiveStatus | undefined;
  hours.forEach(({ first, changes: own, end }, i) => {
    const start_ms = hour_ms + i * HOUR_S * 1_000;
    if (status !== first) changes.push({ at_ms: i === 0 ? Number.NEGATIVE_INFINITY : start_ms, live: first });
    changes.push(...own);
    status = own.at(-1)?.live ?? first;
    const silent_ms = end.live.evidence_us / 1_000 + RULES.stale_s * 1_000;
    // If the silence lasts until the next hour, the computation of the next hour finds it.
    if (status !== 'unknown' && silent_ms < start_ms + HOUR_S * 1_000) {
      changes.push({ at_ms: silent_ms, live: 'unknown' });
      status = 'unknown';
    }
  });
  return stretchesOf(changes, from_ms, to_ms);
}

/** Returns the stretches of a window from changes in any order. The state before the first change is unknown. */
export function stretchesOf(changes: readonly RunChange[], from_ms: number, to_ms: number): RunStretch[] {
  const found: RunStretch[] = [];
  let live: LiveStatus = 'unknown';
  let at = from_ms;
  const close = (until: number) => {
    if (until <= at) return;
    const last = found.at(-1);
    if (last?.live === live) found.splice(-1, 1, { ...last, to_ms: until });
    else found.push({ from_ms: at, to_ms: until, live });
    at = until;
  };
  for (const change of changes.toSorted((a, b) => a.at_ms - b.at_ms)) {
    close(Math.min(to_ms, change.at_ms));
    live = change.live;
  }
  close(to_ms);
  return found;
}
