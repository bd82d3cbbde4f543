/** Records that the gateway cannot take now. Each is held back alone, so that the writes of other records go on. */
import { type Item, nextToSend } from './item.ts';

const FIRST_HOLD_MS = 1_000;
const LONGEST_HOLD_MS = 30_000;
/** A record is held back for at most this time if the gateway asks for it. */
const LONGEST_ASKED_MS = 3_600_000;

export type Holds = ReturnType<typeof createHolds>;

export function createHolds() {
  /** Until when a record is held back, and the time from which the next one grows. */
  const holds = new Map<string, { readonly until: number; readonly wait_ms: number }>();

  /** Holds a record back: longer after each try, and at least as long as the gateway asks for. */
  function hold(subject: string, retry_ms: number): void {
    const wait_ms = Math.min(LONGEST_HOLD_MS, (holds.get(subject)?.wait_ms ?? FIRST_HOLD_MS / 2) * 2);
    const until = performance.now() + Math.min(LONGEST_ASKED_MS, Math.max(retry_ms, wait_ms));
    holds.set(subject, { until, wait_ms });
  }

  /** Returns the next write to send: first of records that are not held back, then of those that were held back long enough. */
  function next(items: readonly Item[], asked: ReadonlySet<string>): Item | undefined {
    const waiting = new Set(items.filter(({ state }) => state === 'queued').map(({ subject }) => subject));
    for (const subject of [...holds.keys()]) if (!waiting.has(subject)) holds.delete(subject);
    const due = [...holds].filter(([, { until }]) => until > performance.now()).map(([subject]) => subject);
    return nextToSend(items, new Set([...asked, ...holds.keys()])) ?? nextToSend(items, new Set([...asked, ...due]));
  }

  /** Milliseconds until the first record may be tried again; null if none is held back. */
  const left = (): number | null =>
    holds.size === 0 ? null : Math.min(...[...holds.values()].map(({ until }) => until - performance.now()));

  return { hold, next, left, free: (subject: string) => void holds.delete(subject) };
}
