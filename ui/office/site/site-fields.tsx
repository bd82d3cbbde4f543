/** Form fields of a site: time zone and shifts. */
import { useId } from 'preact/hooks';
import { SHIFT_LIMITS } from '#contract/base/names.ts';
import { t, type Word } from '#ui/languages/texts.ts';
import { Choice } from '#ui/office/base/parts.tsx';
import type { Project } from '#ui/office/base/session.ts';

type Shift = Project['shift_pattern'][number];

/** Returns all time zones that this browser knows, and the zone of the site even if the browser does not know that zone. */
function zonesWith(timezone: string): readonly string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set(['UTC', timezone, ...known])].sort();
}

/** Returns the present time in a zone. With it a person can check whether the selected zone is right. */
function timeIn(timezone: string, now_ms: number): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: timezone }).format(now_ms);
}

export function TimeZoneField(props: { value: string; now_ms: number; onValue(value: string): void }) {
  const options = zonesWith(props.value).map((zone) => [zone, zone.replaceAll('_', ' ')] as const);
  return (
    <>
      <Choice label={t('Time zone')} value={props.value} options={options} onValue={props.onValue} />
      <p class="aside">
        {t('The time there is now {time}. Shifts and reports use this time.', {
          time: timeIn(props.value, props.now_ms),
        })}
      </p>
    </>
  );
}

const PRESETS: readonly (readonly [id: string, text: Word, shifts: readonly Shift[]])[] = [
  [
    'two',
    'Two shifts of 12 hours',
    [
      { name: 'day', starts: '06:00', ends: '18:00' },
      { name: 'night', starts: '18:00', ends: '06:00' },
    ],
  ],
  [
    'three',
    'Three shifts of 8 hours',
    [
      { name: 'early', starts: '06:00', ends: '14:00' },
      { name: 'late', starts: '14:00', ends: '22:00' },
      { name: 'night', starts: '22:00', ends: '06:00' },
    ],
  ],
  ['one', 'One day shift', [{ name: 'day', starts: '07:00', ends: '17:00' }]],
];

/** The shifts of a new site. */
export const USUAL_SHIFTS: readonly Shift[] = PRESETS[0]?.[2] ?? [];

const same = (a: readonly Shift[], b: readonly Shift[]) => JSON.stringify(a) === JSON.stringify(b);

function ShiftRow(props: { shift: Shift; onShift(shift: Shift): void; onRemove: (() => void) | null }) {
  const { shift, onShift } = props;
  const id = useId();
  return (
    <li>
      <div class="field">
        <label for={`${id}name`}>{t('Shift name')}</label>
        <input
          id={`${id}name`}
          value={shift.name}
          maxLength={SHIFT_LIMITS.name}
          required
          onInput={(event) => onShift({ ...shift, name: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for={`${id}starts`}>{t('Starts')}</label>
        <input
          id={`${id}starts`}
          type="time"
          value={shift.starts}
          required
          onInput={(event) => onShift({ ...shift, starts: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for={`${id}ends`}>{t('Ends')}</label>
        <input
          id={`${id}ends`}
          type="time"
          value={shift.ends}
          required
          onInput={(event) => onShift({ ...shift, ends: event.currentTarget.value })}
        />
      </div>
      {props.onRemove !== null && (
        <button
          type="button"
          class="quiet"
          onClick={props.onRemove}
          aria-label={t('Remove the shift {name}', { name: shift.name })}
        >
          {t('Remove')}
        </button>
      )}
    </li>
  );
}

export function ShiftFields(props: { value: readonly Shift[]; onValue(value: readonly Shift[]): void }) {
  const { value, onValue } = props;
  const preset = PRESETS.find(([, , shifts]) => same(shifts, value))?.[0] ?? 'own';
  const own = preset === 'own' ? [['own', t('Own times')] as const] : [];
  // A shift has no id, and its name changes while a person types. Use its index as the key of the row.
  const rows = value.map((shift, at) => ({ key: `shift${at}`, shift, at }));
  return (
    <fieldset class="plain shifts">
      <legend>{t('Shifts')}</legend>
      <Choice
        label={t('Shift pattern')}
        value={preset}
        options={[...PRESETS.map(([id, text]) => [id, t(text)] as const), ...own]}
        onValue={(id) => {
          const chosen = PRESETS.find(([one]) => one === id);
          if (chosen !== undefined) onValue(chosen[2]);
        }}
      />
      <ul class="shift-rows">
        {rows.map(({ key, shift, at }) => (
          <ShiftRow
            key={key}
            shift={shift}
            onShift={(changed) => onValue(value.map((one, i) => (i === at ? changed : one)))}
            onRemove={value.length === 1 ? null : () => onValue(value.filter((_, i) => i !== at))}
          />
        ))}
      </ul>
      {value.length < SHIFT_LIMITS.shifts && (
        <button
          type="button"
          onClick={() => {
            const last = value.at(-1);
            onValue([
              ...value,
              { name: t('shift {n}', { n: value.length + 1 }), starts: last?.ends ?? '06:00', ends: '06:00' },
            ]);
          }}
        >
          {t('Add a shift')}
        </button>
      )}
      <p class="aside">{t('If the end is not later than the start, the shift ends on the next day.')}</p>
    </fieldset>
  );
}
