/**
 * Selects the samples that a commit adds to history. History has one sample for each machine, signal and second: the sample that was stored
 * first. Late data and samples from files add only samples for seconds without a sample. So a file adds no samples if it is read a second
 * time, or if its data already arrived live.
 *
 * The statistics of minutes are stored for each stream (the live data of a device, or one reading of a file), and the reader of history
 * decides which of them count. Statistics that only repeat another stream are not stored.
 *
 * The samples of a file may have corrected times ([I57]). Other data of the same device has the times that the device reported, so the
 * seconds of the two differ; `reported-repeats.ts` finds the samples that history has already under reported times.
 *
 * A segment is a stored document with samples of one machine. The slot of a segment is a text with its machine and UTC day. With this text
 * a query finds the other segments that may have samples of the same seconds.
 */

import type { ProjectWrite, View } from '#contract/base/view.ts';
import { unlessDamaged } from '#domain/history/damage.ts';
import { filteredRows, type MinuteSeries, streamOf } from '#domain/history/minutes.ts';
import type { Origin } from '#domain/history/origins.ts';
import { openRollup } from '#domain/history/rollup.ts';
import type { NewSegment, RollupData, SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { clippedRuns, type StateRuns } from '#domain/history/states.ts';
import {
  countOf,
  dayOfMinute,
  filtered,
  firstOf,
  lastOf,
  openSegmentData,
  slotAt,
} from '#domain/history/stored-segment.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { withoutReported } from './reported-repeats.ts';

const DAY_S = 86_400;
const HOUR_S = 3_600;
const MINUTE_S = 60;
/** The number of segments per read of the store; a segment is large. */
const CHUNK = 200;

/** The part of a new segment that is in one slot, or in one hour of a slot. */
interface Piece {
  readonly made: NewSegment;
  readonly slot: string;
  /** Distinguishes the pieces of a segment. */
  readonly part: string;
  readonly series: readonly SampleSeries[];
  readonly minutes: readonly MinuteSeries[];
  readonly states: readonly StateRuns[];
}

/** Returns the first and the last time of a piece, in seconds. */
function reachOf({ series, minutes, states }: Pick<Piece, 'series' | 'minutes' | 'states'>): [number, number] {
  // Samples, minutes and states are in ascending order of time.
  const first = Math.min(
    ...series.map(({ t }) => t[0] as number),
    ...minutes.map(({ m }) => (m[0] as number) * MINUTE_S),
    ...states.map(({ from }) => from[0] as number),
  );
  const last = Math.max(
    ...series.map(({ t }) => t.at(-1) as number),
    ...minutes.map(({ m }) => (m.at(-1) as number) * MINUTE_S),
    ...states.flatMap(({ to }) => to),
  );
  return [first, last];
}

/**
 * Cuts a piece at the end of an hour. The compaction seals an hour when it gets no more segments, so a segment in two hours would delay the
 * sealing of the first hour until the second is over, and so on. A piece in more than two hours is late data; it stays whole, because it may
 * have few samples in many hours.
 */
function cutAtHour(piece: Piece): Piece[] {
  const [first, last] = reachOf(piece).map((second) => Math.floor(second / HOUR_S)) as [number, number];
  if (last !== first + 1) return [piece];
  const { series, minutes, states } = piece;
  return [first, last].map((hour) => ({
    ...piece,
    part: `${piece.slot} ${hour}`,
    series: filtered(series, (second) => Math.floor(second / HOUR_S) === hour),
    minutes: filteredRows(minutes, ({ m }) => Math.floor((m * MINUTE_S) / HOUR_S) === hour),
    states: clippedRuns(states, hour * HOUR_S, (hour + 1) * HOUR_S),
  }));
}

function piecesOf(made: NewSegment): Piece[] {
  return daysOf(made).flatMap(cutAtHour);
}

function daysOf(made: NewSegment): Piece[] {
  const { series, minutes, states, equipment_id } = made;
  const slot = (day: number) => slotAt(equipment_id, day * DAY_S);
  const days = new Set<number>();
  const [first, last] = reachOf(made);
  const one = Math.floor(first / DAY_S);
  if (one === Math.floor(last / DAY_S)) return [{ made, slot: slot(one), part: slot(one), series, minutes, states }];
  for (const { t } of series) for (const second of t) days.add(Math.floor(second / DAY_S));
  for (const { m } of minutes) for (const minute of m) days.add(dayOfMinute(minute));
  for (const { from, to } of states)
    from.forEach((second, i) => {
      for (let day = Math.floor(second / DAY_S); day <= Math.floor((to[i] as number) / DAY_S); day++) days.add(day);
    });
  return [...days]
    .sort((a, b) => a - b)
    .map((day) => ({
      made,
      slot: slot(day),
      part: slot(day),
      series: filtered(series, (s) => Math.floor(s / DAY_S) === day),
      minutes: filteredRows(minutes, ({ m }) => dayOfMinute(m) === day),
      states: clippedRuns(states, day * DAY_S, (day + 1) * DAY_S),
    }));
}

/** The writes that one commit adds to history. */
export interface NewSamples {
  readonly writes: ProjectWrite[];
  /** For each run that read a file, the number of added samples, and of samples that history already had. */
  readonly runs: readonly { readonly run: string; readonly added: number; readonly known: number }[];
}

/**
 * Returns the writes that store these segments, without the samples that history already has. `idOf` must return the same id for the same
 * segment and part. Segments of files are large, so the function awaits `breathe` between two of them, so that other work can run.
 */
export async function newSamples(
  store: Pick<Store, 'view'>,
  segments: readonly NewSegment[],
  idOf: (made: NewSegment, part: string, from_ms: number) => string,
  breathe: () => Promise<void>,
): Promise<NewSamples> {
  const writes: ProjectWrite[] = [];
  const runs: { run: string; added: number; known: number }[] = [];
  const before = new Map<string, (readonly SampleSeries[])[]>();
  for (const piece of segments.flatMap(piecesOf)) {
    const { made, slot } = piece;
    if (made.run !== null) await breathe();
    const own = await withoutReported(store.view(made.project_id), piece);
    const series = made.mayRepeat
      ? await withoutKnown(store, { ...piece, ...own }, before.get(slot) ?? [])
      : own.series;
    const added = countOf(series);
    const repeats = added < countOf(piece.series);
    const minutes = repeats ? await withoutRepeated(store, { ...piece, ...own }) : piece.minutes;
    if (made.run !== null) runs.push({ run: made.run, added, known: countOf(piece.series) - added });
    // If history already had all samples of a piece, it also has the states of the piece.
    const isNew = added > 0 || minutes.length > 0 || (piece.series.length === 0 && piece.states.length > 0);
    if (!isNew) continue;
    before.set(slot, [...(before.get(slot) ?? []), series]);
    writes.push(segmentWrite({ ...piece, series, minutes }, idOf));
  }
  return { writes, runs };
}

/**
 * What the store knows about the values of one stream (`streamOf`) in one minute: the number of values, and one bit for each second that
 * has a value.
 */
interface Known {
  n: number;
  early: number;
  late: number;
}

/** For each signal and minute, the streams that have values. The key is the text `signal minute`. */
type KnownMinutes = ReadonlyMap<string, ReadonlyMap<string, Known>>;

/**
 * Returns the rows that have data of their own. A row only repeats a stored stream if two conditions are true: the stream has a value in
 * each second in which the row has one, and it has at least as many values in that minute as the row.
 */
async function withoutRepeated(
  store: Pick<Store, 'view'>,
  { made, slot, minutes }: Piece,
): Promise<readonly MinuteSeries[]> {
  const known = await storedMinutes(store.view(made.project_id), slot, new Set(minutes.map(({ signal }) => signal)));
  return filteredRows(minutes, ({ m, o, n, early, late }, signal) => {
    const own = streamOf(made.origins[o] as Origin);
    for (const [stream, one] of known.get(`${signal} ${m}`) ?? [])
      if (stream !== own && one.n >= n && (early & ~one.early) === 0 && (late & ~one.late) === 0) return false;
    return true;
  });
}

/** Reads the streams of a machine and day from the store. */
async function storedMinutes(view: View, slot: string, signals: ReadonlySet<string>): Promise<KnownMinutes> {
  const known = new Map<string, Map<string, Known>>();
  const note = ({ signal, ...rows }: MinuteSeries, streams: readonly string[]): void => {
    rows.o.forEach((origin, i) => {
      const key = `${signal} ${rows.m[i]}`;
      const minute = known.get(key) ?? new Map<string, Known>();
      known.set(key, minute);
      const stream = streams[origin] as string;
      const sum = minute.get(stream) ?? { n: 0, early: 0, late: 0 };
      minute.set(stream, sum);
      sum.n += rows.n[i] as number;
      sum.early |= rows.early[i] as number;
      sum.late |= rows.late[i] as number;
    });
  };
  const rollups = { object: 'rollup', where: { 'data.slot': slot } };
  for await (const { data } of walk<RollupData>(view, 'telemetry', rollups, CHUNK)) {
    const rollup = openRollup(data.body);
    for (const signal of rollup?.signals ?? []) {
      const rows = signals.has(signal) ? unlessDamaged(() => rollup?.read(signal)) : undefined;
      if (rows !== undefined) note(rows, rollup?.origins.map(streamOf) ?? []);
    }
  }
  const open = { object: 'segment', where: { 'data.open_slot': slot } };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', open, CHUNK)) {
    const segment = openSegment(data.body);
    const streams = segment?.origins.map(streamOf) ?? [];
    for (const rows of unlessDamaged(() => segment?.minutes()) ?? []) if (signals.has(rows.signal)) note(rows, streams);
  }
  return known;
}

