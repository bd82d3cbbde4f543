/**
 * Keeps the order of the machines in trouble steady, so that nothing on a screen jumps. It is a pure state machine over time: `step` gets the
 * scores of all machines at a time and returns the next state.
 *
 *   grade act           enters at once                    needs nobody for 60 s -> leaves; until then it is `over`
 *   grade look          enters after 10 s                 (also for 60 s)
 *   a graver reason     a machine that gets grade `act`, or a graver reason of this grade, moves to its place at once
 *   two machines swap   if the lower one leads by 8 points, or by its grade, for 20 s; at most one such move in 15 s
 *
 * The first state of a new process (`startSteady`) depends only on the scores and on the times at which the reasons began.
 */
import type { Grade, Sentence } from '#contract/work/attention.ts';
import { compareScored, type Scored } from './score.ts';

/** A machine of grade `look` enters when its reasons have lasted this long. */
export const ENTER_MS = 10_000;
/** A machine leaves when it has needed nobody for this long. */
export const LEAVE_MS = 60_000;
/** A machine moves up if it has led by `LEAD` points for `LEAD_MS`. */
export const LEAD = 8;
export const LEAD_MS = 20_000;
/** The shortest time between two moves, except for a machine with a new reason to act now. */
export const MOVE_MS = 15_000;

/** A machine in trouble. */
interface Shown {
  readonly id: string;
  readonly grade: Grade;
  /** The base points of its gravest reason since it entered or last moved at once. */
  readonly base: number;
  /** Since when the machine needs nobody; null while it needs people. */
  readonly over_ms: number | null;
  /** The person who was on it last. */
  readonly owner: string | null;
  /** What its gravest reason said last, and since when. */
  readonly says: Sentence | null;
  readonly since_ms: number | null;
}

export interface Steady {
  /** The machines in trouble, the most urgent first. */
  readonly shown: readonly Shown[];
  /** Machines of grade `look` that have not entered yet, with the time since when. */
  readonly waiting: ReadonlyMap<string, number>;
  /** How long a lower machine has led an upper one. The key is both ids. */
  readonly leads: ReadonlyMap<string, number>;
  /** Time of the last move. */
  readonly moved_ms: number;
}

const EMPTY: Steady = { shown: [], waiting: new Map(), leads: new Map(), moved_ms: Number.NEGATIVE_INFINITY };

const inTrouble = ({ grade }: Scored) => grade === 'act' || grade === 'look';

const shownOf = ({ id, grade, parts, owner, reasons, since_ms }: Scored): Shown => ({
  id,
  grade: grade ?? 'note',
  base: parts.base,
  over_ms: null,
  owner,
  says: reasons[0]?.says ?? null,
  since_ms,
});

/** Returns the state after a start: the plain order. A reason that is older than the waiting time is shown at once. */
export function startSteady(scored: readonly Scored[], now_ms: number): Steady {
  const waiting = new Map<string, number>();
  const entered = scored.filter(inTroubleNow).toSorted(compareScored);
  return step({ ...EMPTY, shown: entered.map(shownOf), waiting }, scored, now_ms);

  function inTroubleNow(one: Scored): boolean {
    if (!inTrouble(one)) return false;
    if (one.grade === 'act' || (one.since_ms !== null && now_ms - one.since_ms >= ENTER_MS)) return true;
    waiting.set(one.id, Math.min(now_ms, one.since_ms ?? now_ms));
    return false;
  }
}

/** Puts a machine at its place in an order: before the first machine that it precedes. */
function placed(order: readonly Shown[], one: Shown, precedes: (other: Shown, at: number) => boolean): Shown[] {
  const found = order.findIndex(precedes);
  const at = found < 0 ? order.length : found;
  return [...order.slice(0, at), one, ...order.slice(at)];
}

