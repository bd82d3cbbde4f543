/** The samples of a machine between the fold and the store: series in memory, and segments as the store holds them. */
import type { SignalName } from '#contract/base/signals.ts';

/** The samples of one signal: whole seconds since 1970, ascending, each second once. */
export interface SampleSeries {
  readonly signal: SignalName;
  readonly t: number[];
  readonly v: number[];
}

/** A segment that the fold made and that is not stored yet. */
export interface NewSegment {
  readonly project_id: string;
  readonly equipment_id: string;
  readonly series: readonly SampleSeries[];
  /** True when history may already have some of its seconds: late data, and samples from files. */
  readonly mayRepeat: boolean;
  /** The run that read the samples from a file; null for live samples. */
  readonly run: string | null;
}

/** The data of a stored document `segment`. */
export interface SegmentData {
  readonly equipment_id: string;
  readonly device_id: null;
  readonly from_ms: number;
  readonly to_ms: number;
  /** Machine and UTC day; absent in segments of earlier builds. */
  readonly slot?: string;
  readonly samples: number;
  /** The columns in the format of `#domain/machine/segment.ts`, base64. */
  readonly body: string;
}
