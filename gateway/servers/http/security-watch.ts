/**
 * Counts wrong keys and claim codes (the codes with which somebody takes ownership of a new gateway) by address. `GET /api/v1/health` shows
 * the addresses with many tries.
 */

import { LIMITS } from '#contract/base/limits.ts';
import { type BriefProblem, messageOf, part, say } from '#contract/base/told.ts';
import type { Log } from '#servers/base/log.ts';

export interface SecurityWatch {
  /** Counts a wrong key or code from this address; `what` describes it for the log. */
  wrong(address: string, what: string): void;
  /** Number of wrong tries since the start. */
  readonly total: number;
  /** Returns a problem for `GET /api/v1/health` for each address with at least 20 tries, but at most 5 problems. */
  problems(): BriefProblem[];
}

interface Entry {
  count: number;
  since_ms: number;
  last_ms: number;
  what: string;
}

const KEPT_MS = 3_600_000;
const MOST_ADDRESSES = LIMITS.watched_addresses.value;
/** `GET /api/v1/health` shows an address after this many wrong tries. A person who uses a wrong key by mistake stops earlier. */
const MANY = 20;
/** Largest number of addresses that `GET /api/v1/health` shows. */
const MOST_SHOWN = 5;
/** Minimum time between two log lines for one address. */
const LOGGED_MS = 60_000;

/**
 * Creates the counters of wrong keys. A counter is removed an hour after its last wrong try. If there are too many counters, the counter
 * with the oldest last try is removed.
 */
export function createSecurityWatch(options: {
  clock: () => number;
  log: Log;
  /** Called for each wrong try; `source` is the address. */
  refused: (source: string, reason: string) => void;
}): SecurityWatch {
  const { clock, log, refused } = options;
  const entries = new Map<string, Entry>();
  let total = 0;

  function entryOf(address: string, now: number): Entry {
    const known = entries.get(address);
    entries.delete(address);
    const kept = known !== undefined && now - known.last_ms < KEPT_MS ? known : undefined;
    const entry = kept ?? { count: 0, since_ms: now, last_ms: Number.NEGATIVE_INFINITY, what: '' };
    if (entries.size >= MOST_ADDRESSES) entries.delete(entries.keys().next().value as string);
    entries.set(address, entry);
    return entry;
  }

  return {
    get total() {
      return total;
    },
    wrong(address, what) {
      const now = clock();
      const entry = entryOf(address, now);
      total++;
      entry.count++;
      entry.what = what;
      if (entry.count === 1 || now - entry.last_ms >= LOGGED_MS)
        log('warn', 'a wrong key or code', { address, what, count: entry.count });
      entry.last_ms = now;
      refused(address, what);
    },
    problems() {
      const now = clock();
      return [...entries]
        .filter(([, { count, last_ms }]) => count >= MANY && now - last_ms < KEPT_MS)
        .sort(([, a], [, b]) => b.count - a.count)
        .slice(0, MOST_SHOWN)
        .map(([address, { count, since_ms, what }]) => ({
          code: 'keys_tried',
          ...messageOf(
            say(
              '{address} sent a wrong key or code {count} times since {since}; the last one was {what}. If you do not know this address, somebody may be guessing keys.',
              { address, count, since: new Date(since_ms).toISOString(), what: part(what) },
            ),
          ),
        }));
    },
  };
}
