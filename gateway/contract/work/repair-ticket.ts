/** Repair ticket: work on a machine, from the report to the repair. */
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
  Timestamp,
} from '#contract/base/common.ts';
import { deliveryField } from '#contract/base/delivery.ts';
import { eventOperations } from '#contract/base/event.ts';
import { METER_BASES } from '#contract/base/meter-bases.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';
import { type Shown, shownFields, UNKNOWN_VALUE } from '#contract/base/shown.ts';
import type { OtherThan } from '#contract/base/view.ts';

export const TICKET_STATUS = ['flagged', 'in_progress', 'on_hold', 'fixed', 'closed', 'canceled'] as const;
export type TicketStatus = (typeof TICKET_STATUS)[number];
/** Known statuses of open tickets: the work is not done. A further report of the same fault joins a ticket with one of these. */
export const JOINED_TICKET_STATUS = ['flagged', 'in_progress', 'on_hold'] as const satisfies readonly TicketStatus[];
/** Open tickets as lists show them. A ticket whose status only a newer version knows counts as open, so that no list hides it. */
export const OPEN_TICKET_STATUS = [
  ...JOINED_TICKET_STATUS,
  UNKNOWN_VALUE,
] as const satisfies readonly Shown<TicketStatus>[];
/** Tickets that lists and boards of current work show: open tickets, and fixed tickets that nobody has closed. */
export const CURRENT_TICKET_STATUS = [...OPEN_TICKET_STATUS, 'fixed'] as const satisfies readonly Shown<TicketStatus>[];

/** The same sets as conditions on the stored status. */
export const OPEN_TICKET: OtherThan = { otherThan: ['fixed', 'closed', 'canceled'] satisfies TicketStatus[] };
export const CURRENT_TICKET: OtherThan = { otherThan: ['closed', 'canceled'] satisfies TicketStatus[] };
/** The stored status is one that only a newer version knows. */
export const UNKNOWN_TICKET: OtherThan = { otherThan: TICKET_STATUS };

/** Returns true if the work of a ticket with this status is not done. A status that only a newer version knows counts as open. */
export function isOpenTicket(status: Shown<TicketStatus>): boolean {
  return !OPEN_TICKET.otherThan.includes(status);
}

/** Returns true if a further report of the same fault joins a ticket with this status. With an unknown status the work may be done. */
export function isJoined(status: TicketStatus): boolean {
  return JOINED_TICKET_STATUS.some((one) => one === status);
}

/**
 *   flagged -> in_progress <-> on_hold
 *                  |  ^
 *                  v  | reopened
 *                 fixed -> closed            canceled: from any status before `fixed`
 */
export const TICKET_STEPS: Readonly<Record<TicketStatus, readonly TicketStatus[]>> = {
  flagged: ['in_progress', 'canceled'],
  in_progress: ['on_hold', 'fixed', 'canceled'],
  on_hold: ['in_progress', 'canceled'],
  fixed: ['closed', 'in_progress'],
  closed: [],
  canceled: [],
};

/** The statuses to which a ticket can move. Empty for a status that only a newer version knows. */
export function nextStatuses(status: Shown<TicketStatus>): readonly TicketStatus[] {
  return TICKET_STEPS[status as TicketStatus] ?? [];
}

export const PRIORITY = ['low', 'medium', 'high', 'critical'] as const;
export const TICKET_TYPE = ['corrective', 'preventive', 'inspection', 'damage'] as const;
const SOURCE_KIND = ['manual', 'alert', 'dtc', 'inspection', 'pm', 'qr', 'agent'] as const;
export const HOLD_REASON = ['parts', 'labor', 'access', 'approval', 'weather', 'vendor', 'other'] as const;

/** Largest number of alerts of a ticket. */
export const MAX_TICKET_ALERTS = 50;

const text = (max: number) => z.string().trim().min(1).max(max);

const Failure = z
  .object({
    component: text(120).nullable().default(null),
    spn: z.number().int().min(0).max(524_287).nullable().default(null),
    fmi: z.number().int().min(0).max(31).nullable().default(null),
    cause: text(500).nullable().default(null),
    remedy: text(500).nullable().default(null),
  })
  .meta({ id: 'TicketFailure', description: 'The failure in maintenance terms.' });

const Labor = z
  .object({
    id: z.string().max(64).optional().meta({ description: 'Made if absent.' }),
    mechanic_id: Id.nullable().default(null),
    minutes: z.number().int().min(1).max(10_000).meta({ unit: 'min' }),
    note: z.string().max(500).nullable().default(null),
  })
  .meta({ id: 'TicketLabor' });
