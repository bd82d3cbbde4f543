/** The plan as tables that a person corrects: machines with their fields, slots to fill, and the other objects to keep or leave out. */
import type { ComponentChildren } from 'preact';
import { MACHINE_KINDS } from '#contract/fleet/machine-kinds.ts';
import { kindText } from '#ui/office/base/machine-kinds.ts';
import { type DraftMachine, type DraftPlan, keyOf, OTHER_LISTS, type OtherList } from './plan-draft.ts';

const KINDS = Object.keys(MACHINE_KINDS) as (keyof typeof MACHINE_KINDS)[];
/** The table shows at most this many machines; the others are made as they were read. */
const MOST_ROWS = 200;

const TOPIC_WORDS: Readonly<Record<string, string>> = {
  status: 'machine status',
  machines: 'list of machines',
  tickets: 'open repairs',
  hours: 'engine hours',
  shift: 'current shift',
};

/** The words of one object of a list. */
function wordsOf(
  list: OtherList,
  { read }: DraftPlan,
): readonly { readonly text: string; readonly from: readonly string[] }[] {
  const crewOf = (crew: string | null) => (crew === null ? '' : `, ${crew}`);
  if (list === 'locations')
    return read.locations.map(({ name, kind, parent, from }) => ({
      text: `${name} (${kindText(kind).toLowerCase()}${parent === null ? '' : ` in ${parent}`})`,
      from,
    }));
  if (list === 'operators')
    return read.operators.map(({ name, machine, crew, from }) => ({
      text: `${name}${machine === null ? '' : `, ${machine}`}${crewOf(crew)}`,
      from,
    }));
  if (list === 'mechanics')
    return read.mechanics.map(({ name, crew, from }) => ({ text: `${name}${crewOf(crew)}`, from }));
  if (list === 'shifts')
    return read.shifts.map(({ name, starts, ends, from }) => ({ text: `${name}, ${starts} to ${ends}`, from }));
  return read.boards.map(({ place, shows, from }) => ({
    text: `${place === null ? '' : `${place}: `}${shows.map((topic) => TOPIC_WORDS[topic] ?? topic).join(', ')}`,
    from,
  }));
}

interface Edit {
  readonly draft: DraftPlan;
  onDraft(draft: DraftPlan): void;
  /** Called with the words from which the row was read, when a person points at it or moves the focus into it. */
  onShow(from: readonly string[]): void;
}

function MachineRows({ draft, onDraft, onShow }: Edit) {
  const change = (key: string, fields: Partial<DraftMachine>) =>
    onDraft({ ...draft, machines: draft.machines.map((one) => (one.key === key ? { ...one, ...fields } : one)) });
  const text = (machine: DraftMachine, field: 'unit_number' | 'oem_name' | 'model', label: string) => (
    <input
      type="text"
      aria-label={`${label} of ${machine.unit_number}`}
      value={machine[field] ?? ''}
      maxLength={40}
      onInput={(event) => {
        const { value } = event.currentTarget;
        change(
          machine.key,
          field === 'unit_number' ? { unit_number: value, generated: false } : { [field]: value || null },
        );
      }}
    />
  );
  return (
    <>
      {draft.machines.slice(0, MOST_ROWS).map((machine) => (
        <tr key={machine.key} onMouseEnter={() => onShow(machine.from)} onFocusCapture={() => onShow(machine.from)}>
          <td data-label="Unit">
            {text(machine, 'unit_number', 'Unit number')}
            {machine.generated && <small class="made">number made by the planner</small>}
          </td>
          <td data-label="Kind">
            <select
              aria-label={`Kind of ${machine.unit_number}`}
              value={machine.kind}
              onChange={(event) => change(machine.key, { kind: event.currentTarget.value as DraftMachine['kind'] })}
            >
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {kindText(kind)}
                </option>
              ))}
            </select>
          </td>
          <td data-label="Make">{text(machine, 'oem_name', 'Make')}</td>
          <td data-label="Model">{text(machine, 'model', 'Model')}</td>
          <td data-label="Place">
            <select
              aria-label={`Place of ${machine.unit_number}`}
              value={machine.location ?? ''}
              onChange={(event) => change(machine.key, { location: event.currentTarget.value || null })}
            >
              <option value="">None</option>
              {draft.read.locations.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </td>
          <td>
            <button
              type="button"
              class="quiet"
              onClick={() => onDraft({ ...draft, machines: draft.machines.filter(({ key }) => key !== machine.key) })}
            >
              Remove<span class="hidden"> {machine.unit_number}</span>
            </button>
          </td>
        </tr>
      ))}
    </>
  );
}

