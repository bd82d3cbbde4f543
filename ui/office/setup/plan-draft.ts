/** The plan while a person corrects it: each object has a key and may be left out, and a proposal waits until a person ticks it. */
import { MAX_OPEN_GAPS } from '#contract/site/setup.ts';
import type { PlanRead, SetupPlan } from '#contract/site/setup-plan.ts';
import type { Word } from '#ui/languages/texts.ts';

type Machine = PlanRead['equipment'][number];
type Gap = PlanRead['gaps'][number];
/** The words from which something was read, and where they stand in a file. */
export type Cited = Pick<Gap, 'from' | 'at'>;

export interface DraftMachine extends Machine {
  readonly key: string;
}

/** The lists of a plan other than its machines, with their titles. */
export const OTHER_LISTS = [
  ['locations', 'Places'],
  ['operators', 'Operators'],
  ['mechanics', 'Mechanics'],
  ['shifts', 'Shifts'],
  ['boards', 'Screens'],
  ['facts', 'To remember'],
] as const satisfies readonly (readonly [keyof PlanRead, Word])[];
export type OtherList = (typeof OTHER_LISTS)[number][0];

/** Objects that the text may mean, with the reason why the planner is not certain. */
export interface DraftProposal {
  readonly key: string;
  readonly gap: Gap;
  readonly machines: readonly DraftMachine[];
  readonly others: Pick<PlanRead, OtherList>;
}

export interface DraftPlan {
  readonly read: PlanRead;
  readonly machines: readonly DraftMachine[];
  readonly proposals: readonly DraftProposal[];
  /** Gaps that a person can only fill by hand or in the text. */
  readonly gaps: readonly Gap[];
  /** Keys of objects other than machines that are left out: `locations 2`. */
  readonly out: ReadonlySet<string>;
  /** Keys of proposed objects that a person has confirmed. */
  readonly ticked: ReadonlySet<string>;
}

/** What a person can do later about a proposal that is not confirmed now. */
const LATER = 'Make it by hand, or correct the description and start the setup again.';

/** Starts the correction of a plan. */
export function draftOf(read: PlanRead): DraftPlan {
  return {
    read,
    machines: read.equipment.map((machine, i) => ({ ...machine, key: `m${i}` })),
    proposals: read.gaps.flatMap((gap, i): DraftProposal[] => {
      if (gap.proposal === null) return [];
      const { equipment = [], locations = [], operators = [], mechanics = [], shifts = [], boards = [] } = gap.proposal;
      const machines = equipment.map((machine, j) => ({ ...machine, key: `p${i}m${j}` }));
      return [{ key: `p${i}`, gap, machines, others: { locations, operators, mechanics, shifts, boards, facts: [] } }];
    }),
    gaps: read.gaps.filter(({ proposal }) => proposal === null),
    out: new Set(),
    ticked: new Set(),
  };
}

export const keyOf = (list: OtherList, i: number): string => `${list} ${i}`;
export const keyIn = (proposal: DraftProposal, list: OtherList, i: number): string =>
  `${proposal.key} ${keyOf(list, i)}`;

/** All keys of a proposal. */
export const keysOf = (proposal: DraftProposal): string[] => [
  ...proposal.machines.map(({ key }) => key),
  ...OTHER_LISTS.flatMap(([list]) => proposal.others[list].map((_, i) => keyIn(proposal, list, i))),
];

/** Returns a set with a key or without it. */
export function toggled(keys: ReadonlySet<string>, key: string, isIn: boolean): ReadonlySet<string> {
  const changed = new Set(keys);
  if (isIn) changed.add(key);
  else changed.delete(key);
  return changed;
}

/** Returns the function that gives the present unit number of a machine by the number that was read. A person may have corrected it. */
function presentUnits({ read, machines, proposals }: DraftPlan): (unit: string) => string {
  const now = new Map([...machines, ...proposals.flatMap((one) => one.machines)].map((one) => [one.key, one]));
  const units = new Map<string, string>();
  const note = (was: readonly { unit_number: string }[], keys: string) => {
    for (const [i, { unit_number }] of was.entries())
      units.set(unit_number, now.get(`${keys}${i}`)?.unit_number ?? unit_number);
  };
  note(read.equipment, 'm');
  for (const { key, gap } of proposals) note(gap.proposal?.equipment ?? [], `${key}m`);
  return (unit) => units.get(unit) ?? unit;
}

/** Returns the plan with the corrections, as it is sent. Operators and facts follow the machine whose number a person corrected. */
export function planOf(draft: DraftPlan): SetupPlan {
  const { read, machines, proposals, gaps, out, ticked } = draft;
  const unitNow = presentUnits(draft);
  const kept = <L extends OtherList>(list: L): PlanRead[L][number][] => [
    ...read[list].filter((_, i) => !out.has(keyOf(list, i))),
    ...proposals.flatMap((one) => one.others[list].filter((_, i) => ticked.has(keyIn(one, list, i)))),
  ];
  // What a person did not confirm stays open, so that nobody forgets it.
  const unconfirmed = proposals
    .filter((one) => keysOf(one).some((key) => !ticked.has(key)))
    .map(({ gap }) => ({ ...gap, remedy: LATER }));
  const confirmed = proposals.flatMap((one) => one.machines.filter(({ key }) => ticked.has(key)));
  return {
    language: read.language,
    equipment: [...machines, ...confirmed].map(({ key: _, ...machine }) => machine),
    crews: read.crews,
    locations: kept('locations'),
    operators: kept('operators').map((one) => (one.machine == null ? one : { ...one, machine: unitNow(one.machine) })),
    mechanics: kept('mechanics'),
    shifts: kept('shifts'),
    boards: kept('boards'),
    facts: kept('facts').map((one) =>
      one.unit_number == null ? one : { ...one, unit_number: unitNow(one.unit_number) },
    ),
    gaps: [...gaps, ...unconfirmed].slice(0, MAX_OPEN_GAPS).map(({ proposal: _, ...gap }) => gap),
  };
}

/** The number of objects that the plan makes. */
export function countOf(draft: DraftPlan): number {
  const { equipment, locations, operators, mechanics, shifts, boards, facts } = planOf(draft);
  return [equipment, locations, operators, mechanics, shifts, boards, facts].reduce(
    (sum, list) => sum + list.length,
    0,
  );
}

/** The number of proposed objects that nobody has confirmed. */
export const openIn = ({ proposals, ticked }: DraftPlan): number =>
  proposals.flatMap(keysOf).filter((key) => !ticked.has(key)).length;
