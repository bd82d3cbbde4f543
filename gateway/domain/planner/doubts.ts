/** Divides the objects of a plan into those that are certain and those that a person must confirm, and numbers the machines. */
import { MACHINE_KINDS, type MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { Read, Text } from '#domain/sentences/items.ts';
import { isFirstName } from '#domain/sentences/names.ts';
import { keyOfUnit } from '#domain/sentences/units.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { NAMED_MODELS } from '#domain/words/makes.ts';
import { PLACE_WORDS } from '#domain/words/place-words.ts';
import { type Span, tokenize } from '#domain/words/text.ts';
import type { BoardsRead } from './boards.ts';
import { certaintyOf } from './certainty.ts';
import type { Crews } from './crews.ts';
import type { FinishedMachine } from './fleet-finish.ts';
import type { Doubt, FleetGap } from './fleet-types.ts';
import { coverageOf } from './parts.ts';
import type { PeopleRead } from './people.ts';
import type { PlanGap, PlannedLocation, PlannedMachine, PlannedPerson, SitePlan } from './plan-types.ts';
import { proposalGaps } from './proposals.ts';
import type { ShiftsRead } from './shifts.ts';
import type { Place, Places } from './site-places.ts';

const SHORT_NUMBER = 2;

/** All that was read of a text. */
interface ReadSite {
  readonly text: Text;
  readonly reads: readonly Read[];
  readonly places: Places;
  readonly machines: readonly FinishedMachine[];
  readonly gaps: readonly FleetGap[];
  readonly people: PeopleRead;
  readonly crews: Crews;
  readonly shifts: ShiftsRead;
  readonly boards: BoardsRead;
  readonly cite: (spans: readonly Span[]) => string[];
}

type CertainLists = Pick<SitePlan, 'equipment' | 'locations' | 'shifts' | 'operators' | 'mechanics' | 'coverage'>;

/** Returns what is certain, and the gaps that propose the rest. */
export function certainOf(site: ReadSite): CertainLists & { readonly proposals: readonly PlanGap[] } {
  const { text, reads, places, people, crews, shifts: found, cite } = site;
  const all = places.result();
  const names = new Set(
    [...people.operators, ...people.mechanics, ...crews.crews, ...all].flatMap(({ name }) =>
      tokenize(name).map(({ key }) => key),
    ),
  );
  const certainty = certaintyOf(text, reads, site.machines, site.gaps, names);
  const { certain, doubted } = divide(site.machines, certainty.machine);
  // Certain machines get the lowest free numbers, so a proposal never moves the number of a machine that is made.
  const numbers = numbered([...certain, ...doubted.map(({ object }) => object)], places, cite);
  const shifts = divide(found.shifts, (shift) => certainty.times(found.spans.get(shift) ?? []));
  const grounds = divide(all, (place) => placeDoubt(place, all));
  const personDoubt = (person: PlannedPerson): Doubt | null => {
    const spans = people.spans.get(person) ?? [];
    const [span] = spans;
    if (span !== undefined && isThingName(person.name)) return { reason: 'common_word', span };
    return certainty.words(spans);
  };
  const operators = divide(people.operators, personDoubt);
  const mechanics = divide(people.mechanics, personDoubt);
  const planned = ({ name, kind, parent, span }: Place): PlannedLocation => ({
    name,
    kind,
    parent: parent?.name ?? null,
    from: cite([span]),
  });
  const machines = doubted.flatMap(({ doubt }, i) => {
    const object = numbers[certain.length + i];
    return object === undefined ? [] : { object, doubt };
  });
  const locations = grounds.doubted.map(({ object, doubt }) => ({ object: planned(object), doubt }));
  return {
    equipment: numbers.slice(0, certain.length),
    locations: grounds.certain.map(planned),
    shifts: shifts.certain,
    operators: operators.certain,
    mechanics: mechanics.certain,
    coverage: Math.round(100 * coverageOf(text, reads, names)) / 100,
    proposals: [
      ...proposalGaps(text, 'equipment', machines),
      ...proposalGaps(text, 'locations', locations),
      ...proposalGaps(text, 'operators', operators.doubted),
      ...proposalGaps(text, 'mechanics', mechanics.doubted),
      ...proposalGaps(text, 'shifts', shifts.doubted),
      ...proposalGaps(text, 'boards', site.boards.doubted),
    ],
  };
}

function divide<T>(
  objects: readonly T[],
  doubtOf: (object: T) => Doubt | null,
): { readonly certain: T[]; readonly doubted: { readonly object: T; readonly doubt: Doubt }[] } {
  const certain: T[] = [];
  const doubted: { object: T; doubt: Doubt }[] = [];
  for (const object of objects) {
    const doubt = doubtOf(object);
    if (doubt === null) certain.push(object);
    else doubted.push({ object, doubt });
  }
  return { certain, doubted };
}

/** Headings of documents and titles of people. */
const NO_SITE =
  /^(anlage|anhang|annex|annexe|anexo|appendix|schedule|article|artikel|cap[ií]tulo|chapitre|kapitel|eng|ing|dipl|dr|sr|sra|mr|mrs|herr|frau)\b/i;

/** A place is in doubt if only its position tells that it is one, or if a common word may mean one of the named places. */
function placeDoubt(place: Place, all: readonly Place[]): Doubt | null {
  if (place.guessed || NO_SITE.test(place.name)) return { reason: 'guessed_place', span: place.span };
  const isCommon =
    place.alone && (place.kind === 'pit' || place.kind === 'stockpile') && !/\p{Lu}|\d/u.test(place.name);
  return isCommon && all.some((one) => one !== place && one.kind === place.kind)
    ? { reason: 'common_place', span: place.span }
    : null;
}

/** `Robolt RB`, `Erweiterungsfläche Ost`: words of machines and places are no name of a person. */
function isThingName(name: string): boolean {
  const tokens = tokenize(name);
  return tokens.some(
    (_, at) =>
      NAMED_MODELS.at(tokens, at, tokens.length) !== null ||
      (at === 0 && tokens[1]?.key !== '-' && PLACE_WORDS.at(tokens, at, tokens.length) !== null) ||
      (KIND_WORDS.at(tokens, at, tokens.length)?.value.weak === false && !isFirstName(tokens, at, tokens.length)),
  );
}

/** Gives machines without a number the next free one of their kind, and a short number the prefix of its kind if two machines have it. */
export function numbered(
  machines: readonly FinishedMachine[],
  places: Places,
  cite: (spans: readonly Span[]) => string[],
): PlannedMachine[] {
  const times = new Map<string, number>();
  for (const { unit } of machines)
    if (unit !== null) times.set(keyOfUnit(unit.text), (times.get(keyOfUnit(unit.text)) ?? 0) + 1);
  const own = ({ unit, kind }: FinishedMachine): string | null => {
    if (unit === null) return null;
    const isTwice = (times.get(keyOfUnit(unit.text)) ?? 0) > 1;
    return unit.bare && isTwice ? `${MACHINE_KINDS[kind]}-${unit.text.padStart(SHORT_NUMBER, '0')}` : unit.text;
  };
  const used = new Set(machines.flatMap((one) => own(one) ?? []).map(keyOfUnit));
  const next = new Map<MachineKind, number>();
  const free = (kind: MachineKind): string => {
    for (let n = (next.get(kind) ?? 0) + 1; ; n++) {
      next.set(kind, n);
      const number = `${MACHINE_KINDS[kind]}-${String(n).padStart(SHORT_NUMBER, '0')}`;
      if (!used.has(keyOfUnit(number))) return number;
    }
  };
  return machines.map((one) => ({
    unit_number: own(one) ?? free(one.kind),
    generated: one.unit === null,
    kind: one.kind,
    oem_name: one.make,
    model: one.model,
    year: one.year,
    serial_number: one.serial,
    location: one.place === null ? null : (places.find(one.place)?.name ?? one.place),
    from: cite(one.spans),
  }));
}
