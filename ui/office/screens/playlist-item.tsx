/** One item of a playlist in the editor: its board or picture, its seconds, and when it is shown. */
import { useState } from 'preact/hooks';
import { WEEKDAYS } from '#contract/base/local-time.ts';
import type { PlaylistWhen } from '#contract/site/board.ts';
import { weekdayText } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { parseInteger } from '#ui/office/base/numbers.ts';
import { Choice, Problem } from '#ui/office/base/parts.tsx';
import { NumberField, PickMany, Toggle } from '#ui/office/base/picks.tsx';
import { errorText, type Session } from '#ui/office/base/session.ts';
import { LEAST_SECONDS, MOST_SECONDS, NO_NUMBER, type PlaylistItem } from '#ui/office/screens/drafts/playlist-draft.ts';

/** Seconds of an item. `onValue` gets undefined for an empty field, and NO_NUMBER for a text that is no number of seconds. */
export function SecondsField(props: {
  label: string;
  value: number | undefined;
  hint?: string;
  otherwise?: number;
  onValue(value: number | undefined): void;
}) {
  const [text, setText] = useState(String(props.value ?? ''));
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <div>
      <NumberField
        label={props.label}
        unit="s"
        value={text}
        {...(props.hint !== undefined && { hint: props.hint })}
        {...(props.otherwise !== undefined && { otherwise: props.otherwise })}
        onValue={(typed) => {
          setText(typed);
          try {
            const value = parseInteger(typed, MOST_SECONDS, props.label);
            if (value !== null && value < LEAST_SECONDS) throw new Error(t('At least {n} s.', { n: LEAST_SECONDS }));
            setProblem(null);
            props.onValue(value ?? undefined);
          } catch (error) {
            setProblem(errorText(error));
            props.onValue(NO_NUMBER);
          }
        }}
      />
      <Problem text={problem} />
    </div>
  );
}

type When = PlaylistWhen | undefined;

/** Returns the condition without empty fields; undefined if nothing is left. */
function cleaned(when: { readonly [K in keyof PlaylistWhen]: PlaylistWhen[K] | undefined }): When {
  const kept = Object.entries(when).filter(([, value]) => value !== undefined && value !== '' && value.length !== 0);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function WhenFields({ session, when = {}, onWhen }: { session: Session; when?: When; onWhen(when: When): void }) {
  const shifts = session.project.shift_pattern.map(({ name }) => name);
  const all = when.shift === undefined || shifts.includes(when.shift) ? shifts : [...shifts, when.shift];
  const time = (label: string, name: 'from' | 'to') => (
    <div class="field">
      <label>
        {label}
        <input
          type="time"
          value={when[name] ?? ''}
          onChange={(event) => onWhen(cleaned({ ...when, [name]: event.currentTarget.value }))}
        />
      </label>
    </div>
  );
  return (
    <div class="item-when">
      <PickMany
        label={t('Days')}
        values={when.days ?? []}
        options={WEEKDAYS.map((day, i) => [day, weekdayText(i)] as const)}
        onValues={(days) => onWhen(cleaned({ ...when, days: WEEKDAYS.filter((day) => days.includes(day)) }))}
        hint={t('No day selected: every day.')}
      />
      <Choice
        label={t('Shift')}
        value={when.shift ?? ''}
        options={[['', t('Any time')], ...all.map((one) => [one, one] as const)]}
        onValue={(shift) => onWhen(cleaned(shift === '' ? { ...when, shift: undefined } : { days: when.days, shift }))}
      />
      {when.shift === undefined && (
        <div class="pair">
          {time(t('From'), 'from')}
          {time(t('To'), 'to')}
        </div>
      )}
    </div>
  );
}

export function PlaylistItemRow(props: {
  session: Session;
  item: PlaylistItem;
  /** The name of the board or picture. */
  name: string;
  /** The seconds of an item without its own. */
  seconds: number;
  index: number;
  of: number;
  isDragged: boolean;
  onItem(item: PlaylistItem): void;
  onMove(to: number): void;
  onRemove(): void;
  onGrab(event: PointerEvent): void;
}) {
  const { item, name, index, of, onItem } = props;
  const [isOpen, setOpen] = useState(item.when !== undefined);
  return (
    <li class={props.isDragged ? 'playlist-item dragged' : 'playlist-item'} data-item={item.id}>
      <div class="row">
        <button
          type="button"
          class="item-grip"
          aria-label={t('{name}, place {n} of {all}. The arrow keys move it.', { name, n: index + 1, all: of })}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            props.onGrab(event);
          }}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
            if (step === 0) return;
            event.preventDefault();
            props.onMove(index + step);
          }}
        >
          <span aria-hidden="true">⠿</span>
        </button>
        <div class="screen-facts">
          <b>{name}</b>
          {!item.enabled && <small>{t('Switched off')}</small>}
        </div>
        <SecondsField
          label={t('Seconds')}
          value={item.duration_s}
          otherwise={props.seconds}
          onValue={(duration_s) => {
            const { duration_s: _, ...rest } = item;
            onItem(duration_s === undefined ? rest : { ...rest, duration_s });
          }}
        />
        <div class="buttons">
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t('When')} <span class="hidden">{name}</span>
          </button>
          <button type="button" onClick={props.onRemove}>
            {t('Remove')} <span class="hidden">{name}</span>
          </button>
        </div>
      </div>
      {isOpen && (
        <>
          <Toggle
            label={t('Show this item')}
            value={item.enabled}
            onValue={(enabled) => onItem({ ...item, enabled })}
          />
          <WhenFields
            session={props.session}
            when={item.when}
            onWhen={(when) => {
              const { when: _, ...rest } = item;
              onItem(when === undefined ? rest : { ...rest, when });
            }}
          />
        </>
      )}
    </li>
  );
}
