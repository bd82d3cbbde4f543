/** The columns of each list of a plan. */
import type { ComponentChildren } from 'preact';
import { WEEKDAYS } from '#contract/base/local-time.ts';
import { LONGEST_NAME, LONGEST_UNIT, SHIFT_LIMITS, TOPIC_LIMITS } from '#contract/base/names.ts';
import { weekdayText } from '#ui/format.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { KIND_WORDS, PLACE_WORDS, TOPIC_WORDS } from './kind-words.ts';
import { fieldId, ManyCell, SelectCell, TextCell } from './plan-cells.tsx';
import { type DraftPlan, type ListName, type Ref, type Row, withChanges } from './plan-draft.ts';
import { type Edit, wordsOfRow } from './plan-edit.ts';
import { machineNote, machineOptions, parentOptions, placeOptions, refNote, shownName } from './plan-refs.ts';

/** What a cell gets of its row. */
interface RowAt<L extends ListName> {
  readonly row: Row<L>;
  readonly draft: DraftPlan;
  readonly edit: Edit;
  /** What must be corrected, by field. */
  readonly problems: ReadonlyMap<string, string>;
}

interface Column<L extends ListName> {
  readonly title: Word;
  /** True if the column is shown only when the plan has crews. */
  readonly ofCrews?: boolean;
  readonly cell: (at: RowAt<L>) => ComponentChildren;
}

type Label =
  | 'Unit number of {unit}'
  | 'Make of {unit}'
  | 'Model of {unit}'
  | 'Kind of {unit}'
  | 'Place of {unit}'
  | 'Name of {unit}'
  | 'Machine of {unit}'
  | 'Crew of {unit}'
  | '{unit} lies in'
  | '{unit} starts'
  | '{unit} ends'
  | 'Days of {unit}'
  | 'Where the screen hangs: {unit}'
  | 'What the screen shows: {unit}'
  | 'Text of {unit}';

/** What all fields have. */
const fieldOf = <L extends ListName>({ row, draft, problems }: RowAt<L>, field: string, label: Label) => ({
  id: fieldId(row.key, field),
  label: t(label, { unit: wordsOfRow(draft, row) }),
  problem: problems.get(field),
});

const set = <L extends ListName>({ edit, row }: RowAt<L>, list: L, changes: Partial<Row<L>>) =>
  edit.onChange((draft) => withChanges(draft, list, row.key, changes));

/** A field of a reference: the objects that a person can choose, and no object. */
function RefCell(props: {
  field: { readonly id: string; readonly label: string; readonly problem: string | undefined };
  value: Ref;
  draft: DraftPlan;
  none: string;
  note: string | null;
  options: () => readonly (readonly [key: string, name: string])[];
  onRef(ref: Ref): void;
}) {
  const { value, draft } = props;
  const name = shownName(draft, value);
  // A name without an object has no key. The empty value means no object.
  const TEXT = 'text';
  const now = name === '' || value === null ? '' : 'key' in value ? value.key : TEXT;
  return (
    <SelectCell
      {...props.field}
      note={props.note}
      value={now}
      text={name === '' ? props.none : name}
      options={() => [
        ['', props.none],
        ...(now === TEXT ? [[TEXT, name] as const] : []),
        ...props.options().filter(([, one]) => one.trim() !== ''),
      ]}
      onValue={(key) => props.onRef(key === '' ? null : key === TEXT ? value : { key })}
    />
  );
}

const KINDS = Object.entries(KIND_WORDS).map(([kind, word]) => [kind as Row<'equipment'>['kind'], word] as const);
const PLACE_KINDS = Object.entries(PLACE_WORDS).map(
  ([kind, word]) => [kind as Row<'locations'>['kind'], word] as const,
);
const TOPICS = Object.entries(TOPIC_WORDS).map(([topic, word]) => [topic as Topic, word] as const);
type Topic = Row<'boards'>['shows'][number];

