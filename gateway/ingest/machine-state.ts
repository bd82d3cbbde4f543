/** What ingest knows of one machine: its facts, and the samples that are not yet in a stored segment. */
import { createFacts, type Facts } from '#domain/facts.ts';
import { OpenSamples } from './open-samples.ts';

export interface MachineState {
  readonly id: string;
  readonly project_id: string;
  readonly facts: Facts;
  readonly samples: OpenSamples;
}

export interface MachineSnapshot {
  readonly id: string;
  readonly project_id: string;
  readonly facts: Facts;
  /** Messages before this place are in stored segments. */
  readonly samples_from: number;
  /** Readings behind that place that are no samples; absent when there are none. */
  readonly withheld?: readonly string[];
}

export function createMachine(id: string, project_id: string): MachineState {
  return { id, project_id, facts: createFacts(), samples: new OpenSamples(0) };
}

/** `position` is behind the last message that is in the facts. */
export function snapshotMachine(machine: MachineState, position: number): MachineSnapshot {
  const { id, project_id, facts, samples } = machine;
  if (samples.count === 0) return { id, project_id, facts, samples_from: position };
  const withheld = samples.withheld.size > 0 ? { withheld: [...samples.withheld] } : {};
  return { id, project_id, facts, samples_from: samples.from, ...withheld };
}

export function restoreMachine(saved: MachineSnapshot): MachineState {
  const { id, project_id, facts, samples_from, withheld } = saved;
  return { id, project_id, facts, samples: new OpenSamples(samples_from, withheld) };
}
