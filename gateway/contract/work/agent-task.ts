/** Operations that start runs of the agent, and further runs of a task. */
import { z } from 'zod';
import { Id } from '#contract/base/common.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';
import { Task } from './task.ts';

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
} as const;