const MACHINE_COLUMNS: readonly Column<'equipment'>[] = [
  {
    title: 'Unit',
    cell: (at) => (
      <TextCell
        {...fieldOf(at, 'unit_number', 'Unit number of {unit}')}
        note={at.row.generated ? t('number made by the planner') : null}
        value={at.row.unit_number}
        maxLength={LONGEST_UNIT}
        onValue={(unit_number) => set(at, 'equipment', { unit_number, generated: false })}
      />
    ),
  },
  {
    title: 'Kind',
    cell: (at) => (
      <SelectCell
        {...fieldOf(at, 'kind', 'Kind of {unit}')}
        value={at.row.kind}
        text={t(KIND_WORDS[at.row.kind])}
        options={() => KINDS.map(([kind, word]) => [kind, t(word)])}
        onValue={(value) => set(at, 'equipment', { kind: value as Row<'equipment'>['kind'] })}
      />
    ),
  },
  {
    title: 'Make',
    cell: (at) => (
      <TextCell
        {...fieldOf(at, 'oem_name', 'Make of {unit}')}
        value={at.row.oem_name ?? ''}
        maxLength={LONGEST_NAME}
        onValue={(value) => set(at, 'equipment', { oem_name: value || null })}
      />
    ),
  },
  {
    title: 'Model',
    cell: (at) => (
      <TextCell
        {...fieldOf(at, 'model', 'Model of {unit}')}
        value={at.row.model ?? ''}
        maxLength={LONGEST_NAME}
        onValue={(value) => set(at, 'equipment', { model: value || null })}
      />
    ),
  },
  {
    title: 'Place',
    cell: (at) => (
      <RefCell
        field={fieldOf(at, 'location', 'Place of {unit}')}
        value={at.row.location}
        draft={at.draft}
        none={t('No place')}
        note={refNote(at.draft, at.row.location)}
        options={() => placeOptions(at.edit.draft())}
        onRef={(location) => set(at, 'equipment', { location })}
      />
    ),
  },
];

const nameColumn = <L extends 'locations' | 'operators' | 'mechanics' | 'shifts'>(
  list: L,
  maxLength = LONGEST_NAME,
): Column<L> => ({
  title: 'Name',
  cell: (at) => (
    <TextCell
      {...fieldOf(at, 'name', 'Name of {unit}')}
      value={at.row.name}
      maxLength={maxLength}
      onValue={(name) => set(at, list, { name } as Partial<Row<L>>)}
    />
  ),
});

const PLACE_COLUMNS: readonly Column<'locations'>[] = [
  nameColumn('locations'),
  {
    title: 'Kind',
    cell: (at) => (
      <SelectCell
        {...fieldOf(at, 'kind', 'Kind of {unit}')}
        value={at.row.kind}
        text={t(PLACE_WORDS[at.row.kind])}
        options={() => PLACE_KINDS.map(([kind, word]) => [kind, t(word)])}
        onValue={(value) => set(at, 'locations', { kind: value as Row<'locations'>['kind'] })}
      />
    ),
  },
  {
    title: 'Lies in',
    cell: (at) => (
      <RefCell
        field={fieldOf(at, 'parent', '{unit} lies in')}
        value={at.row.parent}
        draft={at.draft}
        none={t('No place')}
        note={refNote(at.draft, at.row.parent)}
        options={() => parentOptions(at.edit.draft(), at.row)}
        onRef={(parent) => set(at, 'locations', { parent })}
      />
    ),
  },
];

/** The id of the list of crew names that the fields of crews suggest. */
export const CREW_OFFERS = 'plan-crews';
/** Characters of the name of a crew. */
const LONGEST_CREW = 60;

const crewColumn = <L extends 'operators' | 'mechanics'>(list: L): Column<L> => ({
  title: 'Crew',
  ofCrews: true,
  cell: (at) => (
    <TextCell
      {...fieldOf(at, 'crew', 'Crew of {unit}')}
      value={at.row.crew ?? ''}
      maxLength={LONGEST_CREW}
      offers={CREW_OFFERS}
      onValue={(crew) => set(at, list, { crew: crew || null } as Partial<Row<L>>)}
    />
  ),
});

const OPERATOR_COLUMNS: readonly Column<'operators'>[] = [
  nameColumn('operators'),
  {
    title: 'Machine',
    cell: (at) => (
      <RefCell
        field={fieldOf(at, 'machine', 'Machine of {unit}')}
        value={at.row.machine}
        draft={at.draft}
        none={t('No machine')}
        note={machineNote(at.draft, at.row)}
        options={() => machineOptions(at.edit.draft())}
        onRef={(machine) => set(at, 'operators', { machine })}
      />
    ),
  },
  crewColumn('operators'),
];

const timeColumn = (field: 'starts' | 'ends', title: Word, label: Label): Column<'shifts'> => ({
  title,
  cell: (at) => (
    <TextCell
      {...fieldOf(at, field, label)}
      type="time"
      value={at.row[field]}
      maxLength={5}
      onValue={(value) => set(at, 'shifts', { [field]: value })}
    />
  ),
});

/** A shift of every day has no days: so it was read, and so the gateway keeps it. */
function daysOf(chosen: readonly string[]): Row<'shifts'>['days'] {
  const days = WEEKDAYS.filter((day) => chosen.includes(day));
  return days.length === WEEKDAYS.length ? null : days;
}

