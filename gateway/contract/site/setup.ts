/** Setup: makes the objects of a project from a description, and reports which objects it made and which are missing. */
import { z } from 'zod';
import { Id, Timestamp } from '#contract/base/common.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { GapProposal } from '#contract/work/task.ts';

const ids = z.array(z.string());
const Setup = z
  .object({
    object: z.literal('setup'),
    project_id: z.string(),
    status: z.enum(['not_started', 'running', 'completed', 'failed', 'canceled']),
    task_id: z.string().nullable(),
    run_id: z.string().nullable(),
    created: z
      .object({
        equipment: ids,
        locations: ids,
        operators: ids,
        mechanics: ids,
        dashboards: ids,
        playlists: ids,
        devices: ids,
      })
      .meta({ description: 'Ids of objects that the setup created. Objects created by people are not included.' }),
    evidence: z.array(
      z.object({
        claim: z.string(),
        source: z.string(),
        excerpt: z.string().nullable(),
        confidence: z.number().min(0).max(1),
        created_ids: ids,
      }),
    ),
    missing_requirements: z.array(
      z.object({
        code: z.string(),
        resource: z.string(),
        field: z.string().nullable(),
        message: z.string(),
        remedy: z.string(),
        blocking: z.boolean().meta({ description: 'True if boards stay empty without it.' }),
        proposal: GapProposal.optional(),
      }),
    ),
    updated_at: Timestamp,
  })
  .meta({ id: 'Setup', description: 'State of a setup: created objects, their evidence, and missing objects.' });
export type Setup = z.infer<typeof Setup>;

/** The handles with which a caller follows a setup that has begun. */
export const SetupStarted = z.object({
  task: z.object({
    id: z.string(),
    run_id: z.string(),
    stream: z.object({ url: z.string(), run_id: z.string() }),
  }),
});

const path = { project_id: Id };
/** A description of this length is read in a quarter of a second. */
export const MAX_PROMPT = 20_000;
const SETUP_PATH = `${V1}/projects/{project_id}/setup`;

/** Operations on the setup of a project. */
export const setupOperations = {
  projects_setup: operation({
    method: 'POST',
    path: SETUP_PATH,
    summary: 'Set up the project from a description; adds what is missing',
    roles: ADMINS,
    input: z.object({
      ...path,
      prompt: z.string().max(MAX_PROMPT).optional().meta({ description: 'Default: prompt of the project.' }),
    }),
    output: z.object({ setup: SetupStarted }),
    status: 202,
    errors: ['setup_in_progress', 'project_mismatch'],
  }),
  projects_setup_status: operation({
    method: 'GET',
    path: SETUP_PATH,
    summary: 'Get the state of the setup: existing, created and missing objects',
    input: z.object(path),
    output: Setup,
    errors: ['project_mismatch'],
  }),
} as const;