export type Labor = z.infer<typeof Labor>;

const Part = z
  .object({
    id: z.string().max(64).optional().meta({ description: 'Made if absent.' }),
    name: text(120),
    part_number: text(80).nullable().default(null),
    quantity: z.number().positive().max(100_000).default(1),
    status: z.enum(['requested', 'used']).default('requested'),
    note: z.string().max(500).nullable().default(null),
  })
  .meta({ id: 'TicketPart' });
export type Part = z.infer<typeof Part>;

const Meter = z.object({
  hours: z.number().min(0).max(1_000_000).meta({ unit: 'h' }),
  basis: z.enum(METER_BASES).meta({ description: 'counted: by the gateway. feed: telemetry points.' }),
  observed_at: Timestamp,
});

const fields = {
  title: text(200),
  description: z.string().max(10_000),
  location_id: Id,
  priority: z.enum(PRIORITY),
  safety_critical: z.boolean(),
  type: z.enum(TICKET_TYPE),
  failure: Failure,
  reported_by: text(120).meta({ description: 'Id of an operator or mechanic, or a name.' }),
  assigned_mechanic_ids: z.array(Id).max(20),
  due_at: Timestamp,
  labor: z.array(Labor).max(200),
  parts: z.array(Part).max(200),
  related_to: Id.meta({ description: 'An earlier ticket.' }),
};

const TicketAlert = z
  .object({
    alert_id: z.string(),
    rule_name: z.string(),
    cause: z.string().meta({ description: 'Alerts with the same cause are one fault.' }),
    raised_at: Timestamp,
    value: z.number().nullable(),
    unit: z.string(),
  })
  .meta({ id: 'TicketAlert', description: 'An alert about the fault of the ticket.' });

export const RepairTicketData = z.object({
  number: z.string().meta({ description: 'Unique in the project. Its suffix names the gateway that created it.' }),
  title: fields.title,
  description: fields.description,
  equipment_id: z.string(),
  location_id: z.string().nullable().meta({ description: 'Location of the machine when the ticket was created.' }),
  status: z.enum(TICKET_STATUS),
  priority: fields.priority,
  safety_critical: fields.safety_critical,
  type: fields.type,
  failure: fields.failure,
  source: z.object({
    kind: z.enum(SOURCE_KIND),
    ref: z.string().max(200).nullable().default(null),
    key: z.string().max(120).optional().meta({ description: 'A report with the same key joins the open ticket.' }),
  }),
  reported_by: z.string().nullable(),
  assigned_mechanic_ids: fields.assigned_mechanic_ids,
  meter_at_flag: Meter.nullable().meta({
    description: 'Engine hours when the ticket was created; null if the machine had no value.',
  }),
  flagged_at: Timestamp,
  due_at: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  fixed_at: Timestamp.nullable(),
  closed_at: Timestamp.nullable(),
  labor: fields.labor,
  parts: fields.parts,
  downtime_minutes: z.number().int().nullable().meta({
    description: 'Minutes in status down or maintenance between creation and repair; null until fixed.',
    unit: 'min',
  }),
  hold_reason: z.enum(HOLD_REASON).nullable(),
  signature: z
    .object({ name: z.string(), signed_at: Timestamp, by: z.string().nullable() })
    .nullable()
    .meta({ description: 'Who signed the work off.' }),
  related_to: z.string().nullable(),
  labels: Labels,
  alerts: z.array(TicketAlert).max(MAX_TICKET_ALERTS).optional().meta({
    description: 'Alerts that made the ticket or joined it: the first, and the newest ones.',
  }),
  stopped_at: Timestamp.optional().meta({
    description: 'When a person reported with the QR code that the machine cannot work.',
  }),
});
export type RepairTicketData = z.infer<typeof RepairTicketData>;

const RepairTicket = z
  .object({
    object: z.literal('repair_ticket'),
    ...base,
    ...shownFields(RepairTicketData.shape),
    ...deliveryField,
    context: Context,
  })
  .meta({ id: 'RepairTicket', description: 'Work on a machine, from the report to the repair.' });
export type RepairTicket = z.infer<typeof RepairTicket>;

