/** What ingest does without when there is little room on the disk or in memory. */
import type { DiskLevel } from '#contract/site/node.ts';

/** What ingest may use of the disk and of memory. */
export interface Headroom {
  readonly disk: DiskLevel;
  /** Bytes of room that the raw journal may still take; negative: what it has to give back. */
  readonly spare_bytes: number;
  /** Bytes until nothing of a device is taken any more, and until measurements are not; unknown when absent. */
  readonly left_bytes?: number;
  readonly measure_bytes?: number;
  /** False: memory is short, nothing but events and status is taken. */
  readonly memory: boolean;
}

/** The raw journal while the disk is low; below that level nothing but what a restart needs is kept. */
const SMALL_RAW_BYTES = 128 << 20;

/** True while the disk is as it should be, or nobody said otherwise. */
export function isDiskOk(headroom: Headroom | undefined): boolean {
  return headroom === undefined || headroom.disk === 'ok';
}

/** True while samples are stored. */
export function storesSamples(headroom: Headroom | undefined): boolean {
  return headroom === undefined || headroom.disk === 'ok' || headroom.disk === 'low';
}

/** True while measurements are taken. */
export function takesMeasurements(headroom: Headroom | undefined): boolean {
  return headroom === undefined || (headroom.disk !== 'critical' && headroom.memory);
}

/** What the raw journal may take now: on a disk with little room it gives way step by step, so that nothing swings. */
export function rawBudget(headroom: Headroom | undefined, usual: number, bytes: number): number {
  if (headroom === undefined || headroom.disk === 'ok') return usual;
  if (headroom.disk !== 'low') return 0;
  return Math.min(usual, Math.max(Math.min(SMALL_RAW_BYTES, usual), bytes + headroom.spare_bytes));
}
