/** The tile that shows signals over time as lines. A line has gaps where data is missing, and ends at its last value, beside its label. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { TrendLine } from '#contract/site/live.ts';
import { clock, duration } from '#ui/format.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import type { TileProps } from './tile-props.ts';
import { extent, lastPoint, rounded, spread, timeTicks, valueTicks } from './trend-scale.ts';

const FLOOR = 3.7;
/**
 * The dash patterns of the lines. Each line has a different pattern and a different colour. Lengths are in u (1 u is a hundredth of the
 * screen height).
 */
const DASHES: number[][] = [[], [1.6, 1], [0.5, 0.8], [3, 0.8, 0.5, 0.8]];
const INKS = ['--line-1', '--line-2', '--line-3', '--line-4'];
/**
 * Returns after how many seconds without a new point a line shows its age. This is one minute, or the length of a bucket (the time that one
 * point covers) if the buckets of a long window are longer.
 */
function staleAfter(windowS: number): number {
  return Math.max(60, windowS / 60);
}

type Props = TileProps<'timeseries'>;

function aligned(lines: readonly TrendLine[]): uPlot.AlignedData {
  const tables = lines
    .filter((line) => line.t.length > 0)
    .map((line) => [line.t as number[], line.v as (number | null)[]] as uPlot.AlignedData);
  return tables.length === 0 ? [[]] : uPlot.join(tables);
}

function scaleKey(unit: string): string {
  return `y ${unit}`;
}

function chartOptions(props: Props, width: number, height: number, current: () => Props): uPlot.Options {
  const { u } = props;
  const style = getComputedStyle(document.documentElement);
  const themed = getComputedStyle(document.querySelector('[data-theme]') ?? document.documentElement);
  const ink = (name: string) => (themed.getPropertyValue(name) || style.getPropertyValue(name)).trim();
  const font = `400 ${FLOOR * u}px Inter`;
  const units = [...new Set(props.data.trend.lines.map((line) => line.unit))];
  const window = () => {
    const to = current().at.now / 1000;
    return [to - current().data.trend.window_s, to] as [number, number];
  };
  const ticksOf = (unit: string) => {
    const found = extent(
      current().data.trend.lines.filter((line) => line.unit === unit),
      window()[0],
    );
    return valueTicks(found?.[0] ?? 0, found?.[1] ?? 1, Math.max(2, Math.floor(height / (u * 9))));
  };
  const scales: uPlot.Scales = { x: { time: false, range: window } };
  for (const unit of units) {
    scales[scaleKey(unit)] = {
      range: () => {
        const ticks = ticksOf(unit);
        return [ticks[0] ?? 0, ticks[ticks.length - 1] ?? 1];
      },
    };
  }
  const first = units[0] ?? '';
  return {
    width,
    height,
    padding: [u * 2, u * 0.6, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales,
    axes: [
      {
        font,
        stroke: ink('--text-2'),
        size: u * 5.4,
        gap: u,
        grid: { stroke: ink('--grid'), width: 1 },
        ticks: { show: false },
        splits: () => {
          const [from, to] = window();
          return timeTicks(from, to, Math.max(2, Math.floor(width / (u * 22))), current().timezone);
        },
        values: (_, splits) => splits.map((t) => clock(t * 1000, current().timezone)),
      },
      {
        scale: scaleKey(first),
        font,
        stroke: ink('--text-2'),
        size: (_, values) => u * (1.6 + Math.max(3, ...(values ?? []).map((one) => textWidth(one, FLOOR, 400)))),
        gap: u,
        grid: { stroke: ink('--grid'), width: 1 },
        ticks: { show: false },
        splits: () => ticksOf(first),
        values: (_, splits) => splits.map((v) => String(v)),
      },
    ],
    series: [
      {},
      ...props.data.trend.lines
        .filter((line) => line.t.length > 0)
        .map((line, i) => ({
          scale: scaleKey(line.unit),
          stroke: ink(INKS[i % INKS.length] ?? '--line-1'),
          width: Math.max(2, u * 0.36),
          dash: (DASHES[i % DASHES.length] ?? []).map((one) => one * u * devicePixelRatio),
          points: { show: false },
          spanGaps: false,
        })),
    ],
  };
}

export function Trend(props: Props) {
  const { size, u } = props;
  const { trend } = props.data;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [tops, setTops] = useState<readonly number[]>([]);
  const drawn = trend.lines.filter((line) => line.t.length > 0);
  const shape = drawn.map((line) => `${line.key} ${line.unit}`).join('|');
  const heading = props.title === '' ? 0 : 5.4;
  const gutter = Math.min(32, Math.max(19, size.w * 0.27));
  const width = Math.max(40, Math.floor((size.w - 4.4 - gutter) * u));
  const height = Math.max(40, Math.floor((size.h - 3.4 - heading) * u));
  const labelHeight = (drawn.length * 9 + 4 > size.h - heading ? 4.4 : 8.8) * u;

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || drawn.length === 0) return;
    const made = new uPlot(
      chartOptions(latest.current, width, height, () => latest.current),
      undefined,
      element,
    );
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [shape, width, height, u]);

  // Draw again as time passes, because the time axis moves with the clock: a line without new points moves away from the right edge.
  const second = Math.floor(props.at.now / 1000);
  const slot = Math.floor(second / Math.max(1, Math.floor(trend.window_s / width)));
  useLayoutEffect(() => {
    const plot = chart.current;
    if (plot === null) return;
    plot.setData(aligned(trend.lines));
    const ends = drawn.map((line) => {
      const last = lastPoint(line);
      return last === null ? height / 2 : plot.valToPos(last.v, scaleKey(line.unit)) + 2 * u - labelHeight / 2;
    });
    const next = spread(ends, labelHeight, height - 2 * u).map(Math.round);
    setTops((before) => (before.join() === next.join() ? before : next));
  }, [trend, slot, shape, width, height, u]);

  return (
    <section class="panel trend" aria-label={props.title}>
      {props.title !== '' && <h2 class="label">{props.title}</h2>}
      {drawn.length === 0 ? (
        <p class="hint">No data in this period yet</p>
      ) : (
        <div class="plot">
          <div class="canvas" ref={box} />
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
              const value = last === null || line.freshness === 'none' ? 'No data' : `${rounded(last.v)} ${line.unit}`;
              const text = old && last !== null ? `${duration(age * 1000)} ago` : value;
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
