/** Compares a plan with what is expected of a text, and judges a planner over many texts. corpus/SPEC.md has the rules. */
import {
  all,
  citable,
  isSameCrew,
  isSameMake,
  isSameModel,
  isSameName,
  isSamePerson,
  isSamePlace,
  isSameShift,
  isSameUnit,
  keyOf,
  placesOf,
  unitKey,
  wordsOf,
} from './compare.ts';
import {
  type Expected,
  type ExpectedMachine,
  type Hostile,
  type Language,
  MACHINE_KINDS,
  OBJECT_KINDS,
  type ObjectKind,
  type Plan,
  type PlannedMachine,
} from './format.ts';

/** Right, wrong (planned and not right) and missed (expected and not right). */
export interface Count {
  right: number;
  wrong: number;
  missed: number;
}
export interface Tally {
  readonly objects: Count;
  readonly facts: Count;
}
export interface Score {
  readonly language: Language;
  readonly kinds: Readonly<Record<ObjectKind, Tally>>;
  readonly gaps: { expected: number; found: number };
  /** Machines that the text does not have. */
  invented_machines: number;
  /** Planned objects without words of the text. */
  uncited: number;
  /** What is not as it should be, one sentence each. */
  readonly report: string[];
}

/** An attribute of a matched pair: the right values, the planned one, and how they are compared. */
interface Attribute {
  readonly name: string;
  readonly expected: readonly string[];
  readonly planned: string | null;
  readonly same?: (expected: string, planned: string) => boolean;
  readonly implied: boolean;
}

type Outcome = 'right' | 'wrong' | 'missed' | 'neutral';

/** An expected object and its planned one, if there is one. */
interface Pair {
  readonly label: string;
  readonly optional: boolean;
  readonly planned: boolean;
  readonly attributes: readonly Attribute[];
}

/** Counts at zero. */
export const noTally = (): Tally => ({
  objects: { right: 0, wrong: 0, missed: 0 },
  facts: { right: 0, wrong: 0, missed: 0 },
});

function outcomeOf({ expected, planned, same, implied }: Attribute): Outcome {
  if (planned === null) return expected.length === 0 || implied ? 'neutral' : 'missed';
  if (expected.length === 0) return 'wrong';
  return expected.some((one) => (same ?? ((a, b) => keyOf(a) === keyOf(b)))(one, planned)) ? 'right' : 'wrong';
}

/** The number of facts that an expected object must have. */
const required = (attributes: readonly Attribute[]): number =>
  1 + attributes.filter(({ expected, implied }) => expected.length > 0 && !implied).length;

/** What one comparison needs besides the two sides. */
interface Compared {
  readonly expected: Expected;
  readonly plan: Plan;
  readonly words: readonly string[];
  readonly score: Score;
}

function countPair(score: Score, kind: ObjectKind, pair: Pair): void {
  if (pair.optional) return;
  const { objects, facts } = score.kinds[kind];
  if (!pair.planned) {
    objects.missed++;
    facts.missed += required(pair.attributes);
    score.report.push(`missed: ${kind} ${pair.label}`);
    return;
  }
  objects.right++;
  facts.right++;
  for (const attribute of pair.attributes) {
    const outcome = outcomeOf(attribute);
    if (outcome === 'right') facts.right++;
    else if (outcome !== 'neutral') {
      const { name, expected, planned, implied } = attribute;
      if (outcome === 'wrong') facts.wrong++;
      if (expected.length > 0 && !implied) facts.missed++;
      const right = expected.length === 0 ? 'nothing' : expected.join(' or ');
      score.report.push(`${outcome}: ${kind} ${pair.label}: ${name} is ${planned ?? 'absent'}, expected ${right}`);
    }
  }
}

function countInvented(score: Score, kind: ObjectKind, label: string, planned: object): void {
  const { objects, facts } = score.kinds[kind];
  objects.wrong++;
  facts.wrong += 1 + Object.entries(planned).filter(([name, value]) => isAttribute(name, value)).length;
  if (kind === 'equipment') score.invented_machines++;
  score.report.push(`invented: ${kind} ${label}`);
}

