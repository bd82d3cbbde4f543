/**
 * The loop over the fold: acknowledged groups into facts, slice by slice, and back to where it was after a start or a failure.
 *
 *   journal ─▶ waiting groups ─▶ fold ─▶ every slice: live state
 *      └──── too many waited ───▶┘ └──▶ too much waits for the store: a commit, or the next tick
 *
 * Invariants: groups are folded in journal order, each once; where a message makes the fold throw, the state is made anew from the
 * last commit and the journal behind it.
 */

import type { Journal } from '#ingest/journal/journal.ts';
import { positionOf } from '#ingest/journal/position.ts';
import type { Group } from '#ingest/journal/segment-file.ts';
import type { Timers } from '#ingest/journal/timers.ts';
import type { WaitingGroups } from '#ingest/journal/waiting-groups.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import type { Commits } from './commits.ts';
import type { CurrentFold } from './current-fold.ts';
import type { FoldGroups } from './fold-groups.ts';
import type { FoldRestart } from './fold-restart.ts';
import type { LiveState } from './live-state.ts';
import type { QueuedActions } from './queued-actions.ts';

/** The fold gives the event loop back after so long. */
const SLICE_MS = 1;
/** Documents that may wait for the store; beyond it the fold waits for the commit. */
const MAX_WAITING = 400;

/** The loop; somebody else says when. */
export interface FoldLoop {
  /** Brings the state back: the last commit, and the journal behind it. */
  load(): Promise<void>;
  /** Folds what is on disk behind the state, as far as the store keeps up. */
  run(): Promise<void>;
  /** True when everything on disk was folded. */
  readonly isCaughtUp: boolean;
}

/** What it moves, and what it asks for. */
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

/** A loop that has not begun. */
export function createFoldLoop(options: FoldLoopOptions): FoldLoop {
  const { current, waiting, groups, actions, journal, writer, commits, live, restart, monotonic, timers } = options;
  let sliceStart = monotonic();

  const isStoreFull = () => writer.waiting() + current.fold.changes.events.length >= MAX_WAITING;

  const isSliceOver = () => monotonic() - sliceStart >= SLICE_MS;

  /** Gives the event loop back: sockets are read, and others run. */
  async function yieldLoop(): Promise<void> {
    live.publish('soon');
    await new Promise<void>((done) => timers.soon(done));
    sliceStart = monotonic();
    current.fold.setTime(sliceStart);
  }

  async function takeGroup(group: Group, tail: number): Promise<void> {
    for (const _piece of groups.take(group, tail)) if (isSliceOver()) await yieldLoop();
  }

  /** Between two groups: lets others run, and the store keep up; false when the fold has to wait for the store. */
  async function breathe(): Promise<boolean> {
    if (isStoreFull()) {
      if (commits.mayTry(monotonic())) await commits.commit(false);
      if (writer.waiting() >= MAX_WAITING) return false;
    }
    if (isSliceOver()) await yieldLoop();
    return true;
  }

  /** Reads the journal from a place on until its end is reached; from then on groups come through memory. */
  async function catchUp(from: number, tail: number): Promise<void> {
    for (let place = from; waiting.behind; ) {
      let reached = place;
      for await (const group of journal.read(place)) {
        // A segment is read from its beginning again: what was taken in before is not taken in twice.
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
    // Every tick begins here: what is full stays full until the store takes something.
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
      // What they say is in the sessions and in the records.
      actions.clear();
      restart.restore(commits.saved);
      // What was not yet in the live documents when the process ended, and does not move again, would never be.
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
