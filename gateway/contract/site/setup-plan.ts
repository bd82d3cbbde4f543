/** The plan of a setup: what the planner reads in a description. A person can correct the plan before anything is written. */
import { z } from 'zod';
import { Id } from '#contract/base/common.ts';
import { LocalTime, WEEKDAYS } from '#contract/base/local-time.ts';
import { LONGEST_NAME, LONGEST_UNIT, PLAN_LIMITS } from '#contract/base/names.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';
import { LOCATION_KINDS } from '#contract/fleet/location.ts';
import { MACHINE_KINDS, type MachineKind } from '#contract/fleet/machine-kinds.ts';
import {
  type GivenFile,
  type JoinedText,
  MAX_OPEN_GAPS,
  MAX_PROMPT,
  MAX_SETUP_TEXT,
  SETUP_BODY,
  SetupFiles,
  SetupStarted,
} from './setup.ts';

const KINDS = Object.keys(MACHINE_KINDS) as [MachineKind, ...MachineKind[]];
/** What a board of a setup can show. */
const TOPICS = [
  'status',
  'map',
  'tickets',
  'alerts',
  'shift',
  'fuel',
  'hours',
  'utilization',
  'camera',
  'trend',
  'text',
] as const;
export type BoardTopic = (typeof TOPICS)[number];
const name = z.string().trim().min(1).max(LONGEST_NAME);
const some = z.string().max(LONGEST_NAME).nullable().default(null);
const from = z
  .array(z.string().max(MAX_SETUP_TEXT))
  .max(PLAN_LIMITS.from)
  .default([])
  .meta({ description: 'The words of the text from which this was read.' });
const cited = {
  from,
  at: z
    .string()
    .max(400)
    .nullable()
    .default(null)
    .meta({ description: 'Where they stand in a file: `fleet.xlsx, sheet Fleet, row 7`.' }),
};

const person = { name, crew: some, badge_id: some, employee_number: some, ...cited };

const PlanMachine = z.object({
  unit_number: z.string().trim().min(1).max(LONGEST_UNIT),
  generated: z
    .boolean()
    .default(false)
    .meta({ description: 'True: the text has no number, the planner made this one.' }),
  kind: z.enum(KINDS),
  oem_name: some,
  model: some,
  year: z.number().int().min(1900).max(2200).nullable().default(null),
  serial_number: some,
  location: some.meta({ description: 'Name of a location.' }),
  ...cited,
});

const PlanLocation = z.object({ name, kind: z.enum(LOCATION_KINDS), parent: some, ...cited });
const PlanShift = z.object({
  name,
  starts: LocalTime,
  ends: LocalTime,
  days: z.array(z.enum(WEEKDAYS)).max(7).nullable().default(null),
  ...cited,
});
const PlanOperator = z.object({ ...person, machine: some });
const PlanMechanic = z.object(person);
const PlanBoard = z.object({ place: some, shows: z.array(z.enum(TOPICS)).max(12), ...cited });

const PlanFact = z.object({
  fact: z.string().trim().min(1).max(400),
  unit_number: some.meta({ description: 'The machine that it is about.' }),
  ...cited,
});

const planned = {
  language: z.enum(['en', 'es', 'pt', 'fr', 'de']).default('en'),
  equipment: z.array(PlanMachine).max(PLAN_LIMITS.equipment).default([]),
  locations: z.array(PlanLocation).max(PLAN_LIMITS.locations).default([]),
  shifts: z.array(PlanShift).max(PLAN_LIMITS.shifts).default([]),
  crews: z
    .array(z.object({ name, shift: some, ...cited }))
    .max(PLAN_LIMITS.crews)
    .default([]),
  operators: z.array(PlanOperator).max(PLAN_LIMITS.operators).default([]),
  mechanics: z.array(PlanMechanic).max(PLAN_LIMITS.mechanics).default([]),
  boards: z.array(PlanBoard).max(PLAN_LIMITS.boards).default([]),
  facts: z
    .array(PlanFact)
    .max(PLAN_LIMITS.facts)
    .default([])
    .meta({ description: 'What the setup remembers as learnings.' }),
};

