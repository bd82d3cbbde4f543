/** The due time: buttons for common times, or a date and time in the zone of the site. */
import { useId } from 'preact/hooks';
import { t, type Word } from '#ui/languages/texts.ts';
import { instantOf, wallTime } from '#ui/office/site/site-time.ts';

const HOUR_MS = 3_600_000;
const USUAL = [
  ['In 4 h', 4],
  ['In 1 day', 24],
  ['In 1 week', 168],
] as const satisfies readonly (readonly [Word, number])[];

export function DueField(props: { value: string; timezone: string; now(): number; onValue(value: string): void }) {
  const { value, timezone } = props;
  const id = useId();
  return (
    <div class="field due">
      <label for={id}>{t('Due (site time)')}</label>
      <input
        id={id}
        type="datetime-local"
        value={value === '' ? '' : wallTime(Date.parse(value), timezone)}
        onChange={(event) => {
          const at = instantOf(event.currentTarget.value, timezone);
          props.onValue(at === null ? '' : new Date(at).toISOString());
        }}
      />
      <div class="actions">
        {USUAL.map(([text, hours]) => (
          <button
            key={text}
            type="button"
            onClick={() => {
              const at = Math.ceil((props.now() + hours * HOUR_MS) / 900_000) * 900_000;
              props.onValue(new Date(at).toISOString());
            }}
          >
            {t(text)}
          </button>
        ))}
        {value !== '' && (
          <button type="button" onClick={() => props.onValue('')}>
            {t('No due time')}
          </button>
        )}
      </div>
    </div>
  );
}
