/** The operation that takes back what a run of the agent wrote. */
import { z } from 'zod';
import { Id } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { Task } from './task.ts';

const UndoItem = z
  .object({
    object: z.string().meta({ description: 'Kind of the object; the name of the tool, if the object is not known.' }),
    id: z.string().nullable(),
    name: z.string().nullable(),
    action: z.enum(['restore', 'withdraw', 'delete', 'leave']).meta({
      description:
        'restore: its fields get their earlier values. withdraw: what the run made gets a status or flag that takes it out of use. leave: it stays as it is.',
    }),
    fields: z.array(z.string()).meta({ description: 'Fields that change.' }),
    why: z.string().nullable().meta({ description: 'Why it is left.' }),
  })
  .meta({ id: 'UndoItem', description: 'What happens to one object that a run wrote.' });
export type UndoItem = z.infer<typeof UndoItem>;

export const undoOperations = {
  tasks_undo: operation({
    method: 'POST',
    path: `${V1}/tasks/{task_id}/undo`,
    summary: 'Take back what the agent wrote for a task',
    description:
      'Of all runs, only what nobody changed or uses since. A task of its own does it; its run says what it left and why. `dry_run` lists what would happen.',
    input: z.object({
      task_id: Id,
      run_id: Id.optional().meta({
        description: 'The latest run; refused if it is not.',
      }),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      object: z.literal('undo'),
      run_id: z.string().meta({ description: 'The latest run of the task.' }),
      run_ids: z.array(z.string()).meta({ description: 'The runs of the task that wrote, the newest first.' }),
      items: z.array(UndoItem),
      more: z.number().int().meta({ description: 'Further objects, for which a second undo is needed.' }),
      task: Task.nullable().meta({ description: 'The task that carries it out; null if it writes nothing.' }),
    }),
    status: 202,
    unchanged: 200,
    errors: ['not_found', 'past_retention', 'run_in_progress', 'limit_reached', 'parameter_invalid'],
    source: { extension: 'a person must be able to take back what a model did' },
  }),
} as const;
