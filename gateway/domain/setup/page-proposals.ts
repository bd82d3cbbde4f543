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
  ['boards', 'boards', 'unconfirmed_boards'],
] as const satisfies readonly (readonly [keyof Proposal, PlanGap['resource'], GapCode])[];

type Named = { readonly name?: string; readonly unit_number?: string; readonly place?: string | null };
const nameOf = ({ unit_number, name, place }: Named): string => foldText(unit_number ?? name ?? place ?? '');

/** True if the planner reads nothing in the page, and proposes nothing. */
export const saysNothing = (page: SitePlan): boolean =>
  page.failure !== null ||
  (LISTS.every(([list]) => page[list].length === 0) && page.crews.length + page.gaps.length === 0);

/** Returns the plan with what the plan of a page has besides, as proposals, and with the gaps of the page. */
export function withPage(plan: SitePlan, page: SitePlan, url: string): SitePlan {
  const gaps = LISTS.flatMap(([list, resource, code]): PlanGap[] => {
    const known = knownIn(plan, list);
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
  const crews = page.crews.filter(({ name }) => !plan.crews.some((one) => foldText(one.name) === foldText(name)));
  if (crews.length > 0)
    gaps.push({
      resource: 'people',
      code: 'missing_roster',
      message: `The page ${url} names crews: ${crews.map(({ name }) => name).join(', ')}.`,
      remedy: 'If they work on the site, write their names and their people into the description.',
      from: crews[0]?.from ?? [],
      at: crews[0]?.at ?? null,
    });
  return { ...plan, gaps: [...plan.gaps, ...gaps, ...doubted(plan, page, url)] };
}

const knownIn = (plan: SitePlan, list: keyof Proposal): Set<string> =>
  new Set((plan[list] as readonly Named[]).map(nameOf));

/** What the planner doubts in the page: its gaps, without the objects that the description has. */
function doubted(plan: SitePlan, page: SitePlan, url: string): PlanGap[] {
  return page.gaps.flatMap(({ proposal, message, ...gap }): PlanGap[] => {
    const told = `The page ${url}: ${message}`;
    if (proposal === undefined) return [{ ...gap, message: told }];
    const left = Object.entries(proposal).flatMap(([list, items]) => {
      const known = knownIn(plan, list as keyof Proposal);
      const kept = (items as readonly Named[]).filter((one) => !known.has(nameOf(one)));
      return kept.length === 0 ? [] : [[list, kept]];
    });
    return left.length === 0 ? [] : [{ ...gap, message: told, proposal: Object.fromEntries(left) as Proposal }];
  });
}
