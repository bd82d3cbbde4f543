/**
 * The meters of a machine, such as its engine hours: for each meter an ordered list of segments. A segment is a period in which one source
 * provided the meter without a step. The total of the machine is the reading of the current segment plus its offset.
 */
import type { MeterBasis } from '#contract/base/meter-bases.ts';
import type { SegmentCause } from '#contract/fleet/meter.ts';

/** One reading of a meter as its source sent it, and its place in the journal. */
export interface MeterPoint {
  value: number;
  observed_us: number;
  received_us: number;
  ref: string | null;
  /** Index of the frame in its message; NONE if the reading has no frame. */
  frame: number;
}

/** What identifies a source of a meter. Each field except `device` is NONE if the source has no such number. */
export interface MeterOrigin {
  /** Record id of the device; null for a manual reading. */
  readonly device: string | null;
  readonly bus: number;
  /** Number of the control unit, which stays the same when its address changes. */
  readonly unit: number;
  readonly spn: number;
}

/** A period in which one source provided the meter without a step. */
export interface MeterSegment extends MeterOrigin {
  /** Number of the segment in its meter, counted from 1. */
  readonly id: number;
  readonly basis: MeterBasis;
  /** Source address of the control unit at the newest reading. */
  sa: number;
  readonly dbc?: string;
  readonly first: MeterPoint;
  readonly last: MeterPoint;
  /** The number that is added to the reading of this segment. */
  readonly offset: number;
  /** The total of the machine when the segment was opened. */
  readonly opened_total: number;
  readonly because: SegmentCause;
  /** True if a person must check the total, because nothing confirms that the total is right after this step. */
  readonly review?: boolean;
  /** The person who gave the reading, and why. */
  readonly by?: { readonly id: string | null; readonly name: string | null };
  readonly reason?: string;
  /** Number of segments that were merged into this one, itself included. Absent: 1. */
  readonly merged?: number;
}

/** An offset with which a source once continued the meter. */
export interface KnownOffset extends MeterOrigin {
  offset: number;
  review: boolean;
}

/** One meter of a machine. */
export interface MeterState {
  /** Number of the next segment. */
  next: number;
  /** The total of the machine, with the times of its reading. */
  total: number;
  observed_us: number;
  received_us: number;
  readonly segments: MeterSegment[];
  readonly known: KnownOffset[];
}
