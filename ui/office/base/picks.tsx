/** Large input controls for hands with gloves. All options are visible, and the arrow keys move between the options. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

type Options<T extends string> = readonly (readonly [value: T, text: ComponentChildren])[];

/** Shows options. A person selects one of them. */
export function Pick<T extends string>(props: {
  label: string;
  value: T | null;
  options: Options<T>;
  onValue(value: T): void;
  hint?: string;
}) {
  const name = useId();
  return (
    <fieldset class="pick">
      <legend>{props.label}</legend>
      <div>
        {props.options.map(([value, text]) => (
          <label key={value}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={props.value === value}
              onChange={() => props.onValue(value)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
      {props.hint !== undefined && <small>{props.hint}</small>}
    </fieldset>
  );
}

/** Shows options. A person selects any number of them. */
export function PickMany(props: {
  label: string;
  values: readonly string[];
  options: Options<string>;
  onValues(values: readonly string[]): void;
  hint?: string;
}) {
  const { values } = props;
  return (
    <fieldset class="pick">
      <legend>{props.label}</legend>
      <div>
        {props.options.map(([value, text]) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={values.includes(value)}
              onChange={() =>
                props.onValues(values.includes(value) ? values.filter((one) => one !== value) : [...values, value])
              }
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
      {props.hint !== undefined && <small>{props.hint}</small>}
    </fieldset>
  );
}

/** A large checkbox. */
export function Toggle(props: { label: string; value: boolean; onValue(value: boolean): void }) {
  return (
    <label class="pick toggle">
      <input type="checkbox" checked={props.value} onChange={(event) => props.onValue(event.currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}

/** A text field with several lines. */
export function TextArea(props: {
  label: string;
  value: string;
  onValue(value: string): void;
  rows?: number;
  maxLength: number;
  hint?: string;
  required?: boolean;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <textarea
        id={id}
        class="words"
        rows={props.rows ?? 3}
        maxLength={props.maxLength}
        required={props.required ?? false}
        value={props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
      {props.hint !== undefined && <small>{props.hint}</small>}
    </div>
  );
}

/** A field for a number, with its unit. `value` is the text as the person typed it, not yet parsed. */
export function NumberField(props: {
  label: string;
  value: string;
  onValue(value: string): void;
  unit?: string;
  hint?: ComponentChildren;
  required?: boolean;
  /** The number that applies while the field is empty. */
  otherwise?: number;
}) {
  const id = useId();
  return (
    <div class="field number-field">
      <label for={id}>{props.label}</label>
      <div>
        <input
          id={id}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          maxLength={20}
          required={props.required ?? false}
          {...(props.otherwise !== undefined && { placeholder: String(props.otherwise) })}
          value={props.value}
          onInput={(event) => props.onValue(event.currentTarget.value)}
        />
        {props.unit !== undefined && props.unit !== '' && <span class="unit">{props.unit}</span>}
      </div>
      {props.hint !== undefined && <small>{props.hint}</small>}
    </div>
  );
}

/** A box for files: a person chooses them with its button, or drops them on it. `hint` stands beside the button. */
export function FileDrop(props: {
  label: string;
  hint: string;
  /** The extensions that the button offers. */
  accept: string;
  multiple?: boolean;
  busy: boolean;
  /** Gets dropped files also while `busy`. */
  onFiles(files: readonly File[]): void;
}) {
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is only a shortcut; the button inside works without a mouse
    <div
      class={`drop${over ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        props.onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <label class="button">
        {props.label}
        <input
          type="file"
          class="hidden"
          multiple={props.multiple ?? false}
          accept={props.accept}
          disabled={props.busy}
          onChange={(event) => {
            const input = event.currentTarget;
            props.onFiles([...(input.files ?? [])]);
            input.value = '';
          }}
        />
      </label>
      <span>{props.hint}</span>
    </div>
  );
}