const NOT_ATTRIBUTES = new Set(['from', 'generated', 'default', 'unit_number', 'name', 'starts', 'ends']);
const isAttribute = (name: string, value: unknown): boolean =>
  !NOT_ATTRIBUTES.has(name) && value !== null && value !== undefined;

/** The only site of a text; null if it names none or several. */
function onlySite(expected: Expected): readonly string[] {
  const sites = expected.locations.filter(({ kind, optional }) => all(kind).includes('site') && optional !== true);
  const sure = sites.filter(({ kind }) => !Array.isArray(kind));
  const [site] = sure.length > 0 ? sure : sites;
  return (sure.length > 0 ? sure : sites).length === 1 ? all(site?.name) : [];
}

/** A planned location; null if it is only the site of the whole text. */
function placeOf(sites: readonly string[], name: string | null | undefined, wanted: readonly string[]): string | null {
  if (name === null || name === undefined) return null;
  const isSite = sites.some((site) => isSamePlace(site, name));
  return isSite && !wanted.some((one) => isSamePlace(one, name)) ? null : name;
}

function machineAttributes(
  compared: Compared,
  entry: ExpectedMachine,
  planned: PlannedMachine | undefined,
): Attribute[] {
  const implied = (name: string) => entry.implied?.includes(name) === true;
  const text = (value: string | number | null | undefined) =>
    value === null || value === undefined ? null : String(value);
  const wanted = all(entry.location);
  return [
    { name: 'kind', expected: all(entry.kind), planned: planned?.kind ?? null, implied: implied('kind') },
    {
      name: 'oem_name',
      expected: all(entry.oem_name),
      planned: planned?.oem_name ?? null,
      same: isSameMake,
      implied: implied('oem_name'),
    },
    {
      name: 'model',
      expected: all(entry.model),
      planned: planned?.model ?? null,
      same: (a, b) => isSameModel(a, b, all(entry.oem_name)[0]),
      implied: implied('model'),
    },
    {
      name: 'year',
      expected: entry.year === undefined ? [] : [String(entry.year)],
      planned: text(planned?.year),
      implied: implied('year'),
    },
    {
      name: 'serial_number',
      expected: all(entry.serial_number),
      planned: planned?.serial_number ?? null,
      implied: implied('serial_number'),
    },
    {
      name: 'location',
      expected: wanted,
      planned: placeOf(onlySite(compared.expected), planned?.location, wanted),
      same: isSamePlace,
      implied: implied('location'),
    },
  ];
}

/** One expected machine: its entry, and its number if the text has one. */
interface Slot {
  readonly entry: ExpectedMachine;
  readonly unit: string | undefined;
  planned: PlannedMachine | undefined;
}

/** Machines whose number has letters of its own are found before those with a bare number. */
const bareness = ({ entry }: Slot): number => Number(entry.bare ?? false);

const labelOf = ({ entry, unit }: Slot): string => unit ?? `a ${all(entry.kind).join(' or ')} without a number`;