function Machines(edit: Edit) {
  const { draft } = edit;
  if (draft.machines.length === 0) return null;
  return (
    <>
      <h2>Machines ({draft.machines.length})</h2>
      <div class="table stacks inner">
        <table class="plan-machines">
          <thead>
            <tr>
              {['Unit', 'Kind', 'Make', 'Model', 'Place', ''].map((name) => (
                <th scope="col" key={name}>
                  {name || <span class="hidden">Remove</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <MachineRows {...edit} />
          </tbody>
        </table>
      </div>
      {draft.machines.length > MOST_ROWS && (
        <p class="aside">The first {MOST_ROWS} machines can be corrected here, the others on the page of machines.</p>
      )}
    </>
  );
}

function Quote({ from }: { from: readonly string[] }) {
  return from[0] === undefined ? null : <q>{from[0]}</q>;
}

function Slots({ draft, onDraft, onShow }: Edit) {
  if (draft.slots.length === 0) return null;
  return (
    <>
      <h2>Not clear, so not made</h2>
      <ul class="plan-list">
        {draft.slots.map(({ key, gap, slot, numbers }) => (
          <li key={key} onMouseEnter={() => onShow(gap.from)} onFocusCapture={() => onShow(gap.from)}>
            <p>
              <Quote from={gap.from} /> may be {slot.count} × {kindText(slot.kind).toLowerCase()}
              {slot.oem_name === null ? '' : `, ${slot.oem_name}`}
              {slot.model === null ? '' : ` ${slot.model}`}.
            </p>
            <label class="plan-slot">
              Unit numbers, divided by commas
              <input
                type="text"
                value={numbers}
                maxLength={400}
                onInput={(event) => {
                  const { value } = event.currentTarget;
                  onDraft({
                    ...draft,
                    slots: draft.slots.map((one) => (one.key === key ? { ...one, numbers: value } : one)),
                  });
                }}
              />
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}

function Others({ list, title, draft, onDraft, onShow }: Edit & { list: OtherList; title: string }) {
  const items = wordsOf(list, draft);
  if (items.length === 0) return null;
  return (
    <>
      <h2>
        {title} ({items.length})
      </h2>
      <ul class="plan-list">
        {items.map(({ text, from }, i) => {
          const key = keyOf(list, i);
          return (
            <li key={key} onMouseEnter={() => onShow(from)} onFocusCapture={() => onShow(from)}>
              <label class="plan-keep">
                <input
                  type="checkbox"
                  checked={!draft.out.has(key)}
                  onChange={(event) => {
                    const out = new Set(draft.out);
                    if (event.currentTarget.checked) out.delete(key);
                    else out.add(key);
                    onDraft({ ...draft, out });
                  }}
                />
                {text}
              </label>
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
      <Slots {...edit} />
      <Machines {...edit} />
      {OTHER_LISTS.map(([list, title]) => (
        <Others key={list} list={list} title={title} {...edit} />
      ))}
      {draft.gaps.length > 0 && (
        <Left title="What a person must add">
          {draft.gaps.map(({ message, remedy, from }, i) => (
            <li key={i} onMouseEnter={() => onShow(from)}>
              <Quote from={from} /> {message} {remedy}
            </li>
          ))}
        </Left>
      )}
      {notRead.length > 0 && (
        <Left title="Sentences that were not read">
          {notRead.map((sentence, i) => (
            <li key={i} onMouseEnter={() => onShow([sentence])}>
              {sentence}
            </li>
          ))}
        </Left>
      )}
    </>
  );
}
