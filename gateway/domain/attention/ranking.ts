/** The ranking of the machines of a site: the one order that every screen, list and answer uses. */
import type { TileAttention } from '#contract/site/trouble.ts';
import type { Scored } from './score.ts';
import { type Steady, startSteady, step } from './steady.ts';

/** The score of a machine, and its place among the machines in trouble. */
export interface Ranked extends Scored, Pick<TileAttention, 'place' | 'over'> {}

export interface Ranking {
  readonly steady: Steady;
  /** Number of machines in trouble. */
  readonly in_trouble: number;
  readonly machines: ReadonlyMap<string, Ranked>;
}

/** Ranks the machines of a site. `before` is the ranking of an earlier moment; undefined at the start. */
export function rank(before: Ranking | undefined, scored: readonly Scored[], now_ms: number): Ranking {
  const steady = before === undefined ? startSteady(scored, now_ms) : step(before.steady, scored, now_ms);
  const places = new Map(steady.shown.map((shown, i) => [shown.id, { shown, place: i + 1 }]));
  const machines = scored.map((one): [string, Ranked] => {
    const found = places.get(one.id);
    if (found === undefined) return [one.id, { ...one, place: null }];
    const { over_ms, owner } = found.shown;
    const over = over_ms === null ? {} : { over: { at_ms: over_ms, owner } };
    return [one.id, { ...one, place: found.place, ...over }];
  });
  const in_trouble = steady.shown.filter(({ over_ms }) => over_ms === null).length;
  return { steady, in_trouble, machines: new Map(machines) };
}
