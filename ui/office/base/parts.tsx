/** Small components that all office pages use. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ToldText } from '#contract/base/told.ts';
import type { DeviceStatus } from '#contract/fleet/device.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { toldText } from '#ui/languages/told.ts';

/** A text that stays in English on a page in any language: a name of a standard, or what a device or a file says ([U304]). */
export const AsIs = ({ children }: { children: ComponentChildren }) => (
  <span lang="en" data-as-is>
    {children}
  </span>
);

/** A text of the gateway in the language of the page. Without a translation it is in English, and says so ([U310], [U380]). */
export function Told({ text, words }: { text: string; words?: ToldText | null | undefined }) {
  const told = toldText(text, words);
  return told === null ? (
    <span lang="en" dir="ltr">
      {text}
    </span>
  ) : (
    told
  );
}

export function Problem({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** True for the name of a host that each computer uses for itself: `localhost`, 127.0.0.1 and its neighbours, ::1 with and without brackets. */
export const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host);

/** Shows a hint below addresses that people copy. The hint says that an address of this computer works only on this computer. */
export function LoopbackHint() {
  if (!isLoopback(location.hostname)) return null;
  return (
    <p class="aside">
      {t(
        'You opened this page as {hostname}. On other machines, use the address of the gateway instead. The gateway prints its address when it starts.',
        { hostname: location.hostname },
      )}
    </p>
  );
}

/** Says that the page shows only a part of a list: "200 of 312". If the total is unknown, says that there are more. */
export function TruncationNote(props: { shown: number; total?: number; more?: boolean; what: string }) {
  const { shown, total, what } = props;
  if (total !== undefined ? shown >= total : props.more !== true) return null;
  return (
    <p class="aside" role="note">
      {total === undefined
        ? t('This page shows the first {shown} {what}. Search or filter to find the others.', { shown, what })
        : t('This page shows {shown} of {total} {what}.', { shown, total, what })}
    </p>
  );
}

/** Lists names with their values. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `isPage`: it stands in the place of a whole page, so its title is that of the page. */
export function Empty(props: { title: string; isPage?: boolean; children: ComponentChildren }) {
  return (
    <div class="nothing">
      {props.isPage === true ? <h1>{props.title}</h1> : <h2>{props.title}</h2>}
      <p>{props.children}</p>
    </div>
  );
}

/** The page of one record while it is read, or if the gateway does not give it: the title of the page to which it belongs, and a way back. */
export function NoRecord(props: { title: string; href: string; all: string; problem: string | null }) {
  return (
    <>
      <h1>{props.title}</h1>
      {props.problem === null ? <p class="aside loading">{t('Loading')}</p> : <Problem text={props.problem} />}
      <p>
        <a href={props.href}>{props.all}</a>
      </p>
    </>
  );
}

/** A table that scrolls sideways where it does not fit. Tab reaches it, so that the arrow keys scroll it. */
export function WideTable(props: { title: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer, only a part with the focus scrolls
    <section class="table" aria-label={props.title} tabIndex={0}>
      <table>{props.children}</table>
    </section>
  );
}

export function Field(props: {
  label: string;
  hint?: ComponentChildren;
  value: string;
  onValue(value: string): void;
  required?: boolean;
  secret?: boolean;
  autoFocus?: boolean;
  maxLength?: number;
  mono?: boolean;
  /** What a password manager may fill in. */
  fills?: 'username' | 'current-password';
  /** Texts that the field suggests while a person types. The person may also type another text. */
  offers?: readonly string[];
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (props.autoFocus) input.current?.focus();
  }, []);
  const shared = {
    id,
    ref: input,
    class: props.mono ? 'mono' : '',
    value: props.value,
    required: props.required ?? false,
    maxLength: props.maxLength ?? 120,
    autocomplete: props.fills ?? 'off',
    autocapitalize: 'off',
    spellcheck: false,
    list: props.offers === undefined ? undefined : `${id}-offers`,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => props.onValue(event.currentTarget.value),
  } as const;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.secret ? <input type="password" {...shared} /> : <input type="text" {...shared} />}
      {props.offers !== undefined && (
        <datalist id={`${id}-offers`}>
          {props.offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      {props.hint !== undefined && <small>{props.hint}</small>}
    </div>
  );
}

export function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onValue(value: string): void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        disabled={props.disabled ?? false}
        onChange={(event) => props.onValue(event.currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Form(props: { onSend(): void; busy: boolean; action: string; children: ComponentChildren }) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!props.busy) props.onSend();
      }}
    >
      {props.children}
      <button type="submit" class="primary" disabled={props.busy}>
        {props.busy ? t('Sending') : props.action}
      </button>
    </form>
  );
}

