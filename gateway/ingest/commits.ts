/**
 * When the store is written: one commit at a time, each of everything that was made until it began.
 *
 *   every 5 s when something moved, at once for an event (once a second at most), 5 s after one that failed
 *
 * Invariants: a commit covers exactly what was folded when it began; one that fails keeps it all, and is told and not thrown.
 */

import type { Saved } from '#ingest/writer/saved-snapshot.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import type { CurrentFold } from './current-fold.ts';
import type { FoldGroups } from './fold-groups.ts';
import type { LiveState } from './live-state.ts';
import { createRestartTail } from './restart-tail.ts';

/** Events come at once, but not more often than this. */
const URGENT_MS = 1_000;
/** After a failed commit. */
const RETRY_MS = 5_000;

/** The commits of one process. */
export interface Commits {
  /** The last that is in the store. */
  readonly saved: Saved | undefined;
  /** The one that is under way. */
  readonly running: Promise<void> | undefined;
  /** Since when the store refuses what the fold made, in milliseconds since 1970. */
  readonly failingSince: number | undefined;
  /** Messages taken into the facts by this process that are in the store with what follows from them; and those of them that it accepted itself. */
  readonly stored: number;
  readonly settled: number;
  /** Writes what was made so far; who asks while one is under way waits for that one. `all`: every live document. */
  commit(all: boolean): Promise<void>;
  /** False for a while after one failed. */
  mayTry(mono: number): boolean;
  /** Begins one when it is time. */
  beginDue(mono: number): void;
}

/** `saved` is what the store has. */
export function createCommits(of: {
  readonly saved: Saved | undefined;
  readonly current: CurrentFold;
  readonly writer: StoreWriter;
  readonly groups: FoldGroups;
  readonly live: LiveState;
  readonly everyMs: number;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Commits {
  const { current, writer, groups, live, everyMs, clock, monotonic, log } = of;
  let { saved } = of;
  let last = monotonic();
  let retryAt = Number.NEGATIVE_INFINITY;
  let failingSince: number | undefined;
  let stored = 0;
  let settled = 0;
  let running: Promise<void> | undefined;
  const tailOf = createRestartTail(last, saved?.tail ?? 0);

  async function commitNow(all: boolean): Promise<void> {
    live.publish('now');
    const mono = monotonic();
    last = mono;
    const covered = groups.taken;
    const accepted = groups.folded;
    try {
      saved = await writer.commit(current.state, tailOf(current.state, mono), mono, all);
      retryAt = Number.NEGATIVE_INFINITY;
      failingSince = undefined;
      stored = covered;
      settled = accepted;
    } catch (error) {
      failingSince ??= clock();
      retryAt = monotonic() + RETRY_MS;
      log('error', 'facts could not be stored; they stay in the journal', { error: (error as Error).message });
    }
  }

  function commit(all: boolean): Promise<void> {
    running ??= commitNow(all).finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    get saved() {
      return saved;
    },
    get running() {
      return running;
    },
    get failingSince() {
      return failingSince;
    },
    get stored() {
      return stored;
    },
    get settled() {
      return settled;
    },
    commit,
    mayTry: (mono) => mono >= retryAt,
    beginDue(mono) {
      const since = mono - last;
      const due = (writer.urgent && since >= Math.min(URGENT_MS, everyMs)) || (writer.dirty && since >= everyMs);
      if (due && mono >= retryAt) void commit(false);
    },
  };
}
