/**
 * Divides the plan of a site into parts. Each part is written in one commit, so that a large plan needs several commits, and a crash loses
 * at most the part that was not committed yet.
 *
 *   locations -> people -> machines -> shifts and screens -> learnings
 *
 * A part only refers to objects of earlier parts: a machine names its location and its operator.
 */
import type {
  PlannedBoard,
  PlannedFact,
  PlannedLocation,
  PlannedMachine,
  PlannedOperator,
  PlannedPerson,
  PlannedShift,
  SitePlan,
} from '#domain/planner/plan-types.ts';

/** The largest number of objects of one commit. One machine needs up to six documents, and a commit takes 1,000. */
const MOST_OBJECTS = 100;

export type SetupPart =
  | { readonly step: 'locations'; readonly items: readonly PlannedLocation[] }
  | { readonly step: 'operators'; readonly items: readonly PlannedOperator[] }
  | { readonly step: 'mechanics'; readonly items: readonly PlannedPerson[] }
  | { readonly step: 'equipment'; readonly items: readonly AssignedMachine[] }
  | {
      readonly step: 'screens';
      readonly shifts: readonly PlannedShift[];
      readonly boards: readonly PlannedBoard[];
      readonly noNights: boolean;
    }
  | {
      readonly step: 'learnings';
      readonly items: readonly PlannedFact[];
      /** True: only facts about machines of the project are written. */
      readonly onlyOfMachines: boolean;
    };

/** A planned machine and the operator that the text names for it; null if it names none or several. */
export type AssignedMachine = PlannedMachine & { readonly operator: PlannedOperator | null };

const chunksOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / MOST_OBJECTS) }, (_, i) =>
    items.slice(i * MOST_OBJECTS, (i + 1) * MOST_OBJECTS),
  );

/** Returns the locations in an order in which each parent stands before its parts. */
function parentsFirst(locations: readonly PlannedLocation[]): PlannedLocation[] {
  const names = new Set(locations.map(({ name }) => name));
  const placed = new Set<string>();
  const ordered: PlannedLocation[] = [];
  let left = [...locations];
  while (left.length > 0) {
    const next = left.filter(({ parent }) => parent === null || !names.has(parent) || placed.has(parent));
    // Locations that contain each other: the first one becomes a root.
    const taken = next.length > 0 ? next : left.slice(0, 1).map((one) => ({ ...one, parent: null }));
    for (const one of taken) placed.add(one.name);
    ordered.push(...taken);
    left = left.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

/** Returns the parts of a plan in the order in which they are written. */
export function setupParts(plan: SitePlan, open: readonly { readonly code: string }[] = []): SetupPart[] {
  const noNights = [...plan.gaps, ...open].some(({ code }) => code === 'no_night_shift');
  const drivers = Map.groupBy(plan.operators, ({ machine }) => machine);
  const assigned = plan.equipment.map((machine) => {
    const own = drivers.get(machine.unit_number) ?? [];
    return { ...machine, operator: own.length === 1 ? (own[0] ?? null) : null };
  });
  return [
    ...chunksOf(parentsFirst(plan.locations)).map((items) => ({ step: 'locations' as const, items })),
    ...chunksOf(plan.operators).map((items) => ({ step: 'operators' as const, items })),
    ...chunksOf(plan.mechanics).map((items) => ({ step: 'mechanics' as const, items })),
    ...chunksOf(assigned).map((items) => ({ step: 'equipment' as const, items })),
    { step: 'screens', shifts: plan.shifts, boards: plan.boards, noNights },
    ...(plan.facts.length === 0 ? [] : [{ step: 'learnings' as const, items: plan.facts, onlyOfMachines: false }]),
  ];
}
