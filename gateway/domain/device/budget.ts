/** One budget of one device: a bucket of items that refills evenly, and bytes by the day. Pure: times are handed in. */
import type { Budget, OverBudget } from '#contract/base/budget.ts';

/** What was spent of it; plain JSON, kept over restarts. */
export interface Spent {
  /** Days since 1970 (UTC) that `bytes` is of. */
  day: number;
  bytes: number;
  /** Items left in the bucket, and when that was. */
  left: number;
  at_ms: number;
  /** Stored since counting began, or since the device was purged. */
  total_bytes: number;
  /** What was not stored since the last record of it. */
  dropped: number;
  dropped_bytes: number;
  from_ms: number;
  to_ms: number;
}

const DAY_MS = 86_400_000;
const SECONDS = 1_000;

/** The day of a time. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** Nothing spent yet. */
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

/** Takes bytes and items; undefined when there was enough. What there is not enough for is counted, and nothing is taken. */
export function spend(
  spent: Spent,
  budget: Budget,
  bytes: number,
  count: number,
  now_ms: number,
): OverBudget | undefined {
  // A clock that was set back opens no day a second time.
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
