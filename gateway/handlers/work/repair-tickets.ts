/** Operations on repair tickets. Operators create tickets and mechanics work on them. The event log of a ticket has every change. */

import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import { UNKNOWN_VALUE } from '#contract/base/shown.ts';
import { part, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { EquipmentData, EquipmentStatus } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import {
  type Labor,
  nextStatuses,
  type Part,
  type RepairTicketData,
  TICKET_STATUS,
  type TicketStatus,
  UNKNOWN_TICKET,
} from '#contract/work/repair-ticket.ts';
import { downtimeMinutes, isOver, type StatusStep, stepFields } from '#domain/work/ticket-states.ts';
import { requireActive } from '#handlers/base/assignments.ts';
import { deliveryFor } from '#handlers/base/deliveries.ts';
import {
  applyFields,
  checkRevision,
  contextOf,
  mediaFrom,
  requireRecord,
  requireRecords,
  wireBase,
} from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { checkPerson } from '#handlers/base/people-references.ts';
import { stageReleaseByFix } from '#handlers/fleet/equipment-take.ts';
import { stageTicketService } from './maintenance-services.ts';
import { meterAtFlag, stageTicket, type TicketData } from './ticket-records.ts';

type Ticket = Output<'repair_tickets_get'>;

function toTicket(document: Stored<TicketData>): Ticket {
  const { media: _, ...data } = document.data;
  return {
    object: 'repair_ticket',
    ...wireBase(document),
    ...data,
    meter_at_flag: meterAtFlag(data),
    context: contextOf(document.data),
  };
}

/** `flagged_at` may be ahead of the gateway's clock by at most this many milliseconds, because the clock of a tablet may be inaccurate. */
const AHEAD_MS = 300_000;

function flagTime(context: HandlerContext, given: string | undefined): string {
  if (given === undefined) return context.happened_at;
  const at = Date.parse(given);
  if (at > Date.parse(context.now) + AHEAD_MS)
    throw new OperationError('parameter_invalid', '`flagged_at` is in the future.', { param: 'flagged_at' });
  return new Date(at).toISOString();
}

/**
 * Throws if an object that the ticket names does not belong to the project. Throws also if a new location or a newly assigned mechanic is
 * inactive.
 */
async function checkReferences(
  view: StagedView,
  data: Partial<RepairTicketData>,
  before?: RepairTicketData,
): Promise<void> {
  if (data.location_id && data.location_id !== before?.location_id)
    await requireActive(view, 'location', [data.location_id], 'location_id');
  if (data.related_to) await requireRecord(view, 'repair_ticket', data.related_to, 'related_to');
  await checkPerson(view, data.reported_by, 'reported_by');
  const newly = (data.assigned_mechanic_ids ?? []).filter((id) => !before?.assigned_mechanic_ids.includes(id));
  await requireActive(view, 'mechanic', newly, 'assigned_mechanic_ids');
  const worked = (data.labor ?? []).map(({ mechanic_id }) => mechanic_id).filter((id) => id !== null);
  await requireRecords(view, 'mechanic', worked, 'labor');
}

/** Adds an id to each part or labor entry that has none; throws `parameter_invalid` if two entries have the same id. */
function withIds<T extends { id?: string | undefined }>(context: HandlerContext, entries: T[], param: string): T[] {
  const placed = entries.map((entry) => ({ ...entry, id: entry.id ?? context.newId('item') }));
  if (new Set(placed.map(({ id }) => id)).size < placed.length)
    throw new OperationError('parameter_invalid', 'Two entries cannot share an id.', { param });
  return placed;
}

/** The gateway computes the downtime of a ticket from at most this many status changes. */
const MOST_STEPS = 1_000;

/** Returns the changes that people made to the status of a machine since `from`, in the order of the times at which the statuses began. */
async function statusSteps(view: StagedView, equipment_id: string, from: string): Promise<StatusStep[]> {
  const events = await view.find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': equipment_id, 'data.type': 'status_changed' },
    after: { created_at: from, id: '' },
    order: 'asc',
    limit: MOST_STEPS,
  });
  const steps = events.map(({ data }) => ({
    at_ms: Date.parse(data.occurred_at),
    from: data.data.from as EquipmentStatus,
    to: data.data.to as EquipmentStatus,
  }));
  return steps.sort((a, b) => a.at_ms - b.at_ms);
}

