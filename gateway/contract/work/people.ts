/** Operators, who run machines, and mechanics, who maintain them. */
import { z } from 'zod';
import {
  base,
  Context,
  Id,
  idPath,
  Labels,
  LabelsInput,
  listOf,
  MediaInput,
  searchQuery,
} from '#contract/base/common.ts';
import { eventOperations } from '#contract/base/event.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';

const PERSON_STATUS = ['active', 'off_shift', 'inactive'] as const;

const Certification = z
  .object({
    code: z.string().trim().min(1).max(60),
    expires_on: z.iso
      .date()
      .nullable()
      .default(null)
      .meta({ description: 'Last day of validity; null: does not expire.' }),
  })
  .meta({ id: 'Certification' });

const described = {
  name: z.string().trim().min(1).max(120),
  employee_number: z.string().trim().min(1).max(40).meta({ description: 'Unique per kind of person.' }),
  badge_id: z.string().trim().min(1).max(64).meta({ description: 'Unique per kind of person.' }),
  phone: z.string().trim().min(1).max(40),
  status: z.enum(PERSON_STATUS),
  crew: z.string().trim().min(1).max(60),
  certifications: z.array(Certification).max(50),
  language: z.string().trim().min(2).max(16),
  trades: z
    .array(z.string().trim().min(1).max(60))
    .max(20)
    .meta({ description: 'diesel, hydraulics, electrical, ...' }),
};

const personFields = {
  name: described.name,
  employee_number: described.employee_number.nullable(),
  badge_id: described.badge_id.nullable(),
  phone: described.phone.nullable(),
  status: described.status,
  crew: described.crew.nullable(),
  certifications: described.certifications,
  location_id: Id.nullable(),
  language: described.language.nullable(),
  labels: Labels,
};
const mechanicFields = { ...personFields, trades: described.trades };
export type OperatorData = z.infer<z.ZodObject<typeof personFields>>;
export type MechanicData = z.infer<z.ZodObject<typeof mechanicFields>>;

const Operator = z
  .object({
    object: z.literal('operator'),
    ...base,
    ...personFields,
    status: shown(PERSON_STATUS),
    current_equipment_id: z.string().nullable().meta({ description: 'The machine assigned last.' }),
    context: Context,
  })
  .meta({ id: 'Operator', description: 'Person who operates machines.' });

const Mechanic = z
  .object({
    object: z.literal('mechanic'),
    ...base,
    ...mechanicFields,
    status: shown(PERSON_STATUS),
    open_ticket_ids: z.array(z.string()).meta({ description: 'Open repair tickets assigned to the mechanic.' }),
    context: Context,
  })
  .meta({ id: 'Mechanic', description: 'Crew member who maintains machines.' });

const optional = {
  employee_number: personFields.employee_number.optional(),
  badge_id: personFields.badge_id.optional(),
  phone: personFields.phone.optional(),
  crew: personFields.crew.optional(),
  certifications: personFields.certifications.optional(),
  location_id: personFields.location_id.optional(),
  language: personFields.language.optional(),
  labels: LabelsInput.optional(),
  context: MediaInput.optional(),
};
const createInput = { name: described.name, status: described.status.default('active'), ...optional };
const updateInput = {
  ...idPath,
  name: described.name.optional(),
  status: described.status.optional(),
  ...optional,
};
const peopleQuery = {
  ...searchQuery,
  status: described.status.optional(),
  crew: z.string().max(60).optional(),
  location_id: Id.optional(),
  employee_number: z.string().max(40).optional(),
  badge_id: z.string().max(64).optional(),
};
const trades = { trades: described.trades.optional() };

const operatorEvents = eventOperations('operators', 'crew member');
const mechanicEvents = eventOperations('mechanics', 'mechanic');

/** Operations on operators and mechanics. */
export const peopleOperations = {
  operators_create: operation({
    method: 'POST',
    path: `${V1}/operators`,
    summary: 'Create an operator',
    input: z.object(createInput),
    output: Operator,
    status: 201,
    revision: 'etag',
    errors: ['not_found', 'already_exists'],
  }),
  operators_list: operation({
    method: 'GET',
    path: `${V1}/operators`,
    summary: 'List operators',
    input: z.object(peopleQuery),
    output: listOf(Operator),
    errors: ['invalid_cursor'],
  }),
  operators_get: operation({
    method: 'GET',
    path: `${V1}/operators/{id}`,
    summary: 'Get an operator',
    input: z.object(idPath),
    output: Operator,
    revision: 'etag',
    errors: ['not_found'],
  }),
  operators_update: operation({
    method: 'PATCH',
    path: `${V1}/operators/{id}`,
    summary: 'Update an operator',
    input: z.object(updateInput),
    output: Operator,
    revision: 'if-match',
    errors: ['not_found', 'already_exists', 'read_only_field', 'revision_mismatch'],
  }),
  operators_append_event: operatorEvents.append,
  operators_events: operatorEvents.list,
  mechanics_create: operation({
    method: 'POST',
    path: `${V1}/mechanics`,
    summary: 'Create a mechanic',
    input: z.object({ ...createInput, ...trades }),
    output: Mechanic,
    status: 201,
    revision: 'etag',
    errors: ['not_found', 'already_exists'],
  }),
  mechanics_list: operation({
    method: 'GET',
    path: `${V1}/mechanics`,
    summary: 'List mechanics',
    input: z.object(peopleQuery),
    output: listOf(Mechanic),
    errors: ['invalid_cursor'],
  }),
  mechanics_get: operation({
    method: 'GET',
    path: `${V1}/mechanics/{id}`,
    summary: 'Get a mechanic',
    input: z.object(idPath),
    output: Mechanic,
    revision: 'etag',
    errors: ['not_found'],
  }),
  mechanics_update: operation({
    method: 'PATCH',
    path: `${V1}/mechanics/{id}`,
    summary: 'Update a mechanic',
    input: z.object({ ...updateInput, ...trades }),
    output: Mechanic,
    revision: 'if-match',
    errors: ['not_found', 'already_exists', 'read_only_field', 'revision_mismatch'],
  }),
  mechanics_append_event: mechanicEvents.append,
  mechanics_events: mechanicEvents.list,
} as const;
