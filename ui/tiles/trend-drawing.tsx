/** The drawing of a trend: grid, labels of the axes, and one path for each line. All lengths are in pixels. */
import type { TrendLine } from '#contract/site/live.ts';
import { clock } from '#ui/format.ts';
import { decimals } from '#ui/languages/texts.ts';
import { textWidth } from '#ui/text/measure.ts';
import { extent, timeTicks, trendPath, valueTicks } from './trend-scale.ts';

const FLOOR = 3.7;
/** Height of the labels of the time axis, and space above and right of the lines, in u (1 u is a hundredth of the screen height). */
const BELOW = 5.4;
const ABOVE = 2;
const RIGHT = 0.6;
/**
 * The dash patterns of the lines. Each line has a different pattern and a different colour. Lengths are in u.
 */
export const DASHES: readonly (readonly number[])[] = [[], [1.6, 1], [0.5, 0.8], [3, 0.8, 0.5, 0.8]];

/** Where values are on a trend, in pixels. */
export interface TrendFrame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly times: readonly number[];
  /** The grid values of the first unit. Values of other units have no labels. */
  readonly values: readonly number[];
  x(t: number): number;
  y(value: number, unit: string): number;
}

/** Computes where values are on a trend of this size that ends at `to`, in seconds since 1970. */
export function trendFrame(
  lines: readonly TrendLine[],
  { width, height, u, to, window_s }: { width: number; height: number; u: number; to: number; window_s: number },
  timezone: string,
): TrendFrame {
  const from = to - window_s;
  const bottom = height - BELOW * u;
  const steps = Math.max(2, Math.floor(height / (u * 9)));
  const scales = new Map<string, readonly number[]>();
  for (const { unit } of lines) {
    if (scales.has(unit)) continue;
    const [low, high] = extent(
      lines.filter((line) => line.unit === unit),
      from,
    ) ?? [0, 1];
    scales.set(unit, valueTicks(low, high, steps));
  }
  const values = scales.get(lines[0]?.unit ?? '') ?? [];
  const left = u * (1.6 + Math.max(3, ...values.map((value) => textWidth(String(value), FLOOR, 400))));
  const wide = width - left - RIGHT * u;
  return {
    width,
    height,
    left,
    times: timeTicks(from, to, Math.max(2, Math.floor(width / (u * 22))), timezone),
    values,
    x: (t) => left + ((t - from) / window_s) * wide,
    y: (value, unit) => {
      const ticks = scales.get(unit) ?? [];
      const [least, most] = [ticks[0] ?? 0, ticks[ticks.length - 1] ?? 1];
      return ABOVE * u + (1 - (value - least) / (most - least)) * (bottom - ABOVE * u);
    },
  };
}

export function TrendDrawing(props: {
  readonly lines: readonly TrendLine[];
  readonly frame: TrendFrame;
  readonly from: number;
  readonly u: number;
  readonly timezone: string;
}) {
  const { lines, frame, from, u, timezone } = props;
  const { width, height, left, times, values } = frame;
  const unit = lines[0]?.unit ?? '';
  const bottom = height - BELOW * u;
  const half = textWidth('00:00', FLOOR, 400) * u * 0.5;
  return (
    <svg class="drawing" width={width} height={height} aria-hidden="true">
      <clipPath id="trend-area">
        <rect x={left} y="0" width={width - left} height={bottom + u} />
      </clipPath>
      {times.map((t) => (
        <g key={t}>
          <path class="rule" d={`M${frame.x(t)} ${ABOVE * u}V${bottom}`} />
          <text x={Math.min(width - half, frame.x(t))} y={height - 0.9 * u} text-anchor="middle">
            {clock(t * 1000, timezone)}
          </text>
        </g>
      ))}
      {values.map((value) => (
        <g key={value}>
          <path class="rule" d={`M${left} ${frame.y(value, unit)}H${width}`} />
          <text x={left - u} y={frame.y(value, unit) + 0.36 * FLOOR * u} text-anchor="end">
            {decimals(String(value))}
          </text>
        </g>
      ))}
      <g clip-path="url(#trend-area)">
        {lines.map((line, i) => (
          <path
            key={line.key}
            class={`run line-${(i % 4) + 1}`}
            d={trendPath(line, frame, from)}
            stroke-width={Math.max(2, u * 0.36)}
            stroke-dasharray={(DASHES[i % 4] ?? []).map((one) => one * u).join(' ')}
          />
        ))}
      </g>
    </svg>
  );
}
