/** Worker runs: work for the program on a device (a camera's detector, a logger's script), which takes a run and reports its progress. */
import { z } from 'zod';
import { Id, idPath, listOf, listQuery, mapOf } from '#contract/base/common.ts';
import { ADMINS, operation, READERS, V1 } from '#contract/base/operation.ts';
import { Task } from './task.ts';

const PATH = `${V1}/devices/{id}/worker-runs`;
const UNDER = { extension: 'a worker takes and ends the runs of its device' };

/** Operations on the runs of a device's worker. */
export const workerRunOperations = {
  devices_worker_runs: operation({
    method: 'GET',
    path: PATH,
    summary: 'List the tasks of the worker of a device with their latest runs',
    roles: [...READERS, 'device'],
    input: z.object({ ...idPath, ...listQuery }),
    output: listOf(Task),
    errors: ['not_found', 'invalid_cursor'],
    source: UNDER,
  }),
  devices_worker_take: operation({
    method: 'POST',
    path: `${PATH}/take`,
    summary: 'Take the run that has waited longest (called by the worker)',
    roles: [...ADMINS, 'device'],
    input: z.object(idPath),
    output: z.object({
      object: z.literal('worker_take'),
      task: Task.nullable().meta({ description: 'Null when nothing waits.' }),
    }),
    errors: ['not_found', 'no_worker'],
    source: UNDER,
  }),
  devices_worker_report: operation({
    method: 'POST',
    path: `${PATH}/{run_id}/report`,
    summary: 'Report the progress or the end of a run; five minutes without a report end it',
    roles: [...ADMINS, 'device'],
    input: z.object({
      ...idPath,
      run_id: Id,
      status: z
        .enum(['running', 'completed', 'failed'])
        .default('running')
        .meta({ description: 'running: it continues. The others end the run.' }),
      message: z
        .string()
        .trim()
        .min(1)
        .max(4_000)
        .optional()
        .meta({ description: 'Current step, result, or cause of failure. Required to end a run.' }),
      progress_pct: z.number().min(0).max(100).optional().meta({ unit: '%' }),
      artifact_ids: z
        .array(Id)
        .max(100)
        .default([])
        .meta({ description: 'Files of this device that the run produced; only with `completed`.' }),
      counts: mapOf(60, z.number().int(), 200)
        .optional()
        .meta({ description: 'Counts by name; only with `completed`.' }),
    }),
    output: Task,
    errors: ['not_found', 'no_active_run', 'parameter_missing', 'parameter_invalid'],
    source: UNDER,
  }),
} as const;
