/**
 * A segment is a stored document with samples of one machine and their statistics. A rollup is a document with the statistics of one
 * machine and day. When the gateway seals segments (replaces them by one smaller segment without statistics), this file adds their
 * statistics to the rollup of their day.
 *
 *   rows of the rollup of the day    ─┐
 *   rows of the segments to be sealed ┴▶ joined by minute and origin ─▶ a new rollup, which supersedes the old one
 *
 * The caller commits the new rollup together with the sealed segments, and erases the old documents in the same commit. So each value
 * counts once in the rollup, even if the gateway crashes. A rollup that cannot be read stays in the database, so that a backup can repair
 * it.
 */
import type { ProjectWrite, Stored, View } from '#contract/base/view.ts';
import { type MinutePart, type MinuteSeries, mergeMinutes } from '#domain/history/minutes.ts';
import { Origins } from '#domain/history/origins.ts';
import { compareRefs, joinRanges } from '#domain/history/raw-ranges.ts';
import { type OpenRollup, openRollup } from '#domain/history/rollup.ts';
import type { RawRange, RollupData } from '#domain/history/samples.ts';
import type { OpenSegment } from '#domain/history/segment.ts';
import { joinRuns, type StateRuns } from '#domain/history/states.ts';
import { rollupData, withReplaced } from '#domain/history/stored-segment.ts';

/**
 * The largest number of rollups of a day that one call joins. Normally a day has one rollup. It has more if an older rollup could not be
 * read when a new one was made.
 */
const MOST_ROLLUPS = 20;

/** The machine and day of a rollup. */
export interface RollupDay {
  readonly project_id: string;
  readonly equipment_id: string;
  readonly slot: string;
}

/** A rollup to write, and the ids of the rollups that it replaces. */
export interface NewRollup {
  readonly write: ProjectWrite;
  readonly replaces: readonly string[];
}

/** The rows of a segment, together with the segment. The segment says from which part of the journal the rows come. */
interface SegmentRows {
  readonly minutes: readonly MinuteSeries[];
  readonly segment: OpenSegment;
}

/** The first and the last position of the messages from which a segment came; undefined in segments of earlier builds. */
const rangeOf = ({ segment: { raw } }: SegmentRows): RawRange | undefined => {
  const [first] = raw;
  const last = raw.at(-1);
  return first && last && [first[0], last[1]];
};

/**
 * Divides segments into groups. The segments of a group come from overlapping parts of the journal. This happens if the gateway stops
 * between two commits and then reads the same messages again. So segments of one group may contain the same values.
 *
 * Live samples come from a range of messages, samples of a log file from one message each. A message with a part of a log file may be in the
 * range of a live segment, but the two never contain the same values. So segments of one message are compared only with each other.
 */
function overlapping(segments: readonly SegmentRows[]): SegmentRows[][] {
  const ofMessages = Map.groupBy(segments, (one) => {
    const range = rangeOf(one);
    return range === undefined ? 'unknown' : range[0] === range[1] ? range[0] : 'live';
  });
  const { unknown = [], live = [], ...files } = Object.fromEntries(ofMessages);
  const groups: SegmentRows[][] = [...unknown.map((one) => [one]), ...Object.values(files)];
  let end: string | undefined;
  const ranges = live.map((one) => [rangeOf(one) as RawRange, one] as const);
  for (const [[from, to], one] of ranges.sort(([[a]], [[b]]) => compareRefs(a, b))) {
    if (end !== undefined && compareRefs(from, end) < 0) groups.at(-1)?.push(one);
    else groups.push([one]);
    if (end === undefined || compareRefs(to, end) > 0) end = to;
  }
  return groups;
}

/** Returns the rows of one signal in all segments. If segments of a group contain the same values, the result has them once. */
function partsOf(signal: MinuteSeries['signal'], groups: readonly (readonly SegmentRows[])[]): MinutePart[] {
  return groups.flatMap((group) => {
    const parts = group.flatMap(({ minutes, segment: { origins } }) =>
      minutes.filter((series) => series.signal === signal).map((series) => ({ series, origins })),
    );
    if (parts.length < 2) return parts;
    const origins = new Origins();
    return [{ series: mergeMinutes(signal, parts, origins, 'replace'), origins: origins.list }];
  });
}

/**
 * Returns the rollup of the day with the rows of these segments added; undefined if the segments have no rows. A row has the statistics of
 * one minute of a signal. `onDamaged` is called with the id of each rollup that cannot be read. Throws `RangeError` if a segment is
 * damaged.
 */
export async function addToRollup(
  view: Pick<View, 'find'>,
  { project_id, equipment_id, slot }: RollupDay,
  segments: readonly OpenSegment[],
  breathe: () => Promise<void>,
  onDamaged: (id: string) => void,
): Promise<NewRollup | undefined> {
  const rows = segments.map((segment) => ({ segment, minutes: segment.minutes() }));
  const ofSegments = segments.map((segment) => ({ states: segment.states(), origins: segment.origins }));
  const where = { 'data.slot': slot };
  const stored = await view.find<RollupData>('telemetry', {
    object: 'rollup',
    where,
    order: 'asc',
    limit: MOST_ROLLUPS,
  });
  const before = stored.flatMap((one) => readRollup(one, onDamaged));
  const groups = overlapping(rows);
  const signals = new Set([
    ...before.flatMap(({ series }) => [...series.keys()]),
    ...rows.flatMap(({ minutes }) => minutes.map(({ signal }) => signal)),
  ]);
  const origins = new Origins();
  const minutes: MinuteSeries[] = [];
  for (const signal of signals) {
    const own = before.flatMap(({ series, opened }) => {
      const found = series.get(signal);
      return found === undefined ? [] : [{ series: found, origins: opened.origins }];
    });
    const merged = mergeMinutes(signal, [...own, ...partsOf(signal, groups)], origins);
    if (merged.m.length > 0) minutes.push(merged);
    await breathe();
  }
  const states = joinRuns(
    [...before.map(({ states: runs, opened }) => ({ states: runs, origins: opened.origins })), ...ofSegments],
    origins,
  );
  if (minutes.length === 0 && states.length === 0) return undefined;
  const raw = joinRanges([...before.flatMap(({ opened }) => opened.raw), ...segments.flatMap((one) => one.raw)]);
  const generation = Math.max(0, ...stored.map(({ data }) => data.seal.generation)) + 1;
  const replaced = stored.flatMap(({ id, data }) =>
    before.some((one) => one.id === id) ? withReplaced(id, data.seal) : [],
  );
  const of = { equipment_id, slot, generation, supersedes: before.at(-1)?.id ?? null, replaces: replaced };
  const { id, data } = await rollupData(of, { minutes, states, origins: origins.list, raw }, breathe);
  return {
    write: { collection: 'telemetry', id, object: 'rollup', project_id, data: { ...data } },
    replaces: before.map((one) => one.id).filter((one) => one !== id),
  };
}

/** A stored rollup of which the code has read all rows and states. */
interface ReadRollup {
  readonly id: string;
  readonly opened: OpenRollup;
  readonly series: ReadonlyMap<MinuteSeries['signal'], MinuteSeries>;
  readonly states: readonly StateRuns[];
}

function readRollup({ id, data }: Stored<RollupData>, onDamaged: (id: string) => void): ReadRollup[] {
  const opened = openRollup(data.body);
  try {
    if (opened !== undefined) {
      const series = new Map(opened.signals.map((signal) => [signal, opened.read(signal) as MinuteSeries]));
      return [{ id, opened, series, states: opened.states() }];
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  onDamaged(id);
  return [];
}
