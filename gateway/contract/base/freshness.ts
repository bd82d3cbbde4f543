/**
 * How current a value is: one rule for the gateway, the API and all screens. It compares the age of a value with the time in which the next
 * value is expected. Nothing else in the product computes a freshness.
 */
import { type SignalKind, type SignalName, signalRow } from './signals.ts';

/** How current a value is. `none`: a gauge that is too old to be shown. `never`: the value was never received. */
export const FRESHNESS = ['fresh', 'ageing', 'stale', 'none', 'never'] as const;
export type Freshness = (typeof FRESHNESS)[number];

/**
 * Where an expected interval comes from. learned: the gateway learned it from the source of the value. set: a person set it for the signal,
 * or for the messages of the device. default: it is the interval of the table of signals.
 */
export const INTERVAL_BASES = ['learned', 'set', 'default'] as const;
export type IntervalBasis = (typeof INTERVAL_BASES)[number];

/** Number of expected intervals up to which a value is fresh. One or two lost messages must not change how a screen looks. */
const FRESH_INTERVALS = 3;
/** A value is fresh for at least this number of seconds. Delays in the network can hold back the messages of a fast signal for so long. */
const FRESH_S = 5;
/** Number of expected intervals after which a value is stale. */
const STALE_INTERVALS = 10;
/** No value is stale before this number of seconds, unless a person set the interval of the signal. */
const STALE_S = 60;
/** A gauge that is older than this number of seconds, and stale, is not shown. */
const HIDDEN_S = 600;

/** Expected seconds between two live values of a machine, whatever their signals, if the gateway has not learned the time. */
export const USUAL_MACHINE_INTERVAL_S = 5;

/** Returns after how many seconds a value is stale if a new value is expected every `interval_s` seconds. */
export function staleAfter(interval_s: number): number {
  return Math.max(STALE_INTERVALS * interval_s, STALE_S);
}

/**
 * Returns after how many seconds a value is stale if a person set the interval of its signal. A person who sets a short interval wants to
 * see early that the values stop.
 */
export function staleAfterSet(interval_s: number): number {
  return STALE_INTERVALS * interval_s;
}

/**
 * Returns after how many seconds a value of the signal is stale, by the interval in the table of signals. History, the choice of a source
 * and alert rules use this fixed limit, so that a stored answer does not change with what the gateway learns later.
 */
export function staleAfterS(name: SignalName): number {
  return staleAfter(signalRow(name).interval_s);
}

/**
 * Freshness by age: `fresh` up to 3 intervals (at least 5 s), `ageing` up to 10 intervals (at least 60 s), `stale` up to ten minutes, then
 * `none`. Meters and levels never become `none`. An age below zero counts as zero: the clock was set back. `maxAgeS` replaces the limit
 * after which a value is stale. A longer limit keeps a value `ageing` for longer, not `fresh`.
 */
export function freshness(kind: SignalKind, intervalS: number, ageS: number | null, maxAgeS?: number): Freshness {
  if (ageS === null) return 'never';
  const stale = maxAgeS ?? staleAfter(intervalS);
  if (ageS <= Math.min(Math.max(FRESH_INTERVALS * intervalS, FRESH_S), stale)) return 'fresh';
  if (ageS <= stale) return 'ageing';
  return kind === 'gauge' && ageS > Math.max(HIDDEN_S, stale) ? 'none' : 'stale';
}

/** True for a value that a screen may show as current. */
export function isCurrent(judged: Freshness): boolean {
  return judged === 'fresh' || judged === 'ageing';
}

/** The time of a value, and when the next value is expected. Documents of earlier builds have no interval. */
interface Dated {
  readonly observed_at: string | null;
  readonly expected_interval_s?: number | undefined;
  readonly interval_basis?: IntervalBasis | undefined;
  /** Absent if it follows from the interval (`staleAfter`). */
  readonly stale_after_s?: number | undefined;
}

/** Returns the expected seconds between two values: the interval of the value itself, or that of the table of signals. */
export function expectedInterval(signal: SignalName, value: Omit<Dated, 'observed_at'> | undefined): number {
  return value?.expected_interval_s ?? signalRow(signal).interval_s;
}

/** Returns after how many seconds a value is stale. */
export function staleLimit(signal: SignalName, value: Omit<Dated, 'observed_at'>): number {
  return value.stale_after_s ?? staleAfter(value.expected_interval_s ?? signalRow(signal).interval_s);
}

/** Returns the freshness of a value of a signal at the time `now_ms`; `never` without a value. */
export function valueFreshnessAt(
  signal: SignalName,
  value: Dated | undefined,
  now_ms: number,
  maxAgeS?: number,
): Freshness {
  const at = value?.observed_at ?? null;
  const age = at === null ? null : (now_ms - Date.parse(at)) / 1000;
  return freshness(signalRow(signal).kind, expectedInterval(signal, value), age, maxAgeS ?? value?.stale_after_s);
}

/** Returns the fields of the API that say how current a value is at the time `now_ms`. */
export function freshnessOf(signal: SignalName, value: Dated, now_ms: number) {
  return {
    freshness: valueFreshnessAt(signal, value, now_ms),
    expected_interval_s: expectedInterval(signal, value),
    interval_basis: value.interval_basis ?? 'default',
    stale_after_s: staleLimit(signal, value),
  } as const;
}

/** Returns the freshness of the live data of a machine, whatever its signals, at the time `now_ms`. */
export function machineFreshnessAt(
  last_ms: number | null,
  interval_s: number | null | undefined,
  now_ms: number,
  maxAgeS?: number,
): Freshness {
  const age = last_ms === null ? null : (now_ms - last_ms) / 1000;
  return freshness('gauge', interval_s ?? USUAL_MACHINE_INTERVAL_S, age, maxAgeS);
}
