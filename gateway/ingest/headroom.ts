/** The free disk space and memory, and what ingest still stores with it. */
import type { DiskLevel } from '#contract/site/node.ts';

/** How much disk space and memory ingest may use. */
export interface Headroom {
  readonly disk: DiskLevel;
  /** Bytes that the raw journal may still grow; a negative number is the size to remove. */
  readonly spare_bytes: number;
  /**
   * Free bytes until ingest refuses everything from devices, and until it refuses measurements; unknown when absent.
   */
  readonly left_bytes?: number;
  readonly measure_bytes?: number;
  /** False: memory is short, and ingest accepts only events and status. */
  readonly memory: boolean;
}

/** The size of the raw journal while the disk is `low`. At lower levels it keeps only what a restart needs. */
const SMALL_RAW_BYTES = 128 << 20;

/** True while the disk has enough space, or its level is unknown. */
export function isDiskOk(headroom: Headroom | undefined): boolean {
  return headroom === undefined || headroom.disk === 'ok';
}

/** True while samples are stored. */
export function storesSamples(headroom: Headroom | undefined): boolean {
  return headroom === undefined || headroom.disk === 'ok' || headroom.disk === 'low';
}

/** True while measurements are accepted. */
export function takesMeasurements(headroom: Headroom | undefined): boolean {
  return headroom === undefined || (headroom.disk !== 'critical' && headroom.memory);
}

/**
 * The limit of the raw journal now. On a disk with little space the limit falls step by step, so that it does not
 * oscillate.
 */
export function rawBudget(headroom: Headroom | undefined, usual: number, bytes: number): number {
  if (headroom === undefined || headroom.disk === 'ok') return usual;
  if (headroom.disk !== 'low') return 0;
  return Math.min(usual, Math.max(Math.min(SMALL_RAW_BYTES, usual), bytes + headroom.spare_bytes));
}
