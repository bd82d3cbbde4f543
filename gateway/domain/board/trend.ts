/**
 * The `timeseries` widget. Samples are averaged in buckets (time steps of equal length). Buckets start at multiples of their length since
 * 1970, so a line changes only at its end. Where there are no samples, the line has a gap.
 */

import { FRESHNESS, type Freshness } from '#contract/base/freshness.ts';
import { isSignal, type SignalName, signalRow } from '#contract/base/signals.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { TrendLine, TrendTile } from '#contract/site/live.ts';
import { trendStart } from '#contract/site/live-apply.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import type { BoardMachine } from './tiles.ts';
import { drawSignal, ownBound, rounded } from './values.ts';

/** A line of a trend: the mean value of each bucket. `t` is the start of each bucket in seconds since 1970, ascending. */
export interface Series {
  readonly t: readonly number[];
  readonly v: readonly number[];
}
/** Returns the history of one signal of one machine in buckets of `step_s` seconds; undefined if the history was not loaded. */
export type SeriesOf = (equipment_id: string, signal: SignalName, step_s: number) => Series | undefined;

const POINTS = 180;
/** Seconds for which a bucket waits for late messages before it is drawn. */
const LAG_S = 2;
const MOST_LINES = 4;
const WORDS = { sum: 'total', avg: 'average', min: 'lowest', max: 'highest' } as const;
type Aggregate = keyof typeof WORDS;

/** Returns the length of the time that a trend widget draws, in seconds. */
export function trendWindow(widget: Pick<PlacedWidget, 'query'>): number {
  return widget.query.window_s ?? 1800;
}

/** Returns the length of one bucket in seconds, for a trend over `window_s` seconds. */
export function trendStep(window_s: number): number {
  return Math.max(1, Math.ceil(window_s / POINTS));
}

/** Averages samples in buckets. Samples may be in any order; times are in seconds. */
export function bucketise(samples: Series, step_s: number): Series {
  const buckets = new Map<number, { sum: number; n: number }>();
  samples.t.forEach((time, i) => {
    const value = samples.v[i];
    if (value === undefined || !Number.isFinite(value)) return;
    const start = Math.floor(time / step_s) * step_s;
    const bucket = buckets.get(start) ?? { sum: 0, n: 0 };
    buckets.set(start, { sum: bucket.sum + value, n: bucket.n + 1 });
  });
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  return { t: sorted.map(([start]) => start), v: sorted.map(([, { sum, n }]) => sum / n) };
}

/** Returns true if no more samples can come into a bucket. Only these closed buckets are drawn, so that a drawn point never changes. */
export function isClosed(start_s: number, step_s: number, now_s: number): boolean {
  return start_s + step_s + LAG_S <= now_s;
}

/** Returns the signals that a trend draws. */
export function trendSignals(widget: Pick<PlacedWidget, 'query'>): readonly SignalName[] {
  const { signal, signals } = widget.query;
  return [...new Set([signal, ...(signals ?? [])])].filter((name) => name !== undefined).filter(isSignal);
}

/**
 * Returns the machines for which a trend needs the history. For an aggregate these are all machines, otherwise the first MOST_LINES
 * machines.
 */
export function trendMachines(
  widget: Pick<PlacedWidget, 'query'>,
  machines: readonly BoardMachine[],
): readonly BoardMachine[] {
  if (machines.length <= 1 || aggregateOf(widget) !== undefined) return machines;
  return machines.slice(0, MOST_LINES);
}

