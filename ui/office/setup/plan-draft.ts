/** The plan while a person corrects it: each object has a key and may be left out, and a slot waits for its numbers. */
import type { PlanRead, SetupPlan } from '#contract/site/setup-plan.ts';

type Machine = PlanRead['equipment'][number];
type Gap = PlanRead['gaps'][number];

export interface DraftMachine extends Machine {
  readonly key: string;
}

/** Machines that the text may mean. `numbers` is what a person typed: the unit numbers, divided by commas. */
export interface DraftSlot {
  readonly key: string;
  readonly gap: Gap;
  readonly slot: NonNullable<Gap['slot']>;
  readonly numbers: string;
}

export interface DraftPlan {
  readonly read: PlanRead;
  readonly machines: readonly DraftMachine[];
  readonly slots: readonly DraftSlot[];
  /** Gaps that a person can only fill by hand or in the text. */
  readonly gaps: readonly Gap[];
  /** Keys of objects other than machines that are left out: `locations 2`. */
  readonly out: ReadonlySet<string>;
}

/** The lists of a plan other than its machines, with their titles. */
export const OTHER_LISTS = [
  ['locations', 'Places'],
  ['operators', 'Operators'],
  ['mechanics', 'Mechanics'],
  ['shifts', 'Shifts'],
  ['boards', 'Screens'],
] as const;
export type OtherList = (typeof OTHER_LISTS)[number][0];

/** Starts the correction of a plan. */
export function draftOf(read: PlanRead): DraftPlan {
  return {
    read,
    machines: read.equipment.map((machine, i) => ({ ...machine, key: `m${i}` })),
    slots: read.gaps.flatMap((gap, i) =>
      gap.slot === null ? [] : [{ key: `s${i}`, gap, slot: gap.slot, numbers: '' }],
    ),
    gaps: read.gaps.filter(({ slot }) => slot === null),
    out: new Set(),
  };
}

export const keyOf = (list: OtherList, i: number): string => `${list} ${i}`;

/** Returns the unit numbers that a person typed into a slot. */
const numbersOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,;\n]+/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
];

/** Returns the plan with the corrections, as it is sent. */
export function planOf({ read, machines, slots, out }: DraftPlan): SetupPlan {
  const kept = <T>(list: OtherList, items: readonly T[]): T[] => items.filter((_, i) => !out.has(keyOf(list, i)));
  const filled = slots.flatMap(({ slot, gap, numbers }) =>
    numbersOf(numbers).map((unit_number) => ({
      ...{ unit_number, generated: false, kind: slot.kind, oem_name: slot.oem_name, model: slot.model },
      ...{ year: null, serial_number: null, location: null, from: gap.from },
    })),
  );
  return {
    language: read.language,
    equipment: [...machines.map(({ key: _, ...machine }) => machine), ...filled],
    crews: read.crews,
    locations: kept('locations', read.locations),
    operators: kept('operators', read.operators),
    mechanics: kept('mechanics', read.mechanics),
    shifts: kept('shifts', read.shifts),
    boards: kept('boards', read.boards),
  };
}

/** The number of objects that the plan makes. */
export function countOf(draft: DraftPlan): number {
  const { equipment, locations, operators, mechanics, shifts, boards } = planOf(draft);
  return [equipment, locations, operators, mechanics, shifts, boards].reduce((sum, list) => sum + list.length, 0);
}
