/** The form of the corpus (what a good planner makes of a text) and of the plan that is compared with it. corpus/SPEC.md has the rules. */
import { z } from 'zod';
import { MACHINE_KINDS } from '#contract/fleet/machine-kinds.ts';

export const LANGUAGES = ['en', 'es', 'pt', 'fr', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export { MACHINE_KINDS };

const MACHINE_KIND = Object.keys(MACHINE_KINDS) as (keyof typeof MACHINE_KINDS)[];
const LOCATION_KIND = ['site', 'pit', 'zone', 'stockpile', 'crusher', 'workshop', 'fuel_bay', 'haul_road'] as const;
const TOPIC = [
  'status',
  'machines',
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
const DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const GAP_CODE = [
  'missing_inventory',
  'count_mismatch',
  'missing_roster',
  'missing_shift_pattern',
  'missing_location',
  'unreadable_machine',
  'unreadable_location',
  'unreadable_board',
] as const;
export const FAILURE_REASON = ['nothing_readable', 'contradiction', 'too_many_machines', 'text_too_long'] as const;
/** The resources that a gap may concern. */
const GAP_RESOURCE = ['equipment', 'locations', 'shifts', 'people', 'boards'] as const;

const text = z.string().trim().min(1);
/** One right value, or a list of right values. */
const oneOf = <T extends z.ZodType>(value: T) => z.union([value, z.array(value).min(2)]);
const words = oneOf(text);
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
/** In every expected entry. `implied`: attributes that may be absent. `optional`: counts neither present nor absent. */
const entry = { from: z.array(text).min(1), implied: z.array(text).optional(), optional: z.literal(true).optional() };

const ExpectedMachines = z
  .strictObject({
    units: z.array(text).min(1).optional(),
    bare: z.literal(true).optional(),
    also: z.array(text).optional(),
    count: z.number().int().min(1).optional(),
    kind: oneOf(z.enum(MACHINE_KIND)),
    oem_name: words.optional(),
    model: words.optional(),
    year: z.number().int().optional(),
    serial_number: text.optional(),
    location: words.optional(),
    ...entry,
  })
  .refine(({ units, count }) => (units === undefined) !== (count === undefined), 'either units or a count')
  .refine(({ also, units }) => also === undefined || units?.length === 1, 'also names one machine only');

const person = { name: words, crew: words.optional(), badge_id: text.optional(), employee_number: text.optional() };

const shape = {
  language: z.enum(LANGUAGES),
  style: text,
  equipment: z.array(ExpectedMachines).default([]),
  locations: z
    .array(z.strictObject({ name: words, kind: oneOf(z.enum(LOCATION_KIND)), parent: words.optional(), ...entry }))
    .default([]),
  shifts: z
    .array(
      z.strictObject({
        name: words.optional(),
        starts: time,
        ends: time,
        days: z.array(z.enum(DAY)).optional(),
        ...entry,
      }),
    )
    .default([]),
  crews: z
    .array(z.strictObject({ name: words, shift: words.optional(), ...entry }))
    .default([])
    .meta({ description: 'The shift of a crew is a name, or `HH:MM-HH:MM` of a shift without a name.' }),
  operators: z.array(z.strictObject({ ...person, machine: text.optional(), ...entry })).default([]),
  mechanics: z.array(z.strictObject({ ...person, ...entry })).default([]),
  boards: z
    .array(
      z.strictObject({
        place: words.optional(),
        shows: z.array(z.enum(TOPIC)).min(1),
        also_shows: z.array(z.enum(TOPIC)).optional(),
        location: words.optional(),
        kind: words.optional(),
        ...entry,
      }),
    )
    .default([]),
  gaps: z
    .array(z.strictObject({ resource: z.enum(GAP_RESOURCE), code: oneOf(z.enum(GAP_CODE)), ...entry }))
    .default([]),
  forbidden: z
    .array(z.strictObject({ resource: text, name: text.optional(), why: text, from: z.array(text).min(1) }))
    .default([])
    .meta({
      description: 'Objects that a careless planner makes. Only for the messages: what is not expected is wrong.',
    }),
};

export const Expected = z.strictObject(shape);
export type Expected = z.infer<typeof Expected>;
export type ExpectedMachine = Expected['equipment'][number];

export const Hostile = z
  .strictObject({
    ...shape,
    ends: z.enum(['failed', 'part', 'any']),
    reasons: z.array(z.enum(FAILURE_REASON)).min(1).optional(),
    make: z.strictObject({ repeat: z.string().min(1), bytes: z.number().int().max(16_777_216) }).optional(),
  })
  .refine(({ ends, reasons }) => (ends === 'part') === (reasons === undefined), 'a failure needs its reasons');
export type Hostile = z.infer<typeof Hostile>;

const value = text.nullish();
const cited = { from: z.array(z.string()).default([]) };
const plannedPerson = { name: text, crew: value, badge_id: value, employee_number: value, ...cited };

/** What a planner hands over to be compared. Unknown attributes are ignored, absent ones are null. */
export const Plan = z.object({
  equipment: z
    .array(
      z.object({
        unit_number: text,
        generated: z.boolean().default(false),
        kind: value,
        oem_name: value,
        model: value,
        year: z.number().nullish(),
        serial_number: value,
        location: value,
        ...cited,
      }),
    )
    .default([]),
  locations: z.array(z.object({ name: text, kind: text, parent: value, ...cited })).default([]),
  shifts: z
    .array(z.object({ name: text, starts: time, ends: time, days: z.array(z.enum(DAY)).nullish(), ...cited }))
    .default([]),
  crews: z.array(z.object({ name: text, shift: value, ...cited })).default([]),
  operators: z.array(z.object({ ...plannedPerson, machine: value })).default([]),
  mechanics: z.array(z.object(plannedPerson)).default([]),
  boards: z
    .array(
      z.object({
        place: value,
        shows: z.array(text).default([]),
        location: value,
        kind: value,
        default: z.boolean().default(false),
        ...cited,
      }),
    )
    .default([]),
  gaps: z.array(z.object({ resource: text, code: text, remedy: z.string().default(''), ...cited })).default([]),
  failure: z
    .object({ reason: text, remedy: z.string().default('') })
    .nullable()
    .default(null),
});
export type Plan = z.infer<typeof Plan>;
export type PlannedMachine = Plan['equipment'][number];

export const OBJECT_KINDS = ['equipment', 'locations', 'shifts', 'crews', 'operators', 'mechanics', 'boards'] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];
