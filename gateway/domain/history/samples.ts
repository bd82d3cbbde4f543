/**
 * The samples of a machine: series of samples in memory, and segments, which are stored documents with samples. The fold (the code that
 * applies the messages of devices) makes segments, and the store keeps them.
 */
import type { SignalName } from '#contract/base/signals.ts';
import type { MinuteSeries } from './minutes.ts';
import type { Origin } from './origins.ts';
import type { StateRuns } from './states.ts';

/** The samples of one signal: whole seconds since 1970, ascending, each second once. */
export interface SampleSeries {
  readonly signal: SignalName;
  readonly t: number[];
  readonly v: number[];
  /** The origin of each sample, as an index in the origins of its segment. */
  readonly o: number[];
}

/** The part of the journal from which samples came: the position of the first message, and the position after the last message. */
export type RawRange = readonly [from: string, to: string];

/** A segment that is not stored yet. */
export interface NewSegment {
  readonly project_id: string;
  readonly equipment_id: string;
  readonly series: readonly SampleSeries[];
  /** For each minute the statistics of all values, also of the values that did not become samples. */
  readonly minutes: readonly MinuteSeries[];
  /** The states that control units reported instead of values. */
  readonly states: readonly StateRuns[];
  readonly origins: readonly Origin[];
  readonly raw: RawRange;
  /** True if history may already have samples of the same seconds, because the data is late or comes from a file. */
  readonly mayRepeat: boolean;
  /** The run (one decoding of a file) that read the samples; null for live samples. */
  readonly run: string | null;
}

/**
 * The data of a stored document `segment`. A segment is open or sealed. The fold writes an open segment about every minute. A periodic job
 * (compaction) replaces the open segments of an hour with one sealed segment. If data for the same hour arrives later, the job writes a new
 * sealed segment, which replaces the earlier one.
 */
export interface SegmentData {
  readonly equipment_id: string;
  readonly device_id: null;
  readonly from_ms: number;
  readonly to_ms: number;
  /** A text with the machine and the UTC day; absent in segments of earlier builds. */
  readonly slot?: string;
  readonly samples: number;
  /** The columns in the format of `segment.ts`, or of `segment-v1.ts` in segments of earlier builds. */
  readonly body: Uint8Array;
  /**
   * The same text as `slot`, but only in an open segment, so that a query finds the open segments. Absent in a sealed segment, and in
   * segments of earlier builds.
   */
  readonly open_slot?: string;
  /** The hour of a sealed segment, in hours since 1970; absent in an open segment. */
  readonly sealed_hour?: number;
  /** The properties of a sealed segment; absent in an open segment. */
  readonly seal?: Seal;
}

/** The properties of a sealed segment, and of a rollup. */
export interface Seal {
  /** 1 for the first sealed segment of its hour, or the first rollup of its day; one more for each later document that replaces it. */
  readonly generation: number;
  /** Id of the document that this one replaces; null for the first one. */
  readonly supersedes: string | null;
  /** Ids of all earlier documents whose content this one has, the newest last; absent if there is none, and in documents of earlier builds. */
  readonly replaces?: readonly string[];
  /** SHA-256 of the bytes of `body`, hexadecimal. */
  readonly sha256: string;
}

/**
 * The data of a stored document `rollup`: the statistics of a machine and UTC day, one row for each signal and minute. The rollup has the
 * rows of all sealed segments of that day; an open segment contains its own rows. If data for the day arrives later, a new rollup replaces
 * this document.
 */
export interface RollupData {
  readonly equipment_id: string;
  readonly device_id: null;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly slot: string;
  /** The number of rows of all signals together. */
  readonly rows: number;
  /** The columns in the format of `rollup.ts`. */
  readonly body: Uint8Array;
  readonly seal: Seal;
}
