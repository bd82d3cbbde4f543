/**
 * Compares the clock of a device with a trusted clock, such as GNSS time. A reading is a pair of times: what the two clocks showed at the
 * same moment. A stretch is a range of frames in which nobody set the clock of the device. For each stretch, the result says by how much
 * the clock of the device was ahead.
 *
 *   frame times -> steps: a time that goes back, or a jump ahead that a reading confirms -> a new stretch
 *   readings    -> runs: readings of a stretch that agree -> the run with the most readings is the result; the others make it less certain
 *
 * So one wrong reading, a receiver that learns the leap seconds late, and a receiver that shows a wrong week change nothing, or only the
 * stated uncertainty. The memory is bounded: `MAX_STRETCHES` stretches with `MAX_RUNS` runs.
 */
import { ClockRun, type Knot } from './clock-run.ts';

/** What the estimator knows about a kind of trusted clock. */
export interface ClockRules {
  /** Two readings agree if their differences are this close, in microseconds. */
  readonly tolerance_us: number;
  /** All readings may be wrong by the same delay and rounding. This is the largest such error, in microseconds. */
  readonly floor_us: number;
  /** A run with fewer readings, or over a shorter time, gives no result. */
  readonly least_readings: number;
  readonly least_span_us: number;
}

/** A receiver sends GNSS time about five times a second. The logger writes it down up to 0.4 s later. */
export const GNSS_RULES: ClockRules = {
  tolerance_us: 750_000,
  floor_us: 200_000,
  least_readings: 3,
  least_span_us: 400_000,
};

/** Control units send Time/Date once a second or on request. Most of them round to whole seconds. */
export const J1939_RULES: ClockRules = {
  tolerance_us: 1_500_000,
  floor_us: 1_000_000,
  least_readings: 3,
  least_span_us: 5_000_000,
};

/**
 * If the time of a frame is this much before the time of the frame before, in microseconds, somebody set the clock back. If it is this much
 * after, the log may have a pause, or somebody set the clock ahead.
 */
export const JUMP_US = 500_000;
/** A correction does not apply beyond a jump of at least this size, in microseconds, if there is no reading on the far side of the jump. */
const PAUSE_US = 10_000_000;
/** A GNSS receiver that learns the leap seconds late changes its time by less than this, in microseconds. */
const LEAP_US = 20_000_000;
/**
 * The estimator assumes that no clock drifts faster than this: seconds per second. In a recording of a real logger the clock drifts by
 * 0.0005.
 */
const FASTEST_DRIFT = 1e-3;
/** The uncertainty always allows for at least this drift, in seconds per second. */
const LEAST_DRIFT = 1e-4;
/** The estimator measures a drift only over at least this time, in microseconds. */
const MEASURED_US = 600_000_000;
const MAX_STRETCHES = 1_000;
const MAX_RUNS = 8;

/** A part of a stretch in which readings contradict the result by `by_us`. `from_us` and `to_us` are times of the device. */
export interface Doubt {
  readonly from_us: number;
  readonly to_us: number;
  readonly by_us: number;
}

/** The frames from `from` to before `to`, in which the difference between the clocks is known. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly readings: number;
  /** The known differences between the clocks, in ascending order of time; at least one. */
  readonly knots: readonly Knot[];
  /** The uncertainty at a knot, in microseconds. */
  readonly uncertainty_us: number;
  /** How fast the uncertainty grows with the distance from the nearest knot, in seconds per second. It grows only beyond half a window. */
  readonly drift: number;
  readonly window_us: number;
  readonly doubts: readonly Doubt[];
}

/** The frames since the clock was set. */
interface Open {
  readonly from: number;
  readonly runs: ClockRun[];
  current: ClockRun | undefined;
  /** The first frame after the last pause before the first reading. */
  since: number;
}

export class ClockEstimator {
  /** All readings, also those that contradict the others. */
  readings = 0;
  readonly #rules: ClockRules;
  readonly #done: Stretch[] = [];
  #open: Open = { from: 0, runs: [], current: undefined, since: 0 };
  #steps = 0;
  // The jumps ahead since the last reading: the largest one, and the first frames after the first and the last pause.
  #jump = { frame: 0, by_us: 0 };
  #pause = Number.POSITIVE_INFINITY;

  constructor(rules: ClockRules) {
    this.#rules = rules;
  }

