/**
 * Counts what each source sent, and the data that could not be used. Health shows these counts. A source is a device, or a network address
 * without a key. The list has a limit; further addresses share one entry.
 */
import type { SourceHealth } from '#contract/site/node.ts';

const MAX_SOURCES = 200;
/** At most this many addresses without a key have an entry of their own. */
const MAX_STRANGERS = 50;
const OTHERS = 'other addresses';

type Counts = Omit<SourceHealth, 'source' | 'last_error' | 'last_error_at'>;
interface Entry extends Counts {
  stranger: boolean;
  last_error: string | null;
  last_error_ms: number;
  /** The number of the last update of this entry; later updates have higher numbers. */
  updated: number;
}

export interface Sources {
  /** Adds to a counter of a device. */
  count(source: string, key: keyof Counts, by?: number): void;
  /** Sets a counter of a device to a total that other code counted. */
  set(source: string, key: keyof Counts, total: number): void;
  /** Records the reason why data of a device could not be used. */
  error(source: string, reason: string, now_ms: number): void;
  /** Counts a message or request that a listener refused. */
  refused(source: string, reason: string, stranger: boolean, now_ms: number): void;
  list(): SourceHealth[];
}

function empty(stranger: boolean): Entry {
  return {
    messages: 0,
    frames: 0,
    unparsable: 0,
    refused: 0,
    duplicates: 0,
    late: 0,
    unknown_pgns: 0,
    transport_aborts: 0,
    stranger,
    last_error: null,
    last_error_ms: 0,
    updated: 0,
  };
}

export function createSources(): Sources {
  const entries = new Map<string, Entry>();
  let updates = 0;
  let strangers = 0;

  function evict(): void {
    let oldest: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [name, entry] of entries) {
      if (entry.updated >= least || name === OTHERS) continue;
      oldest = name;
      least = entry.updated;
    }
    if (oldest === undefined) return;
    if (entries.get(oldest)?.stranger) strangers--;
    entries.delete(oldest);
  }

  function entryOf(name: string, stranger: boolean): Entry {
    const known = entries.get(name);
    if (known !== undefined) {
      known.updated = ++updates;
      return known;
    }
    if (stranger && strangers >= MAX_STRANGERS && name !== OTHERS) return entryOf(OTHERS, true);
    if (entries.size >= MAX_SOURCES) evict();
    const made = empty(stranger);
    made.updated = ++updates;
    if (stranger) strangers++;
    entries.set(name, made);
    return made;
  }

  function note(entry: Entry, reason: string, now_ms: number): void {
    entry.last_error = reason.slice(0, 300);
    entry.last_error_ms = now_ms;
  }

  return {
    count(source, key, by = 1) {
      entryOf(source, false)[key] += by;
    },
    set(source, key, total) {
      entryOf(source, false)[key] = total;
    },
    error(source, reason, now_ms) {
      note(entryOf(source, false), reason, now_ms);
    },
    refused(source, reason, stranger, now_ms) {
      const entry = entryOf(source, stranger);
      entry.refused++;
      note(entry, reason, now_ms);
    },
    list: () =>
      [...entries]
        .sort(([, a], [, b]) => b.updated - a.updated)
        .map(([source, { stranger: _, updated: __, last_error_ms, ...counts }]) => ({
          source,
          ...counts,
          last_error_at: counts.last_error === null ? null : new Date(last_error_ms).toISOString(),
        })),
  };
}