/** Returns the samples for seconds that have no sample in the store or in this commit. */
async function withoutKnown(
  store: Pick<Store, 'view'>,
  { made, slot, series }: Piece,
  before: readonly (readonly SampleSeries[])[],
): Promise<readonly SampleSeries[]> {
  if (series.length === 0) return series;
  const known = new Map<string, Set<number>>(series.map(({ signal }) => [signal, new Set()]));
  const note = (signal: string, seconds: readonly number[]) => {
    const set = known.get(signal);
    if (set !== undefined) for (const second of seconds) set.add(second);
  };
  const first = firstOf(series);
  const last_s = lastOf(series);
  for (const earlier of before)
    for (const { signal, t } of earlier)
      if ((t[0] as number) <= last_s && (t.at(-1) as number) >= first) note(signal, t);
  const view = store.view(made.project_id);
  const from_ms = first * 1000;
  const to_ms = last_s * 1000;
  const where = { 'data.slot': slot, 'data.to_ms': { gte: from_ms }, 'data.from_ms': { lte: to_ms } };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
    const segment = openSegment(data.body);
    for (const signal of segment?.signals ?? [])
      if (known.has(signal)) note(signal, unlessDamaged(() => segment?.read(signal))?.t ?? []);
  }
  if ([...known.values()].every(({ size }) => size === 0)) return series;
  return filtered(series, (second, signal) => known.get(signal)?.has(second) !== true);
}

function segmentWrite(
  { made, part, series, minutes, states }: Piece,
  idOf: (made: NewSegment, part: string, from_ms: number) => string,
): ProjectWrite {
  const { project_id, equipment_id, origins, raw } = made;
  const data = openSegmentData(equipment_id, { series, minutes, states, origins, raw: [raw] });
  return {
    collection: 'telemetry',
    id: idOf(made, part, data.from_ms),
    object: 'segment',
    project_id,
    data: { ...data },
  };
}
