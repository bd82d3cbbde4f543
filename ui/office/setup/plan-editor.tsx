/** The plan as tables that a person corrects: machines with their fields, proposals to confirm, and the other objects to keep or leave out. */

import type { ComponentChildren } from 'preact';
import { t, type Word } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { Told } from '#ui/office/base/parts.tsx';
import { KIND_WORDS, placeText, TOPIC_WORDS } from './kind-words.ts';
import {
  type Cited,
  type DraftMachine,
  type DraftPlan,
  type DraftProposal,
  keyIn,
  keyOf,
  keysOf,
  OTHER_LISTS,
  type OtherList,
  planOf,
  toggled,
} from './plan-draft.ts';

const KINDS = Object.entries(KIND_WORDS);
/** The table shows at most this many machines; the others are made as they were read. */
const MOST_ROWS = 200;

/** The columns of the table of machines. */
const COLUMNS = ['Unit', 'Kind', 'Make', 'Model', 'Place'] as const satisfies readonly Word[];

/** The words of the objects of a list. */
function wordsOf(
  list: OtherList,
  read: DraftProposal['others'],
): readonly { readonly text: string; readonly cited: Cited }[] {
  const crewOf = (crew: string | null) => (crew === null ? '' : `, ${crew}`);
  if (list === 'locations')
    return read.locations.map(({ name, kind, parent, ...cited }) => ({
      text: placeText(name, kind, parent),
      cited,
    }));
  if (list === 'operators')
    return read.operators.map(({ name, machine, crew, ...cited }) => ({
      text: `${name}${machine === null ? '' : `, ${machine}`}${crewOf(crew)}`,
      cited,
    }));
  if (list === 'mechanics')
    return read.mechanics.map(({ name, crew, ...cited }) => ({ text: `${name}${crewOf(crew)}`, cited }));
  if (list === 'shifts')
    return read.shifts.map(({ name, starts, ends, ...cited }) => ({
      text: `${name}, ${t('{from} to {to}', { from: starts, to: ends })}`,
      cited,
    }));
  if (list === 'facts')
    return read.facts.map(({ fact, unit_number: _, ...cited }) => ({ text: toldOrEnglish(fact), cited }));
  return read.boards.map(({ place, shows, ...cited }) => ({
    text: `${place === null ? '' : `${place}: `}${shows.map((topic) => t(TOPIC_WORDS[topic])).join(', ')}`,
    cited,
  }));
}

interface Edit {
  readonly draft: DraftPlan;
  onDraft(draft: DraftPlan): void;
  /** Called with the words from which the row was read, when a person points at it or moves the focus into it. */
  onShow(cited: Cited): void;
}

/** The names of the planned places and of the ticked ones. */
const placesOf = (draft: DraftPlan): string[] => [...new Set(planOf(draft).locations.map(({ name }) => name))];

interface RowsEdit extends Edit {
  readonly machines: readonly DraftMachine[];
  /** Called with the machine after a change. */
  onMachine(machine: DraftMachine): void;
  /** The last cell of a row: what else a person can do with the machine. */
  readonly last: (machine: DraftMachine) => ComponentChildren;
}

const LABELS = {
  unit_number: 'Unit number of {unit}',
  oem_name: 'Make of {unit}',
  model: 'Model of {unit}',
} as const;

