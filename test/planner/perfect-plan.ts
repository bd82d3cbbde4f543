/** The plan that has exactly what is expected: with it, tests show what the scorer does with a right plan and with each wrong one. */
import { all, unitKey } from './compare.ts';
import { type Expected, type ExpectedMachine, MACHINE_KINDS, Plan, type PlannedMachine } from './format.ts';

/** Digits of a short number, which may belong to machines of two kinds. */
const SHORT = 2;
const first = <T>(value: T | T[] | undefined): T | null => all(value)[0] ?? null;

/** The number as the planner writes it: a bare number of one or two digits gets the prefix of its kind. */
function written({ bare, kind }: ExpectedMachine, unit: string): string {
  if (bare !== true || unit.length > SHORT) return unit;
  return `${MACHINE_KINDS[all(kind)[0] ?? 'other']}-${unit.padStart(SHORT, '0')}`;
}

/** The numbers that the planner makes for machines without one: the next free one of the kind. */
function numbering(expected: Expected): (kind: string) => string {
  const used = new Set(
    expected.equipment.flatMap((entry) => (entry.units ?? []).map((unit) => unitKey(written(entry, unit)))),
  );
  const prefixes: Readonly<Record<string, string>> = MACHINE_KINDS;
  return (kind) => {
    for (let n = 1; ; n++) {
      const number = `${prefixes[kind] ?? ''}-${String(n).padStart(2, '0')}`;
      if (used.has(unitKey(number))) continue;
      used.add(unitKey(number));
      return number;
    }
  };
}

function machinesOf(entry: ExpectedMachine, next: (kind: string) => string): PlannedMachine[] {
  const kind = first(entry.kind) ?? 'other';
  const attributes = {
    kind,
    oem_name: first(entry.oem_name),
    model: first(entry.model),
    year: entry.year ?? null,
    serial_number: entry.serial_number ?? null,
    location: first(entry.location),
    from: entry.from,
  };
  if (entry.units !== undefined)
    return entry.units.map((unit) => ({ unit_number: written(entry, unit), generated: false, ...attributes }));
  return Array.from({ length: entry.count ?? 0 }, () => ({
    unit_number: next(kind),
    generated: true,
    ...attributes,
  }));
}

/** Without what is optional, with everything else. */
export function perfectPlan(expected: Expected): Plan {
  const wanted = <T extends { optional?: true | undefined }>(list: readonly T[]) =>
    list.filter(({ optional }) => optional !== true);
  const next = numbering(expected);
  const person = (one: Expected['mechanics'][number]) => ({
    name: first(one.name),
    crew: first(one.crew),
    badge_id: one.badge_id ?? null,
    employee_number: one.employee_number ?? null,
    from: one.from,
  });
  return Plan.parse({
    equipment: wanted(expected.equipment).flatMap((entry) => machinesOf(entry, next)),
    locations: wanted(expected.locations).map(({ name, kind, parent, from }) => ({
      name: first(name),
      kind: first(kind),
      parent: first(parent),
      from,
    })),
    shifts: wanted(expected.shifts).map(({ name, starts, ends, days, from }, i) => ({
      name: first(name) ?? `shift ${i + 1}`,
      starts,
      ends,
      days: days ?? null,
      from,
    })),
    crews: wanted(expected.crews).map(({ name, shift, from }) => ({ name: first(name), shift: first(shift), from })),
    operators: wanted(expected.operators).map((one) => ({ ...person(one), machine: one.machine ?? null })),
    mechanics: wanted(expected.mechanics).map(person),
    boards: wanted(expected.boards).map(({ place, shows, location, kind, from }) => ({
      place: first(place),
      shows,
      location: first(location),
      kind: first(kind),
      from,
    })),
    gaps: wanted(expected.gaps).map(({ resource, code, from }) => ({
      resource,
      code: first(code),
      remedy: 'Say it in numbers, or enter it on the page.',
      from,
    })),
  });
}
