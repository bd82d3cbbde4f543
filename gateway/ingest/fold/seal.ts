/** Samples of a machine into segments: what a message, a link or time closes, and what a file brings. */

import type { SampleSeries } from '#domain/machine/sample-segments.ts';
import { noteGap, samplesGap } from './gaps.ts';
import type { MachineState } from './machine-state.ts';
import type { FoldShared } from './message-context.ts';

/** Samples of a machine that make a segment before its minute is over. */
const SEGMENT_SAMPLES = 4096;

/** Bytes that a sample takes in the store, at most on average. */
const SAMPLE_BYTES = 8;

/** Seconds: what a machine tells this much behind its newest segment may be in history already. */
const LATE_S = 120;

/** Moves the open samples of a machine into a segment. */
export function seal(shared: FoldShared, machine: MachineState): void {
  if (machine.samples.count > 0) keepSeries(shared, machine, machine.samples.series(), null);
  machine.samples.clear(shared.state.position);
}

/** The same once there are enough. */
export function sealFull(shared: FoldShared, machine: MachineState): void {
  if (machine.samples.count + machine.samples.withheld.size >= SEGMENT_SAMPLES) seal(shared, machine);
}

/** Samples into a segment, `run` being that which read them from a file; a gap where there is no room. */
export function keepSeries(
  { state, changes, storesSamples, budgets }: FoldShared,
  machine: MachineState,
  series: readonly SampleSeries[],
  run: string | null,
): void {
  const { id, project_id } = machine;
  if (!storesSamples()) {
    noteGap(state.gaps, samplesGap(id, project_id, series));
    return;
  }
  // What a file holds was paid for with the file.
  const count = series.reduce((sum, { t }) => sum + t.length, 0);
  const spender = { object: 'equipment', id, project_id } as const;
  if (run === null && budgets.spend(spender, 'samples', count * SAMPLE_BYTES, count) !== undefined) return;
  const first = Math.min(...series.map(({ t }) => t[0] as number));
  const last = Math.max(...series.map(({ t }) => t.at(-1) as number));
  const mayRepeat = run !== null || first < machine.stored_s - LATE_S;
  machine.stored_s = Math.max(machine.stored_s, last);
  changes.segments.push({ project_id, equipment_id: id, series, mayRepeat, run });
}