/** Finds the planned machine of each expected one: first by exact number, then by bare number, then machines without a number by kind. */
function matchMachines(compared: Compared): { slots: Slot[]; rest: PlannedMachine[] } {
  const { expected, plan, words } = compared;
  const seen = new Set<string>();
  const open = new Set<PlannedMachine>();
  const twice: PlannedMachine[] = [];
  for (const machine of plan.equipment) {
    const key = unitKey(machine.unit_number);
    if (seen.has(key)) twice.push(machine);
    else open.add(machine);
    seen.add(key);
  }
  const slots = expected.equipment
    .toSorted((a, b) => Number(a.optional ?? false) - Number(b.optional ?? false))
    .flatMap((entry): Slot[] =>
      entry.units === undefined
        ? Array.from({ length: entry.count ?? 0 }, () => ({ entry, unit: undefined, planned: undefined }))
        : entry.units.map((unit) => ({ entry, unit, planned: undefined })),
    );
  const take = (slot: Slot, fits: (machine: PlannedMachine) => boolean): void => {
    if (slot.planned !== undefined) return;
    slot.planned = [...open].find(fits);
    if (slot.planned !== undefined) open.delete(slot.planned);
  };
  const isKind = (slot: Slot, machine: PlannedMachine) => all<string>(slot.entry.kind).includes(machine.kind ?? '');
  const named = slots.filter(({ unit }) => unit !== undefined).toSorted((a, b) => bareness(a) - bareness(b));
  // A bare number may stand for machines of two kinds: those of the right kind are found first.
  for (const right of [true, false])
    for (const slot of named)
      take(
        slot,
        (machine) => isSameUnit(slot.entry, slot.unit ?? '', machine, words) && (!right || isKind(slot, machine)),
      );
  const pairs = slots
    .filter(({ unit }) => unit === undefined)
    .flatMap((slot) =>
      [...open]
        .filter(({ generated }) => generated)
        .filter((machine) => isKind(slot, machine) || isKindless(slot.entry, machine))
        .map((machine) => ({ slot, machine, worth: worthOf(compared, slot.entry, machine) })),
    )
    .toSorted((a, b) => b.worth - a.worth);
  for (const { slot, machine } of pairs)
    if (slot.planned === undefined && open.has(machine)) {
      slot.planned = machine;
      open.delete(machine);
    }
  return { slots, rest: [...open, ...twice] };
}

/** A machine without a kind fits an entry whose kind only the model tells. */
const isKindless = (entry: ExpectedMachine, { kind, model, oem_name }: PlannedMachine): boolean =>
  (kind === null || kind === undefined) &&
  entry.implied?.includes('kind') === true &&
  typeof model === 'string' &&
  all(entry.model).some((one) => isSameModel(one, model, oem_name));

/** How well a generated machine fits an entry; a machine that must be there goes before an optional one. */
function worthOf(compared: Compared, entry: ExpectedMachine, machine: PlannedMachine): number {
  const outcomes = machineAttributes(compared, entry, machine).map(outcomeOf);
  const right = outcomes.filter((one) => one === 'right').length;
  const wrong = outcomes.filter((one) => one === 'wrong').length;
  return right - 2 * wrong - (entry.optional === true ? 0.5 : 0);
}

function scoreMachines(compared: Compared): void {
  const { score } = compared;
  const { slots, rest } = matchMachines(compared);
  for (const slot of slots) {
    const { entry, planned } = slot;
    countPair(score, 'equipment', {
      label: labelOf(slot),
      optional: entry.optional === true,
      planned: planned !== undefined,
      attributes: machineAttributes(compared, entry, planned),
    });
    if (planned === undefined || slot.unit !== undefined || entry.optional === true) continue;
    const kind = planned.kind ?? all(entry.kind)[0] ?? 'other';
    const prefix = (MACHINE_KINDS as Readonly<Record<string, string>>)[kind] ?? '';
    if (!new RegExp(`^${prefix}-\\d{2,}$`).test(planned.unit_number)) {
      score.kinds.equipment.facts.wrong++;
      score.report.push(`wrong: equipment ${planned.unit_number}: a made number of ${kind} begins with ${prefix}-`);
    }
  }
  for (const machine of rest) countInvented(score, 'equipment', machine.unit_number, machine);
}

/** Pairs expected and planned objects of a list. A required object goes before an optional one. */
function scoreList<E extends { optional?: true | undefined }, P extends object>(
  compared: Compared,
  kind: ObjectKind,
  expected: readonly E[],
  planned: readonly P[],
  by: {
    readonly fits: (one: E, other: P) => boolean;
    readonly attributes: (one: E, other: P | undefined) => Attribute[];
    readonly label: (one: E) => string;
    readonly plannedLabel: (other: P) => string;
    readonly isNeutral?: (other: P) => boolean;
  },
): void {
  const open = new Set(planned);
  const pairs = expected
    .flatMap((one) =>
      [...open]
        .filter((other) => by.fits(one, other))
        .map((other) => {
          const outcomes = by.attributes(one, other).map(outcomeOf);
          const right = outcomes.filter((outcome) => outcome === 'right').length;
          const wrong = outcomes.filter((outcome) => outcome === 'wrong').length;
          return { one, other, worth: right - 2 * wrong - (one.optional === true ? 0.5 : 0) };
        }),
    )
    .toSorted((a, b) => b.worth - a.worth);
  const found = new Map<E, P>();
  for (const { one, other } of pairs)
    if (!found.has(one) && open.has(other)) {
      found.set(one, other);
      open.delete(other);
    }
  for (const one of expected) {
    const other = found.get(one);
    countPair(compared.score, kind, {
      label: by.label(one),
      optional: one.optional === true,
      planned: other !== undefined,
      attributes: by.attributes(one, other),
    });
  }
  for (const other of open)
    if (by.isNeutral?.(other) !== true) countInvented(compared.score, kind, by.plannedLabel(other), other);
}

