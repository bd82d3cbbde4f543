/**
 * The geometry of the history chart of a signal: converts the steps of an answer to lines and areas in pixels. The functions have no side
 * effects.
 */
import { csvLine } from '#contract/csv.ts';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import { shownUnit, shownValue } from '#ui/languages/units.ts';

/** The points of one step or sample: time in milliseconds, and the lowest, mean and highest value. */
export interface Point {
  readonly t: number;
  readonly low: number;
  readonly mean: number;
  readonly high: number;
}

/** The size of the drawing area in pixels, and the ranges of time and value that it shows. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly from: number;
  readonly to: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Returns the points of a series. The point of a step has the lowest, mean and highest value of the step. The point of a single sample has
 * the value of the sample in all three fields.
 */
export function pointsOf({ t, value, min, max, mean }: TelemetrySeries): Point[] {
  return t.map((time, i) => {
    const one = value?.[i];
    if (one !== undefined) return { t: time, low: one, mean: one, high: one };
    return { t: time, low: min?.[i] ?? 0, mean: mean?.[i] ?? 0, high: max?.[i] ?? 0 };
  });
}

/**
 * Divides points into runs (points without a gap between them). There is a gap where the time between two points is more than the length of
 * a step plus `gap_ms`.
 */
export function runsOf(points: readonly Point[], gap_ms: number): Point[][] {
  const runs: Point[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point.t - before > gap_ms) runs.push([]);
    runs.at(-1)?.push(point);
    before = point.t;
  }
  return runs;
}

/** Returns the position of a time on the horizontal axis, in pixels. */
export const xOf = ({ width, from, to }: Frame, t: number): number => ((t - from) / (to - from)) * width;
/** Returns the position of a value on the vertical axis, in pixels. */
export const yOf = ({ height, least, most }: Frame, v: number): number =>
  height - ((v - least) / (most - least)) * height;
const px = (n: number): string => n.toFixed(1);

/** Returns the time at a horizontal position, within the range of the chart. */
export function timeAt({ width, from, to }: Frame, x: number): number {
  return Math.round(from + Math.min(1, Math.max(0, x / width)) * (to - from));
}

/** Returns the path of the mean values of a run. A run of one point becomes a short line, so that it can be seen. */
export function linePath(frame: Frame, run: readonly Point[]): string {
  const [first] = run;
  if (first === undefined) return '';
  const start = `M${px(xOf(frame, first.t))} ${px(yOf(frame, first.mean))}`;
  if (run.length === 1) return `${start}h2`;
  return `${start}${run
    .slice(1)
    .map(({ t, mean }) => `L${px(xOf(frame, t))} ${px(yOf(frame, mean))}`)
    .join('')}`;
}

/** Returns the area between the lowest and the highest values of a run. */
export function bandPath(frame: Frame, run: readonly Point[]): string {
  if (run.length < 2) return '';
  const corner = (t: number, v: number) => `${px(xOf(frame, t))} ${px(yOf(frame, v))}`;
  const upper = run.map(({ t, high }) => corner(t, high));
  const lower = run.map(({ t, low }) => corner(t, low)).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}

/** Returns the point that is nearest to a time; undefined without points. */
export function nearest(points: readonly Point[], t: number): Point | undefined {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] as Point).t < t) low = middle + 1;
    else high = middle;
  }
  const after = points[low];
  const before = points[low - 1];
  if (after === undefined || before === undefined) return after ?? before;
  return t - before.t < after.t - t ? before : after;
}

/** Returns a series in the units that the page shows, for its chart. A CSV file has the stored values. */
export function inShownUnits(series: TelemetrySeries): TelemetrySeries {
  const { unit, value, min, max, mean, lowest, highest, latest_before } = series;
  if (shownUnit(unit) === unit) return series;
  const shown = (one: number) => Number(shownValue(one, unit).toPrecision(6));
  const all = (column: readonly number[] | undefined) => column?.map(shown);
  const sample = <T extends { value: number } | null>(one: T): T => one && { ...one, value: shown(one.value) };
  return {
    ...series,
    unit: shownUnit(unit),
    lowest: sample(lowest),
    highest: sample(highest),
    latest_before: sample(latest_before),
    ...(value !== undefined && { value: all(value) }),
    ...(min !== undefined && { min: all(min) }),
    ...(max !== undefined && { max: all(max) }),
    ...(mean !== undefined && { mean: all(mean) }),
  };
}

/** Returns the rows of a CSV file with these steps or samples. Times are ISO 8601 in UTC. */
export function csvOf(series: TelemetrySeries): string {
  const { t, value, min, max, mean, last, count } = series;
  const time = (at: number) => new Date(at).toISOString();
  const rows =
    value !== undefined
      ? [['time', 'value'], ...t.map((at, i) => [time(at), value[i]])]
      : [
          ['step_start', 'min', 'max', 'mean', 'last', 'samples'],
          ...t.map((at, i) => [time(at), min?.[i], max?.[i], mean?.[i], last?.[i], count?.[i]]),
        ];
  return rows.map(csvLine).join('');
}