const createInput = {
  title: fields.title,
  description: fields.description.default(''),
  equipment_id: Id,
  location_id: fields.location_id.nullable().optional().meta({ description: "The machine's when absent." }),
  priority: fields.priority.default('medium'),
  safety_critical: fields.safety_critical.default(false),
  type: fields.type.default('corrective'),
  failure: fields.failure.optional(),
  source: RepairTicketData.shape.source.optional(),
  reported_by: fields.reported_by.optional().meta({ description: 'The caller when absent.' }),
  assigned_mechanic_ids: fields.assigned_mechanic_ids.optional(),
  meter_hours: Meter.shape.hours.optional().meta({
    description: 'Engine hours read by a person; default: from the machine.',
    unit: 'h',
  }),
  flagged_at: Timestamp.optional().meta({ description: 'When it was noticed, if earlier than now.' }),
  due_at: fields.due_at.nullable().optional(),
  related_to: fields.related_to.nullable().optional(),
  labels: LabelsInput.optional(),
  context: MediaInput.optional(),
};

/** The fields of a new ticket that an operator may send: all except the assigned mechanics and the due date. */
const operatorFields = Object.fromEntries(
  Object.keys(createInput)
    .filter((field) => field !== 'assigned_mechanic_ids' && field !== 'due_at')
    .map((field) => [field, 'any' as const]),
);

const updateInput = {
  title: fields.title.optional(),
  description: fields.description.optional(),
  location_id: fields.location_id.nullable().optional(),
  status: z.enum(TICKET_STATUS).optional().meta({
    description: '`canceled` is possible before `fixed`. A change from `fixed` to `in_progress` reopens the ticket.',
  }),
  hold_reason: z.enum(HOLD_REASON).optional().meta({ description: 'Required with status on_hold.' }),
  reason: text(500).optional().meta({ description: 'Reason for the status change; kept in the event log.' }),
  priority: fields.priority.optional(),
  safety_critical: fields.safety_critical.optional(),
  type: fields.type.optional(),
  failure: fields.failure.optional(),
  reported_by: fields.reported_by.optional(),
  assigned_mechanic_ids: fields.assigned_mechanic_ids.optional(),
  due_at: fields.due_at.nullable().optional(),
  labor: fields.labor.optional(),
  parts: fields.parts.optional(),
  signature: z.object({ name: text(120) }).optional(),
  related_to: fields.related_to.nullable().optional(),
  labels: LabelsInput.optional(),
  context: MediaInput.optional(),
};

const listInput = {
  ...searchQuery,
  status: z.enum([...TICKET_STATUS, UNKNOWN_VALUE]).optional(),
  equipment_id: Id.optional(),
  location_id: Id.optional(),
  mechanic_id: Id.optional().meta({
    description: 'Tickets assigned to this mechanic. A page may hold fewer items than `limit`.',
  }),
  priority: z.enum(PRIORITY).optional(),
  number: z.string().max(40).optional(),
};

const events = eventOperations('repair-tickets', 'repair ticket');

/** Operations on repair tickets. */
export const repairTicketOperations = {
  repair_tickets_create: operation({
    method: 'POST',
    path: `${V1}/repair-tickets`,
    summary: 'Flag a machine for repair',
    input: z.object(createInput),
    output: RepairTicket,
    status: 201,
    revision: 'etag',
    roles: [...WRITERS, 'mechanic', 'operator'],
    fields: { operator: operatorFields },
    errors: ['not_found', 'permission_denied', 'parameter_invalid'],
  }),
  repair_tickets_list: operation({
    method: 'GET',
    path: `${V1}/repair-tickets`,
    summary: 'List repair tickets',
    input: z.object(listInput),
    output: listOf(RepairTicket),
    errors: ['invalid_cursor'],
  }),
  repair_tickets_get: operation({
    method: 'GET',
    path: `${V1}/repair-tickets/{id}`,
    summary: 'Get a repair ticket',
    input: z.object(idPath),
    output: RepairTicket,
    revision: 'etag',
    errors: ['not_found'],
  }),
  repair_tickets_update: operation({
    method: 'PATCH',
    path: `${V1}/repair-tickets/{id}`,
    summary: 'Update a repair ticket: status, assignment, labor, parts',
    input: z.object({ ...idPath, ...updateInput }),
    output: RepairTicket,
    revision: 'if-match',
    roles: [...WRITERS, 'mechanic'],
    errors: ['not_found', 'invalid_transition', 'parameter_missing', 'parameter_invalid', 'revision_mismatch'],
  }),
  repair_tickets_append_event: events.append,
  repair_tickets_events: events.list,
} as const;