function MachineRows({ draft, machines, onMachine, onShow, last }: RowsEdit) {
  const text = (machine: DraftMachine, field: 'unit_number' | 'oem_name' | 'model') => (
    <input
      type="text"
      aria-label={t(LABELS[field], { unit: machine.unit_number })}
      value={machine[field] ?? ''}
      maxLength={40}
      onInput={(event) => {
        const { value } = event.currentTarget;
        onMachine(
          field === 'unit_number'
            ? { ...machine, unit_number: value, generated: false }
            : { ...machine, [field]: value || null },
        );
      }}
    />
  );
  return (
    <div class="table stacks inner">
      <table class="plan-machines">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th scope="col" key={name}>
                {t(name)}
              </th>
            ))}
            <th scope="col">
              <span class="hidden">{t('On the site')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {machines.slice(0, MOST_ROWS).map((machine) => (
            <tr key={machine.key} onMouseEnter={() => onShow(machine)} onFocusCapture={() => onShow(machine)}>
              <td data-label={t('Unit')}>
                {text(machine, 'unit_number')}
                {machine.generated && <small class="made">{t('number made by the planner')}</small>}
              </td>
              <td data-label={t('Kind')}>
                <select
                  aria-label={t('Kind of {unit}', { unit: machine.unit_number })}
                  value={machine.kind}
                  onChange={(event) =>
                    onMachine({ ...machine, kind: event.currentTarget.value as DraftMachine['kind'] })
                  }
                >
                  {KINDS.map(([kind, word]) => (
                    <option key={kind} value={kind}>
                      {t(word)}
                    </option>
                  ))}
                </select>
              </td>
              <td data-label={t('Make')}>{text(machine, 'oem_name')}</td>
              <td data-label={t('Model')}>{text(machine, 'model')}</td>
              <td data-label={t('Place')}>
                <select
                  aria-label={t('Place of {unit}', { unit: machine.unit_number })}
                  value={machine.location ?? ''}
                  onChange={(event) => onMachine({ ...machine, location: event.currentTarget.value || null })}
                >
                  <option value="">{t('No place')}</option>
                  {placesOf(draft).map((name) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </td>
              <td>{last(machine)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const replaced = (machines: readonly DraftMachine[], changed: DraftMachine): DraftMachine[] =>
  machines.map((one) => (one.key === changed.key ? changed : one));

function Machines(edit: Edit) {
  const { draft, onDraft } = edit;
  if (draft.machines.length === 0) return null;
  return (
    <>
      <h2>
        {t('Machines')} ({draft.machines.length})
      </h2>
      <MachineRows
        {...edit}
        machines={draft.machines}
        onMachine={(machine) => onDraft({ ...draft, machines: replaced(draft.machines, machine) })}
        last={({ key, unit_number }) => (
          <button
            type="button"
            class="quiet"
            onClick={() => onDraft({ ...draft, machines: draft.machines.filter((one) => one.key !== key) })}
          >
            {t('Remove')}
            <span class="hidden"> {unit_number}</span>
          </button>
        )}
      />
      {draft.machines.length > MOST_ROWS && (
        <p class="aside">
          {t('The first {n} machines can be corrected here, the others on the page of machines.', { n: MOST_ROWS })}
        </p>
      )}
    </>
  );
}

function Quote({ from }: { from: readonly string[] }) {
  return from[0] === undefined ? null : <q>{from[0]}</q>;
}

function Tick(props: { label: ComponentChildren; on: boolean; onTick(on: boolean): void }) {
  return (
    <label class="plan-keep">
      <input type="checkbox" checked={props.on} onChange={(event) => props.onTick(event.currentTarget.checked)} />
      {props.label}
    </label>
  );
}

/** One proposal: the words, the reason, and its objects, which are made only if a person ticks them. */
function ProposalRows({ proposal, ...edit }: Edit & { proposal: DraftProposal }) {
  const { draft, onDraft, onShow } = edit;
  const { gap, machines, others } = proposal;
  const tick = (keys: readonly string[], on: boolean) =>
    onDraft({ ...draft, ticked: keys.reduce((all, key) => toggled(all, key, on), draft.ticked) });
  const keys = keysOf(proposal);
  return (
    <li onMouseEnter={() => onShow(gap)} onFocusCapture={() => onShow(gap)}>
      <p>
        <Quote from={gap.from} /> <Told text={gap.message} />
      </p>
      {keys.length > 1 && (
        <Tick
          label={t('All {n}', { n: keys.length })}
          on={keys.every((key) => draft.ticked.has(key))}
          onTick={(on) => tick(keys, on)}
        />
      )}
      {machines.length > 0 && (
        <MachineRows
          {...edit}
          machines={machines}
          onMachine={(machine) =>
            onDraft({
              ...draft,
              ticked: toggled(draft.ticked, machine.key, true),
              proposals: draft.proposals.map((one) =>
                one.key === proposal.key ? { ...one, machines: replaced(machines, machine) } : one,
              ),
            })
          }
          last={({ key, unit_number }) => (
            <Tick
              label={
                <span>
                  {t('Add')}
                  <span class="hidden"> {unit_number}</span>
                </span>
              }
              on={draft.ticked.has(key)}
              onTick={(on) => tick([key], on)}
            />
          )}
        />
      )}
      {OTHER_LISTS.flatMap(([list]) =>
        wordsOf(list, others).map(({ text }, i) => {
          const key = keyIn(proposal, list, i);
          return <Tick key={key} label={text} on={draft.ticked.has(key)} onTick={(on) => tick([key], on)} />;
        }),
      )}
    </li>
  );
}

function Proposals(edit: Edit) {
  const { proposals } = edit.draft;
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
          <ProposalRows key={proposal.key} proposal={proposal} {...edit} />
        ))}
      </ul>
    </>
  );
}

function Others({ list, title, draft, onDraft, onShow }: Edit & { list: OtherList; title: Word }) {
  const items = wordsOf(list, draft.read);
  if (items.length === 0) return null;
  return (
    <>
      <h2>
        {t(title)} ({items.length})
      </h2>
      <ul class="plan-list">
        {items.map(({ text, cited }, i) => {
          const key = keyOf(list, i);
          return (
            <li key={key} onMouseEnter={() => onShow(cited)} onFocusCapture={() => onShow(cited)}>
              <Tick
                label={text}
                on={!draft.out.has(key)}
                onTick={(on) => onDraft({ ...draft, out: toggled(draft.out, key, !on) })}
              />
            </li>
          );
        })}
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

/** The tables of the plan. */
export function PlanEditor({ notRead, ...edit }: Edit & { readonly notRead: readonly string[] }) {
  const { draft, onShow } = edit;
  return (
    <>
      <Machines {...edit} />
      <Proposals {...edit} />
      {OTHER_LISTS.map(([list, title]) => (
        <Others key={list} list={list} title={title} {...edit} />
      ))}
      {draft.gaps.length > 0 && (
        <Left title={t('What a person must add')}>
          {draft.gaps.map((gap, i) => (
            <li key={i} onMouseEnter={() => onShow(gap)}>
              <Quote from={gap.from} /> {gap.from.length === 0 && gap.at !== null && `${gap.at}: `}
              <Told text={gap.message} /> <Told text={gap.remedy} />
            </li>
          ))}
        </Left>
      )}
      {notRead.length > 0 && (
        <Left title={t('Sentences that were not read')}>
          {notRead.map((sentence, i) => (
            <li key={i} onMouseEnter={() => onShow({ from: [sentence], at: null })}>
              {sentence}
            </li>
          ))}
        </Left>
      )}
    </>
  );
}
