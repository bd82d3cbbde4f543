/** Maintenance plans: services that are due by engine hours, distance or date, and their state on each machine. */
import { z } from 'zod';
import { base, Deleted, Id, idPath, listOf, listQuery, searchQuery, Timestamp } from '#contract/base/common.ts';
import { HINTS, operation, V1, WRITERS } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';
import { PRIORITY } from './repair-ticket.ts';

const EXTENSION = { extension: 'the specification stores meters of machines but does not say what is due by them' };

export const MAINTENANCE_STATE = ['unknown', 'ok', 'due_soon', 'due', 'overdue'] as const;
export type MaintenanceState = (typeof MAINTENANCE_STATE)[number];

const MAINTENANCE_REASON = [
  'no_hour_meter',
  'no_odometer',
  'no_service',
  'no_reading_at_service',
  'meter_below_service',
  'clock_not_trusted',
] as const;
export type MaintenanceReason = (typeof MAINTENANCE_REASON)[number];

const LocalDate = z.iso.date().meta({ description: 'Local date of the site, YYYY-MM-DD.' });
const hours = z.number().min(0).max(1_000_000).meta({ unit: 'h' });
const km = z.number().min(0).max(10_000_000).meta({ unit: 'km' });

const fields = {
  name: z.string().trim().min(1).max(120),
  instructions: z.string().max(4_000),
  equipment_id: Id.nullable().meta({ description: 'The machine; null: all machines of `kind`.' }),
  kind: z.string().trim().min(1).max(60).nullable().meta({ description: 'Kind of machines, such as haul_truck.' }),
  every_hours: z.number().min(1).max(100_000).nullable().meta({ unit: 'h' }),
  every_km: z.number().min(1).max(1_000_000).nullable().meta({ unit: 'km' }),
  every_days: z.number().int().min(1).max(3_650).nullable().meta({ unit: 'd' }),
  every_months: z.number().int().min(1).max(120).nullable(),
  due_on: LocalDate.nullable().meta({
    description: 'Fixed date of one service; a service done later than this was set fulfils it.',
  }),
  margin_pct: z.number().min(1).max(50).meta({
    description: 'Part of the interval: due soon before the limit, overdue after it.',
    unit: '%',
  }),
  action: z.enum(['none', 'ticket']).meta({ description: 'ticket: a due service makes one preventive ticket.' }),
  priority: z.enum(PRIORITY).meta({ description: 'Priority of that ticket.' }),
  enabled: z.boolean(),
};

/** `data` of a stored maintenance plan. */
export const MaintenancePlanData = z.object({
  ...fields,
  due_set_at: Timestamp.nullable().meta({ description: 'Time at which `due_on` was set.' }),
});
export type MaintenancePlanData = z.infer<typeof MaintenancePlanData>;

const MaintenancePlan = z
  .object({ object: z.literal('maintenance_plan'), ...base, ...shownFields(MaintenancePlanData.shape) })
  .meta({
    id: 'MaintenancePlan',
    description: 'A service of one machine, or of all machines of a kind; the first limit counts.',
  });

const Service = z
  .object({
    done_at: Timestamp,
    hours: hours.nullable(),
    km: km.nullable(),
    done_by: z.string().nullable(),
    note: z.string(),
    ticket_id: z.string().nullable(),
  })
  .meta({ id: 'MaintenanceService', description: 'A service that was done, with the meters at that time.' });
export type Service = z.infer<typeof Service>;

/** `data` of the stored record of one plan on one machine. */
export interface MaintenanceRecordData {
  plan_id: string;
  equipment_id: string;
  /** Number of services that became the last one. */
  services: number;
  last: Service | null;
  /** The last occurrence for which a ticket was made. */
  raised: { occurrence: string; ticket_id: string; at: string } | null;
}

const MaintenanceLimit = z
  .object({
    by: z.enum(['hours', 'km', 'date']),
    state: z.enum(MAINTENANCE_STATE),
    reason: z.enum(MAINTENANCE_REASON).nullable().meta({ description: 'Why the state is unknown.' }),
    due_at: z.number().nullable().meta({ description: 'Meter reading at which it is due.' }),
    due_on: LocalDate.nullable(),
    now: z.number().nullable().meta({ description: 'The meter, at `observed_at`.' }),
    observed_at: Timestamp.nullable(),
    left: z.number().nullable().meta({ description: 'Hours, km or days left; negative when past.' }),
    per_day: z.number().nullable().meta({
      description: 'Use per day in the known part of the last 14 days; null: less than a day is known.',
    }),
    expected_on: LocalDate.nullable().meta({ description: 'When it becomes due at this use.' }),
  })
  .meta({ id: 'MaintenanceLimit' });
export type MaintenanceLimit = z.infer<typeof MaintenanceLimit>;

const PlanState = z
  .object({
    plan_id: z.string(),
    name: z.string(),
    state: z.enum(MAINTENANCE_STATE),
    reason: z.enum(MAINTENANCE_REASON).nullable(),
    due_by: z.enum(['hours', 'km', 'date']).nullable().meta({ description: 'The limit that comes first.' }),
    expected_on: LocalDate.nullable(),
    limits: z.array(MaintenanceLimit),
    last_service: Service.nullable(),
    ticket_id: z.string().nullable().meta({ description: 'The ticket that the plan made for the present service.' }),
  })
  .meta({ id: 'MaintenancePlanState', description: 'The state of one plan on a machine.' });

