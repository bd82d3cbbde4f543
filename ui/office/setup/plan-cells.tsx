/** The fields of the rows of a plan: texts, times, choices, ticks. Each shows its problem below it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { PickMany } from '#ui/office/base/picks.tsx';

/** The id of the element of a field, with which the page moves the focus to it. */
export const fieldId = (key: string, field: string): string => `plan-${key}-${field}`;

interface Field {
  readonly id: string;
  /** The name of the field for screen readers: it names the row, too. */
  readonly label: string;
  readonly problem: string | undefined;
  readonly note?: string | null | undefined;
}

/** The ids of the texts below a field, for screen readers. */
const described = ({ id, problem, note }: Field) => ({
  'aria-invalid': problem !== undefined,
  'aria-describedby': problem === undefined && note == null ? undefined : `${id}-below`,
});

/** What stands below a field: what a person must correct, or a note. */
function Below({ id, problem, note }: Field) {
  if (problem === undefined && note == null) return null;
  return (
    <small id={`${id}-below`} class={problem === undefined ? 'made' : 'plan-wrong'}>
      {problem ?? note}
    </small>
  );
}

export function TextCell(
  props: Field & {
    readonly value: string;
    readonly maxLength: number;
    readonly type?: 'text' | 'time';
    /** The id of a `datalist` with texts that the field suggests. */
    readonly offers?: string;
    onValue(value: string): void;
  },
) {
  return (
    <>
      <input
        id={props.id}
        type={props.type ?? 'text'}
        aria-label={props.label}
        {...described(props)}
        value={props.value}
        maxLength={props.maxLength}
        list={props.offers}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
      <Below {...props} />
    </>
  );
}

type Options = readonly (readonly [value: string, text: string])[];

/**
 * A choice. Its other options are made when it gets the focus: a page has hundreds of choices, and each of them can have thousands of
 * machines.
 */
export function SelectCell(
  props: Field & {
    readonly value: string;
    /** The text of the present value. */
    readonly text: string;
    readonly options: () => Options;
    onValue(value: string): void;
  },
) {
  const [open, setOpen] = useState(false);
  const { value, text } = props;
  const all = open ? props.options() : [];
  const options: Options = all.some(([one]) => one === value) ? all : [[value, text], ...all];
  return (
    <>
      <select
        id={props.id}
        aria-label={props.label}
        {...described(props)}
        value={value}
        onPointerDown={() => setOpen(true)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={(event) => props.onValue(event.currentTarget.value)}
      >
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
      <Below {...props} />
    </>
  );
}

/** Choices of which any number can be on. */
export function ManyCell(
  props: Field & {
    readonly values: readonly string[];
    readonly options: Options;
    onValues(values: readonly string[]): void;
  },
) {
  return (
    // The focus comes here from the list of what to correct; Tab goes on to the choices.
    <div id={props.id} tabIndex={-1} class="plan-many">
      <PickMany label={props.label} values={props.values} options={props.options} onValues={props.onValues} />
      <Below {...props} />
    </div>
  );
}

export function Tick(props: {
  label: ComponentChildren;
  on: boolean;
  id?: string;
  problem?: string | undefined;
  note?: string | null;
  onTick(on: boolean): void;
}) {
  return (
    <label class="plan-keep">
      <input
        type="checkbox"
        id={props.id}
        checked={props.on}
        onChange={(event) => props.onTick(event.currentTarget.checked)}
      />
      <span>
        {props.label}
        {props.note != null && <small>{props.note}</small>}
        {props.problem !== undefined && <small class="plan-wrong">{props.problem}</small>}
      </span>
    </label>
  );
}
