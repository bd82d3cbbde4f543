/** Reads a description of a site and plans what stands in it. The same text gives the same plan. */
import { PLAN_LIMITS } from '#contract/base/names.ts';
import { deniedNights } from '#domain/sentences/denied-nights.ts';
import type { Read, Text } from '#domain/sentences/items.ts';
import type { UnitIndex } from '#domain/sentences/names.ts';
import { isCode, isTalk, notRead } from '#domain/sentences/noise.ts';
import { scan } from '#domain/sentences/scan.ts';
import { toldFacts } from '#domain/sentences/told-facts.ts';
import { keyOfUnit, MAX_MACHINES } from '#domain/sentences/units.ts';
import { unreadNames } from '#domain/sentences/unread-names.ts';
import { languageOf } from '#domain/words/grammar.ts';
import { COMMAND_WORDS } from '#domain/words/shift-words.ts';
import { fold, type Sentence, type Span, sentencesOf, tokenize } from '#domain/words/text.ts';
import { type BoardsRead, readBoards } from './boards.ts';
import { readCrews } from './crews.ts';
import { certainOf, numbered } from './doubts.ts';
import { createFleetReader } from './fleet.ts';
import type { Finished, FinishedMachine } from './fleet-finish.ts';
import { type PeopleRead, readPeople } from './people.ts';
import { inBounds, MOST_UNREAD, tooManyUnread } from './plan-bounds.ts';
import type { PlanFailure, PlanGap, PlannedCrew, PlannedFact, PlannedMachine, SitePlan } from './plan-types.ts';
import { readShifts } from './shifts.ts';
import { siteOfDocument, siteOfSentence } from './site-names.ts';
import { createPlaces, type Place, type Places, siteByLabel, titleOf } from './site-places.ts';
import { readTables, type TablesRead } from './table-reads.ts';
import { TOO_MANY } from './table-rows.ts';
import { tablesOf } from './tables.ts';

/** A longer text is refused. */
export const MAX_TEXT = 200_000;
const ARTICLE = /^(el|la|los|las|o|a|le|der|die|das|the) /i;

const REMEDIES: Readonly<Record<PlanFailure['reason'], string>> = {
  nothing_readable:
    'Write which machines the site has, for example: "Three Cat 777G haul trucks, HT-01 to HT-03, in the North Pit. Day shift 06:00 to 18:00."',
  contradiction:
    'The text says of one kind of machine that it is there and that it is not. Write once how many machines of this kind the site has.',
  too_many_machines: `The text names a range or a count of more than ${MAX_MACHINES} machines of one kind. Correct the number, or divide the machines into several texts.`,
  text_too_long: `The text is longer than ${MAX_TEXT} characters. Keep the lines about machines, places, shifts and people, or set up the site in several steps.`,
};

const empty = (
  text: Text | null,
  reason: PlanFailure['reason'],
  gaps: readonly PlanGap[] = [],
  facts: readonly PlannedFact[] = [],
): SitePlan => ({
  language: text?.language ?? 'en',
  equipment: [],
  locations: [],
  shifts: [],
  crews: [],
  operators: [],
  mechanics: [],
  boards: [],
  facts,
  gaps,
  not_read: [],
  coverage: 0,
  failure: { reason, remedy: REMEDIES[reason] },
});

export const planSite = (raw: string): SitePlan => inBounds(planOf(raw));

