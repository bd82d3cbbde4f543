/** The tile that shows one value with its range, its limits and the machine that it comes from. */
import type { DrawnValue, KpiTile } from '#contract/site/live.ts';
import { duration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import { type Moment, valueFreshness } from './ageing.ts';
import { AlertMark, Unknown } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

export { Shift } from './shift.tsx';

const FLOOR = 3.7;
const LINE = 4.26;
const PADDING = 4.4;

/** Returns texts for the line under the value, the longest first. Each text names the machine, and has the age of the value or a note. */
function under({ value, note, of }: KpiTile, at: Moment): string[] {
  const texts = agesOf(value, note, at);
  if (of === undefined) return texts;
  return [...texts.map((text) => `${of.unit_number} · ${text}`), of.unit_number];
}

function agesOf(value: DrawnValue, note: string | null, at: Moment): string[] {
  const judged = valueFreshness(value, at);
  // A number of machines has no observation time. While the gateway does not answer, the age of such a number is the time since the last
  // message of the gateway.
  const asOf = value.as_of_ms ?? (at.live ? null : at.lastMessageMs);
  const age = asOf === null ? null : duration(at.now - asOf);
  if (judged === 'never') return [t('No data yet'), t('No data')];
  if (judged === 'none') return age === null ? [] : [t('{age} ago', { age })];
  if (judged === 'stale' && age !== null)
    return [t('last value, {age} ago', { age }), t('last, {age} ago', { age }), age];
  if (judged === 'ageing' && age !== null) {
    const ago = t('{age} ago', { age });
    return note === null ? [ago] : [`${note} · ${ago}`, ago];
  }
  return note === null ? [] : [note];
}

function share(at: number, kpi: KpiTile): number {
  const span = kpi.max - kpi.min;
  return span <= 0 ? 0 : Math.min(100, Math.max(0, ((at - kpi.min) / span) * 100));
}

export function Kpi(props: TileProps<'kpi'>) {
  const { size } = props;
  const { kpi } = props.data;
  const { value } = kpi;
  const judged = valueFreshness(value, props.at);
  const gone = judged === 'none' || judged === 'never' || value.text === null;
  const text = gone ? t('No data') : (value.text ?? '');
  const width = size.w - PADDING;
  const foot = under(kpi, props.at);
  const title = props.title === '' ? value.label : props.title;
  const bar = !gone && value.value !== null && kpi.max > kpi.min && size.h >= 20;
  const titleLines = textWidth(title, FLOOR, 600) > width ? 2 : 1;
  // The height of the tile without its title, its bar and its last line; this height is left for the number. The space of an empty last
  // line stays free, so that the number does not move when the line gets a text.
  const room = size.h - 3 - titleLines * LINE - (LINE + 0.9) - (bar ? 3.6 : 0) - 0.8;
  const unit = gone ? '' : value.unit;
  const level = judged === 'fresh' || judged === 'ageing' ? value.level : 'normal';
  const marked = gone || level !== 'normal';
  // The font size of the unit is half the size of the number, but never below `FLOOR`, the smallest readable size. The mark of a limit is
  // about as wide as a letter of the number.
  const most = Math.max(FLOOR, Math.min(gone ? 5.2 : 11, room));
  const fits = (size: number) =>
    textWidth(text, size, 700) +
      (unit === '' ? 0 : textWidth(unit, Math.max(FLOOR, size / 2), 600) + 0.2 * size) +
      (marked ? 0.85 * size : 0) <=
    width;
  let hero = most;
  while (hero > FLOOR && !fits(hero)) hero = Math.max(FLOOR, hero - 0.1);
  const unitSize = Math.max(FLOOR, hero / 2);
  const word = foot.length === 0 ? null : shortened(fitting(foot, FLOOR, 400, width), FLOOR, 400, width);
  return (
    <section
      class="panel kpi"
      data-fresh={judged}
      data-level={level}
      aria-label={`${title}: ${text} ${unit}${kpi.of === undefined ? '' : `, ${kpi.of.unit_number}`}`}
    >
      <h2 class="label">{title}</h2>
      <div class="hero" style={{ fontSize: `calc(${hero} * var(--u))` }}>
        {gone && <Unknown />}
        {level !== 'normal' && <AlertMark mark={level} />}
        <span>{text}</span>
        {unit !== '' && (
          <span class="unit" style={{ fontSize: `calc(${unitSize} * var(--u))` }}>
            {unit}
          </span>
        )}
      </div>
      {bar && value.value !== null && (
        <div class="bar">
          <div class="level" style={{ width: `${share(value.value, kpi)}%` }} />
          {kpi.thresholds.map((one) => (
            <div
              key={`${one.at} ${one.level}`}
              class={`limit ${one.level}`}
              style={{ left: `${share(one.at, kpi)}%` }}
            />
          ))}
        </div>
      )}
      <div class="note">{word}</div>
    </section>
  );
}
