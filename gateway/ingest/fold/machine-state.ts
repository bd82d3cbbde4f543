/**
 * The state of one machine in ingest: its facts (latest values, meters, trouble codes and statuses), and its samples that are not stored
 * yet. A segment is a stored document with samples of one machine.
 */
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { meterLimit } from '#domain/machine/meter-limits.ts';
import { addFirstSegments } from '#domain/machine/meters.ts';
import { MachineWatch, type WatchSnapshot } from '#domain/watch/machine-watch.ts';
import { OpenSamples } from './open-samples.ts';

export interface MachineState {
  readonly id: string;
  readonly project_id: string;
  readonly facts: Facts;
  readonly samples: OpenSamples;
  /** The values that alert rules watch. */
  readonly watch: MachineWatch;
  /** The newest second that was put into a segment; 0 before the first segment. */
  stored_s: number;
}

export interface MachineSnapshot {
  readonly id: string;
  readonly project_id: string;
  readonly facts: Facts;
  /** The samples of all messages before this position are in stored segments. */
  readonly samples_from: number;
  /** Absent in snapshots of earlier builds. */
  readonly stored_s?: number;
  /** Implausible readings of messages after the position `samples_from`. They must not become samples. Absent if there are none. */
  readonly withheld?: readonly string[];
  /** The values that alert rules watch and that no alert contains yet. Absent if there are none, and in snapshots of earlier builds. */
  readonly watch?: WatchSnapshot;
}

export function createMachine(id: string, project_id: string): MachineState {
  return { id, project_id, facts: createFacts(), samples: new OpenSamples(0), watch: new MachineWatch(), stored_s: 0 };
}

/** Returns the machine as plain JSON. `position` is the position after the last message that the facts include. */
export function snapshotMachine(machine: MachineState, position: number): MachineSnapshot {
  const { id, project_id, facts, samples, stored_s } = machine;
  const saved = machine.watch.snapshot();
  const watch = saved === undefined ? {} : { watch: saved };
  if (samples.count === 0) return { id, project_id, facts, samples_from: position, stored_s, ...watch };
  const withheld = samples.withheld.size > 0 ? { withheld: [...samples.withheld] } : {};
  return { id, project_id, facts, samples_from: samples.from, stored_s, ...withheld, ...watch };
}

export function restoreMachine(saved: MachineSnapshot): MachineState {
  const { id, project_id, facts, samples_from, withheld, stored_s = Math.floor(facts.newest_us / 1_000_000) } = saved;
  addFirstSegments(facts, meterLimit);
  return {
    id,
    project_id,
    facts,
    samples: new OpenSamples(samples_from, withheld),
    watch: new MachineWatch(saved.watch),
    stored_s,
  };
}
