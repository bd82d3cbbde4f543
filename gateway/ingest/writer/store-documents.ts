/** Converts the results of the fold (the code that applies messages) to writes of the store. */

import type { ProjectWrite } from '#contract/base/view.ts';
import { NODE_PROJECT } from '#contract/base/view.ts';
import { createLiveRun } from '#domain/runs/run.ts';
import type { EventMade, RunMade } from '#ingest/fold/fold-state.ts';

/** Returns the write of a document in the collection `local`. Its documents belong to the gateway and to no project. */
export function localWrite(id: string, object: string, data: object): ProjectWrite {
  return { collection: 'local', id, object, project_id: NODE_PROJECT, data: data as Record<string, unknown> };
}

/** Returns the write of a new event. The write conflicts if the store already has the event. */
export function eventWrite({ project_id, id, data }: EventMade): ProjectWrite {
  return {
    collection: 'events',
    id,
    object: 'event',
    project_id,
    data: data as unknown as Record<string, unknown>,
    expected: 0,
  };
}

/** Returns the writes of the task and the run that represent the live decoding of a device. */
export function runWrites({ device, task_id, run_id, decoder, started_ms }: RunMade): ProjectWrite[] {
  const { project_id } = device;
  const title = `Live decoding of ${device.device_id}`;
  const task = { kind: 'decode', title, latest_run_id: run_id, links: { device_id: device.device } };
  const at = new Date(started_ms).toISOString();
  const run = createLiveRun(task_id, device.device, decoder, at) as unknown as Record<string, unknown>;
  return [
    { collection: 'records', id: task_id, object: 'task', project_id, data: task, at },
    { collection: 'records', id: run_id, object: 'run', project_id, data: run, at },
  ];
}

/**
 * Returns the id of an observation (the newest values that a device sent). The id is computed from the position of the newest message in
 * the journal.
 */
export function observationId(position: number): string {
  return `obs_${position.toString(36)}`;
}
