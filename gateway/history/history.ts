/**
 * Reads the samples of one signal of one machine, from the store and from memory. A segment is a stored document with samples of one
 * machine; the newest samples are in memory until they are in a stored segment.
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { View } from '#contract/base/view.ts';
import { unlessDamaged } from '#domain/history/damage.ts';
import type { MinuteSeries } from '#domain/history/minutes.ts';
import type { Origin } from '#domain/history/origins.ts';
import type { NewSegment, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import type { StateRuns } from '#domain/history/states.ts';
import { walk } from '#store/walk.ts';

/** The number of segments that one read of the store returns. */
const CHUNK = 200;

/** Samples in two arrays of equal length: times in seconds since 1970, and values. */
export interface History {
  t: number[];
  v: number[];
}

/** The store and the memory from which the samples of one machine are read. */
export interface HistorySource {
  readonly view: View;
  readonly equipment_id: string;
  /** Returns the samples in memory that are not in a segment yet. */
  readonly openSamples: (signal: SignalName) => History;
  /** Returns the segments that may not be in the store yet. */
  readonly unstoredSegments: () => readonly NewSegment[];
  /** The statistics in memory that are in no segment yet. */
  readonly openMinutes: () => OpenMinutes;
  /** The present `version` of the statistics in memory. */
  readonly openVersion: () => number;
  /** True while a segment of the machine is being stored: the segment may then be in memory and in the store at once. */
  readonly isStoring: () => boolean;
  /**
   * Projects in which every segment has statistics. Earlier builds wrote segments without statistics. A reader that finds no such segment
   * in a project adds the project to this set.
   */
  readonly converted: Set<string>;
}

/** The statistics of minutes that are in memory and not in a segment yet. */
export interface OpenMinutes {
  /** A number that changes when the statistics leave memory. */
  readonly version: number;
  readonly minutes: readonly MinuteSeries[];
  /** The states that control units reported instead of values. */
  readonly states: readonly StateRuns[];
  readonly origins: readonly Origin[];
}

/** Returns the samples of a signal from `from_ms` to `to_ms` (both included), in ascending order, at most one a second. */
export async function readHistory(
  { view, equipment_id, openSamples, unstoredSegments }: HistorySource,
  signal: SignalName,
  from_ms: number,
  to_ms: number,
): Promise<History> {
  const found: [t: number, v: number][] = [];
  const from = from_ms / 1000;
  const to = to_ms / 1000;
  const add = (t: number, v: number): void => {
    if (t >= from && t <= to) found.push([t, v]);
  };
  // Read memory before the store, because samples may move from memory to the store between the two reads. A sample that is found in both
  // counts once.
  const open = openSamples(signal);
  open.t.forEach((t, i) => {
    add(t, open.v[i] as number);
  });
  for (const segment of unstoredSegments()) {
    if (segment.equipment_id !== equipment_id) continue;
    for (const series of segment.series) {
      if (series.signal !== signal) continue;
      series.t.forEach((t, i) => {
        add(t, series.v[i] as number);
      });
    }
  }
  const where = { 'data.equipment_id': equipment_id, 'data.to_ms': { gte: from_ms }, 'data.from_ms': { lte: to_ms } };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
    const series = unlessDamaged(() => openSegment(data.body)?.read(signal));
    series?.t.forEach((t, i) => {
      add(t, series.v[i] as number);
    });
  }
  found.sort(([a], [b]) => a - b);
  const unique = found.filter(([t], i) => i === 0 || t !== found[i - 1]?.[0]);
  return { t: unique.map(([t]) => t), v: unique.map(([, v]) => v) };
}
