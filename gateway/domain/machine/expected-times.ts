/** Computes in which time the next value of a signal, and the next live data of a machine, are expected. */
import { type IntervalBasis, staleAfterSet, USUAL_MACHINE_INTERVAL_S } from '#contract/base/freshness.ts';
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { Facts } from './facts.ts';
import { readingOf } from './latest-known.ts';

/** The intervals in seconds that people set for a machine. */
export interface SetIntervals {
  /** The longest interval of messages that a person set for a device of the machine; 0 if nobody set one. */
  readonly messages_s: number;
  /** The intervals that a person set for signals of the machine, or for signals of its kind of machines. */
  readonly signals: SignalIntervals;
}
export type SignalIntervals = Readonly<Partial<Record<SignalName, number>>>;

/** The intervals of a machine for which nobody set an interval. */
export const NO_INTERVALS: SetIntervals = { messages_s: 0, signals: {} };

/** When the next value of a signal is expected. A part that follows from the table of signals is absent. */
interface ExpectedTime {
  expected_interval_s?: number | undefined;
  interval_basis?: IntervalBasis | undefined;
  stale_after_s?: number | undefined;
}

/**
 * Writes into `value` when the next value of its signal is expected. `learned_s` is the interval that the gateway learned from the source of
 * the value. It writes into the object because screens read many values a second, and a copy of each value would need memory.
 */
export function setExpected(
  value: ExpectedTime,
  signal: SignalName,
  learned_s: number | undefined,
  { messages_s, signals }: SetIntervals,
): void {
  const own_s = signals[signal];
  if (own_s !== undefined) {
    value.expected_interval_s = own_s;
    value.interval_basis = 'set';
    value.stale_after_s = staleAfterSet(own_s);
    return;
  }
  const usual_s = signalRow(signal).interval_s;
  const measured_s = learned_s ?? usual_s;
  const interval_s = Math.max(measured_s, messages_s);
  if (interval_s !== usual_s) value.expected_interval_s = interval_s;
  if (messages_s > measured_s) value.interval_basis = 'set';
  else if (learned_s !== undefined) value.interval_basis = 'learned';
}

/** Returns the interval that the gateway learned from the source that provides the value of a signal; undefined if it learned none. */
export function learnedInterval(facts: Facts, signal: SignalName): number | undefined {
  return readingOf(facts, signal)?.pace?.interval_s;
}

/**
 * Returns the interval that the gateway learned from one device for a signal; undefined if it learned none. If several control units of the
 * device send the signal, the control unit with the newest reading counts.
 */
export function learnedFromDevice({ signals }: Facts, signal: SignalName, device: string): number | undefined {
  const own = signals[signal]?.sources.filter((source) => source.device === device) ?? [];
  return own.reduce((a, b) => (a === undefined || b.observed_us > a.observed_us ? b : a), own[0])?.pace?.interval_s;
}

/**
 * Returns the seconds in which the next live data of a machine is expected, whatever its signal: the interval of messages that a person
 * set, or the shortest interval that the gateway learned from a source of a value, at least 5 s.
 */
export function machineInterval({ signals }: Facts, { messages_s }: SetIntervals): number {
  if (messages_s > 0) return messages_s;
  let shortest = Number.POSITIVE_INFINITY;
  for (const name in signals) {
    const state = signals[name as SignalName];
    const learned = state?.sources[state.holder]?.pace?.interval_s;
    if (learned !== undefined && learned < shortest) shortest = learned;
  }
  return Number.isFinite(shortest) ? Math.max(shortest, USUAL_MACHINE_INTERVAL_S) : USUAL_MACHINE_INTERVAL_S;
}