function checkStep(from: TicketStatus, to: TicketStatus): void {
  const allowed = nextStatuses(from);
  if (allowed.includes(to)) return;
  if (!TICKET_STATUS.includes(from))
    throw new OperationError(
      'invalid_transition',
      say(
        'A newer version gave this ticket the status {from}, which this version does not know. Change the status at the end with the newer version, or update this one.',
        { from },
      ),
      { param: 'status', details: [{ from, to, allowed: [] }] },
    );
  throw new OperationError(
    'invalid_transition',
    allowed.length === 0
      ? say(
          'A {from} ticket cannot be changed. Create a new one and name this one in `related_to`; comments can still be added to its events.',
          { from: part(from) },
        )
      : say('The status {from} can only change to {allowed}.', { from: part(from), allowed: allowed.join(' or ') }),
    { param: 'status', details: [{ from, to, allowed: [...allowed] }] },
  );
}

function checkHold(from: TicketStatus, given: Pick<Update, 'status' | 'hold_reason'>): void {
  const to = given.status ?? from;
  if (given.hold_reason !== undefined && to !== 'on_hold')
    throw new OperationError('parameter_invalid', '`hold_reason` is allowed only with the status on_hold.', {
      param: 'hold_reason',
    });
  if (given.hold_reason === undefined && to === 'on_hold' && from !== 'on_hold')
    throw new OperationError('parameter_missing', 'Give the reason for the hold in `hold_reason`.', {
      param: 'hold_reason',
    });
}

type Update = Omit<Parsed<'repair_tickets_update'>, 'id'>;

/** Returns the ticket data after the change to status `to`; throws if `TICKET_STEPS` does not allow the change. */
async function stepped(
  context: HandlerContext,
  data: TicketData,
  to: TicketStatus,
  hold_reason: RepairTicketData['hold_reason'],
): Promise<TicketData> {
  checkStep(data.status, to);
  const next = { ...data, ...stepFields(data, to, context.happened_at, hold_reason) };
  if (to === 'in_progress') return { ...next, downtime_minutes: null };
  if (to !== 'fixed') return next;
  const { view } = context;
  const machine = await view.get<EquipmentData>('records', data.equipment_id);
  if (machine === undefined) return next;
  const steps = await statusSteps(view, data.equipment_id, data.flagged_at);
  const times = [Date.parse(data.flagged_at), Date.parse(context.happened_at)] as const;
  return { ...next, downtime_minutes: downtimeMinutes(steps, machine.data.status, ...times) };
}

/** Returns the entries of `after` with an id that `before` does not have. */
function added<T extends { id?: string | undefined }>(before: readonly T[], after: readonly T[]): T[] {
  const known = new Set(before.map(({ id }) => id));
  return after.filter(({ id }) => !known.has(id));
}

/** Fields that the `updated` event does not list: they have a separate event, or the gateway computes them from the status. */
const LOGGED_APART: ReadonlySet<string> = new Set([
  'status',
  'started_at',
  'fixed_at',
  'closed_at',
  'downtime_minutes',
  'assigned_mechanic_ids',
]);

/**
 * Stages (adds to the commit of this call) a separate event for each kind of change, such as `assigned`, and one `updated` event with the
 * names of all other fields.
 */
function stageChanges(
  context: HandlerContext,
  id: string,
  before: TicketData,
  after: TicketData,
  fields: readonly string[],
  reason: string | undefined,
): void {
  const log = (type: string, data: Record<string, unknown>) =>
    stageEvent(context, context.view, 'repair_ticket', id, type, data);
  const quiet = new Set(LOGGED_APART);
  if (after.status !== before.status) {
    const { hold_reason, downtime_minutes } = after;
    log('status_changed', {
      from: before.status,
      to: after.status,
      ...(reason === undefined ? {} : { reason }),
      ...(hold_reason === null ? {} : { hold_reason }),
      ...(after.status === 'fixed' ? { downtime_minutes } : {}),
    });
    if (before.status === 'fixed' && after.status === 'in_progress') log('reopened', { fixed_at: before.fixed_at });
    quiet.add('hold_reason');
  }
  if (fields.includes('assigned_mechanic_ids'))
    log('assigned', { mechanic_ids: after.assigned_mechanic_ids, from: before.assigned_mechanic_ids });
  const labor = added<Labor>(before.labor, after.labor);
  for (const entry of labor) log('labor.logged', { ...entry });
  if (labor.length > 0 && after.labor.length === before.labor.length + labor.length) quiet.add('labor');
  const parts = added<Part>(before.parts, after.parts);
  for (const part of parts) log(`part.${part.status}`, { ...part });
  const used = after.parts.filter(
    (part) =>
      part.status === 'used' &&
      before.parts.some(({ id: known, status }) => known === part.id && status === 'requested'),
  );
  for (const part of used) log('part.used', { ...part });
  if (parts.length + used.length > 0 && after.parts.length === before.parts.length + parts.length) quiet.add('parts');
  const photos = (after.media ?? []).filter((artifact) => !before.media?.includes(artifact));
  for (const artifact_id of photos) log('photo.added', { artifact_id });
  const rest = fields.filter((name) => !quiet.has(name));
  if (rest.length > 0) log('updated', { fields: rest.map((name) => (name === 'media' ? 'context' : name)) });
}