const gapText = z.string().max(MAX_SETUP_TEXT);
/** What could not be read, or is missing. */
const gap = { code: z.string().max(100), resource: z.string().max(100), message: gapText, remedy: gapText, ...cited };

/** The plan that a person sends back. */
export const SetupPlan = z.object({
  ...planned,
  gaps: z
    .array(z.object(gap))
    .max(MAX_OPEN_GAPS)
    .default([])
    .meta({ description: 'Gaps of projects_setup_plan that are still open. The result has them too.' }),
});
export type SetupPlan = z.infer<typeof SetupPlan>;

const PlanGap = z.object({
  ...gap,
  proposal: z
    .object({
      equipment: z.array(PlanMachine),
      locations: z.array(PlanLocation),
      operators: z.array(PlanOperator),
      mechanics: z.array(PlanMechanic),
      shifts: z.array(PlanShift),
      boards: z.array(PlanBoard),
    })
    .partial()
    .nullable()
    .meta({
      description:
        'Objects that the text may mean, filled in. They are not in the lists of the plan: a person moves those that are on the site into them.',
    }),
});

const PlanRead = z
  .object({
    object: z.literal('setup_plan'),
    project_id: z.string(),
    text: z.string().meta({ description: 'What was read: the prompt, and below it the text of the files.' }),
    ...planned,
    gaps: z.array(PlanGap),
    not_read: z.array(z.string()).meta({ description: 'Sentences of which nothing was read.' }),
    coverage: z.number().min(0).max(1).meta({ description: 'Share of the words that the planner understood.' }),
    failure: z
      .object({ reason: z.string(), remedy: z.string() })
      .nullable()
      .meta({ description: 'Why nothing can be planned.' }),
  })
  .meta({ id: 'SetupPlanRead', description: 'What the planner reads in a description. Nothing is written.' });
export type PlanRead = z.infer<typeof PlanRead>;

/** Reads files and plans texts. Two calls for one request end within two minutes, or throw `rate_limited` or `backend_unavailable`. */
export interface SetupReader {
  /** Reads files and puts their text below the description. A file that cannot be read is a gap. */
  join(description: string, files: readonly GivenFile[]): Promise<JoinedText>;
  /** Plans the text. */
  plan(joined: JoinedText): Promise<Omit<PlanRead, 'object' | 'project_id'>>;
}

/** The service of a gateway that carries out setups. */
export interface SetupServices {
  readonly setupReader: SetupReader;
}

const path = { project_id: Id };
/** A machine of a plan has up to 13 values. */
const PLAN_VALUES = 150_000;

/** Operations on the plan of a setup. */
export const setupPlanOperations = {
  projects_setup_plan: operation({
    method: 'POST',
    path: `${V1}/projects/{project_id}/setup/plan`,
    summary: 'Plan what projects_setup would make; writes nothing',
    roles: ADMINS,
    hints: HINTS.READ,
    maxBody: SETUP_BODY,
    input: z.object({ ...path, prompt: z.string().max(MAX_PROMPT).default(''), files: SetupFiles }),
    output: PlanRead,
    errors: ['project_mismatch'],
    source: { extension: 'a person must see and correct the plan before it is written' },
  }),
  projects_setup_apply: operation({
    method: 'POST',
    path: `${V1}/projects/{project_id}/setup/apply`,
    summary: 'Set up a project with a plan that a person checked',
    roles: ADMINS,
    inputFrom: { plan: 'projects_setup_plan' },
    maxBody: SETUP_BODY,
    maxValues: PLAN_VALUES,
    input: z.object({ ...path, plan: SetupPlan.meta({ description: 'projects_setup_plan, corrected.' }) }),
    output: z.object({ setup: SetupStarted }),
    status: 202,
    errors: ['setup_in_progress', 'project_mismatch'],
    source: { extension: 'the corrected plan must be written as one task that survives a restart' },
  }),
} as const;