function planOf(raw: string): SitePlan {
  if (raw.length > MAX_TEXT) return empty(null, 'text_too_long');
  const tokens = tokenize(raw);
  const text: Text = { raw, tokens, language: languageOf(tokens) };
  const tables = tablesOf(raw);
  const reads = readsOf(
    text,
    tables.map(({ firstLine, lastLine }) => [firstLine, lastLine]),
  );
  const places = createPlaces(text);
  const listed = readTables(tables, text.language);
  const fleet = createFleetReader(text, listed);
  for (const place of listed.places) places.add(place.name, place.kind, false, place.span);
  let heading: string | null = null;
  const boards = readBoards(text, reads);
  const named = (read: Read | undefined) =>
    read?.items.some((item) => item.type === 'place' && item.kind === 'site') === true;
  const title = reads.some(named)
    ? null
    : (siteByLabel(text, reads) ?? siteOfDocument(text, reads) ?? titleOf(text, reads) ?? siteOfSentence(text, reads));
  const [first] = reads;
  const isTitle =
    named(first) ||
    (title !== null && first !== undefined && title.span.end <= (tokens[first.sentence.to - 1]?.end ?? 0));
  if (title !== null) places.add(title.name, 'site', false, title.span);
  for (const [i, read] of reads.entries()) {
    const isFirst = isTitle && read === reads[0];
    const hasKind = read.items.some(({ type }) => type === 'kind');
    places.read(read, { onlySites: (isFirst && title !== null && !hasKind) || boards.used.has(read), title: isFirst });
    if (
      boards.used.has(read) ||
      (isFirst && title !== null && !named(first) && !read.items.some(({ type }) => type === 'kind'))
    )
      continue;
    heading = headingOf(read, heading, text, reads[i + 1]);
    fleet.read(read, heading);
  }
  const found = fleet.finish();
  return assemble(text, reads, places, found, boards, title !== null, listed);
}

function unitIndex(equipment: readonly PlannedMachine[]): UnitIndex {
  const given = equipment.filter(({ generated }) => !generated);
  const numbers = given.flatMap(({ unit_number: unit }): [string, string][] => [
    [keyOfUnit(unit), unit],
    [keyOfUnit(unit.replace(ARTICLE, '')), unit],
  ]);
  const single = [...Map.groupBy(equipment, ({ kind }) => kind)].flatMap(
    ([kind, [only, ...more]]): [string, string][] =>
      only === undefined || only.generated || more.length > 0 ? [] : [[kind, only.unit_number]],
  );
  return { numbers: new Map(numbers), single: new Map(single) };
}

/** The sentences outside of tables that say something about the site, with their items. */
function readsOf(text: Text, tables: readonly (readonly number[])[]): Read[] {
  const { tokens } = text;
  const inTable = (line: number) => tables.some(([first = 0, last = 0]) => line >= first && line <= last);
  const sentences: Sentence[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const token = tokens[at];
    const isIn = token !== undefined && inTable(token.line);
    if (token !== undefined && !isIn) continue;
    if (at > from) sentences.push(...sentencesOf(tokens, from, at));
    from = at + 1;
  }
  return sentences
    .map((sentence) => isTalk(text, sentence))
    .filter((sentence) => sentence.to > sentence.from && !isCommand(text, sentence) && !isCode(text, sentence))
    .map((sentence) => ({ sentence, items: scan(text, sentence) }));
}

function isCommand({ tokens }: Text, { from, to }: Sentence): boolean {
  for (let at = from; at < to; at++) if (COMMAND_WORDS.at(tokens, at, to) !== null) return true;
  return false;
}

/** `North Pit:` alone on a line is the place of the lines below it, up to an empty line. */
function headingOf(
  { sentence, items }: Read,
  before: string | null,
  { tokens }: Text,
  next: Read | undefined,
): string | null {
  const others = items.filter(({ type }) => type !== 'sign' && type !== 'the');
  const [only] = others;
  const isHeading =
    others.length === 1 &&
    only?.type === 'place' &&
    only.kind !== 'site' &&
    sentence.startsLine &&
    (tokens[sentence.to - 1]?.key === ':' || isListBelow(sentence, next));
  if (isHeading) return only.name;
  return sentence.afterGap ? null : before;
}

/** The next line begins with a machine: `Fosse Est` and below it `Pelle PH-01`. */
function isListBelow({ line }: Sentence, next: Read | undefined): boolean {
  const first = next?.items.find(({ type }) => type !== 'sign' && type !== 'count' && type !== 'the');
  return (
    next !== undefined &&
    next.sentence.line === line + 1 &&
    (first?.type === 'kind' || first?.type === 'units' || first?.type === 'make')
  );
}

