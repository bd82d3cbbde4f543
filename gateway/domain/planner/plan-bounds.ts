/** Takes values out of a plan that are longer than the fields of the objects. Each of them is a gap, so that one long cell of a table does not stop a setup. */
import { LONGEST_NAME, LONGEST_UNIT } from '#contract/base/names.ts';
import type { PlanGap, Proposal, SitePlan } from './plan-types.ts';

type Lists = Proposal & Pick<Partial<SitePlan>, 'crews'>;
type Resource = PlanGap['resource'];

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

const tooLong = (resource: Resource, field: string, value: string, most: number, from: readonly string[]): PlanGap => ({
  resource,
  code: 'value_too_long',
  message: `${field} has more than ${most} characters: ${value.slice(0, SHOWN)}…. It was left out.`,
  remedy: `Write it with at most ${most} characters, or enter it by hand.`,
  from: from.slice(0, 1),
});

/** Removes objects with a name that is too long, and other fields that are. */
function inLists(lists: Lists, gaps: PlanGap[]): Lists {
  return Object.fromEntries(
    (Object.keys(FIELDS) as (keyof Lists)[]).flatMap((list) => {
      const items = lists[list] as
        | readonly ({ readonly from: readonly string[] } & Record<string, unknown>)[]
        | undefined;
      if (items === undefined) return [];
      const [names, fields, resource] = FIELDS[list];
      const isLong = (item: (typeof items)[number], field: string): boolean => {
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
      return [[list, kept]];
    }),
  );
}

/** Returns the plan with values that the fields of the objects can have. */
export function inBounds(plan: SitePlan): SitePlan {
  const gaps: PlanGap[] = [];
  const lists = inLists(plan, gaps);
  const checked = plan.gaps.map((gap) =>
    gap.proposal === undefined ? gap : { ...gap, proposal: inLists(gap.proposal, gaps) },
  );
  return { ...plan, ...lists, gaps: [...checked, ...gaps] };
}
