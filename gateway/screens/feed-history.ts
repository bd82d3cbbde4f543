/**
 * Reads the history that the trend charts of a feed (the content of one screen) show. It reads each series in full once. After that it
 * reads only the end of the series, with an overlap for late samples. Every five minutes it reads the series in full again.
 */
import type { SignalName } from '#contract/base/signals.ts';
import { bucketise, isClosed, type Series, type SeriesOf } from '#domain/board/trend.ts';

/** Reads the samples of a signal between two times in milliseconds. `t` is in seconds since 1970. */
export type History = (
  equipment_id: string,
  signal: SignalName,
  from_ms: number,
  to_ms: number,
) => Promise<{ t: number[]; v: number[] }>;

interface Wanted {
  readonly equipment_id: string;
  readonly signal: SignalName;
  readonly step_s: number;
  readonly window_s: number;
}

export interface TrendHistory {
  readonly series: SeriesOf;
  /** Sets the series that the feed shows, and deletes all other series. */
  want(wanted: readonly Wanted[]): void;
  /** Returns true if a step of a trend chart has ended since the last refresh, so that the chart gets a new point. */
  due(now_ms: number): boolean;
  /** Reads new samples of all series. Returns false when there are no series. */
  refresh(now_ms: number): Promise<boolean>;
}

/** The largest number of series of one feed. A trend chart over more machines shows only the first ones. */
const MOST_SERIES = 400;
/** A read begins this many seconds before the end of the last read, so that it also returns samples that came late. */
const OVERLAP_S = 60;
/**
 * After this many seconds a series is read in full again. It then also has the samples that a device sent long after their time, because it
 * had been offline.
 */
const WHOLE_S = 300;
/** Number of series that are read at the same time. */
const PARALLEL_READS = 8;

interface Kept extends Wanted {
  series: Series;
  /** The points of the steps of the chart that have ended. */
  closed: Series;
  /** The end of the time range of the last read, in seconds since 1970; null before the first read. */
  read_s: number | null;
  /** Time of the last read of the whole series, in seconds since 1970. */
  whole_s: number;
}

/** Returns the points of a series for which `wanted` returns true; `wanted` is called with the time of each point. */
function part({ t, v }: Series, wanted: (time: number) => boolean): Series {
  return { t: t.filter(wanted), v: v.filter((_, i) => wanted(t[i] ?? 0)) };
}

const EMPTY: Series = { t: [], v: [] };

export function createTrendHistory(history: History, first: readonly Wanted[]): TrendHistory {
  const kept = new Map<string, Kept>();
  const key = (equipment_id: string, signal: string, step_s: number) => `${equipment_id}\n${signal}\n${step_s}`;
  let due_s = 0;

  function want(wanted: readonly Wanted[]): void {
    const keys = new Set<string>();
    for (const one of wanted) {
      const id = key(one.equipment_id, one.signal, one.step_s);
      if (keys.size >= MOST_SERIES && !keys.has(id)) continue;
      keys.add(id);
      const known = kept.get(id);
      if (known === undefined) due_s = 0;
      if (known === undefined || known.window_s < one.window_s)
        kept.set(id, { ...one, series: EMPTY, closed: EMPTY, read_s: null, whole_s: 0 });
    }
    for (const id of kept.keys()) if (!keys.has(id)) kept.delete(id);
  }

  async function read(one: Kept, now_s: number): Promise<void> {
    const { equipment_id, signal, step_s, window_s } = one;
    const edge = now_s - window_s - 2 * step_s;
    const whole = one.read_s === null || now_s - one.whole_s >= WHOLE_S;
    if (whole) one.whole_s = now_s;
    const from = Math.floor(Math.max(edge, whole ? edge : (one.read_s ?? 0) - OVERLAP_S) / step_s) * step_s;
    const fresh = bucketise(await history(equipment_id, signal, from * 1000, now_s * 1000), step_s);
    const old = part(one.series, (time) => time >= edge && time < from);
    const end = part(fresh, (time) => time >= from);
    one.series = { t: [...old.t, ...end.t], v: [...old.v, ...end.v] };
    one.closed = part(one.series, (time) => isClosed(time, step_s, now_s));
    one.read_s = now_s;
  }

  want(first);
  return {
    series: (equipment_id, signal, step_s) => kept.get(key(equipment_id, signal, step_s))?.closed,
    want,
    due: (now_ms) => kept.size > 0 && now_ms / 1000 >= due_s,
    async refresh(now_ms) {
      const now_s = now_ms / 1000;
      const all = [...kept.values()];
      const step = Math.min(...all.map(({ step_s }) => step_s));
      due_s = (Math.floor(now_s / step) + 1) * step;
      // If nothing is wanted any more, because the feed was closed, the rest is not read.
      for (let i = 0; i < all.length && kept.size > 0; i += PARALLEL_READS)
        await Promise.all(all.slice(i, i + PARALLEL_READS).map((one) => read(one, now_s)));
      return all.length > 0;
    },
  };
}
