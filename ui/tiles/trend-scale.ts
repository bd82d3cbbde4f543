/** Computes the grid lines and labels of a trend tile. */
import type { TrendLine } from '#contract/site/live.ts';
import { clock } from '#ui/format.ts';

const STEPS = [10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 14_400, 21_600, 43_200];

/** Returns the offset of a zone from UTC in seconds, so that grid lines are at full hours of the site. */
export function zoneOffset(ms: number, timezone: string): number {
  const [h, m] = clock(ms, timezone).split(':').map(Number);
  const local = ((h ?? 0) * 60 + (m ?? 0)) * 60;
  const utc = Math.floor((ms / 1000) % 86_400);
  const raw = local - (utc - (utc % 60));
  return raw > 43_200 ? raw - 86_400 : raw < -43_200 ? raw + 86_400 : raw;
}

/** Returns at most about `most` round clock times between two times, for the grid lines of a trend, in seconds since 1970. */
export function timeTicks(from: number, to: number, most: number, timezone: string): number[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? 86_400;
  const offset = zoneOffset(to * 1000, timezone);
  const ticks: number[] = [];
  for (let t = Math.ceil((from + offset) / step) * step - offset; t <= to; t += step) ticks.push(t);
  return ticks;
}

/**
 * Returns round numbers that cover a range in about `most` steps. A line that is nearly flat gets a wider range, so that small noise does
 * not look like a large change.
 */
export function valueTicks(from: number, to: number, most: number): number[] {
  const middle = (from + to) / 2;
  const span = Math.max(to - from, 0.1 * Math.abs(middle), 1);
  const low = Math.min(from, middle - span / 2);
  const high = Math.max(to, middle + span / 2);
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Returns the lowest and the highest value of the lines from the time `from` on; null if the lines have no values. */
export function extent(lines: readonly TrendLine[], from: number): [number, number] | null {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    for (let i = 0; i < line.t.length; i += 1) {
      const v = line.v[i];
      if (v === null || v === undefined || (line.t[i] ?? 0) < from) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? [low, high] : null;
}

/** Returns the last point of a line that has a value; null if the line has no values. */
export function lastPoint(line: TrendLine): { readonly t: number; readonly v: number } | null {
  for (let i = line.t.length - 1; i >= 0; i -= 1) {
    const v = line.v[i];
    const t = line.t[i];
    if (v !== null && v !== undefined && t !== undefined) return { t, v };
  }
  return null;
}

/**
 * Moves the positions of labels so that labels of this height do not overlap and are not below `bottom`. The labels stay in the given
 * order.
 */
export function spread(wanted: readonly number[], height: number, bottom: number): number[] {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  let edge = 0;
  for (const one of order) {
    one.y = Math.max(one.y, edge);
    edge = one.y + height;
  }
  edge = bottom;
  for (const one of [...order].reverse()) {
    one.y = Math.min(one.y, edge - height);
    edge = one.y;
  }
  const out = [...wanted];
  for (const one of order) out[one.i] = Math.max(0, one.y);
  return out;
}

/** Returns a number with one decimal place; from 100 on, without decimal places. */
export function rounded(v: number): string {
  const digits = Math.abs(v) >= 100 ? 0 : 1;
  return v.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
}

/** Where a time and a value are on a drawing. */
interface Place {
  x(t: number): number;
  y(value: number, unit: string): number;
}

/** Returns the path of a line. It has a gap where a value is missing. Points before `from` are left out, except for the last one. */
export function trendPath({ t, v, unit }: TrendLine, { x, y }: Place, from: number): string {
  let path = '';
  let open = false;
  for (let i = 0; i < t.length; i += 1) {
    const value = v[i];
    if ((t[i + 1] ?? Number.POSITIVE_INFINITY) < from) continue;
    if (value !== null && value !== undefined) {
      const last = v[i + 1] === null || v[i + 1] === undefined;
      const point = `${x(t[i] ?? 0).toFixed(1)} ${y(value, unit).toFixed(1)}`;
      // A point between two gaps is drawn as a dot: a line without length with round ends.
      path += open ? `L${point}` : last ? `M${point}h0` : `M${point}`;
    }
    open = value !== null && value !== undefined;
  }
  return path;
}