  /** Takes a change of the time from one frame to the next, in the order of the file. Changes of less than `JUMP_US` need not be passed. */
  jump(frame: number, by_us: number): void {
    if (by_us <= -JUMP_US) this.#step(frame, this.#pause);
    else if (by_us >= JUMP_US) {
      if (by_us > this.#jump.by_us) this.#jump = { frame, by_us };
      if (by_us < PAUSE_US) return;
      if (this.#open.current === undefined) this.#open.since = frame;
      this.#pause = Math.min(this.#pause, frame);
    }
  }

  /** Takes a reading: at the frame, the clock of the device showed `t_us` and the trusted clock `trusted_us`. Call `jump` first. */
  read(frame: number, t_us: number, trusted_us: number): void {
    this.readings++;
    const ahead_us = t_us - trusted_us;
    this.#runFor(t_us, ahead_us).add(t_us, ahead_us);
    this.#jump = { frame, by_us: 0 };
    this.#pause = Number.POSITIVE_INFINITY;
  }

  /** Returns the stretches in the order of the file. Returns none if the times of the frames go back too often to be a clock. */
  finish(): readonly Stretch[] {
    this.#close(Number.POSITIVE_INFINITY, this.#pause);
    return this.#steps > MAX_STRETCHES ? [] : this.#done;
  }

  /** Returns the run to which a reading belongs. The caller then adds the reading to this run. */
  #runFor(t_us: number, ahead_us: number): Pick<ClockRun, 'add'> {
    const { tolerance_us } = this.#rules;
    const { current } = this.#open;
    if (current === undefined) return this.#begin(t_us, ahead_us);
    const more = ahead_us - current.near_us;
    if (Math.abs(more) <= tolerance_us) return current;
    if (this.#isStep(more)) {
      this.#step(this.#jump.frame, Math.min(this.#pause, this.#jump.frame));
      return this.#begin(t_us, ahead_us);
    }
    const passed = Math.max(0, t_us - current.last_us);
    if (Math.abs(more) <= tolerance_us + FASTEST_DRIFT * passed) return current;
    const distance = (run: ClockRun) => Math.abs(ahead_us - run.near_us);
    const [other] = this.#open.runs.toSorted((a, b) => distance(a) - distance(b));
    const drift = FASTEST_DRIFT * Math.max(0, t_us - (other?.last_us ?? t_us));
    if (other === undefined || distance(other) > tolerance_us + drift) return this.#begin(t_us, ahead_us);
    this.#turnTo(other, t_us);
    return other;
  }

  /**
   * True if somebody has set the clock of the device ahead or back by `more_us` since the last reading. If somebody set it ahead, the times
   * of the frames jumped by the same amount. If somebody set it back during a pause of the log, the times jumped by less than the pause.
   * After a pause, a small difference does not show whether the device or the receiver changed its time.
   */
  #isStep(more_us: number): boolean {
    const { by_us } = this.#jump;
    const isClear = Math.abs(more_us) > LEAP_US || by_us < more_us + PAUSE_US;
    return isClear && by_us >= (more_us > 0 ? more_us - this.#rules.tolerance_us : PAUSE_US);
  }

  /** Begins a run with this reading. If the stretch has no room for another run, the reading is not used. */
  #begin(t_us: number, ahead_us: number): Pick<ClockRun, 'add'> {
    const { runs } = this.#open;
    if (runs.length < MAX_RUNS) {
      const run = new ClockRun(t_us, ahead_us);
      runs.push(run);
      this.#turnTo(run, t_us);
    }
    return { add() {} };
  }

  /**
   * Makes this run the current one. Between the last reading of the earlier run and the first reading of this run, either run may be right.
   */
  #turnTo(run: ClockRun, t_us: number): void {
    const { current } = this.#open;
    if (current !== undefined) {
      run.from_us = Math.min(run.from_us, current.last_us);
      current.to_us = t_us;
    }
    this.#open.current = run;
  }

  /** Ends the stretch before the frame, because somebody set the clock there. The result is valid for the frames before `until`. */
  #step(frame: number, until: number): void {
    this.#close(frame, until);
    this.#open = { from: frame, runs: [], current: undefined, since: frame };
    this.#jump = { frame, by_us: 0 };
    this.#pause = Number.POSITIVE_INFINITY;
  }

  #close(to: number, until: number): void {
    this.#steps++;
    const { runs, since } = this.#open;
    const { least_readings, least_span_us, floor_us } = this.#rules;
    const [best] = runs.toSorted((a, b) => b.readings - a.readings);
    if (best === undefined || best.readings < least_readings) return;
    if (best.last_us - best.first_us < least_span_us || this.#done.length >= MAX_STRETCHES) return;
    const knots = best.knots();
    this.#done.push({
      from: since,
      to: Math.min(to, until),
      readings: best.readings,
      knots,
      uncertainty_us: floor_us + best.spread_us(),
      drift: driftOf(knots),
      window_us: best.window_us,
      doubts: runs.filter((run) => run !== best && run.readings > 1).map((run) => doubtOf(run, best)),
    });
  }
}

/**
 * Returns the drift that the uncertainty allows for: twice the drift between the first and the last knot. If the time between these knots
 * is too short to measure a drift, because readings have different delays, the function returns the fastest drift.
 */
function driftOf(knots: readonly Knot[]): number {
  const [first, last] = [knots[0] as Knot, knots.at(-1) as Knot];
  const passed = last.t_us - first.t_us;
  if (passed < MEASURED_US) return FASTEST_DRIFT;
  return Math.max(LEAST_DRIFT, (2 * Math.abs(last.ahead_us - first.ahead_us)) / passed);
}

/** Returns where, and by how much, a run contradicts the run with the most readings of its stretch. */
function doubtOf(run: ClockRun, best: ClockRun): Doubt {
  const by_us = Math.abs(run.near_us - best.near_us) + best.spread_us();
  const isForGood = run.first_us > best.last_us || run.last_us < best.first_us;
  // If the receiver changed its time by a few seconds and did not change it back, it may have learned the leap seconds. Then the run with
  // fewer readings may be the right one, so the whole stretch is uncertain by this difference.
  const isWhole = isForGood && by_us <= LEAP_US;
  return {
    from_us: isWhole || run.first_us <= best.first_us ? Number.NEGATIVE_INFINITY : run.from_us,
    to_us: isWhole || run.last_us >= best.last_us ? Number.POSITIVE_INFINITY : run.to_us,
    by_us,
  };
}
