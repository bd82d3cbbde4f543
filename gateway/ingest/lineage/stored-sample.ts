/** Finds a stored sample, its origin (device, run and parameter), and the parts of the journal that contain its message. */
import type { SignalName } from '#contract/base/signals.ts';
import type { View } from '#contract/base/view.ts';
import { unlessDamaged } from '#domain/history/damage.ts';
import type { Origin } from '#domain/history/origins.ts';
import type { NewSegment, RawRange, SampleSeries, SegmentData } from '#domain/history/samples.ts';
import { openSegment } from '#domain/history/segment.ts';
import { slotAt } from '#domain/history/stored-segment.ts';
import { walk } from '#store/walk.ts';

/** The number of segments (stored documents with samples) that one read of the store returns. */
const CHUNK = 50;

/** A sample, its origin, and the parts of the journal that may contain its message. */
export interface StoredSample {
  readonly value: number;
  readonly origin: Origin;
  readonly raw: readonly RawRange[];
}

interface Content {
  readonly series: SampleSeries | undefined;
  readonly origins: readonly Origin[];
  readonly raw: readonly RawRange[];
}

function sampleIn({ series, origins, raw }: Content, second: number): StoredSample | undefined {
  const at = series?.t.indexOf(second) ?? -1;
  if (series === undefined || at < 0) return undefined;
  const origin = origins[series.o[at] as number];
  return origin && { value: series.v[at] as number, origin, raw };
}

/**
 * Returns the sample of a machine, signal and second; undefined if there is none. `memory` has the segments that are not stored yet. If
 * several segments have a sample of this second, the function returns the first sample that it finds, as reads of history do.
 */
export async function findSample(
  view: View,
  memory: readonly Pick<NewSegment, 'series' | 'origins' | 'raw'>[],
  {
    equipment_id,
    signal,
    second,
  }: { readonly equipment_id: string; readonly signal: SignalName; readonly second: number },
): Promise<StoredSample | undefined> {
  for (const { series, origins, raw } of memory) {
    const own = series.find((one) => one.signal === signal);
    const found = sampleIn({ series: own, origins, raw: [raw] }, second);
    if (found !== undefined) return found;
  }
  const where = {
    'data.slot': slotAt(equipment_id, second),
    'data.to_ms': { gte: second * 1000 },
    'data.from_ms': { lte: second * 1000 },
  };
  for await (const { data } of walk<SegmentData>(view, 'telemetry', { object: 'segment', where }, CHUNK)) {
    const segment = openSegment(data.body);
    if (segment === undefined) continue;
    const series = unlessDamaged(() => segment.read(signal));
    const found = sampleIn({ series, origins: segment.origins, raw: segment.raw }, second);
    if (found !== undefined) return found;
  }
  return undefined;
}
