/**
 * Moves the open samples of a machine (those that are only in memory) into segments: documents with samples, which the next commit stores.
 */

import type { NewSegment } from '#domain/history/samples.ts';
import { refOf } from '#ingest/journal/position.ts';
import { noteGap, samplesGap } from './gaps.ts';
import type { MachineState } from './machine-state.ts';
import type { FoldShared } from './message-context.ts';

/** A segment is closed at this number of samples, also if it covers less than a minute. */
const SEGMENT_SAMPLES = 4096;

/** The storage budget is charged this many bytes for each sample and each run of a state. The average stored sample is not larger. */
const SAMPLE_BYTES = 8;

/** If samples are this many seconds older than the newest segment, history may already have samples of these seconds. */
const LATE_S = 120;

/** Moves the open samples of a machine into a segment. */
export function seal(shared: FoldShared, machine: MachineState): void {
  const { samples } = machine;
  if (samples.count > 0) {
    const raw = [refOf(samples.from), refOf(shared.state.position)] as const;
    const made = {
      series: samples.series(),
      minutes: samples.minutes(),
      states: samples.states(),
      origins: samples.origins,
      raw,
    };
    keepSeries(shared, machine, made, null);
  }
  samples.clear(shared.state.position);
}

/** Moves the open samples of a machine into a segment if there are enough of them. */
export function sealFull(shared: FoldShared, machine: MachineState): void {
  if (machine.samples.count + machine.samples.withheld.size >= SEGMENT_SAMPLES) seal(shared, machine);
}

/**
 * Puts these samples into a segment. While the disk is too full to store samples, it records a gap instead. `run` is the run (one decoding
 * of a file) that read the samples; null for live samples.
 */
export function keepSeries(
  { state, changes, storesSamples, budgets }: FoldShared,
  machine: MachineState,
  made: Pick<NewSegment, 'series' | 'minutes' | 'states' | 'origins' | 'raw'>,
  run: string | null,
): void {
  const { id, project_id } = machine;
  const { series } = made;
  if (!storesSamples()) {
    if (series.length > 0) noteGap(state.gaps, samplesGap(id, project_id, series));
    return;
  }
  // Do not charge the samples of a recorded file to the storage budget, because the file itself was charged.
  const samples = series.reduce((sum, { t }) => sum + t.length, 0);
  const count = samples + made.states.reduce((sum, { from }) => sum + from.length, 0);
  const spender = { object: 'equipment', id, project_id } as const;
  if (run === null && budgets.spend(spender, 'samples', count * SAMPLE_BYTES, count) !== undefined) return;
  const first = Math.min(...series.map(({ t }) => t[0] as number));
  const last = Math.max(...series.map(({ t }) => t.at(-1) as number));
  const mayRepeat = run !== null || first < machine.stored_s - LATE_S;
  machine.stored_s = Math.max(machine.stored_s, last);
  changes.segments.push({ project_id, equipment_id: id, ...made, mayRepeat, run });
}
