/** Says of each object of a plan where its words stand in the files of the setup. */
import type { TextPlace } from '#contract/site/setup.ts';
import type { PlanGap, Proposal, SitePlan } from '#domain/planner/plan-types.ts';

type Cited = { readonly from: readonly string[] };

/** Adds `at` to the objects whose words stand in a file. Words that the text has twice stand where they are first. */
export function withPlaces(plan: SitePlan, text: string, places: readonly TextPlace[]): SitePlan {
  if (places.length === 0) return plan;
  const placed = <T extends Cited>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, at: placeOf(item.from, text, places) }));
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
    gaps,
  };
}

function placeOf(from: readonly string[], text: string, places: readonly TextPlace[]): string | null {
  const [words = ''] = from;
  const found = words === '' ? -1 : text.indexOf(words);
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? 0) <= found) low = middle + 1;
    else high = middle;
  }
  return places[low - 1]?.at ?? null;
}
