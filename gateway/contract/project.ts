/** Project: the container of everything else on a site. */
import { z } from 'zod';
import { base, idPath, listOf, listQuery } from './common.ts';
import { ADMINS, operation, V1 } from './operation.ts';

export const Project = z
  .object({
    object: z.literal('project'),
    id: base.id,
    name: z.string(),
    prompt: z.string().nullable().meta({ description: 'Free-text description of the operation.' }),
    url: z.string().nullable().meta({ description: 'Reference address.' }),
    timezone: z.string().meta({ description: 'IANA time zone of the site.' }),
    units: z.enum(['metric', 'us']),
    language: z.string(),
    simulated: z.boolean().meta({ description: 'True when its machines are simulated; every screen says so.' }),
    revision: base.revision,
    created_at: base.created_at,
    updated_at: base.updated_at,
  })
  .meta({ id: 'Project', description: 'Container for everything else.' });
export type Project = z.infer<typeof Project>;

const projectInput = {
  name: z.string().trim().min(1).max(120).default('My site'),
  prompt: z.string().max(20_000).optional(),
  url: z.url().max(2_000).optional(),
  setup: z
    .boolean()
    .optional()
    .meta({ description: 'Ask for AI setup in the same call; refused by name until this version has it.' }),
  timezone: z.string().max(64).default('UTC'),
  units: z.enum(['metric', 'us']).default('metric'),
  language: z.string().max(16).default('en'),
  simulated: z.boolean().default(false),
};

/** Operations on projects. */
export const projectOperations = {
  projects_create: operation({
    method: 'POST',
    path: `${V1}/projects`,
    summary: 'Create a project',
    scope: 'node',
    roles: ADMINS,
    input: z.object(projectInput),
    output: z.object({ project: Project }),
    status: 201,
    errors: ['setup_unavailable'],
  }),
  projects_list: operation({
    method: 'GET',
    path: `${V1}/projects`,
    summary: 'List the projects that this credential reaches',
    scope: 'node',
    input: z.object(listQuery),
    output: listOf(Project),
    source: { extension: 'a caller must be able to find the id to send as Project-ID' },
  }),
  projects_get: operation({
    method: 'GET',
    path: `${V1}/projects/{id}`,
    summary: 'Get a project',
    scope: 'node',
    input: z.object(idPath),
    output: Project,
    revision: 'etag',
    errors: ['project_not_found'],
    source: { extension: 'screens show the name, time zone and units of their project' },
  }),
} as const;
