/** The budget of a device for one kind of data. A token bucket limits the items per time, and a second limit applies to bytes per day. */
import type { Budget, OverBudget } from '#contract/base/budget.ts';

/** How much of a budget a device has used. It is stored as JSON, so that a restart does not reset the limits. */
export interface Spent {
  /** The day on which `bytes` were used, in days since 1970 (UTC). */
  day: number;
  bytes: number;
  /** Number of items in the token bucket at the time `at_ms`. The device may send this many items at once. */
  left: number;
  at_ms: number;
  /** Bytes that the gateway has stored for the device since its first message, or since its data was last purged. */
  total_bytes: number;
  /** Items that were dropped since the gateway last stored a record of dropped items (a gap record). */
  dropped: number;
  dropped_bytes: number;
  from_ms: number;
  to_ms: number;
}

const DAY_MS = 86_400_000;
const SECONDS = 1_000;

/** The UTC day of a time, in days since 1970. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** Creates an unused budget. */
export function createSpent(budget: Budget, now_ms: number): Spent {
  return {
    day: dayOf(now_ms),
    bytes: 0,
    left: budget.burst,
    at_ms: now_ms,
    total_bytes: 0,
    dropped: 0,
    dropped_bytes: 0,
    from_ms: 0,
    to_ms: 0,
  };
}

/**
 * Charges bytes and items to a budget and returns undefined. If the budget is too small, charges nothing, counts the items as dropped, and
 * returns which limit was exceeded.
 */
export function spend(
  spent: Spent,
  budget: Budget,
  bytes: number,
  count: number,
  now_ms: number,
): OverBudget | undefined {
  // Compare with `>`, not with `!==`. Otherwise, if the clock is set back to yesterday and forward again, the device would get the bytes of
  // today twice.
  if (dayOf(now_ms) > spent.day) {
    spent.day = dayOf(now_ms);
    spent.bytes = 0;
  }
  const elapsed_s = Math.max(0, now_ms - spent.at_ms) / SECONDS;
  spent.left = Math.min(budget.burst, spent.left + elapsed_s * budget.per_s);
  spent.at_ms = Math.max(spent.at_ms, now_ms);
  const why = spent.bytes + bytes > budget.bytes_per_day ? 'day' : spent.left < count ? 'rate' : undefined;
  if (why === undefined) {
    spent.left -= count;
    spent.bytes += bytes;
    spent.total_bytes += bytes;
    return undefined;
  }
  if (spent.dropped === 0) spent.from_ms = now_ms;
  spent.to_ms = now_ms;
  spent.dropped += Math.max(1, count);
  spent.dropped_bytes += bytes;
  const wait_s = why === 'day' ? ((spent.day + 1) * DAY_MS - now_ms) / SECONDS : (count - spent.left) / budget.per_s;
  return { why, retry_after_s: Math.max(1, Math.ceil(wait_s)) };
}
