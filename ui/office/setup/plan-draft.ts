/**
 * The plan while a person corrects it. Each object has a key that never changes. Objects name each other by this key, so a reference stays
 * right when a person renames its object. `plan-sent.ts` puts the names in when the plan is sent.
 */
import { foldText } from '#contract/base/names.ts';
import type { PlanRead } from '#contract/site/setup-plan.ts';
import type { Word } from '#ui/languages/texts.ts';

type Gap = PlanRead['gaps'][number];
/** The words from which something was read, and where they stand in a file. */
export type Cited = Pick<Gap, 'from' | 'at'>;

/** What an object names: an object of the draft by its key, or a name for which the draft has no object. */
export type Ref = { readonly key: string } | { readonly text: string } | null;

/** An object of the draft: its references are keys, and it has a key itself. */
type Draft<T, Refs extends keyof T = never> = Readonly<Omit<T, Refs>> & { readonly [K in Refs]: Ref } & {
  readonly key: string;
};
interface Rows {
  equipment: Draft<PlanRead['equipment'][number], 'location'>;
  locations: Draft<PlanRead['locations'][number], 'parent'>;
  operators: Draft<PlanRead['operators'][number], 'machine'>;
  mechanics: Draft<PlanRead['mechanics'][number]>;
  shifts: Draft<PlanRead['shifts'][number]>;
  boards: Draft<PlanRead['boards'][number], 'place'>;
  facts: Draft<PlanRead['facts'][number], 'unit_number'>;
}
export type ListName = keyof Rows;
export type Row<L extends ListName = ListName> = Rows[L];
export type DraftLists = { readonly [L in ListName]: readonly Row<L>[] };

/** The lists of a plan in the order of the page, with their titles. */
export const LISTS = [
  ['equipment', 'Machines'],
  ['locations', 'Places'],
  ['operators', 'Operators'],
  ['mechanics', 'Mechanics'],
  ['shifts', 'Shifts'],
  ['boards', 'Screens'],
  ['facts', 'To remember'],
] as const satisfies readonly (readonly [ListName, Word])[];

/** Objects that stand together: those of which the planner is certain, or those of one proposal with the reason why it is not certain. */
export interface DraftGroup {
  readonly key: string;
  readonly gap: Gap | null;
  readonly lists: DraftLists;
}

export interface DraftPlan {
  readonly read: PlanRead;
  /** The first group is what the planner is certain of and what a person added. The others are proposals. */
  readonly groups: readonly [DraftGroup, ...DraftGroup[]];
  readonly crews: readonly Draft<PlanRead['crews'][number], 'shift'>[];
  /** Gaps that a person can only fill by hand or in the text. */
  readonly gaps: readonly Gap[];
  /** Keys of the objects that are not made: objects that are left out, and proposed objects that nobody has ticked. */
  readonly off: ReadonlySet<string>;
  /** The number of objects that a person added. */
  readonly added: number;
}

/** The key of the group of what the planner is certain of. */
const CERTAIN = 'plan';

/** The names of the objects of a list, and the key of the first object with each name. */
const keysByName = (rows: readonly { readonly key: string }[], nameOf: (i: number) => string): Map<string, string> => {
  const keys = new Map<string, string>();
  for (const [i, { key }] of rows.entries()) {
    const name = foldText(nameOf(i));
    if (!keys.has(name)) keys.set(name, key);
  }
  return keys;
};

type Read = Pick<PlanRead, ListName>;
const NOTHING: Read = {
  ...{ equipment: [], locations: [], operators: [], mechanics: [] },
  ...{ shifts: [], boards: [], facts: [] },
};
const keyed = <T>(group: string, list: string, items: readonly T[]): (T & { readonly key: string })[] =>
  items.map((item, i) => ({ ...item, key: `${group}-${list}-${i}` }));

