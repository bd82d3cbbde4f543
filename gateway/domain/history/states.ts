/**
 * States that a control unit sends instead of a value: not available, error, and reserved codes (SAE J1939-71). History stores them as
 * runs. A run is a time range in which one source reported one state for one signal.
 *
 *   StateColumn   the reports of a signal         -> runs
 *   joinRuns      the runs of several segments    -> runs that touch each other become one run
 *
 * Two reports belong to the same run if they are at most `joinWithin` seconds apart. So the runs depend only on the set of reports, and not
 * on their order, on repetitions, or on how they were divided between segments. A run may therefore contain a short time with valid values.
 */
import { type SignalName, STORED_STATES, type StoredState, signalRow } from '#contract/base/signals.ts';
import { type Origin, type Origins, originAt } from './origins.ts';

/** Returns the index of a state in `STORED_STATES`; -1 if history does not store the state. */
export const stateCode = (state: string): number => (STORED_STATES as readonly string[]).indexOf(state);

/** The runs of one signal as arrays, in ascending order of `from`. */
export interface StateRuns {
  readonly signal: SignalName;
  /** The first second of each run, since 1970. */
  readonly from: number[];
  /** The last second of each run, since 1970; included. */
  readonly to: number[];
  /** Index of the state in `STORED_STATES`. */
  readonly state: number[];
  /** Index of the origin in the list of origins. */
  readonly o: number[];
}

/** The arrays of `StateRuns`. */
export const STATE_FIELDS = ['from', 'to', 'state', 'o'] as const;

interface Run {
  from: number;
  to: number;
  readonly state: number;
  readonly o: number;
}

/** Two reports that are at most this many seconds apart belong to the same run: the interval of the signal, and one second more. */
const joinWithin = (signal: SignalName): number => Math.ceil(signalRow(signal).interval_s) + 1;

/** Joins the runs of the same state and origin that touch each other, and returns them in ascending order. */
function joined(signal: SignalName, runs: readonly Run[]): StateRuns {
  const within = joinWithin(signal);
  const found: Run[] = [];
  for (const same of Map.groupBy(runs, ({ state, o }) => `${state} ${o}`).values()) {
    let last: Run | undefined;
    for (const run of [...same].sort((a, b) => a.from - b.from)) {
      if (last !== undefined && run.from <= last.to + within) last.to = Math.max(last.to, run.to);
      else {
        last = { ...run };
        found.push(last);
      }
    }
  }
  found.sort((a, b) => a.from - b.from || a.state - b.state || a.o - b.o);
  const of = (field: (typeof STATE_FIELDS)[number]) => found.map((run) => run[field]);
  return { signal, from: of('from'), to: of('to'), state: of('state'), o: of('o') };
}

const runsOf = ({ from, to, state, o }: StateRuns): Run[] =>
  from.map((first, i) => ({
    from: first,
    to: to[i] as number,
    state: state[i] as number,
    o: o[i] as number,
  }));

/** Collects the reports of one signal. */
export class StateColumn {
  readonly #signal: SignalName;
  readonly #within: number;
  readonly #runs: Run[] = [];
  #last: Run | undefined;

  constructor(signal: SignalName) {
    this.#signal = signal;
    this.#within = joinWithin(signal);
  }

  /** Adds a report. Returns true if it began a new run in memory. */
  add(second: number, state: number, origin: number): boolean {
    const last = this.#last;
    if (last !== undefined && last.state === state && last.o === origin) {
      if (second >= last.from && second <= last.to) return false;
      if (second > last.to && second <= last.to + this.#within) {
        last.to = second;
        return false;
      }
    }
    this.#last = { from: second, to: second, state, o: origin };
    this.#runs.push(this.#last);
    return true;
  }

  /** Returns the runs. `originOf` gives each origin the index that it has in the result. */
  series(originOf = (origin: number) => origin): StateRuns {
    return joined(
      this.#signal,
      this.#runs.map((run) => ({ ...run, o: originOf(run.o) })),
    );
  }

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Removes all runs. */
  clear(): void {
    this.#runs.length = 0;
    this.#last = undefined;
  }
}

/** The runs of several signals and the origins to which they refer. */
export interface StatePart {
  readonly states: readonly StateRuns[];
  readonly origins: readonly Origin[];
}

/** Joins the runs of all parts, signal by signal. Adds their origins to `origins`. */
export function joinRuns(parts: readonly StatePart[], origins: Origins): StateRuns[] {
  const bySignal = new Map<SignalName, Run[]>();
  for (const { states, origins: own } of parts)
    for (const runs of states) {
      const all = bySignal.get(runs.signal) ?? [];
      bySignal.set(runs.signal, all);
      for (const run of runsOf(runs)) all.push({ ...run, o: origins.indexOf(originAt(own, run.o)) });
    }
  return [...bySignal].map(([signal, runs]) => joined(signal, runs));
}

/** A time range in which a signal had a state instead of a value. Both times are seconds since 1970; `to` is included. */
export interface StateRange {
  readonly state: StoredState;
  readonly from: number;
  readonly to: number;
}

/** Returns the runs of all sources of a signal as time ranges; the same state of two sources at one time is one range. */
export function withoutOrigins(runs: StateRuns): StateRange[] {
  const { from, to, state } = joined(
    runs.signal,
    runsOf(runs).map((run) => ({ ...run, o: 0 })),
  );
  return from.map((first, i) => ({
    state: STORED_STATES[state[i] as number] ?? 'reserved',
    from: first,
    to: to[i] as number,
  }));
}

/** Returns the runs for which `keep` returns true for their origin. It drops signals without runs. */
export function filteredRuns(states: readonly StateRuns[], keep: (origin: number) => boolean): StateRuns[] {
  return states.flatMap((runs) => {
    const kept = runsOf(runs).filter(({ o }) => keep(o));
    return kept.length === 0 ? [] : [joined(runs.signal, kept)];
  });
}

/** Returns the part of the runs from the second `from` to before `to`. It drops signals without runs in this range. */
export function clippedRuns(states: readonly StateRuns[], from: number, to: number): StateRuns[] {
  return states.flatMap((runs) => {
    const inside = runsOf(runs).flatMap((run) =>
      run.to < from || run.from >= to ? [] : [{ ...run, from: Math.max(run.from, from), to: Math.min(run.to, to - 1) }],
    );
    return inside.length === 0 ? [] : [joined(runs.signal, inside)];
  });
}
