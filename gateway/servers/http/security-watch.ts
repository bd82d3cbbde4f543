/** Who tries keys and codes that are none: counted by address, bounded, and shown in health. */
import { LIMITS } from '#contract/base/limits.ts';
import type { Log } from '#servers/base/log.ts';

export interface SecurityWatch {
  /** A key or code was wrong, from this address. */
  wrong(address: string, what: string): void;
  /** All wrong tries since the start. */
  readonly total: number;
  /** The addresses that tried often within the last hour, for health. */
  problems(): { readonly code: string; readonly message: string }[];
}

interface Entry {
  count: number;
  since_ms: number;
  last_ms: number;
  what: string;
}

const KEPT_MS = 3_600_000;
const MOST_ADDRESSES = LIMITS.watched_addresses.value;
/** Tries that are a problem: a person with a wrong key gives up before. */
const MANY = 20;
/** Addresses that health names. */
const MOST_SHOWN = 5;
/** Each address is logged so often at most. */
const LOGGED_MS = 60_000;

/** Counts by address for an hour after the last try; the address that was quiet for longest gives way. */
export function createSecurityWatch(options: {
  clock: () => number;
  log: Log;
  /** Something was refused; the source is an address. */
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
          message: `${address} sent a wrong key or code ${count} times since ${new Date(since_ms).toISOString()}; the last: ${what}. If no machine of yours has that address, somebody is guessing.`,
        }));
    },
  };
}
