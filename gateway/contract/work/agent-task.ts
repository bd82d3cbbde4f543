/** Operations that start runs of the agent and further runs of a task, and that take back what a run wrote. */
import { z } from 'zod';
import { Id } from '#contract/base/common.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';
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

export const agentTaskOperations = {
  tasks_create: operation({
    method: 'POST',
    path: `${V1}/tasks`,
    summary: 'Give a prompt to the model of the project',
    description: 'It works with the tools of this gateway, within the review configuration of the project.',
    input: z.object({
      prompt: z.string().trim().min(1).max(20_000),
      read_only: z.boolean().default(false).meta({ description: 'It may read and not write.' }),
      plan_only: z.boolean().default(false).meta({ description: 'It plans writes and makes none.' }),
    }),
    output: Task,
    status: 202,
    errors: ['limit_reached'],
    source: { extension: 'a person asks the agent without a custom action' },
  }),
  tasks_run: operation({
    method: 'POST',
    path: `${V1}/tasks/{task_id}/runs`,
    summary: 'Start a setup, prompt or custom action again, or approve it',
    input: z.object({
      task_id: Id,
      approve: z
        .boolean()
        .default(false)
        .meta({ description: 'Approves the run that waits for it. Only approvers, owners and admins.' }),
    }),
    output: Task,
    status: 202,
    roles: WRITERS,
    errors: ['not_found', 'past_retention', 'run_in_progress', 'not_awaiting_approval', 'limit_reached'],
    source: { extension: 'an approval, or the remedy of a failed run, starts a new run of the same task' },
  }),
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
