/**
 * Learns how often a source delivers its value. A gauge that is sent every second and one that is sent every minute become stale at
 * different ages, and only the readings of the source say which of the two it is.
 *
 * A delivery begins with the first reading of a batch: a reading that the gateway received later than the reading before it by at least
 * half of the time between their observations. The other readings of a batch, and of a backlog that a logger sends after an outage, follow
 * each other faster than they were observed, so they begin no delivery. The time between two deliveries counts only if the clock of the
 * sender and the clock of the gateway agree on it within a factor of two. So a backlog, a log file and a clock that was set teach nothing.
 * The learned interval is the time that a third of the last 9 counted times do not exceed, so outages do not make it longer.
 */
import { type SignalName, signalRow } from '#contract/base/signals.ts';

/** What the gateway knows about the deliveries of one source. */
export interface Pace {
  /** Observation time of the reading that began the last delivery. */
  from_us: number;
  /** Time at which the gateway received this reading. */
  received_us: number;
  /** The last counted times between deliveries in tenths of a second, oldest first; at most `MAX_GAPS`. */
  gaps: number[];
  /** The learned interval in seconds; absent before `LEAST_GAPS` counted times. */
  interval_s?: number;
}

/** Largest number of times between deliveries that are stored for one source. */
export const MAX_GAPS = 9;
/** The gateway learns an interval from at least this number of times between deliveries. */
const LEAST_GAPS = 5;
/** Readings within this time belong to one delivery, in microseconds. */
const DELIVERY_US = 500_000;
/** Shortest learned interval in seconds. A shorter one would not change any limit. */
const LEAST_S = 1;
/** The learned interval changes only by more than this share of it. Otherwise small delays would change screens all the time. */
const CHANGE = 0.2;

/**
 * Longest learned interval of a signal in seconds. A gauge never counts as fresh for more than three minutes, unless a person has set a
 * longer interval for the device.
 */
function longestLearned(signal: SignalName): number {
  return signalRow(signal).kind === 'gauge' ? 60 : 600;
}

/**
 * Returns false if a reading that the gateway received at this time surely changes nothing, because it belongs to the last delivery. Most
 * readings do, so the caller need not allocate the arguments of `learnPace` for them.
 */
export function mayTeach(pace: Pace | undefined, received_us: number): boolean {
  if (pace === undefined) return true;
  const passed_us = received_us - pace.received_us;
  return passed_us < 0 || passed_us >= DELIVERY_US;
}

/** Adds a reading with a timestamp. `before` is the previous reading of the source, and `next` the reading that follows it. */
export function learnPace(
  pace: Pace | undefined,
  signal: SignalName,
  before: { readonly observed_us: number; readonly received_us: number },
  next: { readonly observed_us: number; readonly received_us: number },
): Pace {
  if (pace === undefined) return { from_us: next.observed_us, received_us: next.received_us, gaps: [] };
  const waited_us = next.received_us - before.received_us;
  const received_us = next.received_us - pace.received_us;
  // The clock of the gateway was set back: no earlier time can be compared.
  const wasSet = received_us < 0;
  if (!wasSet && (!mayTeach(pace, next.received_us) || 2 * waited_us < next.observed_us - before.observed_us))
    return pace;
  const observed_us = next.observed_us - pace.from_us;
  pace.from_us = next.observed_us;
  pace.received_us = next.received_us;
  if (wasSet || observed_us <= 0 || observed_us > 2 * received_us || received_us > 2 * observed_us) return pace;
  pace.gaps.push(Math.round(observed_us / 100_000));
  if (pace.gaps.length > MAX_GAPS) pace.gaps.shift();
  if (pace.gaps.length < LEAST_GAPS) return pace;
  const found = smallest(pace.gaps, Math.floor((pace.gaps.length - 1) / 3)) / 10;
  const bounded = Math.min(Math.max(Math.round(found), LEAST_S), longestLearned(signal));
  const known = pace.interval_s;
  if (known === undefined || Math.abs(bounded - known) > CHANGE * known) pace.interval_s = bounded;
  return pace;
}

/** Returns the number that is at this index when the numbers are in ascending order. It allocates no memory, unlike a sort. */
function smallest(numbers: readonly number[], index: number): number {
  const { length } = numbers;
  for (let i = 0; i < length; i++) {
    const one = numbers[i] as number;
    let less = 0;
    let same = 0;
    for (let k = 0; k < length; k++) {
      if ((numbers[k] as number) < one) less++;
      else if (numbers[k] === one) same++;
    }
    if (less <= index && index < less + same) return one;
  }
  throw new RangeError(`there is no number ${index} of ${length}`);
}