const MachineMaintenance = z
  .object({
    object: z.literal('machine_maintenance'),
    equipment_id: z.string(),
    unit_number: z.string(),
    kind: z.string().nullable(),
    state: z.enum(MAINTENANCE_STATE).meta({ description: 'The gravest of its plans.' }),
    plans: z.array(PlanState),
  })
  .meta({ id: 'MachineMaintenance', description: 'What is due on a machine.' });
export type MachineMaintenance = z.infer<typeof MachineMaintenance>;

const createInput = {
  name: fields.name,
  instructions: fields.instructions.default(''),
  equipment_id: fields.equipment_id.default(null),
  kind: fields.kind.default(null),
  every_hours: fields.every_hours.default(null),
  every_km: fields.every_km.default(null),
  every_days: fields.every_days.default(null),
  every_months: fields.every_months.default(null),
  due_on: fields.due_on.default(null),
  margin_pct: fields.margin_pct.default(10),
  action: fields.action.default('ticket'),
  priority: fields.priority.default('medium'),
  enabled: fields.enabled.default(true),
};

const updateInput = {
  name: fields.name.optional(),
  instructions: fields.instructions.optional(),
  every_hours: fields.every_hours.optional(),
  every_km: fields.every_km.optional(),
  every_days: fields.every_days.optional(),
  every_months: fields.every_months.optional(),
  due_on: fields.due_on.optional(),
  margin_pct: fields.margin_pct.optional(),
  action: fields.action.optional(),
  priority: fields.priority.optional(),
  enabled: fields.enabled.optional(),
};

/** Operations on maintenance plans. */
export const maintenanceOperations = {
  maintenance_list: operation({
    method: 'GET',
    path: `${V1}/maintenance`,
    summary: 'List what is due on each machine, with the expected dates',
    input: z.object({
      ...listQuery,
      equipment_id: Id.optional(),
      kind: z.string().max(60).optional(),
    }),
    output: listOf(MachineMaintenance),
    errors: ['not_found', 'invalid_cursor'],
    source: EXTENSION,
  }),
  maintenance_plans_create: operation({
    example: { name: 'Engine oil', kind: 'haul_truck', every_hours: 250, every_months: 3 },
    method: 'POST',
    path: `${V1}/maintenance-plans`,
    summary: 'Create a maintenance plan of a machine or of a kind of machines',
    input: z.object(createInput),
    output: MaintenancePlan,
    status: 201,
    revision: 'etag',
    errors: ['not_found', 'parameter_invalid', 'parameter_missing', 'limit_reached'],
    source: EXTENSION,
  }),
  maintenance_plans_list: operation({
    method: 'GET',
    path: `${V1}/maintenance-plans`,
    summary: 'List maintenance plans',
    input: z.object({ ...searchQuery, equipment_id: Id.optional(), kind: z.string().max(60).optional() }),
    output: listOf(MaintenancePlan),
    errors: ['invalid_cursor'],
    source: EXTENSION,
  }),
  maintenance_plans_get: operation({
    method: 'GET',
    path: `${V1}/maintenance-plans/{id}`,
    summary: 'Get a maintenance plan',
    input: z.object(idPath),
    output: MaintenancePlan,
    revision: 'etag',
    errors: ['not_found'],
    source: EXTENSION,
  }),
  maintenance_plans_update: operation({
    method: 'PATCH',
    path: `${V1}/maintenance-plans/{id}`,
    summary: 'Update a maintenance plan; its machines cannot change',
    input: z.object({ ...idPath, ...updateInput }),
    output: MaintenancePlan,
    revision: 'if-match',
    errors: ['not_found', 'parameter_invalid', 'parameter_missing', 'revision_mismatch'],
    source: EXTENSION,
  }),
  maintenance_plans_delete: operation({
    method: 'DELETE',
    path: `${V1}/maintenance-plans/{id}`,
    summary: 'Delete a maintenance plan; the logs of its machines keep their services',
    input: z.object(idPath),
    output: Deleted,
    revision: 'if-match',
    errors: ['not_found', 'revision_mismatch'],
    source: EXTENSION,
  }),
  maintenance_plans_record: operation({
    example: { equipment_id: 'eq_0198c2f4k3e7n9v5s1q8r6t2w0', hours: 12_480, done_by: 'Ana Ruiz' },
    method: 'POST',
    path: `${V1}/maintenance-plans/{id}/services`,
    summary: 'Record that the service of a plan was done on a machine',
    input: z.object({
      ...idPath,
      equipment_id: Id,
      done_at: Timestamp.optional().meta({ description: 'Default: now.' }),
      hours: hours
        .optional()
        .meta({ description: 'Engine hours at that time; default: the present value.', unit: 'h' }),
      km: km.optional().meta({ description: 'Distance at that time; default: the present value.', unit: 'km' }),
      done_by: z.string().trim().min(1).max(120).optional().meta({ description: 'Default: the caller.' }),
      note: z.string().max(2_000).default(''),
      ticket_id: Id.optional(),
    }),
    output: MachineMaintenance,
    roles: [...WRITERS, 'mechanic'],
    hints: HINTS.WRITE,
    errors: ['not_found', 'parameter_invalid', 'parameter_missing'],
    source: EXTENSION,
  }),
} as const;
