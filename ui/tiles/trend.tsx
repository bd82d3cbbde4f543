/** The tile that shows signals over time as lines. A line has gaps where data is missing, and ends at its last value, beside its label. */
import { duration } from '#ui/format.ts';
import { decimals, isolated, t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import type { TileProps } from './tile-props.ts';
import { DASHES, TrendDrawing, trendFrame } from './trend-drawing.tsx';
import { lastPoint, rounded, spread } from './trend-scale.ts';

const FLOOR = 3.7;
/**
 * Returns after how many seconds without a new point a line shows its age. This is one minute, or the length of a bucket (the time that one
 * point covers) if the buckets of a long window are longer.
 */
function staleAfter(windowS: number): number {
  return Math.max(60, windowS / 60);
}

export function Trend(props: TileProps<'timeseries'>) {
  const { size, u } = props;
  const { trend } = props.data;
  const drawn = trend.lines.filter((line) => line.t.length > 0);
  const heading = props.title === '' ? 0 : 5.4;
  const gutter = Math.min(32, Math.max(19, size.w * 0.27));
  const width = Math.max(40, Math.floor((size.w - 4.4 - gutter) * u));
  const height = Math.max(40, Math.floor((size.h - 3.4 - heading) * u));
  const labelHeight = (drawn.length * 9 + 4 > size.h - heading ? 4.4 : 8.8) * u;

  // A point is a mean, so it differs from the value of this moment, which a number tile shows.
  const mean =
    trend.step_s === undefined
      ? ''
      : fitting(
          [t('each point: mean of {age}', { age: duration(trend.step_s * 1000) }), ''],
          FLOOR,
          400,
          size.w - 6 - textWidth(props.title, FLOOR, 600),
        );

  // The time axis moves with the clock, at most once for each pixel: a line without new points moves away from the right edge.
  const second = Math.floor(props.at.now / 1000);
  const step = Math.max(1, Math.floor(trend.window_s / width));
  const to = second - (second % step);
  const frame = trendFrame(drawn, { width, height, u, to, window_s: trend.window_s }, props.timezone);
  const ends = drawn.map((line) => {
    const last = lastPoint(line);
    return last === null ? height / 2 : frame.y(last.v, line.unit) - labelHeight / 2;
  });
  const tops = spread(ends, labelHeight, height - 2 * u).map(Math.round);

  return (
    <section class="panel trend" aria-label={props.title}>
      {props.title !== '' && (
        <h2 class="label">
          {props.title}
          {mean !== '' && <span class="mean">{mean}</span>}
        </h2>
      )}
      {drawn.length === 0 ? (
        <p class="hint">{t('No data in this period yet')}</p>
      ) : (
        <div class="plot">
          <TrendDrawing lines={drawn} frame={frame} from={to - trend.window_s} u={u} timezone={props.timezone} />
          <div class="ends" style={{ width: `calc(${gutter} * var(--u))` }}>
            {drawn.map((line, i) => {
              const last = lastPoint(line);
              const age = last === null ? 0 : props.at.now / 1000 - last.t;
              const old =
                age > staleAfter(trend.window_s) || (line.freshness !== 'fresh' && line.freshness !== 'ageing');
              const tall = labelHeight > 6 * u;
              const [word = ''] = line.label.split(' ');
              // A line for the minimum or maximum of several machines names the machine that has this value.
              const names = line.of === undefined ? [line.label, word] : [`${line.of}, ${line.label}`, line.of];
              const name = shortened(fitting(names, FLOOR, 600, gutter - 5), FLOOR, 600, gutter - 5);
              const value =
                last === null || line.freshness === 'none'
                  ? t('No data')
                  : isolated(`${decimals(rounded(last.v))} ${line.unit}`);
              const text = old && last !== null ? t('{age} ago', { age: duration(age * 1000) }) : value;
              const short =
                line.of === undefined ? text : fitting([`${line.of} ${text}`, line.of], FLOOR, 600, gutter - 5);
              return (
                <div
                  key={line.key}
                  class={`end line-${(i % 4) + 1}${old ? ' old' : ''}`}
                  style={{ transform: `translateY(${tops[i] ?? 0}px)` }}
                >
                  <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
                    <line
                      x1="0"
                      y1="5"
                      x2="30"
                      y2="5"
                      stroke-dasharray={(DASHES[i % 4] ?? []).map((d) => d * 6).join(' ')}
                    />
                  </svg>
                  <b>{tall ? name : short}</b>
                  {tall && <span>{text}</span>}
                </div>
              );
            })}
          </div>
        </div>
      )}
    </section>
  );
}