const impliedIn =
  (one: { implied?: string[] | undefined }) =>
  (name: string): boolean =>
    one.implied?.includes(name) === true;

function scoreLocations(compared: Compared): void {
  const { expected, plan } = compared;
  const sites = onlySite(expected);
  scoreList(compared, 'locations', expected.locations, plan.locations, {
    fits: (one, other) =>
      all(one.name).some(
        (name) =>
          isSameName(name, other.name) || (isSamePlace(name, other.name) && all<string>(one.kind).includes(other.kind)),
      ),
    attributes: (one, other) => [
      { name: 'kind', expected: all(one.kind), planned: other?.kind ?? null, implied: impliedIn(one)('kind') },
      {
        name: 'parent',
        expected: all(one.parent),
        planned: placeOf(sites, other?.parent, all(one.parent)),
        same: isSamePlace,
        implied: impliedIn(one)('parent'),
      },
    ],
    label: ({ name }) => all(name)[0] ?? '',
    plannedLabel: ({ name, kind }) => `${name} (${kind})`,
  });
}

const WEEK = 7;

function scoreShifts(compared: Compared): void {
  const { expected, plan } = compared;
  const daysOf = (days: readonly string[] | null | undefined) =>
    days === null || days === undefined || days.length === 0 || new Set(days).size === WEEK
      ? null
      : days.toSorted().join(' ');
  scoreList(compared, 'shifts', expected.shifts, plan.shifts, {
    fits: (one, other) => one.starts === other.starts && one.ends === other.ends,
    attributes: (one, other) => {
      const days = daysOf(one.days);
      return [
        ...(one.name === undefined
          ? []
          : [
              {
                name: 'name',
                expected: all(one.name),
                planned: other?.name ?? null,
                same: isSameShift,
                implied: false,
              },
            ]),
        {
          name: 'days',
          expected: days === null ? [] : [days],
          planned: daysOf(other?.days),
          implied: impliedIn(one)('days'),
        },
      ];
    },
    label: ({ name, starts, ends }) => `${all(name)[0] ?? 'without a name'} ${starts}-${ends}`,
    plannedLabel: ({ name, starts, ends }) => `${name} ${starts}-${ends}`,
  });
}

/** Names and times of a shift, whichever of them is given. */
function namesOfShift(
  shifts: readonly { name?: string | string[] | undefined; starts: string; ends: string }[],
  shift: string,
): string[] {
  const found = shifts.filter(
    ({ name, starts, ends }) => all(name).some((one) => isSameShift(one, shift)) || `${starts}-${ends}` === shift,
  );
  return [shift, ...found.map(({ starts, ends }) => `${starts}-${ends}`)];
}

function scoreCrews(compared: Compared): void {
  const { expected, plan } = compared;
  scoreList(compared, 'crews', expected.crews, plan.crews, {
    fits: (one, other) => all(one.name).some((name) => isSameCrew(name, other.name)),
    attributes: (one, other) => [
      {
        name: 'shift',
        expected: all(one.shift),
        planned: other?.shift ?? null,
        same: (a, b) => {
          const planned = namesOfShift(plan.shifts, b);
          return namesOfShift(expected.shifts, a).some((name) =>
            planned.some((other) => name === other || isSameShift(name, other)),
          );
        },
        implied: impliedIn(one)('shift'),
      },
    ],
    label: ({ name }) => all(name)[0] ?? '',
    plannedLabel: ({ name }) => name,
    isNeutral: ({ name }) =>
      [...expected.shifts, ...plan.shifts].some((shift) => all(shift.name).some((one) => isSameCrew(one, name))),
  });
}

