/** What a setup made: the result of its run, with the words from which each object was read, and with what is missing. */
import type { ReadGap } from '#contract/site/setup.ts';
import type { SetupPlan } from '#contract/site/setup-plan.ts';
import type { RunErrorCode } from '#contract/work/run-errors.ts';
import type { Gap } from '#contract/work/task.ts';
import type { PlanFailure, Proposal, SitePlan } from '#domain/planner/plan-types.ts';
import type { Outcome } from '#domain/runs/run.ts';

/** The kinds of objects that a setup makes, as the fields of `created` name them. */
export const SETUP_KINDS = [
  'equipment',
  'locations',
  'operators',
  'mechanics',
  'shifts',
  'dashboards',
  'playlists',
  'learnings',
] as const;
export type SetupKind = (typeof SETUP_KINDS)[number];

/** One object of the plan after its part was written. `id` is null if the object was not made. A shift has its name as its id. */
export interface WrittenObject {
  readonly kind: SetupKind;
  readonly name: string;
  readonly id: string | null;
  /** True if this task made the object; false if the project had it already. */
  readonly created: boolean;
  /** The words of the text, and where they stand in a file. */
  readonly from: readonly string[];
  readonly at?: string | null | undefined;
  /** False if the text has no number and the planner made one. */
  readonly stated: boolean;
  /** True for an object that a setup makes whatever the text says: the overview of a site without screens, and the playlist. */
  readonly isUsual?: boolean;
}

/** What one part wrote, and what it could not write. */
export interface WrittenPart {
  readonly objects: readonly WrittenObject[];
  readonly gaps: readonly Gap[];
}

/** One statement about created objects with the words that it was read from. */
export interface SetupEvidence {
  readonly claim: string;
  readonly source: string;
  readonly excerpt: string | null;
  readonly confidence: number;
  readonly created_ids: string[];
}

const FAILED: Readonly<Record<PlanFailure['reason'], RunErrorCode>> = {
  nothing_readable: 'description_unreadable',
  contradiction: 'description_contradictory',
  too_many_machines: 'description_too_many_machines',
  text_too_long: 'description_too_long',
};

const FAILED_BECAUSE: Readonly<Record<PlanFailure['reason'], string>> = {
  nothing_readable: 'The planner found no machine, place, shift, person or screen in the description.',
  contradiction: 'The description says of one kind of machine that it is there and that it is not.',
  too_many_machines: 'The description has a count or a range of more than 1,000 machines of one kind.',
  text_too_long: 'The description is too long.',
};

const NAMES: Readonly<Record<SetupKind, readonly [string, string]>> = {
  equipment: ['machine', 'machines'],
  locations: ['location', 'locations'],
  operators: ['operator', 'operators'],
  mechanics: ['mechanic', 'mechanics'],
  shifts: ['shift', 'shifts'],
  dashboards: ['dashboard', 'dashboards'],
  playlists: ['playlist', 'playlists'],
  learnings: ['learning', 'learnings'],
};

/** The result has at most this many pieces of evidence and of gaps. */
const MOST_EVIDENCE = 500;
const MOST_GAPS = 200;
const MOST_NAMES = 6;
/** Characters of the words of a gap that is only counted. */
const MOST_WORDS = 60;
/** A gap lists at most this many objects of a proposal. */
const MOST_PROPOSED = 100;
const MAX_EXCERPT = 300;
/** Confidence of an object that the text names, and of one whose number the planner made. */
const STATED = 1;
const NUMBERED = 0.5;

/** The outcome of a run whose text cannot be planned. */
export function failedSetup({ reason }: PlanFailure, plan: SitePlan, more: readonly Gap[]): Outcome {
  const gaps = listedGaps([...more, ...planGaps(plan)]);
  return { status: 'failed', code: FAILED[reason], message: FAILED_BECAUSE[reason], gaps };
}

/** Why nothing of a page is proposed. */
export function pageFailure({ failure }: SitePlan): string {
  if (failure === null || failure.reason === 'nothing_readable')
    return 'The page says nothing that the planner reads. Its text may be made by a program in the page.';
  return `The page cannot be planned: ${failure.remedy}`;
}

/** The operations that make the proposed objects, and their fields. */
const FORMS: Readonly<
  Record<keyof Proposal, { readonly operation: string | null; readonly fields: readonly string[] }>