/** Composes a `timeseries` widget: one line per signal for a single machine or an aggregate, otherwise one line per machine. */
export function composeTrend(
  widget: PlacedWidget,
  machines: readonly BoardMachine[],
  live: (equipment_id: string) => EquipmentLive | undefined,
  series: SeriesOf,
  now_ms: number,
): TrendTile {
  const window_s = trendWindow(widget);
  const step = trendStep(window_s);
  const signals = trendSignals(widget);
  const drawn = trendMachines(widget, machines);
  const aggregate = aggregateOf(widget);
  const line = (
    key: string,
    label: string,
    signal: SignalName,
    of: readonly BoardMachine[],
    how: Aggregate,
  ): TrendLine => {
    const row = signalRow(signal);
    const gap = 3 * Math.max(row.interval_s, step, ...of.map((machine) => machine.interval_s ?? 0));
    const parts = of.map((machine) => series(machine.id, signal, step) ?? { t: [], v: [] });
    const ages = of.map(
      (machine) => drawSignal(signal, live(machine.id)?.values[signal], now_ms, ownBound(widget)).freshness,
    );
    const combined = parts.length === 1 ? undefined : combine(parts, how, gap);
    const points = finish(combined ?? parts[0], gap, step, window_s, now_ms, row.decimals);
    const end = points.t.at(-1);
    const place = combined === undefined ? 0 : (combined.owners[combined.t.indexOf(end ?? -1)] ?? -1);
    const owner = end !== undefined && (how === 'min' || how === 'max') ? of[place] : undefined;
    return {
      key,
      label,
      unit: row.unit,
      freshness: best(ages),
      ...(owner === undefined ? {} : { of: owner.unit_number }),
      ...points,
    };
  };
  if (machines.length === 1 || aggregate !== undefined) {
    const how = aggregate ?? 'avg';
    const suffix = aggregate === undefined || machines.length === 1 ? '' : ` ${WORDS[how]}`;
    const lines = signals.map((signal) => line(signal, `${signalRow(signal).label}${suffix}`, signal, drawn, how));
    return { window_s, step_s: step, lines };
  }
  const [signal] = signals;
  if (signal === undefined) return { window_s, step_s: step, lines: [] };
  return {
    window_s,
    step_s: step,
    lines: drawn.map((machine) => line(machine.id, machine.unit_number, signal, [machine], 'avg')),
  };
}

/**
 * Returns the aggregate that combines several machines into one line. A trend with several signals of several machines always gets an
 * aggregate (by default the average), because it would otherwise need too many lines.
 */
function aggregateOf({ query }: Pick<PlacedWidget, 'query'>): Aggregate | undefined {
  const { aggregate } = query;
  if (aggregate !== undefined && aggregate in WORDS) return aggregate as Aggregate;
  return trendSignals({ query }).length > 1 ? 'avg' : undefined;
}

/** A combined series. For a minimum or maximum, `owners` has for each point the index of the series from which it comes. */
interface Combined extends Series {
  readonly owners: readonly number[];
}

/**
 * Combines the series of several machines into one series. If a machine has no bucket at a time, its latest earlier bucket counts, but only
 * while that bucket is not older than `gap_s`.
 */
function combine(parts: readonly Series[], how: Aggregate, gap_s: number): Combined {
  const times = [...new Set(parts.flatMap((part) => part.t))].sort((a, b) => a - b);
  const at = parts.map(() => -1);
  const owners: number[] = [];
  const v = times.map((time) => {
    let sum = 0;
    let count = 0;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let owner = -1;
    parts.forEach((part, i) => {
      let index = at[i] ?? -1;
      while ((part.t[index + 1] ?? Number.POSITIVE_INFINITY) <= time) index++;
      at[i] = index;
      const value = part.v[index];
      if (value === undefined || time - (part.t[index] ?? 0) > gap_s) return;
      sum += value;
      count++;
      if (how === 'min' ? value < low : value > high) owner = i;
      low = Math.min(low, value);
      high = Math.max(high, value);
    });
    owners.push(owner);
    return { sum, avg: sum / count, min: low, max: high }[how];
  });
  return { t: times, v, owners };
}

/**
 * Returns the closed buckets inside the window, rounded to the decimals that are drawn. Where buckets are missing, it adds a null value,
 * which interrupts the line.
 */
function finish(
  series: Series | undefined,
  gap_s: number,
  step: number,
  window_s: number,
  now_ms: number,
  decimals: number,
): Pick<TrendLine, 't' | 'v'> {
  const t: number[] = [];
  const v: (number | null)[] = [];
  series?.t.forEach((time, i) => {
    if (!isClosed(time, step, now_ms / 1000)) return;
    const before = t.at(-1);
    if (before !== undefined && time - before > gap_s) {
      t.push(before + step);
      v.push(null);
    }
    t.push(time);
    v.push(rounded(series.v[i] ?? 0, decimals + 1));
  });
  if ((t.at(-1) ?? 0) < now_ms / 1000 - window_s) return { t: [], v: [] };
  const from = trendStart(t, window_s);
  return { t: t.slice(from), v: v.slice(from) };
}

function best(ages: readonly Freshness[]): Freshness {
  return FRESHNESS.find((freshness) => ages.includes(freshness)) ?? 'never';
}