/** Starts the correction of a plan. */
export function draftOf(read: PlanRead): DraftPlan {
  const proposed = read.gaps.flatMap((gap, i) => {
    const { proposal } = gap;
    return proposal === null ? [] : [{ key: `p${i}`, gap, lists: { ...NOTHING, ...proposal } as Read }];
  });
  const groups = [{ key: CERTAIN, gap: null, lists: read as Read }, ...proposed].map(({ key, gap, lists }) => {
    const machines = keyed(key, 'equipment', lists.equipment);
    const places = keyed(key, 'locations', lists.locations);
    const shifts = keyed(key, 'shifts', lists.shifts);
    return {
      ...{ key, gap, lists, machines, places, shifts },
      units: keysByName(machines, (i) => machines[i]?.unit_number ?? ''),
      placeNames: keysByName(places, (i) => places[i]?.name ?? ''),
      shiftNames: keysByName(shifts, (i) => shifts[i]?.name ?? ''),
    };
  });
  /** Finds a name in the own group first, then in what is certain, then in the proposals. */
  const refOf = (
    own: (typeof groups)[number],
    names: 'units' | 'placeNames' | 'shiftNames',
    name: string | null,
  ): Ref => {
    if (name === null || name.trim() === '') return null;
    const folded = foldText(name);
    const holder = [own, ...groups].find((one) => one[names].has(folded));
    const key = holder?.[names].get(folded);
    return key === undefined ? { text: name } : { key };
  };
  const drafted = groups.map((group): DraftGroup => {
    const { key, gap, lists, machines, places, shifts } = group;
    return {
      key,
      gap,
      lists: {
        equipment: machines.map((one) => ({ ...one, location: refOf(group, 'placeNames', one.location) })),
        locations: places.map((one) => ({ ...one, parent: refOf(group, 'placeNames', one.parent) })),
        operators: keyed(key, 'operators', lists.operators).map((one) => ({
          ...one,
          machine: refOf(group, 'units', one.machine),
        })),
        mechanics: keyed(key, 'mechanics', lists.mechanics),
        shifts,
        boards: keyed(key, 'boards', lists.boards).map((one) => ({
          ...one,
          place: refOf(group, 'placeNames', one.place),
        })),
        facts: keyed(key, 'facts', lists.facts).map((one) => ({
          ...one,
          unit_number: refOf(group, 'units', one.unit_number),
        })),
      },
    };
  });
  const [certain, ...proposals] = drafted as [DraftGroup, ...DraftGroup[]];
  const [first] = groups as [(typeof groups)[number]];
  return {
    read,
    groups: [certain, ...proposals],
    crews: keyed(CERTAIN, 'crews', read.crews).map((one) => ({ ...one, shift: refOf(first, 'shiftNames', one.shift) })),
    gaps: read.gaps.filter(({ proposal }) => proposal === null),
    off: new Set(proposals.flatMap(keysOf)),
    added: 0,
  };
}

/** All objects of a group. */
const rowsOf = ({ lists }: DraftGroup): Row[] => LISTS.flatMap(([list]): readonly Row[] => lists[list]);

/** The keys of all objects of a group. */
export const keysOf = (group: DraftGroup): string[] => rowsOf(group).map(({ key }) => key);

/** All objects of a list that are made, with those of ticked proposals. */
export const madeOf = <L extends ListName>({ groups, off }: DraftPlan, list: L): Row<L>[] =>
  groups.flatMap(({ lists }): readonly Row<L>[] => lists[list]).filter(({ key }) => !off.has(key));

/** Returns the draft after a person ticked objects, or left them out. */
export function withTicks(draft: DraftPlan, keys: readonly string[], isMade: boolean): DraftPlan {
  const off = new Set(draft.off);
  for (const key of keys) {
    if (isMade) off.delete(key);
    else off.add(key);
  }
  return { ...draft, off };
}

/** Returns the draft after a person changed fields of an object. Who changes an object wants it, so it is ticked. */
export function withChanges<L extends ListName>(
  draft: DraftPlan,
  list: L,
  key: string,
  changes: Partial<Row<L>>,
): DraftPlan {
  const groups = draft.groups.map((group): DraftGroup => {
    const rows: readonly Row<L>[] = group.lists[list];
    if (!rows.some((one) => one.key === key)) return group;
    const changed = rows.map((one) => (one.key === key ? { ...one, ...changes } : one));
    return { ...group, lists: { ...group.lists, [list]: changed } };
  });
  const { off } = draft.off.has(key) ? withTicks(draft, [key], true) : draft;
  return { ...draft, off, groups: groups as [DraftGroup, ...DraftGroup[]] };
}

const cited = { from: [], at: null };
const person = { name: '', crew: null, badge_id: null, employee_number: null, ...cited };
/** The objects that a person adds, before the person has filled them in. */
const EMPTY: { readonly [L in ListName]: Omit<Row<L>, 'key'> } = {
  equipment: {
    ...{ unit_number: '', generated: false, kind: 'other', location: null, ...cited },
    ...{ oem_name: null, model: null, year: null, serial_number: null },
  },
  locations: { name: '', kind: 'zone', parent: null, ...cited },
  operators: { ...person, machine: null },
  mechanics: person,
  shifts: { name: '', starts: '', ends: '', days: null, ...cited },
  boards: { place: null, shows: [], ...cited },
  facts: { fact: '', unit_number: null, ...cited },
};

/** Returns the draft with one more object in a list, and the key of the object. */
export function withAdded(draft: DraftPlan, list: ListName): { readonly draft: DraftPlan; readonly key: string } {
  const [certain, ...proposals] = draft.groups;
  const key = `own-${list}-${draft.added}`;
  const lists: DraftLists = { ...certain.lists, [list]: [...certain.lists[list], { ...EMPTY[list], key }] };
  return { draft: { ...draft, added: draft.added + 1, groups: [{ ...certain, lists }, ...proposals] }, key };
}

/** The number of objects that the plan makes. */
export const countOf = ({ groups, off }: DraftPlan): number =>
  groups.reduce((sum, { lists }) => LISTS.reduce((all, [list]) => all + lists[list].length, sum), 0) - off.size;

/** The number of proposed objects that nobody has confirmed. */
export const openIn = ({ groups: [, ...proposals], off }: DraftPlan): number =>
  proposals.flatMap(keysOf).filter((key) => off.has(key)).length;