interface PlannedPerson {
  readonly name: string;
  readonly crew?: string | null | undefined;
  readonly badge_id?: string | null | undefined;
  readonly employee_number?: string | null | undefined;
}

function personAttributes(one: Expected['mechanics'][number], other: PlannedPerson | undefined): Attribute[] {
  const implied = impliedIn(one);
  return [
    {
      name: 'crew',
      expected: all(one.crew),
      planned: other?.crew ?? null,
      same: isSameCrew,
      implied: implied('crew'),
    },
    {
      name: 'badge_id',
      expected: all(one.badge_id),
      planned: other?.badge_id ?? null,
      implied: implied('badge_id'),
    },
    {
      name: 'employee_number',
      expected: all(one.employee_number),
      planned: other?.employee_number ?? null,
      implied: implied('employee_number'),
    },
  ];
}

const byPerson = {
  fits: (one: { name: string | string[] }, other: { name: string }) =>
    all(one.name).some((name) => isSamePerson(name, other.name)),
  label: ({ name }: { name: string | string[] }) => all(name)[0] ?? '',
  plannedLabel: ({ name }: { name: string }) => name,
};

function scorePeople(compared: Compared): void {
  const { expected, plan, words } = compared;
  const made = new Set(
    plan.equipment.filter(({ generated }) => generated).map((machine) => unitKey(machine.unit_number)),
  );
  /** True for a machine whose number the planner made: the text cannot name it. */
  const isMade = (unit: string | null | undefined) => typeof unit === 'string' && made.has(unitKey(unit));
  scoreList(compared, 'operators', expected.operators, plan.operators, {
    ...byPerson,
    attributes: (one, other) => [
      ...personAttributes(one, other),
      {
        name: 'machine',
        expected: all(one.machine),
        planned: isMade(other?.machine) && one.machine === undefined ? null : (other?.machine ?? null),
        same: (unit, planned) =>
          expected.equipment.some(
            (entry) =>
              entry.units?.includes(unit) === true &&
              isSameUnit(entry, unit, { unit_number: planned, generated: false, from: [] }, words),
          ),
        implied: impliedIn(one)('machine'),
      },
    ],
  });
  scoreList(compared, 'mechanics', expected.mechanics, plan.mechanics, { ...byPerson, attributes: personAttributes });
}

/** `machines` and `status` are one topic: both show the machines with their state. */
const topicOf = (topic: string): string => (topic === 'machines' ? 'status' : topic);

function scoreBoards(compared: Compared): void {
  const { expected, plan } = compared;
  const wanted = plan.boards.filter((board) => !board.default);
  const topicsOf = (shows: readonly string[]) => new Set(shows.map(topicOf));
  scoreList(compared, 'boards', expected.boards, wanted, {
    fits: (one, other) =>
      one.place !== undefined && typeof other.place === 'string'
        ? all(one.place).some((place) => isSamePlace(place, other.place ?? ''))
        : [...topicsOf(one.shows)].some((topic) => topicsOf(other.shows).has(topic)),
    attributes: (one, other) => {
      const planned = topicsOf(other?.shows ?? []);
      const asked = topicsOf(one.shows);
      const free = topicsOf(one.also_shows ?? []);
      const scopes = [
        { name: 'place', wanted: all(one.place), planned: other?.place ?? null },
        { name: 'location', wanted: all(one.location), planned: other?.location ?? null },
        { name: 'kind', wanted: all(one.kind), planned: other?.kind ?? null },
      ].filter(({ name, wanted: values }) => name === 'place' || values.length > 0);
      return [
        ...scopes.map(
          ({ name, wanted: values, planned: value }): Attribute => ({
            name,
            expected: values,
            planned: value,
            same: isSamePlace,
            implied: impliedIn(one)(name),
          }),
        ),
        ...[...asked].map(
          (topic): Attribute => ({
            name: `topic ${topic}`,
            expected: [topic],
            planned: planned.has(topic) ? topic : null,
            implied: false,
          }),
        ),
        ...[...planned]
          .filter((topic) => !asked.has(topic) && !free.has(topic))
          .map((topic): Attribute => ({ name: `topic ${topic}`, expected: [], planned: topic, implied: false })),
      ];
    },
    label: ({ place, shows }) => `${all(place)[0] ?? 'anywhere'}: ${shows.join(', ')}`,
    plannedLabel: ({ place, shows }) => `${place ?? 'anywhere'}: ${shows.join(', ')}`,
  });
}

