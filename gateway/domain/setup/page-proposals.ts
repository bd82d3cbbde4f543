/**
 * What a web page says of a site. A page may speak of other sites, of the past, or to the program. So a setup makes nothing that only a page
 * says: it proposes it, and a person confirms it.
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
/** A number that the planner made may be that of another machine. */
const isNumberMade = (one: object): boolean => 'generated' in one && one.generated === true;
const WRITE_NUMBERS = 'If they are on the site, write their number or their unit numbers into the description.';

/** True if the planner reads nothing in the page, and proposes nothing. */
export const saysNothing = (page: SitePlan): boolean =>
  page.failure !== null ||
  (LISTS.every(([list]) => page[list].length === 0) && page.crews.length + page.gaps.length === 0);

/** Returns the plan with what the plan of a page has besides, as proposals, and with the gaps of the page. */
export function withPage(plan: SitePlan, page: SitePlan, url: string): SitePlan {
  const known: Known = new Map(LISTS.map(([list]) => [list, new Set((plan[list] as readonly Named[]).map(nameOf))]));
  const gaps = LISTS.flatMap(([list, resource, code]): PlanGap[] => {
    const found = page[list].filter((one) => known.get(list)?.has(nameOf(one)) !== true && !isNumberMade(one));
    if (found.length === 0) return [];
    const message = `The page ${url} says this. It may not be up to date, or speak of another site.`;
    const remedy = 'If it is on the site, confirm it on the setup page, or make it: `proposal` has the fields.';
    const [first] = found;
    const at = first?.at ?? null;
    return [{ resource, code, message, remedy, from: first?.from ?? [], at, proposal: { [list]: found } }];
  });
  const counted = page.equipment.filter(isNumberMade);
  if (counted.length > 0)
    gaps.push({
      resource: 'equipment',
      code: 'missing_inventory',
      message: `The page ${url} speaks of ${counted.length} machines without numbers.`,
      remedy: WRITE_NUMBERS,
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
  return { ...plan, gaps: [...plan.gaps, ...gaps, ...doubted(known, page, url)] };
}

/** The names of the objects of the description, for each list. */
type Known = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What the planner doubts in the page: its gaps, without the objects that the description has. Machines with numbers that the planner made
 * are told, and not proposed.
 */
function doubted(known: Known, page: SitePlan, url: string): PlanGap[] {
  return page.gaps.flatMap(({ proposal, message, ...gap }): PlanGap[] => {
    const told = { ...gap, message: `The page ${url}: ${message}` };
    if (proposal === undefined) return [told];
    const left = Object.entries(proposal).flatMap(([list, items]) => {
      const kept = (items as readonly Named[]).filter(
        (one) => known.get(list)?.has(nameOf(one)) !== true && !isNumberMade(one),
      );
      return kept.length === 0 ? [] : [[list, kept]];
    });
    if (left.length > 0) return [{ ...told, proposal: Object.fromEntries(left) as Proposal }];
    return proposal.equipment?.some(isNumberMade) === true ? [{ ...told, remedy: WRITE_NUMBERS }] : [];
  });
}
