/**
 * Decides when to commit to the store. The fold applies messages to the state in memory; a commit writes the results and a snapshot of the
 * state. One commit runs at a time and covers everything that was folded before it began.
 *
 *   every 10 s after a change, every 2 s while somebody at head office looks, at once for an event (but at most once a second), 5 s after a failed commit
 *
 * Invariants: a commit covers exactly the messages that were folded when it began. A failed commit is logged and does not throw; its
 * documents are written again with the next commit.
 */

import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import type { LiveState } from '#ingest/live/live-state.ts';
import type { LivePace } from '#ingest/writer/live-pace.ts';
import type { Saved } from '#ingest/writer/saved-snapshot.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import type { FoldGroups } from './fold-groups.ts';
import { createRestartTail } from './restart-tail.ts';

/** The shortest time between two commits, in milliseconds. A commit for an event also waits until this time has passed. */
const URGENT_MS = 1_000;
/** After a failed commit, the next commit waits for this time, in milliseconds. */
const RETRY_MS = 5_000;

/** Makes the commits of one process, and shows their state. */
export interface Commits {
  /** The last snapshot that is in the store. */
  readonly saved: Saved | undefined;
  /** The current commit; undefined between two commits. */
  readonly running: Promise<void> | undefined;
  /** The time of the first failure since the last successful commit, in milliseconds since 1970. */
  readonly failingSince: number | undefined;
  /**
   * The number of messages that this process folded and that have their results in the store. `settled` counts only those of them that this
   * process accepted; a restart also folds messages that an earlier process accepted.
   */
  readonly stored: number;
  readonly settled: number;
  /**
   * Commits all changes made so far. If a commit is running, waits for that commit instead. If `all` is true, the commit writes the live
   * document (the current state) of every machine and device.
   */
  commit(all: boolean): Promise<void>;
  /** Returns false for `RETRY_MS` after a failed commit; the caller must then not commit. */
  mayTry(mono: number): boolean;
  /** Begins a commit if enough time has passed since the last commit. */
  beginDue(mono: number): void;
}

/** Creates the object that commits; `saved` is the snapshot that is in the store at the start. */
export function createCommits(of: {
  readonly saved: Saved | undefined;
  readonly current: CurrentFold;
  readonly writer: StoreWriter;
  readonly groups: FoldGroups;
  readonly live: LiveState;
  readonly everyMs: number;
  readonly pace: Pick<LivePace, 'commitMs'>;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Commits {
  const { current, writer, groups, live, pace, clock, monotonic, log } = of;
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
      const everyMs = pace.commitMs(of.everyMs, mono);
      const due = (writer.urgent && since >= Math.min(URGENT_MS, everyMs)) || (writer.dirty && since >= everyMs);
      if (due && mono >= retryAt) void commit(false);
    },
  };
}