> = {
  equipment: {
    operation: 'equipment_create',
    fields: ['unit_number', 'kind', 'oem_name', 'model', 'year', 'serial_number'],
  },
  locations: { operation: 'locations_create', fields: ['name', 'kind'] },
  operators: { operation: 'operators_create', fields: ['name', 'crew', 'badge_id', 'employee_number'] },
  mechanics: { operation: 'mechanics_create', fields: ['name', 'crew', 'badge_id', 'employee_number'] },
  shifts: { operation: null, fields: ['name', 'starts', 'ends', 'days'] },
  boards: { operation: null, fields: ['place', 'shows'] },
};

/** A proposal as inputs of the operation that makes its objects. */
function formsOf(proposal: Proposal): Gap['proposal'] {
  const [list] = Object.keys(proposal) as [keyof Proposal];
  const { operation, fields } = FORMS[list];
  const objects = (proposal[list] ?? []).slice(0, MOST_PROPOSED).map((object) =>
    Object.fromEntries(
      fields.flatMap((field): [string, unknown][] => {
        const value = object[field as keyof typeof object];
        return value === null || value === undefined ? [] : [[field, value]];
      }),
    ),
  );
  return { operation, objects };
}

/** The gaps of files as a run reports them. */
export function fileGaps(gaps: readonly ReadGap[]): Gap[] {
  return gaps.map(({ code, file, message, remedy }) => ({
    ...{ code, resource: 'project', ref: file, message, remedy, blocking: false },
  }));
}

/** The gaps that a person left open in a checked plan, as a run reports them. */
export function openGaps(gaps: SetupPlan['gaps']): Gap[] {
  return gaps.map(({ code, resource, message, remedy, from, at }) => ({
    ...{ code, resource, ref: from[0]?.slice(0, MAX_EXCERPT) ?? at, message, remedy, blocking: false },
  }));
}

/** The gaps of a plan as a run reports them. The message says where the words stand in a file, and what the proposal leaves out. */
function planGaps({ gaps }: SitePlan): Gap[] {
  return gaps.map(({ code, resource, message, remedy, from, at, proposal }) => {
    const count = Object.values(proposal ?? {})[0]?.length ?? 0;
    const cut = count > MOST_PROPOSED ? ` The proposal has the first ${MOST_PROPOSED} of ${count} objects.` : '';
    return {
      ...(proposal && { proposal: formsOf(proposal) }),
      code,
      resource,
      ref: from[0]?.slice(0, MAX_EXCERPT) ?? null,
      message: `${message}${cut}${at == null ? '' : ` It stands in ${at}.`}`,
      remedy,
      blocking: false,
    };
  });
}

/** The gaps that a result has room for. The last one counts the others, with the words of the first and the last of each sort. */
function listedGaps(gaps: readonly Gap[]): Gap[] {
  if (gaps.length <= MOST_GAPS) return [...gaps];
  const left = gaps.slice(MOST_GAPS - 1);
  const sorts = [...Map.groupBy(left, ({ code }) => code)].map(([code, of]) => {
    const words = [of[0], of.at(-1)].map((gap) => (gap?.ref ?? gap?.resource ?? '').slice(0, MOST_WORDS));
    return `${of.length} ${code}, from "${words[0]}" to "${words[1]}"`;
  });
  return [
    ...gaps.slice(0, MOST_GAPS - 1),
    {
      code: 'more_gaps',
      resource: 'project',
      ref: null,
      message: `${left.length} more gaps are not listed: ${sorts.join('; ')}.`,
      remedy: 'Plan the same text with projects_setup_plan, or on the setup page: the plan lists all.',
      blocking: false,
    },
  ];
}

/** The outcome of a run that is certain of nothing and only has proposals; null if the plan has an object. */
export function unconfirmedSetup(plan: SitePlan, more: readonly Gap[]): Outcome | null {
  const { equipment, locations, shifts, crews, operators, mechanics, boards } = plan;
  if ([equipment, locations, shifts, crews, operators, mechanics, boards].some((list) => list.length > 0)) return null;
  const own = planGaps(plan);
  if (own.length === 0) return null;
  const gaps = listedGaps([...more, ...own]);
  const message = 'The planner is certain of nothing in the description. What the text may mean is in `gaps`.';
  return { status: 'failed', code: 'description_unreadable', message, gaps };
}

/**
 * Groups objects that were read from the same words, such as the machines of a range. If there are too many groups, successive ones of a
 * kind are one piece of evidence, so that each object has one.
 */
