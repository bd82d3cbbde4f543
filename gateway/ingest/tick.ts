/**
 * One tick is the periodic work of ingest, five times a second. Some of the work runs only every second or every minute.
 *
 *   apply new messages -> check timeouts (1 s), put samples into segments (1 min) -> watchers -> commit, if it is time -> raw ring (1 min)
 */

import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import type { Ids } from '#ingest/fold/ids.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import type { LiveState } from '#ingest/live/live-state.ts';
import type { Budgets } from './budgets.ts';
import type { Commits } from './commits.ts';
import type { FoldLoop } from './fold-loop.ts';
import { isDiskOk } from './headroom.ts';
import type { LoadShedding } from './load-shedding.ts';
import type { QueuedActions } from './queued-actions.ts';

const SEAL_MS = 60_000;
const SWEEP_MS = 1_000;
const TRIM_MS = 60_000;
/** The interval, in milliseconds, at which the raw ring removes old messages while the disk is short of space. */
const TRIM_SOON_MS = 5_000;
const PROBE_MS = 1_000;

/** Creates a function that runs one tick. The caller must not start a tick before the last one ended. */
export function createTick(of: {
  readonly current: CurrentFold;
  readonly loop: FoldLoop;
  readonly actions: QueuedActions;
  readonly journal: Journal;
  readonly live: LiveState;
  readonly commits: Commits;
  readonly shedding: LoadShedding;
  readonly budgets: Pick<Budgets, 'records'>;
  readonly ids: Ids;
  /** Removes the oldest messages if the journal exceeds its limits. */
  readonly trim: () => Promise<void>;
  readonly clock: () => number;
  readonly monotonic: () => number;
}): () => Promise<void> {
  const { current, loop, actions, journal, live, commits, shedding, budgets, ids, trim, clock, monotonic } = of;
  let lastSweep = Number.NEGATIVE_INFINITY;
  let lastTrim = monotonic();
  let lastProbe = lastTrim;

  return async () => {
    const mono = monotonic();
    current.fold.setTime(mono);
    await loop.run();
    const { state, fold } = current;
    if (loop.isCaughtUp) actions.applyUntil(journal.end);
    if (mono - lastSweep >= SWEEP_MS) {
      lastSweep = mono;
      fold.sweep(clock());
      const now = clock();
      fold.changes.events.push(...budgets.records(now, () => ids.random('event', now)));
      for (const machine of state.machines.values()) if (mono - machine.samples.since >= SEAL_MS) fold.seal(machine);
    }
    live.publish('now');
    commits.beginDue(mono);
    fold.changes.events.push(...shedding.endedGaps(journal.stats().refusing === null));
    if (mono - lastTrim >= (isDiskOk(shedding.headroom) ? TRIM_MS : TRIM_SOON_MS)) {
      lastTrim = mono;
      await trim();
    }
    if (mono - lastProbe >= PROBE_MS) {
      lastProbe = mono;
      void journal.probe();
    }
  };
}
