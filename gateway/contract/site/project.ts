/** Project: contains all other objects of a site. */
import { z } from 'zod';
import { base, Context, idPath, listOf, searchQuery } from '#contract/base/common.ts';
import { areApart, LocalTime } from '#contract/base/local-time.ts';
import { SHIFT_LIMITS } from '#contract/base/names.ts';
import { ADMINS, operation, V1 } from '#contract/base/operation.ts';
import { SiteDays } from '#contract/work/day.ts';
import { MAX_PROMPT, SetupStarted } from './setup.ts';

const ShiftPattern = z
  .array(z.object({ name: z.string().trim().min(1).max(SHIFT_LIMITS.name), starts: LocalTime, ends: LocalTime }))
  .min(1)
  .max(SHIFT_LIMITS.shifts)
  .refine((shifts) => new Set(shifts.map(({ name }) => name)).size === shifts.length, 'two shifts share a name')
  .refine(areApart, 'two shifts overlap')
  .meta({ description: 'Local times; an end not after the start is on the next day.' });
export type ShiftPattern = z.infer<typeof ShiftPattern>;

/** Default shift pattern: two shifts of twelve hours. */
export const TWO_SHIFTS: ShiftPattern = [
  { name: 'day', starts: '06:00', ends: '18:00' },
  { name: 'night', starts: '18:00', ends: '06:00' },
];

const WorkingTarget = z.number().int().min(1).max(100).nullable().meta({
  description: 'Target for the working share of known time.',
  unit: '%',
});

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
    working_target_percent: WorkingTarget,
    simulated: z.boolean().meta({ description: 'True if its machines are simulated. Every screen shows that.' }),
    revision: base.revision,
    created_at: base.created_at,
    updated_at: base.updated_at,
    context: Context,
  })
  .meta({ id: 'Project', description: 'Contains all other objects.' });
export type Project = z.infer<typeof Project>;
/** The stored fields of a project. Project documents belong to the gateway, not to a project. */
export type ProjectData = Pick<
  Project,
  | 'name'
  | 'prompt'
  | 'url'
  | 'timezone'
  | 'units'
  | 'language'
  | 'simulated'
  | 'shift_pattern'
  | 'working_target_percent'
>;

const ProjectWithDays = Project.extend({
  days: SiteDays.optional().meta({ description: 'Only with `include=days`.' }),
}).meta({ id: 'ProjectWithDays', description: 'A project, and what happened at its site yesterday and today.' });

const described = {
  name: z.string().trim().min(1).max(120),
  prompt: z.string().max(MAX_PROMPT),
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  timezone: z.string().max(64),
  units: z.enum(['metric', 'us']),
  language: z
    .string()
    .max(16)
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'a language tag such as en or pt-BR'),
};

const projectInput = {
  name: described.name.default('My site'),
  prompt: described.prompt.optional(),
  url: described.url.optional(),
  setup: z.boolean().optional().meta({ description: 'Set it up from `prompt`. Read `setup.task.id` with tasks_get.' }),
  timezone: described.timezone.default('UTC'),
  units: described.units.default('metric'),
  language: described.language.default('en'),
  shift_pattern: ShiftPattern.default(TWO_SHIFTS),
  working_target_percent: WorkingTarget.default(null),
  simulated: z.boolean().default(false),
};

const projectUpdateInput = {
  name: described.name.optional(),
  prompt: described.prompt.nullable().optional(),
  url: described.url.nullable().optional(),
  timezone: described.timezone.optional(),
  units: described.units.optional(),
  language: described.language.optional(),
  shift_pattern: ShiftPattern.optional(),
  working_target_percent: WorkingTarget.optional(),
};

/** Operations on projects. */
export const projectOperations = {
  projects_create: operation({
    example: { name: 'Quarry North', prompt: 'Twelve machines, two shifts', timezone: 'Europe/Oslo' },
    method: 'POST',
    path: `${V1}/projects`,
    summary: 'Create a project',
    scope: 'node',
    roles: ADMINS,
    input: z.object(projectInput),
    output: z.object({ project: Project, setup: SetupStarted.optional() }),
    status: 201,
  }),
  projects_list: operation({
    method: 'GET',
    path: `${V1}/projects`,
    summary: 'List the projects of this credential',
    scope: 'node',
    input: z.object({ ...searchQuery, simulated: z.boolean().optional() }),
    output: listOf(Project),
    errors: ['invalid_cursor'],
    source: { extension: 'a caller must be able to find the id to send as Project-ID' },
  }),
  projects_get: operation({
    method: 'GET',
    path: `${V1}/projects/{id}`,
    summary: 'Get a project',
    scope: 'node',
    input: z.object({
      ...idPath,
      include: z.enum(['days']).optional(),
    }),
    output: ProjectWithDays,
    revision: 'etag',
    errors: ['project_not_found'],
    source: { extension: 'screens show the name, time zone and units of their project' },
  }),
  projects_update: operation({
    projectInPath: true,
    method: 'PATCH',
    path: `${V1}/projects/{id}`,
    summary: 'Update a project; `simulated` cannot be changed',
    scope: 'node',
    roles: ADMINS,
    input: z.object({ ...idPath, ...projectUpdateInput }),
    output: Project,
    revision: 'if-match',
    errors: ['project_not_found', 'project_mismatch', 'read_only_field', 'revision_mismatch'],
    source: { extension: 'people must be able to correct a wrong time zone or shift pattern' },
  }),
} as const;
