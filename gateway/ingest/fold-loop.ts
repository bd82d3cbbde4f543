/**
 * The loop around the fold (the code that applies messages to the state). It folds the groups of acknowledged messages in slices of 1 ms,
 * and restores the state after a start or a failure.
 *
 *   journal ─▶ waiting groups ─▶ fold ─▶ every slice: live state
 *      └──── queue was full ────▶┘ └──▶ store is behind: a commit, or wait for the next tick
 *
 * Invariants: groups are folded in journal order, each once. When a message makes the fold throw, the loop restores the state from the last
 * commit and folds the later messages of the journal again.
 */

import type { CurrentFold } from '#ingest/fold/current-fold.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import { positionOf } from '#ingest/journal/position.ts';
import type { Group } from '#ingest/journal/segment-file.ts';
import type { Timers } from '#ingest/journal/timers.ts';
import type { WaitingGroups } from '#ingest/journal/waiting-groups.ts';
import type { LiveState } from '#ingest/live/live-state.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import type { Commits } from './commits.ts';
import type { FoldGroups } from './fold-groups.ts';
import type { FoldRestart } from './fold-restart.ts';
import type { QueuedActions } from './queued-actions.ts';

/** The length of a slice in milliseconds. After a slice the loop yields, so that other work of the gateway can run. */
const SLICE_MS = 1;
/** The limit of documents in the outbox (the documents that wait for the next commit). At the limit the fold waits for a commit. */
const MAX_WAITING = 400;

/** The loop around the fold. Its owner calls `load` once, and then `run` five times a second. */
export interface FoldLoop {
  /** Restores the state from the last commit and folds all later messages of the journal. */
  load(): Promise<void>;
  /** Folds the waiting groups. Stops early if the outbox is full and no commit succeeds. */
  run(): Promise<void>;
  /** True if every group of the journal is folded. */
  readonly isCaughtUp: boolean;
}

/** The parts that the loop uses. */
export interface FoldLoopOptions {
  readonly current: CurrentFold;
  readonly waiting: WaitingGroups;
  readonly groups: FoldGroups;
  readonly actions: QueuedActions;
  readonly journal: Pick<Journal, 'read' | 'end'>;
  readonly writer: StoreWriter;
  readonly commits: Commits;
  readonly live: LiveState;
  readonly monotonic: () => number;
  readonly timers: Timers;
  readonly restart: FoldRestart;
}

/** Creates the loop. */
export function createFoldLoop(options: FoldLoopOptions): FoldLoop {
  const { current, waiting, groups, actions, journal, writer, commits, live, restart, monotonic, timers } = options;
  let sliceStart = monotonic();

  const isStoreFull = () => writer.waiting() + current.fold.changes.events.length >= MAX_WAITING;

  const isSliceOver = () => monotonic() - sliceStart >= SLICE_MS;

  /** Yields to the event loop, so that sockets are read and other work runs. */
  async function yieldLoop(): Promise<void> {
    live.publish('soon');
    await new Promise<void>((done) => timers.soon(done));
    sliceStart = monotonic();
    current.fold.setTime(sliceStart);
  }

  async function takeGroup(group: Group, tail: number): Promise<void> {
    for (const _piece of groups.take(group, tail)) if (isSliceOver()) await yieldLoop();
  }

  /**
   * Yields to other work, and commits if the outbox is full. Returns false if the outbox is still full after that; the fold must then wait.
   * The loop calls it between two groups.
   */
  async function breathe(): Promise<boolean> {
    if (isStoreFull()) {
      if (commits.mayTry(monotonic())) await commits.commit(false);
      if (writer.waiting() >= MAX_WAITING) return false;
    }
    if (isSliceOver()) await yieldLoop();
    return true;
  }

  /** Reads groups from disk and folds them, from a position to the end of the journal. Later groups come from the queue in memory. */
  async function catchUp(from: number, tail: number): Promise<void> {
    for (let place = from; waiting.behind; ) {
      let reached = place;
      for await (const group of journal.read(place)) {
        // The reader starts at the beginning of a segment (a file of the journal). So it also returns messages before `place`, which are
        // already folded; because of the second argument, `takeGroup` skips these messages.
        await takeGroup(group, Math.max(tail, place));
        reached = positionOf(group.segment, group.start + group.body.length);
        if (!(await breathe())) return;
      }
      waiting.behind = reached < journal.end && reached > place;
      place = reached;
    }
  }

  async function foldAll(): Promise<void> {
    sliceStart = monotonic();
    live.begin();
    // A full outbox stays full until the store accepts a commit; do not fold more before that.
    if (isStoreFull() && !(await breathe())) return;
    for (let group = waiting.take(); group !== undefined; group = waiting.take()) {
      await takeGroup(group, Number.POSITIVE_INFINITY);
      if (!(await breathe())) return;
    }
    if (waiting.behind) await catchUp(current.state.position, Number.POSITIVE_INFINITY);
  }

  async function load(): Promise<void> {
    for (;;) {
      await commits.running;
      writer.reset();
      waiting.forget();
      // Drop the queued actions: `restore` applies the present connections and records of the devices instead.
      actions.clear();
      restart.restore(commits.saved);
      // Write every live document (the stored copy of the state of a machine or device). The copy in the store may be older than the state,
      // and the writer would not update it as long as the machine does not change.
      writer.mirror(current.state);
      const tail = commits.saved?.tail ?? 0;
      try {
        await catchUp(tail, tail);
        restart.applyRevocations();
        return;
      } catch (error) {
        groups.noteFailure(error);
      }
    }
  }

  return {
    load,
    async run() {
      try {
        await foldAll();
      } catch (error) {
        groups.noteFailure(error);
        await load();
      }
    },
    get isCaughtUp() {
      return waiting.isEmpty && !waiting.behind;
    },
  };
}
