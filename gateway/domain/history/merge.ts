/** Joins segments (stored documents with samples) of one machine, so that each second of each signal has one sample. */
import type { SignalName } from '#contract/base/signals.ts';
import { Origins, originAt } from './origins.ts';
import { joinRanges } from './raw-ranges.ts';
import type { SampleSeries } from './samples.ts';
import type { OpenSegment, SegmentContent } from './segment.ts';

/** A time range in whole seconds, from `from` up to but not including `to`. */
export interface SecondRange {
  readonly from: number;
  readonly to: number;
}

/** Collects the samples of one signal from several segments. */
class SeriesMerger {
  private readonly t: number[] = [];
  private readonly v: number[] = [];
  private readonly o: number[] = [];
  private sorted = true;

  add({ t, v, o }: SampleSeries, { from, to }: SecondRange, originOf: (index: number) => number): void {
    for (let i = 0; i < t.length; i++) {
      const second = t[i] as number;
      if (second < from || second >= to) continue;
      if (this.sorted && this.t.length > 0 && second <= (this.t.at(-1) as number)) this.sorted = false;
      this.t.push(second);
      this.v.push(v[i] as number);
      this.o.push(originOf(o[i] as number));
    }
  }

  /** Returns the samples in ascending order. If a second was added more than once, the first sample counts. */
  finish(signal: SignalName): SampleSeries | undefined {
    const { t, v, o } = this;
    if (t.length === 0) return undefined;
    if (this.sorted) return { signal, t, v, o };
    const order = t.map((_, i) => i).sort((a, b) => (t[a] as number) - (t[b] as number) || a - b);
    const kept = order.filter((at, i) => i === 0 || t[at] !== t[order[i - 1] as number]);
    const pick = (of: number[]) => kept.map((at) => of[at] as number);
    return { signal, t: pick(t), v: pick(v), o: pick(o) };
  }
}

/**
 * Joins the samples of a time range from several segments. If several segments have a sample of the same signal and second, the sample of
 * the first segment in the list counts. Awaits `breathe` after each signal, so that other work can run. Throws `RangeError` if a segment is
 * damaged.
 */
export async function mergeSegments(
  segments: readonly OpenSegment[],
  range: SecondRange,
  breathe: () => Promise<void>,
): Promise<SegmentContent> {
  const origins = new Origins();
  const series: SampleSeries[] = [];
  for (const signal of new Set(segments.flatMap(({ signals }) => signals))) {
    const merger = new SeriesMerger();
    for (const segment of segments) {
      const found = segment.read(signal);
      if (found === undefined) continue;
      merger.add(found, range, (index) => origins.indexOf(originAt(segment.origins, index)));
    }
    const merged = merger.finish(signal);
    if (merged !== undefined) series.push(merged);
    await breathe();
  }
  return { series, origins: origins.list, raw: joinRanges(segments.flatMap(({ raw }) => raw)) };
}