function assemble(
  text: Text,
  reads: readonly Read[],
  places: Places,
  found: Finished,
  boards: BoardsRead,
  isTitled: boolean,
  listed: TablesRead,
): SitePlan {
  if (found.tooMany !== null) return empty(text, 'too_many_machines');
  if (found.contradiction !== null) return empty(text, 'contradiction');
  const cite = citer(text);
  const all = places.result();
  const read = readShifts(text, reads);
  const { persons } = listed;
  const crews = readCrews(text, reads, read.shifts, persons);
  const people = readPeople(
    text,
    reads,
    crews,
    unitIndex(numbered(found.machines, places, cite)),
    persons,
    read.shifts,
  );
  const sure = certainOf({
    text,
    reads,
    places,
    machines: found.machines,
    gaps: found.gaps,
    people,
    crews,
    shifts: read,
    boards,
    cite,
  });
  const facts = toldFacts(text, reads, found.machines);
  const gaps: PlanGap[] = [...found.gaps, ...listed.gaps].map(({ code, what, spans }) => ({
    resource: 'equipment',
    code,
    ...GAPS[code](what),
    from: cite(spans),
  }));
  gaps.push(...sure.proposals);
  const unread = [
    {
      spans: read.unclear,
      resource: 'shifts',
      code: 'missing_shift_pattern',
      message: 'The text names shifts without their times.',
      remedy: 'Write when each shift begins and ends, for example "day 06:00 to 18:00".',
    },
    {
      spans: read.shifts.length > 0 ? [] : deniedNights(text, reads),
      resource: 'shifts',
      code: 'no_night_shift',
      message: 'The text says that nobody works at night, and not when the shifts by day begin and end.',
      remedy:
        'Write when the shifts begin and end, for example "day 06:00 to 18:00". Until then a project without shifts of its own has one, 06:00 to 18:00.',
    },
    {
      spans: people.unclear,
      resource: 'people',
      code: 'missing_roster',
      message: 'The text has a number of people and no names.',
      remedy: 'Write the names of the people, or import the roster on the page of people.',
    },
  ] as const;
  for (const { spans, ...gap } of unread) for (const span of spans) gaps.push({ ...gap, from: cite([span]) });
  for (const { span, board } of boards.unclear)
    gaps.push({
      resource: 'boards',
      code: 'unreadable_board',
      message: 'The text does not say what this screen shows.',
      remedy:
        'Write what the screen shows, for example "machine status and open tickets", or confirm the proposed board.',
      from: cite([span]),
      proposal: { boards: [board] },
    });
  gaps.push(
    ...unnamedGaps(
      text,
      reads.filter((one) => !boards.used.has(one)),
      people,
      crews.crews,
      all,
      cite,
    ),
  );
  if (
    !isDescription(
      found.machines,
      read.shifts.length,
      people.operators.length + people.mechanics.length,
      crews.crews.length,
      boards.boards.length,
      all,
      isTitled,
      hasRoster(text, reads),
    )
  )
    return empty(text, 'nothing_readable', gaps, facts);
  const rows = listed.unread(new Set([...people.spans.values()].flat()));
  const unreadAll = cite([...notRead(text, reads), ...rows].toSorted((a, b) => a.start - b.start));
  return {
    language: text.language,
    equipment: sure.equipment,
    locations: sure.locations,
    shifts: sure.shifts,
    crews: crews.crews,
    operators: sure.operators,
    mechanics: sure.mechanics,
    boards: boards.boards,
    facts,
    gaps: [...gaps, ...tooManyUnread(unreadAll)],
    not_read: unreadAll.slice(0, MOST_UNREAD),
    coverage: sure.coverage,
    failure: null,
  };
}