function scoreGaps({ expected, plan, score }: Compared, text: string): void {
  const meet = (a: readonly string[], b: readonly string[]) => {
    const places = b.flatMap((one) => placesOf(text, one));
    return a
      .flatMap((one) => placesOf(text, one))
      .some(([from, to]) => places.some(([start, end]) => start < to && from < end));
  };
  for (const gap of expected.gaps) {
    if (gap.optional === true) continue;
    score.gaps.expected++;
    const found = plan.gaps.find(
      ({ resource, remedy, from }) => resource === gap.resource && remedy.trim() !== '' && meet(gap.from, from),
    );
    if (found !== undefined) score.gaps.found++;
    else score.report.push(`no gap: ${gap.resource} ${all(gap.code).join(' or ')}: ${gap.from.join(' / ')}`);
  }
}

function scoreCitations({ plan, score }: Compared, text: string): void {
  for (const kind of OBJECT_KINDS)
    for (const one of plan[kind]) {
      if ('default' in one && one.default) continue;
      if (one.from.length > 0 && one.from.every((words) => placesOf(text, words).length > 0)) continue;
      score.uncited++;
      score.report.push(
        `uncited: ${kind} ${'unit_number' in one ? one.unit_number : 'name' in one ? one.name : one.shows.join(', ')}`,
      );
    }
}

/** Compares a plan with what is expected of a text. */
export function scorePlan(expected: Expected, plan: Plan, text: string): Score {
  const score: Score = {
    language: expected.language,
    kinds: {
      equipment: noTally(),
      locations: noTally(),
      shifts: noTally(),
      crews: noTally(),
      operators: noTally(),
      mechanics: noTally(),
      boards: noTally(),
    },
    gaps: { expected: 0, found: 0 },
    invented_machines: 0,
    uncited: 0,
    report: [],
  };
  const compared: Compared = { expected, plan, words: wordsOf(text), score };
  scoreMachines(compared);
  scoreLocations(compared);
  scoreShifts(compared);
  scoreCrews(compared);
  scorePeople(compared);
  scoreBoards(compared);
  const looked = citable(text);
  scoreGaps(compared, looked);
  scoreCitations(compared, looked);
  return score;
}

/** True if the plan makes nothing but boards that nobody asked for. */
const isEmpty = (plan: Plan): boolean =>
  OBJECT_KINDS.every((kind) => plan[kind].every((one) => 'default' in one && one.default));

/** What is not as it should be with the plan for a hostile text; empty if all is right. */
export function hostileFaults(expected: Hostile, plan: Plan, text: string): string[] {
  const { ends, reasons = [] } = expected;
  const failed = plan.failure !== null && isEmpty(plan);
  if (ends === 'failed' || (ends === 'any' && failed)) {
    const { failure } = plan;
    if (failure === null) return ['the plan has no failure'];
    const faults = isEmpty(plan) ? [] : ['the plan has a failure and makes objects'];
    if (!(reasons as readonly string[]).includes(failure.reason))
      faults.push(`the reason is ${failure.reason}, expected ${reasons.join(' or ')}`);
    if (failure.remedy.trim() === '') faults.push('the failure has no remedy');
    return faults;
  }
  const faults = plan.failure === null ? [] : [`the plan failed: ${plan.failure.reason}`];
  const { report } = scorePlan(expected, plan, text);
  return [...faults, ...report];
}