/** Returns the next state. `scored` has all machines of the site. */
export function step(before: Steady, scored: readonly Scored[], now_ms: number): Steady {
  const byId = new Map(scored.map((one) => [one.id, one]));
  const score = ({ id }: Shown): Scored => byId.get(id) as Scored;
  let moved_ms = Math.min(before.moved_ms, now_ms);

  // Update the machines that are shown. Machines that no longer exist, and those that are over for long enough, leave.
  const rising: Shown[] = [];
  const newcomers: Shown[] = [];
  let shown: Shown[] = [];
  for (const old of before.shown) {
    const now = byId.get(old.id);
    if (now === undefined) continue;
    if (!inTrouble(now)) {
      const over_ms = Math.min(old.over_ms ?? now_ms, now_ms);
      if (now_ms - over_ms < LEAVE_MS) shown.push({ ...old, over_ms });
      continue;
    }
    const graver = now.grade === 'act' && (old.grade !== 'act' || now.parts.base > old.base);
    const next = { ...shownOf(now), base: graver ? now.parts.base : Math.min(old.base, now.parts.base) };
    if (graver) rising.push(next);
    shown.push(next);
  }

  // Machines enter: at once, or after the waiting time.
  const waiting = new Map<string, number>();
  const known = new Set(shown.map(({ id }) => id));
  const entering: Shown[] = [];
  for (const one of scored) {
    if (known.has(one.id) || !inTrouble(one)) continue;
    const since = Math.min(before.waiting.get(one.id) ?? now_ms, now_ms);
    if (one.grade === 'act') newcomers.push(shownOf(one));
    else if (now_ms - since >= ENTER_MS) entering.push(shownOf(one));
    else waiting.set(one.id, since);
  }
  const inOrder = (list: Shown[]) => list.sort((a, b) => compareScored(score(a), score(b)));
  for (const one of inOrder(entering))
    shown = placed(shown, one, (other, at) =>
      // A machine that enters does not take the first place from a machine of its grade, unless it leads clearly.
      at === 0 ? leads(score(one), other, score(other)) : compareScored(score(one), score(other)) < 0,
    );
  const precedes = (one: Shown) => (other: Shown) => compareScored(score(one), score(other)) < 0;
  // A machine that became graver moves up, and never down.
  for (const one of inOrder(rising)) {
    const from = shown.indexOf(one);
    const to = shown.findIndex(precedes(one));
    if (to < 0 || to >= from) continue;
    shown.splice(from, 1);
    shown.splice(to, 0, one);
  }
  for (const one of inOrder(newcomers)) shown = placed(shown, one, precedes(one));

  // A lower machine that has led for long enough moves up: only one, and not soon after another.
  const leading = new Map<string, number>();
  for (let low = 1; low < shown.length; low++)
    for (let high = 0; high < low; high++) {
      const [lower, upper] = [shown[low] as Shown, shown[high] as Shown];
      if (!leads(score(lower), upper, score(upper))) continue;
      const key = `${lower.id}\n${upper.id}`;
      leading.set(key, Math.min(before.leads.get(key) ?? now_ms, now_ms));
    }
  if (now_ms - moved_ms >= MOVE_MS) {
    const move = firstMove(shown, leading, now_ms);
    if (move !== null) {
      const [one] = shown.splice(move.from, 1) as [Shown];
      shown.splice(move.to, 0, one);
      moved_ms = now_ms;
    }
  }
  return { shown, waiting, leads: leading, moved_ms };
}

/** True if a machine leads one above it clearly enough to take its place. */
function leads(lower: Scored, upper: Shown, scored: Scored): boolean {
  if (!inTrouble(lower)) return false;
  if (upper.over_ms !== null) return true;
  return lower.grade === scored.grade ? lower.score - scored.score >= LEAD : compareScored(lower, scored) < 0;
}

/** Returns the first move that is due: the topmost place that a lower machine may take, with all places between. */
function firstMove(
  shown: readonly Shown[],
  leading: ReadonlyMap<string, number>,
  now_ms: number,
): { readonly from: number; readonly to: number } | null {
  for (let from = 1; from < shown.length; from++) {
    let to = from;
    while (to > 0) {
      const since = leading.get(`${shown[from]?.id}\n${shown[to - 1]?.id}`);
      if (since === undefined || now_ms - since < LEAD_MS) break;
      to--;
    }
    if (to < from) return { from, to };
  }
  return null;
}
