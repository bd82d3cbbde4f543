/** Task and run: the durable handle of asynchronous work, and one attempt of it. */
import { z } from 'zod';
import { Timestamp } from './common.ts';
import { operation, V1 } from './operation.ts';

const RUN_STATUS = ['pending', 'running', 'completed', 'failed', 'canceled'] as const;
const Run = z
  .object({
    object: z.literal('run'),
    id: z.string(),
    task_id: z.string(),
    status: z.enum(RUN_STATUS),
    terminal_event_count: z.number().int(),
    output: z.record(z.string(), z.unknown()).nullable(),
    usage: z.record(z.string(), z.unknown()).nullable(),
    cost_usd: z.number().nullable().meta({ description: 'Null when unknown; never 0 for unknown.', unit: 'USD' }),
    error: z.record(z.string(), z.unknown()).nullable(),
    gaps: z.array(z.record(z.string(), z.unknown())),
    backend: z.record(z.string(), z.unknown()),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
  })
  .meta({ id: 'Run', description: 'One attempt of a task.' });
const Task = z
  .object({
    object: z.literal('task'),
    id: z.string(),
    project_id: z.string(),
    kind: z.enum(['decode', 'setup', 'custom_action', 'agent', 'worker', 'import', 'export', 'backup', 'maintenance']),
    title: z.string(),
    latest_run_id: z.string().nullable(),
    run: Run.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Task', description: 'Durable handle for asynchronous work, with the receipt of its latest run.' });
export type Task = z.infer<typeof Task>;

/** Operations on tasks. */
export const taskOperations = {
  tasks_get: operation({
    method: 'GET',
    path: `${V1}/tasks/{task_id}`,
    summary: 'Task with its latest run; the single read for asynchronous work',
    input: z.object({ task_id: z.string().max(64) }),
    output: Task,
    errors: ['not_found'],
  }),
} as const;
