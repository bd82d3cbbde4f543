/** Whether a machine ran, as its history says. */
import type { LiveStatus } from './equipment.ts';

/** A range of time in which a machine had one run state. */
export interface RunStretch {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly live: LiveStatus;
}