/**
 * Copies the text of a field; returns true on success. It tries the old `copy` command first, because pages over plain HTTP do not have
 * `navigator.clipboard`.
 */
async function copyFrom(field: HTMLTextAreaElement): Promise<boolean> {
  field.select();
  if (document.execCommand('copy')) return true;
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return false;
  }
}

const COPIED = { no: 'Copy', yes: 'Copied', failed: 'Press Ctrl+C' } as const satisfies Record<string, Word>;

/** A read-only text with a copy button; a click selects all of it. */
export function Copy(props: { label: string; text: string; lines?: number }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState<keyof typeof COPIED>('no');
  useEffect(() => {
    if (copied !== 'yes') return undefined;
    const timer = setTimeout(() => setCopied('no'), 4_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <div class="field copy">
      <label for={id}>{props.label}</label>
      <div class="copy-row">
        <textarea
          id={id}
          ref={field}
          readOnly
          class="mono"
          rows={props.lines ?? 1}
          value={props.text}
          spellcheck={false}
          onFocus={(event) => event.currentTarget.select()}
          onClick={(event) => event.currentTarget.select()}
        />
        <button
          type="button"
          onClick={() => {
            if (field.current === null) return;
            void copyFrom(field.current).then((done) => setCopied(done ? 'yes' : 'failed'));
          }}
        >
          {t(COPIED[copied])}
          <span class="hidden"> {props.label}</span>
        </button>
        <span class="hidden" role="status">
          {copied === 'yes' ? t('{label}: copied', { label: props.label }) : ''}
        </span>
      </div>
    </div>
  );
}

const SHAPES: Record<DeviceStatus, ComponentChildren> = {
  unassigned: <circle class="line" cx="8" cy="8" r="5.5" stroke-dasharray="3 2.4" />,
  provisioned: <circle class="line" cx="8" cy="8" r="5.5" />,
  online: <circle class="solid" cx="8" cy="8" r="5.5" />,
  transmitting: <path class="solid" d="M3 2.5 14 8 3 13.5z" />,
  offline: <rect class="line" x="2.5" y="2.5" width="11" height="11" />,
  fault: <path class="line" d="M3 3l10 10M13 3 3 13" />,
};

/** Shows the status of a device as a shape, a word and a colour. */
export function DeviceBadge({ status, color }: { status: DeviceStatus; color: string }) {
  return (
    <span class={`badge tone-${color}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {SHAPES[status]}
      </svg>
      {t(status)}
    </span>
  );
}

/**
 * Shows which steps of the setup of a device are done: the device is linked to a machine, has sent data at least once, and sends data now.
 */
export function Steps(props: { linked: boolean; seen: boolean; transmitting: boolean }) {
  const steps = [
    [t('Linked'), props.linked],
    [t('Seen'), props.seen],
    [t('Transmitting'), props.transmitting],
  ] as const;
  return (
    <ol class="steps">
      {steps.map(([word, done]) => (
        <li key={word} class={done ? 'done' : ''}>
          {word}
          <span class="hidden">{done ? ` ${t('yes')}` : ` ${t('not yet')}`}</span>
        </li>
      ))}
    </ol>
  );
}
