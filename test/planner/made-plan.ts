/** The plans that the scorer compares: what is made at once, and what is made if a person ticks every proposal. */
import { planSite } from '#domain/planner/plan.ts';
import { OBJECT_KINDS, Plan } from './format.ts';

/** The descriptions expect no place of a board ([PL10] has its own test). */
const withoutPlaces = (plan: Plan): Plan => ({
  ...plan,
  boards: plan.boards.map((board) => ({ ...board, place: null })),
});

/** What the planner makes at once. */
export const certainPlan = (text: string): Plan => withoutPlaces(Plan.parse(planSite(text)));

/** What the planner makes if a person ticks every proposal. */
export function tickedPlan(text: string): Plan {
  const plan = planSite(text);
  const lists = OBJECT_KINDS.filter((kind) => kind !== 'crews');
  const more = Object.fromEntries(
    lists.map((kind) => [
      kind,
      [...plan[kind], ...plan.gaps.flatMap(({ proposal }): readonly object[] => proposal?.[kind] ?? [])],
    ]),
  );
  return withoutPlaces(Plan.parse({ ...plan, ...more }));
}
