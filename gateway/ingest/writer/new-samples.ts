/**
 * Selects the samples that a commit adds to history. History has one sample for each machine, signal and second: the sample that was stored
 * first. Late data and samples from files add only samples for seconds without a sample. So a file adds no samples if it is read a second
 * time, or if its data already arrived live.
 *
 * A segment is a stored document with samples of one machine. Its slot is its machine and UTC day; by the slot a query finds the segments
 * that may have samples of the same seconds.
 */

import type { ProjectWrite } from '#contract/base/view.ts';
import type { NewSegment, SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { countOf, firstOf, lastOf, openSegmentData, slotAt } from '#domain/history/stored-segment.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const DAY_S = 86_400;
/** The number of segments per read of the store; a segment is large. */
const CHUNK = 200;

/** The part of a new segment that is in one slot. */
interface Piece {
  readonly made: NewSegment;
  readonly slot: string;
  readonly series: readonly SampleSeries[];
}

/** Returns the series with only the samples for which `keep` returns true. It drops series without samples. */
function filtered(series: readonly SampleSeries[], keep: (second: number, signal: string) => boolean): SampleSeries[] {
  return series.flatMap(({ signal, t, v, o }) => {
    const kept = t.flatMap((second, i) => (keep(second, signal) ? [i] : []));
    if (kept.length === 0) return [];
    const pick = (of: readonly number[]) => kept.map((i) => of[i] as number);
    return [{ signal, t: pick(t), v: pick(v), o: pick(o) }];
  });
}

function piecesOf(made: NewSegment): Piece[] {
  const { series, equipment_id } = made;
  const first = Math.floor(firstOf(series) / DAY_S);
  const last = Math.floor(lastOf(series) / DAY_S);
  const slot = (day: number) => slotAt(equipment_id, day * DAY_S);
  if (first === last) return [{ made, slot: slot(first), series }];
  const days = new Set(series.flatMap(({ t }) => t.map((second) => Math.floor(second / DAY_S))));
  return [...days]
    .sort((a, b) => a - b)
    .map((day) => ({ made, slot: slot(day), series: filtered(series, (s) => Math.floor(s / DAY_S) === day) }));
}

/** The writes that one commit adds to history. */
export interface NewSamples {
  readonly writes: ProjectWrite[];
  /** For each run that read a file, the number of added samples, and of samples that history already had. */
  readonly runs: readonly { readonly run: string; readonly added: number; readonly known: number }[];
}

/**
 * Returns the writes that store these segments, without the samples that history already has. `idOf` must return the same id for the same
 * segment and slot. Segments of files are large, so the function awaits `breathe` between two of them, so that other work can run.
 */
export async function newSamples(
  store: Pick<Store, 'view'>,
  segments: readonly NewSegment[],
  idOf: (made: NewSegment, slot: string, from_ms: number) => string,
  breathe: () => Promise<void>,
): Promise<NewSamples> {
  const writes: ProjectWrite[] = [];
  const runs: { run: string; added: number; known: number }[] = [];
  const before = new Map<string, (readonly SampleSeries[])[]>();
  for (const piece of segments.flatMap(piecesOf)) {
    const { made, slot } = piece;
    if (made.run !== null) await breathe();
    const series = made.mayRepeat ? await withoutKnown(store, piece, before.get(slot) ?? []) : piece.series;
    const added = countOf(series);
    if (made.run !== null) runs.push({ run: made.run, added, known: countOf(piece.series) - added });
    if (added === 0) continue;
    before.set(slot, [...(before.get(slot) ?? []), series]);
    writes.push(segmentWrite({ ...piece, series }, idOf));
  }
  return { writes, runs };
}

/** Returns the samples for seconds that have no sample in the store or in this commit. */
async function withoutKnown(
  store: Pick<Store, 'view'>,
  { made, slot, series }: Piece,
  before: readonly (readonly SampleSeries[])[],
): Promise<readonly SampleSeries[]> {
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
    const segment = openSegment(Buffer.from(data.body, 'base64'));
    for (const signal of segment?.signals ?? []) if (known.has(signal)) note(signal, segment?.read(signal)?.t ?? []);
  }
  if ([...known.values()].every(({ size }) => size === 0)) return series;
  return filtered(series, (second, signal) => known.get(signal)?.has(second) !== true);
}

function segmentWrite(
  { made, slot, series }: Piece,
  idOf: (made: NewSegment, slot: string, from_ms: number) => string,
): ProjectWrite {
  const { project_id, equipment_id, origins, raw } = made;
  const data = openSegmentData(equipment_id, { series, origins, raw: [raw] });
  return {
    collection: 'telemetry',
    id: idOf(made, slot, data.from_ms),
    object: 'segment',
    project_id,
    data: { ...data },
  };
}
