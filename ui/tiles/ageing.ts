/**
 * Computes the freshness of values at the moment when a screen draws them. The gateway sends the freshness with each value. While the
 * gateway does not answer, the screen applies the same age limits itself, so values become less fresh.
 */

import { type Freshness, freshness } from '#contract/base/freshness.ts';
import type { Aged, MachineTile } from '#contract/site/live.ts';

/** The time of drawing, on the gateway's clock. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** False after 15 s without a message from the gateway. */
  readonly live: boolean;
  /** The time of the last message from the gateway, milliseconds since 1970. */
  readonly lastMessageMs: number;
}

/** Returns the moment of the last message while the gateway does not answer: the moment of which a screen can tell what was known. */
export function lastKnown(at: Moment): Moment {
  return at.live ? at : { ...at, now: at.lastMessageMs, live: true };
}

const RANK: Record<Freshness, number> = { fresh: 0, ageing: 1, stale: 2, none: 3, never: 4 };

/** After this number of milliseconds without data the screen shows the live status as unknown, as the gateway does. */
const STATUS_MS = 300_000;

function worse(a: Freshness, b: Freshness): Freshness {
  return RANK[a] >= RANK[b] ? a : b;
}

function freshnessByAge(value: Partial<Omit<Aged, 'freshness'>>, asOf: number | null, at: Moment): Freshness {
  const age = (at.now - (asOf ?? at.lastMessageMs)) / 1000;
  return freshness(value.kind ?? 'gauge', value.interval_s ?? 1, age, value.max_age_s);
}

/** Returns the freshness of a value at this moment. */
export function valueFreshness(value: Aged, at: Moment): Freshness {
  if (value.freshness === 'never') return 'never';
  if (at.live && value.interval_s === undefined) return value.freshness;
  return worse(value.freshness, freshnessByAge(value, value.as_of_ms, at));
}

/** Returns the freshness of a machine's live data at this moment. */
export function machineFreshness(machine: MachineTile, at: Moment): Freshness {
  if (machine.freshness === 'never' || at.live) return machine.freshness;
  return worse(machine.freshness, freshnessByAge(machine, machine.last_data_ms, at));
}

/** Returns the live status to show; unknown when the data is too old. */
export function shownStatus(machine: MachineTile, at: Moment): MachineTile['live_status'] {
  const judged = machineFreshness(machine, at);
  if (judged === 'none' || judged === 'never') return 'unknown';
  if (!at.live && at.now - (machine.last_data_ms ?? at.lastMessageMs) > STATUS_MS) return 'unknown';
  return machine.live_status;
}
