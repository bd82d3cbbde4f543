/** Says of each object of a plan where its words stand in the files of the setup. */
import { type TextPlaces, wordsAt } from '#contract/site/setup.ts';
import type { PlanGap, Proposal, SitePlan } from '#domain/planner/plan-types.ts';

type Cited = { readonly from: readonly string[] };

/** The first of lines with successive numbers. */
interface Run {
  readonly at: string;
  readonly start: number;
  readonly n: number;
}

/**
 * Adds `at` to the objects whose words stand in a file. Words that the text has twice stand where they are a whole line, or else
 * where they are first.
 */
export function withPlaces(plan: SitePlan, text: string, places: readonly TextPlaces[]): SitePlan {
  if (places.length === 0) return plan;
  const placeOf = placesIn(text, places);
  const placed = <T extends Cited>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, at: placeOf(item.from) }));
  const proposed = (proposal: Proposal): Proposal =>
    Object.fromEntries(Object.entries(proposal).map(([list, items]) => [list, placed(items as readonly Cited[])]));
  const gaps = placed(plan.gaps).map(
    ({ proposal, ...gap }): PlanGap => (proposal === undefined ? gap : { ...gap, proposal: proposed(proposal) }),
  );
  return {
    ...plan,
    equipment: placed(plan.equipment),
    locations: placed(plan.locations),
    shifts: placed(plan.shifts),
    crews: placed(plan.crews),
    operators: placed(plan.operators),
    mechanics: placed(plan.mechanics),
    boards: placed(plan.boards),
    facts: placed(plan.facts),
    gaps,
  };
}

/** Returns a function that says where words of the text stand in a file; null if they stand in the description. */
export function placesIn(text: string, places: readonly TextPlaces[]): (from: readonly string[]) => string | null {
  const runs: Run[] = places.flatMap(({ at, runs: pairs }) =>
    pairs.flatMap((start, i) => (i % 2 === 0 ? { at, start, n: pairs[i + 1] ?? 0 } : [])),
  );
  const lines: number[] = [];
  /** The first position of each line: most objects of a table cite a whole line. */
  const first = new Map<string, number>();
  let start = 0;
  for (const line of text.split('\n')) {
    lines.push(start);
    if (!first.has(line)) first.set(line, start);
    start += line.length + 1;
  }
  return ([words = '']) => {
    const found = (words === '' ? undefined : first.get(words)) ?? wordsAt(text, words);
    const run = runs[countUpTo(runs.length, (i) => (runs[i]?.start ?? 0) <= found) - 1];
    if (run === undefined) return null;
    const lineOf = (position: number) => countUpTo(lines.length, (i) => (lines[i] ?? 0) <= position);
    return `${run.at} ${run.n + lineOf(found) - lineOf(run.start)}`;
  };
}

/** The number of the first entries for which `holds` is true; it is false for all entries behind them. */
function countUpTo(length: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
