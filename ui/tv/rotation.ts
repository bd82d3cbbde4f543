/**
 * Computes which step of a playlist a screen shows, which step is drawn hidden ("mounted") because it is shown next, and when the steps
 * change. The functions have no side effects, because they return a new state.
 *
 *   current ----------------------- due ---> current = next, once next is ready
 *              next mounts (LEAD) --^        not ready within READY_TIMEOUT: skipped
 *
 * A step is one page of one board. At most two steps are mounted, so memory does not depend on the length of a playlist.
 */

/** One page of one board. */
export interface Step {
  readonly board: string;
  readonly page: number;
  readonly dwell_ms: number;
}

export interface Rotation {
  readonly current: Step | null;
  readonly next: Step | null;
  readonly ready: boolean;
  /** The time at which `next` was mounted. */
  readonly asked: number;
  /** The time at which the current step ends. All times come from a monotonic clock. */
  readonly due: number;
  /** Set while a person has stopped the rotation to hold one board: the time at which the rotation continues. */
  readonly heldUntil: number | null;
  readonly turns: number;
  readonly skipped: number;
}

/** The page mounts the next board this number of milliseconds before it is shown. */
export const LEAD_MS = 4_000;
/** The rotation skips a board that is not ready this number of milliseconds after it was mounted. */
export const READY_TIMEOUT_MS = 5_000;
/** The rotation continues when a person has held a board for this number of milliseconds. */
export const HOLD_MS = 300_000;

export const IDLE: Rotation = {
  current: null,
  next: null,
  ready: false,
  asked: 0,
  due: 0,
  heldUntil: null,
  turns: 0,
  skipped: 0,
};

export function same(a: Step | null, b: Step | null): boolean {
  return a !== null && b !== null && a.board === b.board && a.page === b.page;
}

/** Returns the step that is `by` places after the step `from`; null when the playlist has no other step. */
function stepAfter(steps: readonly Step[], from: Step | null, by: number): Step | null {
  const at = steps.findIndex((step) => same(step, from));
  const n = steps.length;
  const found = steps[(((at + by) % n) + n) % n] ?? null;
  return same(found, from) ? null : found;
}

/** Returns the state of the rotation at a later time. */
export function tick(state: Rotation, steps: readonly Step[], now: number): Rotation {
  const first = steps[0];
  if (first === undefined) return state.current === null ? state : { ...IDLE, turns: state.turns };
  const current = steps.find((step) => same(step, state.current));
  // There is no current step, because the page has just started or the current step was removed from the playlist. Show the first step at
  // once and without a fade, so that the screen is never blank.
  if (current === undefined) return { ...state, current: first, next: null, ready: false, due: now + first.dwell_ms };
  let next = state.next;
  if (next !== null && !steps.some((step) => same(step, next))) next = null;
  const held = state.heldUntil !== null && now < state.heldUntil;
  let { due, heldUntil, ready, asked, skipped } = state;
  if (!held && heldUntil !== null) {
    heldUntil = null;
    due = Math.max(due, now + LEAD_MS);
  }
  if (next === null) {
    ready = false;
    if (!held && now >= due - LEAD_MS) {
      next = stepAfter(steps, current, 1);
      asked = now;
      // If there is only one step, it stays on the screen. The end of its time still counts as a change of board, because the page reloads
      // for a new build only when the board changes.
      if (next === null && now >= due)
        return { ...state, current, next, ready, due: now + current.dwell_ms, heldUntil };
    }
    return changed(state, { ...state, current, next, ready, asked, due, heldUntil });
  }
  if (ready && now >= due) {
    return {
      ...state,
      current: next,
      next: null,
      ready: false,
      due: now + next.dwell_ms,
      heldUntil: heldUntil === null ? null : now + HOLD_MS,
      turns: state.turns + 1,
    };
  }
  if (!ready && now - asked > READY_TIMEOUT_MS) {
    next = stepAfter(steps, next, 1);
    skipped += 1;
    asked = now;
    if (same(next, current) || next === null) {
      next = null;
      due = now + current.dwell_ms;
    }
  }
  return changed(state, { ...state, current, next, ready, asked, due, heldUntil, skipped });
}

function changed(before: Rotation, after: Rotation): Rotation {
  const keys = Object.keys(after) as (keyof Rotation)[];
  return keys.every((key) => before[key] === after[key]) ? before : after;
}

/** Returns the state after the next board has reported that it is ready to be shown. */
export function ready(state: Rotation, step: Step): Rotation {
  return same(state.next, step) && !state.ready ? { ...state, ready: true } : state;
}

/** Returns the state after a person has requested the previous or next step. The step is mounted now and shown as soon as it is ready. */
export function turn(state: Rotation, steps: readonly Step[], by: 1 | -1, now: number): Rotation {
  const next = stepAfter(steps, state.current, by);
  if (next === null) return state;
  const waiting = same(next, state.next);
  return { ...state, next, ready: waiting && state.ready, asked: waiting ? state.asked : now, due: now };
}

/** Returns the state after a person has held the board (stopped the rotation), or has ended the hold. */
export function hold(state: Rotation, now: number): Rotation {
  if (state.heldUntil !== null) return { ...state, heldUntil: null, due: now + LEAD_MS };
  return { ...state, next: null, ready: false, heldUntil: now + HOLD_MS };
}
