/**
 * Measures by how much the clock of a device is ahead of the time of its GNSS receiver while the device sends live data. A reading is one
 * comparison of the two clocks. The state of the measurement is plain data, so that a snapshot can store it, and it depends only on the
 * messages.
 */

/** The readings of one minute that agree with each other. */
interface Minute {
  /** Minutes since 1970, by the receive time. */
  readonly minute: number;
  least_us: number;
  most_us: number;
  readings: number;
  /** The number of readings that contradict the others. */
  odd: number;
}

/** The measured offset of a device. */
export interface LiveOffset {
  /** The minute whose readings are still coming. */
  open: Minute;
  /** The last complete minute with enough readings; null before the first one. */
  last: Minute | null;
}

/** Readings of a minute agree if they are this close, in microseconds: the logger writes a GNSS time down up to 0.4 s late. */
const TOLERANCE_US = 750_000;
const LEAST_READINGS = 3;
/** All readings may be late by the same delay. This is the largest such delay, in microseconds. */
const FLOOR_US = 200_000;

/** Takes a reading that came at `received_ms`. Returns the state, which the function may change in place. */
export function noteOffset(state: LiveOffset | undefined, ahead_us: number, received_ms: number): LiveOffset {
  const minute = Math.floor(received_ms / 60_000);
  const fresh = (): Minute => ({ minute, least_us: ahead_us, most_us: ahead_us, readings: 1, odd: 0 });
  if (state === undefined) return { open: fresh(), last: null };
  const { open } = state;
  if (open.minute !== minute) {
    if (open.readings >= LEAST_READINGS) state.last = open;
    state.open = fresh();
    return state;
  }
  const least_us = Math.min(open.least_us, ahead_us);
  const most_us = Math.max(open.most_us, ahead_us);
  if (most_us - least_us > TOLERANCE_US) {
    open.odd++;
    // More readings contradict the first ones than agree with them: the clock was set, or the first readings were wrong.
    if (open.odd > open.readings) state.open = fresh();
    return state;
  }
  open.least_us = least_us;
  open.most_us = most_us;
  open.readings++;
  return state;
}

/** The offset for readers. */
export interface MeasuredOffset {
  /** Positive: the clock of the device is ahead of GNSS time. */
  readonly ahead_ms: number;
  readonly uncertainty_ms: number;
  /** The minute of the readings, in milliseconds since 1970. */
  readonly measured_ms: number;
}

/** Returns the newest offset; undefined if there are too few readings. */
export function measuredOffset(state: LiveOffset | undefined): MeasuredOffset | undefined {
  if (state === undefined) return undefined;
  const of = state.open.readings >= LEAST_READINGS ? state.open : state.last;
  if (of === null) return undefined;
  return {
    ahead_ms: Math.round(of.least_us / 1000),
    uncertainty_ms: Math.ceil((FLOOR_US + of.most_us - of.least_us) / 1000),
    measured_ms: of.minute * 60_000,
  };
}
