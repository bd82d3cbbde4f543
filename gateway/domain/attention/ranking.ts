/** The ranking of the machines of a site: the one order that every screen, list and answer uses. */
import type { Calm, TileAttention } from '#contract/site/trouble.ts';
import type { Scored } from './score.ts';
import { type Steady, startSteady, step } from './steady.ts';

/** The score of a machine, and its place among the machines in trouble. */
export interface Ranked extends Scored, Pick<TileAttention, 'place' | 'over'> {}

export interface Ranking {
  readonly steady: Steady;
  /** Number of machines in trouble. */
  readonly in_trouble: number;
  /** What ended last, and since when no machine is in trouble. Its start has a meaning only while `steady` shows no machine. */
  readonly calm: Calm;
  readonly machines: ReadonlyMap<string, Ranked>;
}

/** Ranks the machines of a site. `before` is the ranking of an earlier moment; undefined at the start. */
export function rank(before: Ranking | undefined, scored: readonly Scored[], now_ms: number): Ranking {
  const steady = before === undefined ? startSteady(scored, now_ms) : step(before.steady, scored, now_ms);
  const places = new Map(steady.shown.map((shown, i) => [shown.id, { shown, place: i + 1 }]));
  const machines = scored.map((one): [string, Ranked] => {
    const found = places.get(one.id);
    if (found === undefined) return [one.id, { ...one, place: null }];
    const { over_ms, owner, says } = found.shown;
    const over = over_ms === null ? {} : { over: { at_ms: over_ms, owner, ...(says !== null && { says }) } };
    return [one.id, { ...one, place: found.place, ...over }];
  });
  const in_trouble = steady.shown.filter(({ over_ms }) => over_ms === null).length;
  return { steady, in_trouble, calm: calmOf(before, steady, scored, now_ms), machines: new Map(machines) };
}

/** Returns what ended last. A machine that was deleted leaves without an end. */
function calmOf(before: Ranking | undefined, steady: Steady, scored: readonly Scored[], now_ms: number): Calm {
  if (before === undefined) return { since_ms: now_ms };
  const still = new Set(steady.shown.map(({ id }) => id));
  const units = new Map(scored.map(({ id, unit_number }) => [id, unit_number]));
  const left = before.steady.shown.filter(({ id }) => !still.has(id));
  let { since_ms, last } = before.calm;
  for (const { id, over_ms, says, since_ms: began_ms, owner } of left) {
    const unit_number = units.get(id);
    since_ms = Math.max(since_ms, over_ms ?? now_ms);
    if (over_ms === null || says === null || unit_number === undefined || over_ms < (last?.over_ms ?? 0)) continue;
    last = { unit_number, says, over_ms, took_ms: began_ms === null ? null : over_ms - began_ms, owner };
  }
  return left.length === 0 ? before.calm : { since_ms, ...(last !== undefined && { last }) };
}
