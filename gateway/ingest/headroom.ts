/** Headroom is the disk space and memory that ingest may still use. This file decides from it what ingest accepts and stores. */
import type { DiskLevel } from '#contract/site/node.ts';

/** How much disk space and memory ingest may use. */
export interface Headroom {
  readonly disk: DiskLevel;
  /** The number of bytes by which the journal may grow. A negative number is the number of bytes that must be removed. */
  readonly spare_bytes: number;
  /**
   * The bytes that ingest may still store: after `measure_bytes` it refuses measurements, and after `left_bytes` it refuses all data of
   * devices. Both are absent if the free space is unknown.
   */
  readonly left_bytes?: number;
  readonly measure_bytes?: number;
  /** True if there is enough memory. If false, ingest accepts only events and status. */
  readonly memory: boolean;
}

/**
 * The smallest limit of the journal, in bytes, while the disk is `low`. At `scarce` and `critical` the journal keeps only the messages that
 * a restart needs.
 */
const SMALL_RAW_BYTES = 128 << 20;

/** True if the disk has enough space, or if its level is unknown. */
export function isDiskOk(headroom: Headroom | undefined): boolean {
  return headroom === undefined || headroom.disk === 'ok';
}

/** True if samples are stored with this headroom. */
export function storesSamples(headroom: Headroom | undefined): boolean {
  return headroom === undefined || headroom.disk === 'ok' || headroom.disk === 'low';
}

/** True if measurements (topics `can` and `telemetry`) are accepted with this headroom. */
export function takesMeasurements(headroom: Headroom | undefined): boolean {
  return headroom === undefined || (headroom.disk !== 'critical' && headroom.memory);
}

/**
 * Returns the limit of the journal in bytes. `usual` is the limit on a disk with enough space, `bytes` the present size. While the disk is
 * `low`, the limit is the present size plus `spare_bytes`, which may be negative, so that only the missing space is freed.
 */
export function rawBudget(headroom: Headroom | undefined, usual: number, bytes: number): number {
  if (headroom === undefined || headroom.disk === 'ok') return usual;
  if (headroom.disk !== 'low') return 0;
  return Math.min(usual, Math.max(Math.min(SMALL_RAW_BYTES, usual), bytes + headroom.spare_bytes));
}
