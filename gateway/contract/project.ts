/** Project: the container of everything else on a site. */
import { z } from 'zod';
import { base, idPath, listOf, listQuery } from './common.ts';
import { ADMINS, operation, V1 } from './operation.ts';

const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a local time HH:MM');
const ShiftPattern = z
  .array(z.object({ name: z.string().trim().min(1).max(40), starts: LocalTime, ends: LocalTime }))
  .min(1)
  .max(6)
  .refine((shifts) => new Set(shifts.map(({ name }) => name)).size === shifts.length, 'two shifts share a name')
  .meta({ description: 'Shifts in local time; an end that is not after the start is on the next day.' });
export type ShiftPattern = z.infer<typeof ShiftPattern>;

/** Two shifts of twelve hours, until somebody says how the site works. */
export const TWO_SHIFTS: ShiftPattern = [
  { name: 'day', starts: '06:00', ends: '18:00' },
  { name: 'night', starts: '18:00', ends: '06:00' },
];

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
    shift_pattern: ShiftPattern,
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
  shift_pattern: ShiftPattern.default(TWO_SHIFTS),
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