/** Gaps for names of which nothing was made, and for crews of which the text names nobody. */
function unnamedGaps(
  text: Text,
  reads: readonly Read[],
  people: PeopleRead,
  crews: readonly PlannedCrew[],
  places: readonly Place[],
  cite: (spans: readonly Span[]) => string[],
): PlanGap[] {
  const all = [...people.operators, ...people.mechanics];
  const known = new Set(all.map(({ name }) => fold(name)));
  const members = new Set(all.map(({ crew }) => crew));
  const taken = [...[...people.spans.values()].flat(), ...places.map(({ span }) => span)];
  const gap = { resource: 'people', code: 'missing_roster' } as const;
  const names = unreadNames(text, reads, taken).filter(
    ({ start, end }) => !known.has(fold(text.raw.slice(start, end))),
  );
  return [
    ...names.map((span) => ({
      ...gap,
      message: 'The planner does not know whether these words name an operator or a mechanic.',
      remedy: 'Write the role of the person, for example "Operators: Ana Ruiz (EX-01)", or add the person.',
      from: cite([span]),
    })),
    ...crews
      .filter(({ name }) => !members.has(name))
      .map(({ name, from }) => ({
        ...gap,
        message: `The text names nobody of ${name}.`,
        remedy: 'Write the names of the people of this crew.',
        from: from.slice(0, 1),
      })),
  ];
}

/** `Operators: Ana Ruiz, Tom Field`: a role and a colon at the start of a sentence. */
const hasRoster = ({ tokens }: Text, reads: readonly Read[]): boolean =>
  reads.some(({ items: [first] }) => first?.type === 'role' && first.role !== 'other' && tokens[first.to]?.key === ':');

/** Something that only a site has: a machine that is no word of daily life, a place inside a site, people with a role, or a screen. */
function isDescription(
  machines: readonly FinishedMachine[],
  shifts: number,
  people: number,
  crews: number,
  boards: number,
  places: readonly Place[],
  isTitle: boolean,
  isRoster: boolean,
): boolean {
  const strong = machines.filter(
    ({ weak, unit, model, make }) => !weak || unit !== null || model !== null || make !== null,
  ).length;
  const inside = places.filter(
    ({ kind }) => kind === 'pit' || kind === 'stockpile' || kind === 'crusher' || kind === 'haul_road',
  ).length;
  const site = places.some(({ kind }) => kind === 'site');
  return (
    strong > 0 ||
    (site && inside > 0) ||
    (site && !isTitle && (shifts > 0 || people > 0 || crews > 0)) ||
    (shifts > 0 && (people > 0 || crews > 0)) ||
    boards > 0 ||
    (inside > 0 && shifts > 0) ||
    (people > 0 && isRoster)
  );
}

const GAPS = {
  missing_inventory: (what: string) => ({
    message:
      what === TOO_MANY
        ? `The text counts more than ${MAX_MACHINES} machines in one row.`
        : 'The text does not say how many machines these are.',
    remedy: 'Write the number of machines, or their unit numbers.',
  }),
  count_mismatch: (what: string) => ({
    message: `The count and the list differ: ${what}. The listed machines are made.`,
    remedy: 'Add the unit numbers that are missing, or correct the count.',
  }),
  unreadable_machine: (what: string) => ({
    message: `The text does not say what kind of machine ${what} is.`,
    remedy: 'Write the kind of the machine, for example "wheel loader", or its make and model.',
  }),
  rows_differ: (what: string) => ({
    message: `Two rows say different things of ${what}. The first row is planned.`,
    remedy: 'Correct the row that is wrong.',
  }),
  list_too_long: (what: string) => ({
    message: `The tables name more machines than the ${PLAN_LIMITS.equipment} of a plan. ${what} were left out.`,
    remedy: 'Set up the site in several steps, with a part of the text in each.',
  }),
} as const;

const citer =
  ({ raw }: Text) =>
  (spans: readonly Span[]): string[] => [...new Set(spans.map(({ start, end }) => raw.slice(start, end)))];
