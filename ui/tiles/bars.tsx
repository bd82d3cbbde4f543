/** The tile that shows one signal of many machines as bars, with the limits of the signal. */
import { shortDuration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { valueFreshness } from './ageing.ts';
import { AlertMark, Unknown } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

const FLOOR = 3.7;
const PADDING = { w: 4.4, h: 3.4 };
const HEADING = 5.6;
const GAP = 1.8;
const MARK = 4.6;
const ROW = { least: 5.2, most: 9 };
/**
 * The length of the shortest bar, and the gap between two columns (the same as in more.css). Both are in u (1 u is a hundredth of the
 * screen height).
 */
const LEAST = 10;
const BETWEEN = 1.2;
/** A tile that is narrower than this shows only names and numbers, without bars. */
const NARROW = 30;

export function Bars({ data, title, at, size }: TileProps<'bar'>) {
  const { bar } = data;
  const width = size.w - PADDING.w;
  const room = size.h - PADDING.h - HEADING;
  const all = Math.max(1, bar.rows.length);
  const fits = Math.max(1, Math.floor(room / ROW.least));
  // The last line shows how many machines do not fit.
  const most = all <= fits ? all : Math.max(1, fits - 1);
  const height = Math.min(ROW.most, room / Math.min(all, fits));
  const rows = bar.rows.slice(0, most);
  const texts = rows.map(({ value }) => {
    const judged = valueFreshness(value, at);
    const gone = value.text === null || judged === 'none' || judged === 'never';
    const old = judged === 'stale' && value.as_of_ms !== null;
    // In a narrow tile show whole numbers.
    const number = width < NARROW ? (value.text ?? '').replace(/\.\d+$/, '') : (value.text ?? '');
    const age = width < NARROW ? '' : ` · ${shortDuration(at.now - (value.as_of_ms ?? 0))}`;
    const text = gone ? (width < NARROW ? '—' : t('No data')) : old ? `${number}${age}` : number;
    return { text, gone, old, late: judged === 'ageing' };
  });
  const wide = (list: readonly string[]) => Math.max(0, ...list.map((text) => textWidth(text, FLOOR, 600)));
  const number = wide(texts.map(({ text }) => text));
  const full = wide(rows.map((row) => row.unit_number));
  const rest = width - number - MARK - 3 * BETWEEN;
  // If the bars would be too short to read, draw no bars, and give their space to names and numbers.
  const drawn = rest - Math.min(full, width * 0.32) >= LEAST;
  const unit = Math.min(full, drawn ? Math.max(width * 0.32, rest - LEAST) : Math.max(0, width - number - 2 * BETWEEN));
  const span = bar.max - bar.min;
  const share = (value: number) => (span <= 0 ? 0 : Math.min(100, Math.max(0, ((value - bar.min) / span) * 100)));
  const heading = cut(title || bar.label, FLOOR, 600, width - textWidth(bar.unit, FLOOR, 400) - GAP);
  const aside = fitting(
    [`${bar.unit} · ${bar.note}`, bar.unit],
    FLOOR,
    400,
    width - textWidth(heading, FLOOR, 600) - GAP,
  );
  const columns = [
    `calc(${unit} * var(--u))`,
    ...(drawn ? ['minmax(0, 1fr)', `calc(${MARK} * var(--u))`] : []),
    drawn ? `calc(${number} * var(--u))` : 'minmax(0, 1fr)',
  ].join(' ');
  return (
    <section class="panel bars" aria-label={heading}>
      <h2 class="label">
        {heading}
        <span>{aside}</span>
      </h2>
      {bar.rows.length === 0 && <p class="hint">{t('No machines yet')}</p>}
      <ul>
        {rows.map((row, i) => {
          const { text, gone, old, late } = texts[i] ?? { text: '', gone: true, old: false, late: false };
          const level = gone || old ? 'normal' : row.value.level;
          return (
            <li
              key={row.id}
              data-level={level}
              class={gone ? 'gone' : old ? 'old' : late ? 'late' : ''}
              style={{ height: `calc(${height} * var(--u))`, gridTemplateColumns: columns }}
              aria-label={`${row.unit_number}: ${text} ${gone ? '' : bar.unit}`}
            >
              <b>{shortened(row.unit_number, FLOOR, 600, unit)}</b>
              {drawn && (
                <div class="track">
                  {!gone && row.value.value !== null && (
                    <div class="level" style={{ width: `${share(row.value.value)}%` }} />
                  )}
                  {bar.thresholds.map((one) => (
                    <div
                      key={`${one.at} ${one.level}`}
                      class={`limit ${one.level}`}
                      style={{ left: `${share(one.at)}%` }}
                    />
                  ))}
                </div>
              )}
              {drawn && (level !== 'normal' ? <AlertMark mark={level} /> : gone ? <Unknown /> : <span />)}
              <span class="value">{text}</span>
            </li>
          );
        })}
      </ul>
      {all > most && (
        <p class="hint">
          {fitting([t('and {count} more', { count: all - most }), `+${all - most}`], FLOOR, 400, width)}
        </p>
      )}
    </section>
  );
}
