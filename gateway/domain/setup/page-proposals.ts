/**
 * What a web page says of a site. A page may speak of other sites, of the past, or to the program. So nothing of it is made: a person
 * confirms what is on the site.
 */
import { foldText } from '#contract/base/names.ts';
import type { GapCode, PlanGap, Proposal, SitePlan } from '#domain/planner/plan-types.ts';

const LISTS = [
  ['equipment', 'equipment', 'unconfirmed_machines'],
  ['locations', 'locations', 'unconfirmed_places'],
  ['operators', 'people', 'unconfirmed_people'],
  ['mechanics', 'people', 'unconfirmed_people'],
  ['shifts', 'shifts', 'unconfirmed_shifts'],
] as const satisfies readonly (readonly [keyof Proposal, PlanGap['resource'], GapCode])[];

const nameOf = (one: { readonly name?: string; readonly unit_number?: string }): string =>
  foldText(one.unit_number ?? one.name ?? '');

/** Returns the plan with what the plan of a page has besides, as proposals. */
export function withPage(plan: SitePlan, page: SitePlan, url: string): SitePlan {
  const gaps = LISTS.flatMap(([list, resource, code]): PlanGap[] => {
    const known = new Set((plan[list] as readonly { name?: string; unit_number?: string }[]).map(nameOf));
    // A number that the planner made may be that of another machine.
    const found = page[list].filter((one) => !known.has(nameOf(one)) && !('generated' in one && one.generated));
    if (found.length === 0) return [];
    const message = `The page ${url} says this. It may not be up to date, or speak of another site.`;
    const remedy = 'If it is on the site, confirm it on the setup page, or make it: `proposal` has the fields.';
    const [first] = found;
    const at = first?.at ?? null;
    return [{ resource, code, message, remedy, from: first?.from ?? [], at, proposal: { [list]: found } }];
  });
  const counted = page.equipment.filter(({ generated }) => generated);
  if (counted.length > 0)
    gaps.push({
      resource: 'equipment',
      code: 'missing_inventory',
      message: `The page ${url} speaks of ${counted.length} machines without numbers.`,
      remedy: 'If they are on the site, write their number or their unit numbers into the description.',
      from: counted[0]?.from ?? [],
    });
  return { ...plan, gaps: [...plan.gaps, ...gaps] };
}