export const repairTicketHandlers = handlerGroup([], {
  async repair_tickets_create(input, context) {
    const { view, caller } = context;
    const { role } = caller;
    const machine = await requireRecord<EquipmentData>(view, 'equipment', input.equipment_id, 'equipment_id');
    const flagged_at = flagTime(context, input.flagged_at);
    const fields = {
      location_id: input.location_id === undefined ? machine.data.location_id : input.location_id,
      reported_by: input.reported_by ?? caller.name,
      assigned_mechanic_ids: [...new Set(input.assigned_mechanic_ids)],
      related_to: input.related_to ?? null,
    };
    if (input.source?.kind === 'alert')
      await requireRecord(view, 'alert', input.source.ref ?? '', 'source.ref', 'live');
    await checkReferences(view, input.location_id === undefined ? { ...fields, location_id: null } : fields);
    const document = await stageTicket(context, {
      title: input.title,
      description: input.description,
      equipment_id: input.equipment_id,
      priority: input.priority,
      safety_critical: input.safety_critical,
      type: input.type,
      failure: input.failure,
      source: input.source ?? { kind: role === 'agent' ? 'agent' : 'manual', ref: null },
      ...fields,
      meter_hours: input.meter_hours,
      flagged_at,
      due_at: input.due_at ?? null,
      labels: input.labels ?? {},
      ...(await mediaFrom(view, input.context)),
    });
    return toTicket(document);
  },

  async repair_tickets_list(input, context) {
    const { status, equipment_id, location_id, mechanic_id, priority, number } = input;
    return listPage<TicketData, Ticket>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'repair_ticket',
        where: {
          'data.number': number,
          'data.equipment_id': equipment_id,
          'data.status': status === UNKNOWN_VALUE ? UNKNOWN_TICKET : status,
          'data.location_id': location_id,
          'data.priority': priority,
        },
        text: ({ data }) => [data.number, data.title, data.failure.component],
      },
      (tickets) =>
        tickets
          .filter(({ data }) => mechanic_id === undefined || data.assigned_mechanic_ids.includes(mechanic_id))
          .map(toTicket),
    );
  },

  async repair_tickets_get({ id }, context) {
    const ticket = toTicket(await requireRecord<TicketData>(context.view, 'repair_ticket', id));
    return { ...ticket, ...(await deliveryFor(context, id)) };
  },

  async repair_tickets_update({ id, ...input }, context) {
    const { view, caller } = context;
    const current = await requireRecord<TicketData>(view, 'repair_ticket', id);
    checkRevision(context, current);
    const { status, hold_reason, reason, signature, context: media, ...given } = input;
    const before = current.data;
    if (isOver(before.status)) {
      if (status === before.status && Object.keys(input).length === 1) return toTicket(current);
      checkStep(before.status, status ?? before.status);
    }
    checkHold(before.status, input);
    await checkReferences(view, given as Partial<RepairTicketData>, before);
    const changed = {
      ...given,
      ...(given.assigned_mechanic_ids && { assigned_mechanic_ids: [...new Set(given.assigned_mechanic_ids)] }),
      ...(given.labor && { labor: withIds(context, given.labor, 'labor') }),
      ...(given.parts && { parts: withIds(context, given.parts, 'parts') }),
      ...(signature && { signature: { name: signature.name, signed_at: context.happened_at, by: caller.id } }),
      ...(await mediaFrom(view, media)),
    };
    const next = applyFields(before, changed as Partial<TicketData>).data;
    const after =
      status === undefined || status === before.status
        ? { ...next, hold_reason: hold_reason ?? next.hold_reason }
        : await stepped(context, next, status, hold_reason ?? null);
    const { fields } = applyFields(before, after);
    if (fields.length === 0) return toTicket(current);
    const { revision: expected } = current;
    const document = view.stage<TicketData>({
      collection: 'records',
      id,
      object: 'repair_ticket',
      data: after,
      current,
      expected,
    });
    stageChanges(context, id, before, after, fields, reason);
    if (after.status === 'fixed' && before.status !== 'fixed') {
      await stageTicketService(context, id, after);
      await stageReleaseByFix(context, after.equipment_id, id);
    }
    return toTicket(document);
  },
});