function evidenceOf(objects: readonly WrittenObject[], isChecked: boolean): SetupEvidence[] {
  const made = objects.filter(({ created, id }) => created && id !== null);
  const groups = [
    ...Map.groupBy(made, ({ kind, stated, from, at }) => JSON.stringify([kind, stated, from, at])).values(),
  ];
  if (groups.length <= MOST_EVIDENCE) return groups.map((group) => evidence(group, isChecked));
  const sorts = Map.groupBy(groups, ([first]) =>
    JSON.stringify([first?.kind, first?.stated, first?.from.length === 0]),
  );
  const size = Math.ceil(groups.length / (MOST_EVIDENCE - sorts.size));
  return [...sorts.values()].flatMap((sort) =>
    Array.from({ length: Math.ceil(sort.length / size) }, (_, i) =>
      evidence(sort.slice(i * size, (i + 1) * size).flat(), isChecked),
    ),
  );
}

/** The words and the place of the first object, and of the last one if they differ. */
function evidence(group: readonly WrittenObject[], isChecked: boolean): SetupEvidence {
  const [first] = group as [WrittenObject, ...WrittenObject[]];
  const last = group.at(-1) ?? first;
  const names = group.map(({ name }) => name);
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  const [one, many] = NAMES[first.kind];
  const made_number = first.stated ? '' : ', numbered by the planner';
  const source = sourceOf(first, isChecked);
  const excerpt = first.from.join(' … ');
  const end = last.from.join(' … ');
  const half = Math.floor(MAX_EXCERPT / 2);
  return {
    claim: `${group.length} ${group.length === 1 ? one : many}${made_number}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`,
    source: sourceOf(last, isChecked) === source ? source : `${source} to ${sourceOf(last, isChecked)}`,
    excerpt:
      first.from.length === 0
        ? null
        : end === excerpt
          ? excerpt.slice(0, MAX_EXCERPT)
          : `${excerpt.slice(0, half)} … ${end.slice(0, half)}`,
    confidence: first.stated ? STATED : NUMBERED,
    created_ids: group.flatMap(({ id }) => id ?? []),
  };
}

/** Where the words of an object stand. Whoever checked the plan added what has no words in it. */
function sourceOf({ at, from, isUsual }: WrittenObject, isChecked: boolean): string {
  if (at != null) return at;
  if (from.length > 0) return 'prompt';
  return isChecked && isUsual !== true ? 'plan' : 'default';
}

/** The outcome of a setup after all its parts are written. `isChecked`: somebody checked the plan before it was written. */
export function endedSetup(
  plan: SitePlan,
  isChecked: boolean,
  files: readonly Gap[],
  parts: readonly WrittenPart[],
  wall_ms: number,
): Outcome & { text: string } {
  const objects = parts.flatMap((part) => part.objects);
  // What was not read and what was not made stands first: the plan of the same text has all other gaps.
  const gaps = [...files, ...parts.flatMap((part) => part.gaps), ...planGaps(plan)];
  const created = Object.fromEntries(
    SETUP_KINDS.map((kind) => [
      kind,
      objects.flatMap((one) => (one.kind === kind && one.created && one.id !== null ? [one.id] : [])),
    ]),
  ) as Record<SetupKind, string[]>;
  const counts = Object.fromEntries(SETUP_KINDS.map((kind) => [kind, created[kind].length]));
  const made = SETUP_KINDS.filter((kind) => created[kind].length > 0).map(
    (kind) => `${created[kind].length} ${NAMES[kind][created[kind].length === 1 ? 0 : 1]}`,
  );
  const present = objects.filter(({ created: isNew, id }) => !isNew && id !== null).length;
  const left = gaps.length > MOST_GAPS ? ` The first ${MOST_GAPS - 1} of ${gaps.length} gaps are listed.` : '';
  const text = [
    made.length === 0 ? 'Made nothing new.' : `Made ${made.join(', ')}.`,
    present === 0 ? '' : ` ${present} objects were already there.`,
    gaps.length === 0 ? '' : ` ${gaps.length === 1 ? '1 gap needs' : `${gaps.length} gaps need`} a person.${left}`,
  ].join('');
  return {
    status: 'completed',
    text,
    output: {
      summary: text,
      created,
      updated: {},
      artifacts: [],
      details: { language: plan.language, evidence: evidenceOf(objects, isChecked) },
    },
    gaps: listedGaps(gaps),
    counts,
    usage: { input_tokens: null, output_tokens: null, tool_calls: 0, credits: null, wall_ms },
    cost_usd: 0,
  };
}
