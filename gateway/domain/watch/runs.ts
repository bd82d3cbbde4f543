/**
 * Keeps the values of one watched signal between two evaluations of the alert rules. The limits of the rules divide the numbers into
 * ranges. Successive values in the same range form a run, so all values of a run are on the same side of each limit. Therefore the watcher
 * of alerts needs only the first and the last value of each run, however many values arrived.
 *
 *   values   98 99 101 102 99 98      limit 100
 *   runs    [98..99][101..102][99..98]
 */

import { LATE_US } from './late.ts';
import type { WatchedPoint } from './point.ts';

/** Successive values in the same range. The two objects may be the same. */
interface Run {
  readonly first: WatchedPoint;
  last: WatchedPoint;
  /** True if the values before the run were in another range. */
  readonly isNewRange: boolean;
}

/**
 * The largest number of runs between two evaluations. If there are more, the first 28 runs stay. Of the later runs, three stay: the one
 * with the lowest value, the one with the highest value, and the last one. So every rule still sees that a value crossed its limit, and on
 * which side of the limit the last value is.
 */
export const MAX_RUNS = 32;
/** Number of the first runs that stay when there are too many. */
const FIRST_RUNS = MAX_RUNS - 4;

/** The stored form of the values that the watcher has not processed yet. */
export interface RunsSnapshot {
  readonly points: readonly WatchedPoint[];
  readonly newest: WatchedPoint | null;
}

export class Runs {
  private limits: readonly number[] = [];
  /**
   * The range of the last run: the numbers between `low` and `high`, or only the number `low` if both are equal. NaN if there is no run.
   */
  private low = Number.NaN;
  private high = Number.NaN;
  private late = false;
  private runs: Run[] = [];
  /** The runs that the watcher has taken. They stay here until the watcher has stored the alerts that these runs raise. */
  private taken: Run[] = [];
  private latest: WatchedPoint | null = null;

  /** Sets the limits of all rules on the signal, in ascending order. The next value begins a new run. */
  setLimits(limits: readonly number[]): void {
    this.limits = limits;
    this.low = Number.NaN;
    this.high = Number.NaN;
  }

  /** Adds a value. The function copies the fields of `point`, so the caller may fill the same object again. */
  add(point: WatchedPoint): void {
    const { value, observed_us, received_us } = point;
    const run = this.runs.at(-1);
    const late = received_us - observed_us > LATE_US;
    const sameRange = (value > this.low && value < this.high) || (value === this.low && value === this.high);
    if (run === undefined || !sameRange || late !== this.late || observed_us - run.last.observed_us > LATE_US) {
      if (!sameRange) this.findRange(value);
      this.late = late;
      const first = { ...point };
      if (this.runs.length >= MAX_RUNS) this.runs = condense(this.runs);
      this.runs.push({ first, last: first, isNewRange: !sameRange });
    } else if (run.last === run.first) run.last = { ...point };
    else copy(point, run.last);
  }

  /** Returns the values of all runs since the last `settle`, in the order of their arrival. */
  take(): readonly WatchedPoint[] {
    const last = this.runs.at(-1);
    if (last !== undefined) {
      this.latest = last.last;
      this.taken = condense([...this.taken, ...this.runs]);
      this.runs = [];
    }
    return pointsOf(this.taken);
  }

  /** Removes the values that the last `take` returned, because their alerts are stored. */
  settle(): void {
    this.taken = [];
  }

  /** True if there are values since the last `settle`. */
  get isWaiting(): boolean {
    return this.runs.length > 0 || this.taken.length > 0;
  }

  get newest(): WatchedPoint | null {
    return this.runs.at(-1)?.last ?? this.latest;
  }

  /**
   * Returns the values that the watcher has not processed yet. Returns null if the watcher does not need them after a restart, because no
   * value crossed a limit.
   */
  snapshot(withNewest: boolean): RunsSnapshot | null {
    const open = [...this.taken, ...this.runs];
    const newest = withNewest ? this.newest : null;
    const points = open.some(({ isNewRange }) => isNewRange) ? pointsOf(open) : [];
    return points.length === 0 && newest === null ? null : { points, newest };
  }

  restore({ points, newest }: RunsSnapshot): void {
    this.latest = newest === null ? null : restored(newest);
    for (const point of points) {
      const first = restored(point);
      this.runs.push({ first, last: first, isNewRange: true });
    }
  }

  private findRange(value: number): void {
    let low = Number.NEGATIVE_INFINITY;
    let high = Number.POSITIVE_INFINITY;
    for (const limit of this.limits) {
      if (limit <= value) low = limit;
      if (limit >= value) {
        high = limit;
        break;
      }
    }
    this.low = low;
    this.high = high;
  }
}

/** Copies the fields of a point. This is much faster than `Object.assign`, and this code runs for each value. */
function copy(from: WatchedPoint, to: WatchedPoint): void {
  to.value = from.value;
  to.level = from.level;
  to.observed_us = from.observed_us;
  to.received_us = from.received_us;
  to.device = from.device;
  to.ref = from.ref;
  to.frame = from.frame;
  to.from = from.from;
  to.place = from.place;
  to.codes = from.codes;
}

/** Returns a copy of a point. Snapshots of earlier builds have points without `codes`. */
function restored(point: WatchedPoint): WatchedPoint {
  return { ...point, codes: point.codes ?? null };
}

function pointsOf(runs: readonly Run[]): WatchedPoint[] {
  return runs.flatMap(({ first, last }) => (first === last ? [first] : [first, last]));
}

/** Reduces the number of runs to less than `MAX_RUNS`; keeps the runs that `MAX_RUNS` describes. */
function condense(runs: Run[]): Run[] {
  if (runs.length < MAX_RUNS) return runs;
  const rest = runs.slice(FIRST_RUNS);
  let lowest = rest[0] as Run;
  let highest = lowest;
  for (const run of rest) {
    if (run.first.value < lowest.first.value) lowest = run;
    if (run.first.value > highest.first.value) highest = run;
  }
  const last = rest.at(-1) as Run;
  return [...runs.slice(0, FIRST_RUNS), ...rest.filter((run) => run === lowest || run === highest || run === last)];
}
