/**
 * Takes values out of a plan that are longer than the fields of the objects, and objects and citations beyond the limits of the lists. What
 * is taken out is a gap, so that one long cell or one long table does not stop a setup.
 */
import { LONGEST_NAME, LONGEST_UNIT, PLAN_LIMITS } from '#contract/base/names.ts';
import type { PlanGap, Proposal, SitePlan } from './plan-types.ts';

type Lists = Proposal & Pick<Partial<SitePlan>, 'crews'>;
type Resource = PlanGap['resource'];
type Item = { readonly from: readonly string[] } & Record<string, unknown>;

/** A plan lists at most this many sentences that were not read. */
export const MOST_UNREAD = 100;

/** The names that objects must have, and the fields that may be empty. */
const FIELDS = {
  equipment: [['unit_number'], ['oem_name', 'model', 'serial_number', 'location'], 'equipment'],
  locations: [['name'], ['parent'], 'locations'],
  shifts: [['name'], [], 'shifts'],
  crews: [['name'], ['shift'], 'people'],
  operators: [['name'], ['crew', 'badge_id', 'employee_number', 'machine'], 'people'],
  mechanics: [['name'], ['crew', 'badge_id', 'employee_number'], 'people'],
  boards: [[], ['place'], 'boards'],
} as const satisfies Record<keyof Lists, readonly [readonly string[], readonly string[], Resource]>;

const SHOWN = 40;
const MOST_NAMED = 6;

const tooLong = (resource: Resource, field: string, value: string, most: number, from: readonly string[]): PlanGap => ({
  resource,
  code: 'value_too_long',
  message: `${field} has more than ${most} characters: ${value.slice(0, SHOWN)}…. It was left out.`,
  remedy: `Write it with at most ${most} characters, or enter it by hand.`,
  from: from.slice(0, 1),
});

const nameOf = (item: Item): string => String(item.unit_number ?? item.name ?? item.place ?? '').slice(0, SHOWN);

const listTooLong = (list: keyof Lists, resource: Resource, left: readonly Item[]): PlanGap => ({
  resource,
  code: 'list_too_long',
  message: `The text has ${PLAN_LIMITS[list] + left.length} ${list}. A plan has at most ${PLAN_LIMITS[list]}, so the last ${left.length} were left out, from "${nameOf(left[0] as Item)}" to "${nameOf(left.at(-1) as Item)}".`,
  remedy: 'Set up the site in several steps, with a part of the text in each.',
  from: left.flatMap(({ from }) => from.slice(0, 1)).slice(0, PLAN_LIMITS.from),
});

/** Removes objects with a name that is too long, other fields that are, and objects beyond the limit of their list. */
function inLists(lists: Lists, gaps: PlanGap[]): Lists {
  return Object.fromEntries(
    (Object.keys(FIELDS) as (keyof Lists)[]).flatMap((list) => {
      const items = lists[list] as readonly Item[] | undefined;
      if (items === undefined) return [];
      const [names, fields, resource] = FIELDS[list];
      const isLong = (item: Item, field: string): boolean => {
        const most = field === 'unit_number' ? LONGEST_UNIT : LONGEST_NAME;
        const value = item[field];
        if (typeof value !== 'string' || value.length <= most) return false;
        gaps.push(tooLong(resource, field, value, most, item.from));
        return true;
      };
      const kept = items.flatMap((item) => {
        if (names.some((field) => isLong(item, field))) return [];
        const long = fields.filter((field) => isLong(item, field));
        return [long.length === 0 ? item : { ...item, ...Object.fromEntries(long.map((field) => [field, null])) }];
      });
      const left = kept.slice(PLAN_LIMITS[list]);
      if (left.length > 0) gaps.push(listTooLong(list, resource, left));
      return [[list, kept.slice(0, PLAN_LIMITS[list])]];
    }),
  );
}

/** Keeps the first citations of each object. One gap says which objects the text names more often. */
function withCitations(plan: SitePlan): SitePlan {
  const cut: { readonly resource: Resource; readonly name: string; readonly count: number }[] = [];
  const inList = (list: keyof Lists, items: readonly Item[]): readonly Item[] =>
    items.map((item) => {
      if (item.from.length <= PLAN_LIMITS.from) return item;
      cut.push({ resource: FIELDS[list][2], name: nameOf(item), count: item.from.length });
      return { ...item, from: item.from.slice(0, PLAN_LIMITS.from) };
    });
  const lists = (given: Lists): Lists =>
    Object.fromEntries(
      (Object.keys(FIELDS) as (keyof Lists)[]).flatMap((list) => {
        const items = given[list] as readonly Item[] | undefined;
        return items === undefined ? [] : [[list, inList(list, items)]];
      }),
    );
  const gaps = plan.gaps.map((gap): PlanGap => {
    const { from, proposal, message } = gap;
    const cited =
      from.length <= PLAN_LIMITS.from
        ? gap
        : {
            ...gap,
            from: from.slice(0, PLAN_LIMITS.from),
            message: `${message} The first ${PLAN_LIMITS.from} of ${from.length} places of the text are cited.`,
          };
    return proposal === undefined ? cited : { ...cited, proposal: lists(proposal) };
  });
  const kept = lists(plan);
  const [one] = cut;
  if (one === undefined) return { ...plan, ...kept, gaps };
  const names = cut.slice(0, MOST_NAMED).map(({ name, count }) => `${name} (${count})`);
  const more = cut.length > MOST_NAMED ? ` and ${cut.length - MOST_NAMED} more` : '';
  gaps.push({
    resource: one.resource,
    code: 'citations_cut',
    message: `The plan cites only the first ${PLAN_LIMITS.from} places of the text for: ${names.join(', ')}${more}. They are planned completely.`,
    remedy: 'Nothing. The other places are in the text.',
    from: [],
  });
  return { ...plan, ...kept, gaps };
}

/** Returns the plan with values and lists that the fields of the objects and the plan can have. */
export function inBounds(plan: SitePlan): SitePlan {
  const gaps: PlanGap[] = [];
  const lists = inLists(plan, gaps);
  const checked = plan.gaps.map((gap) =>
    gap.proposal === undefined ? gap : { ...gap, proposal: inLists(gap.proposal, gaps) },
  );
  return withCitations({ ...plan, ...lists, gaps: [...checked, ...gaps] });
}

/** The gap for sentences that the list of the plan has no room for. */
export function tooManyUnread(unread: readonly string[]): PlanGap[] {
  const left = unread.slice(MOST_UNREAD);
  if (left.length === 0) return [];
  return [
    {
      resource: 'equipment',
      code: 'list_too_long',
      message: `Nothing was read of ${unread.length} sentences or rows. The last ${left.length} are not listed.`,
      remedy: 'Compare the plan with the text, and add what is missing.',
      from: left.slice(0, PLAN_LIMITS.from),
    },
  ];
}
