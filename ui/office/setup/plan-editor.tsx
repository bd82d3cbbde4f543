/** The plan as tables that a person corrects: a table of each list, the proposals to confirm, and what was not read. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { t, type Word } from '#ui/languages/texts.ts';
import { Told } from '#ui/office/base/parts.tsx';
import { Tick } from './plan-cells.tsx';
import { isFull, type PlanProblem } from './plan-checks.ts';
import { CREW_OFFERS, PLACE_OFFERS } from './plan-columns.tsx';
import {
  type Cited,
  type DraftGroup,
  type DraftPlan,
  keysOf,
  LISTS,
  type ListName,
  madeOf,
  withAdded,
  withTicks,
} from './plan-draft.ts';
import { type Edit, NAME_FIELDS } from './plan-edit.ts';
import { PlanTable, type Problems, type Wanted } from './plan-table.tsx';

/** The buttons that add an object to a list. */
const ADD_WORDS: Readonly<Record<ListName, Word>> = {
  equipment: 'Add a machine',
  locations: 'Add a place',
  operators: 'Add an operator',
  mechanics: 'Add a mechanic',
  shifts: 'Add a shift',
  boards: 'Add a screen',
  facts: 'Add a text to remember',
};

interface Parts {
  readonly draft: DraftPlan;
  readonly edit: Edit;
  readonly problems: Problems;
  readonly wanted: Wanted | null;
}

function Quote({ from }: { from: readonly string[] }) {
  return from[0] === undefined ? null : <q>{from[0]}</q>;
}

/** One list of what is certain, with a button that adds an object to it. */
function PlanList({ list, title, ...parts }: Parts & { list: ListName; title: Word }) {
  const { draft, edit } = parts;
  const [{ lists }] = draft.groups;
  const rows = lists[list];
  const made = rows.filter(({ key }) => !draft.off.has(key)).length;
  const add = () => {
    const added = withAdded(draft, list);
    edit.onChange(() => added.draft);
    edit.onGo(list, added.key, NAME_FIELDS[list]);
  };
  return (
    <>
      <h2>
        {t(title)} ({made})
      </h2>
      <PlanTable {...parts} title={t(title)} list={list} rows={rows} isProposed={false} />
      {draft.read.failure === null && (
        <button type="button" disabled={isFull(draft, list)} onClick={add}>
          {t(ADD_WORDS[list])}
        </button>
      )}
    </>
  );
}

/** One proposal: the words, the reason, and its objects, which are made only if a person ticks them. */
function ProposalRows({ proposal, ...parts }: Parts & { proposal: DraftGroup }) {
  const { draft, edit } = parts;
  const { gap, lists } = proposal;
  const keys = keysOf(proposal);
  if (gap === null) return null;
  const show = () => edit.onShow(gap);
  return (
    <li onMouseEnter={show} onFocusCapture={show}>
      <p>
        <Quote from={gap.from} /> <Told text={gap.message} />
      </p>
      {keys.length > 1 && (
        <Tick
          label={t('All {n}', { n: keys.length })}
          on={keys.every((key) => !draft.off.has(key))}
          onTick={(on) => edit.onChange((now) => withTicks(now, keys, on))}
        />
      )}
      {LISTS.map(([list, title]) => (
        <PlanTable key={list} {...parts} title={t(title)} list={list} rows={lists[list]} isProposed />
      ))}
    </li>
  );
}

function Proposals(parts: Parts) {
  const [, ...proposals] = parts.draft.groups;
  if (proposals.length === 0) return null;
  const count = proposals.reduce((sum, one) => sum + keysOf(one).length, 0);
  return (
    <>
      <h2>
        {t('Not certain')} ({count})
      </h2>
      <p class="aside">{t('The planner makes only what is certain. Tick what is on the site.')}</p>
      <ul class="plan-list plan-proposals">
        {proposals.map((proposal) => (
          <ProposalRows key={proposal.key} proposal={proposal} {...parts} />
        ))}
      </ul>
    </>
  );
}

function Left({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <h2>{title}</h2>
      <ul class="plan-list">{children}</ul>
    </>
  );
}

/** The names that fields suggest: crews, and places where a screen can hang. */
function Offers({ draft }: { draft: DraftPlan }) {
  const { read } = draft;
  const crews = useMemo(() => {
    const people = [...read.operators, ...read.mechanics].flatMap(({ crew }) => crew ?? []);
    return [...new Set([...read.crews.map(({ name }) => name), ...people])];
  }, [read]);
  const places = new Set(madeOf(draft, 'locations').map(({ name }) => name.trim()));
  const list = (id: string, names: Iterable<string>) => (
    <datalist id={id}>
      {[...names].map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
  return (
    <>
      {list(CREW_OFFERS, crews)}
      {list(PLACE_OFFERS, places)}
    </>
  );
}

/** What the editor keeps for its fields: the newest draft, and the field to which the focus goes. */
export function usePlanEdit(
  draft: DraftPlan | null,
  change: (change: (draft: DraftPlan) => DraftPlan) => void,
  onShow: (cited: Cited) => void,
): { readonly edit: Edit; readonly wanted: Wanted | null } {
  const newest = useRef(draft);
  newest.current = draft;
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const edit = useMemo(
    (): Edit => ({
      draft: () => newest.current as DraftPlan,
      onChange: change,
      onShow,
      onGo: (list, key, field) => setWanted((last) => ({ list, key, field, n: (last?.n ?? 0) + 1 })),
    }),
    [],
  );
  return { edit, wanted };
}

/** Groups what must be corrected by object and field; the first problem of a field counts. */
function byObject(problems: readonly PlanProblem[]): Problems {
  const found = new Map<string, Map<string, string>>();
  for (const { key, field, text } of problems) {
    const fields = found.get(key) ?? new Map<string, string>();
    if (!fields.has(field)) fields.set(field, text);
    found.set(key, fields);
  }
  return found;
}

/** The machines stand first, then what is not certain, then the other lists. */
const [[first, firstTitle], ...others] = LISTS;

/** The tables of the plan. */
export function PlanEditor(props: {
  readonly draft: DraftPlan;
  readonly edit: Edit;
  readonly wanted: Wanted | null;
  readonly problems: readonly PlanProblem[];
  readonly notRead: readonly string[];
}) {
  const { draft, edit, wanted, notRead } = props;
  const parts = { draft, edit, wanted, problems: byObject(props.problems) };
  return (
    <>
      <Offers draft={draft} />
      <PlanList list={first} title={firstTitle} {...parts} />
      <Proposals {...parts} />
      {others.map(([list, title]) => (
        <PlanList key={list} list={list} title={title} {...parts} />
      ))}
      {draft.gaps.length > 0 && (
        <Left title={t('What a person must add')}>
          {draft.gaps.map((gap, i) => (
            <li key={i} onMouseEnter={() => edit.onShow(gap)}>
              <Quote from={gap.from} /> {gap.from.length === 0 && gap.at !== null && `${gap.at}: `}
              <Told text={gap.message} /> <Told text={gap.remedy} />
            </li>
          ))}
        </Left>
      )}
      {notRead.length > 0 && (
        <Left title={t('Sentences that were not read')}>
          {notRead.map((sentence, i) => (
            <li key={i} onMouseEnter={() => edit.onShow({ from: [sentence], at: null })}>
              {sentence}
            </li>
          ))}
        </Left>
      )}
    </>
  );
}