const SHIFT_COLUMNS: readonly Column<'shifts'>[] = [
  nameColumn('shifts', SHIFT_LIMITS.name),
  timeColumn('starts', 'Starts', '{unit} starts'),
  timeColumn('ends', 'Ends', '{unit} ends'),
  {
    title: 'Days',
    cell: (at) => (
      <ManyCell
        {...fieldOf(at, 'days', 'Days of {unit}')}
        note={
          at.row.days === null ? null : t('The site keeps no days: the shift is of every day. The result says so, too.')
        }
        values={at.row.days ?? WEEKDAYS}
        options={WEEKDAYS.map((day, i) => [day, weekdayText(i)])}
        onValues={(days) => set(at, 'shifts', { days: daysOf(days) })}
      />
    ),
  },
];

/** The id of the list of places that the fields of screens suggest. */
export const PLACE_OFFERS = 'plan-places';

/** A screen hangs in a place of the plan, or somewhere else, such as the canteen. */
function placeOf(draft: DraftPlan, typed: string): Ref {
  const there = placeOptions(draft).find(([, name]) => name.trim() === typed.trim());
  if (there !== undefined && typed.trim() !== '') return { key: there[0] };
  return typed === '' ? null : { text: typed };
}

/** Says which topics of a screen the setup leaves out. */
function topicNote(shows: readonly Topic[]): string | null {
  const isChosen = (topic: Topic) => TOPIC_LIMITS.chosen.some((one) => one === topic);
  if (shows.some(isChosen)) return t('Add a camera or a text later, on the page of screens: it needs a choice.');
  return shows.length > TOPIC_LIMITS.most
    ? t('The screen shows the first {n} of them.', { n: TOPIC_LIMITS.most })
    : null;
}

const BOARD_COLUMNS: readonly Column<'boards'>[] = [
  {
    title: 'Where it hangs',
    cell: (at) => {
      const { place } = at.row;
      const name = shownName(at.draft, place);
      return (
        <TextCell
          {...fieldOf(at, 'place', 'Where the screen hangs: {unit}')}
          note={name === '' ? refNote(at.draft, place) : null}
          value={name}
          maxLength={LONGEST_NAME}
          offers={PLACE_OFFERS}
          onValue={(typed) => set(at, 'boards', { place: placeOf(at.edit.draft(), typed) })}
        />
      );
    },
  },
  {
    title: 'What it shows',
    cell: (at) => (
      <ManyCell
        {...fieldOf(at, 'shows', 'What the screen shows: {unit}')}
        note={topicNote(at.row.shows)}
        values={at.row.shows}
        options={TOPICS.map(([topic, word]) => [topic, t(word)])}
        onValues={(shows) => set(at, 'boards', { shows: shows as Topic[] })}
      />
    ),
  },
];

/** Characters of a fact of a plan. */
const LONGEST_FACT = 400;

const FACT_COLUMNS: readonly Column<'facts'>[] = [
  {
    title: 'Text',
    cell: (at) => {
      const { unit_number } = at.row;
      const isAboutNothing = unit_number !== null && 'key' in unit_number;
      return (
        <TextCell
          {...fieldOf(at, 'fact', 'Text of {unit}')}
          note={isAboutNothing ? refNote(at.draft, unit_number) : null}
          value={toldOrEnglish(at.row.fact)}
          maxLength={LONGEST_FACT}
          onValue={(fact) => set(at, 'facts', { fact })}
        />
      );
    },
  },
];

const COLUMNS: { readonly [L in ListName]: readonly Column<L>[] } = {
  equipment: MACHINE_COLUMNS,
  locations: PLACE_COLUMNS,
  operators: OPERATOR_COLUMNS,
  mechanics: [nameColumn('mechanics'), crewColumn('mechanics')],
  shifts: SHIFT_COLUMNS,
  boards: BOARD_COLUMNS,
  facts: FACT_COLUMNS,
};

/** True if a crew stands in the plan. */
const hasCrews = ({ read }: DraftPlan): boolean =>
  read.crews.length > 0 || [...read.operators, ...read.mechanics].some(({ crew }) => crew !== null);

/** The columns of a list. */
export const columnsOf = <L extends ListName>(draft: DraftPlan, list: L): readonly Column<L>[] =>
  COLUMNS[list].filter(({ ofCrews }) => ofCrews !== true || hasCrews(draft));

/** The names of what a row names, so that the row is drawn again when one of them changes. */
export function namesOfRow(draft: DraftPlan, row: Row): string {
  const refs: Ref[] = [
    'location' in row ? row.location : null,
    'parent' in row ? row.parent : null,
    'machine' in row ? row.machine : null,
    'place' in row ? row.place : null,
    'fact' in row ? row.unit_number : null,
  ];
  const note = 'machine' in row ? machineNote(draft, row) : null;
  return [...refs.flatMap((ref) => [shownName(draft, ref), refNote(draft, ref)]), note].join('\n');
}
