/** Executes the actions of alerts that write to the store: makes a repair ticket, and records the result of an action in the alert. */

import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { AlertActionName, AlertData } from '#contract/work/alert.ts';
import { MAX_TICKET_ALERTS, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { serviceWords } from '#contract/work/service-words.ts';
import { applyAlertFact, causeOf, repeatedFields } from '#domain/work/alert-facts.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { dueServiceOf, noteTicket } from './maintenance-tickets.ts';
import { openTicketsOf } from './ticket-joins.ts';
import { stageTicket, type TicketData } from './ticket-records.ts';

type Acted = AlertData['actions'][number];
type TicketAlert = NonNullable<RepairTicketData['alerts']>[number];

const PRIORITY = { critical: 'high', warning: 'medium', info: 'low' } as const;

/** Returns the alert if it still waits for this action; otherwise undefined. */
async function waiting(
  { view }: HandlerContext,
  alert_id: string,
  action: AlertActionName,
): Promise<Stored<AlertData> | undefined> {
  const alert = await view.get<AlertData>('live', alert_id);
  const isWaiting = alert?.data.actions.some((one) => one.action === action && one.status === 'pending') === true;
  return isWaiting ? alert : undefined;
}

/** Stages the result of an action: the alert, and the event in the log of its machine. */
function stageActed(context: HandlerContext, current: Stored<AlertData>, acted: Acted): void {
  const { view, now } = context;
  const data = applyAlertFact(current.data, { type: 'alert.acted', at: now, data: { acted } }) as AlertData;
  const { id, revision: expected } = current;
  view.stage<AlertData>({ collection: 'live', id, object: 'alert', data, current, expected });
  const { machine_id, device_id } = data;
  const details = { alert_id: id, ...repeatedFields(data), acted };
  if (machine_id !== null) stageEvent(context, view, 'equipment', machine_id, 'alert.acted', details, device_id);
}

/** Records the result of an action if the alert still waits for it. */
export async function recordAction(context: HandlerContext, alert_id: string, acted: Acted): Promise<void> {
  const alert = await waiting(context, alert_id, acted.action);
  if (alert !== undefined) stageActed(context, alert, acted);
}

/** Stages the event that the message of an alert was given up for some devices. */
export async function stageUnsent(
  context: HandlerContext,
  alert_id: string,
  unsent: { readonly devices: readonly string[]; readonly since: string; readonly error: string },
): Promise<void> {
  const alert = await context.view.get<AlertData>('live', alert_id);
  const machine_id = alert?.data.machine_id ?? null;
  if (alert === undefined || machine_id === null) return;
  const { rule_id, rule_name, severity, state } = alert.data;
  const details = { alert_id, rule_id, rule_name, severity, state, ...unsent };
  stageEvent(context, context.view, 'equipment', machine_id, 'alert.unsent', details);
}

/** True if the ticket is about the fault of the alert. */
async function isAbout({ view }: HandlerContext, { data }: Stored<TicketData>, alert: AlertData): Promise<boolean> {
  const { alerts = [], failure, source } = data;
  const cause = causeOf(alert);
  if (alerts.some((one) => one.cause === cause)) return true;
  const { code } = alert;
  if (code !== undefined && failure.spn === code.spn && (failure.fmi === null || failure.fmi === code.fmi)) return true;
  // A person made the ticket from an alert.
  if (source.kind !== 'alert' || source.ref === null) return false;
  const first = await view.get<AlertData>('live', source.ref);
  return first !== undefined && causeOf(first.data) === cause;
}

async function openTicket(
  context: HandlerContext,
  machine_id: string,
  alert: AlertData,
): Promise<Stored<TicketData> | undefined> {
  for (const ticket of await openTicketsOf(context.view, machine_id))
    if (await isAbout(context, ticket, alert)) return ticket;
  return undefined;
}

/** Returns what the alert found, for the description of a ticket. */
function evidence({
  rule_name,
  signal_name,
  condition,
  value,
  unit,
  threshold,
  observed_at,
  change,
  code,
  service,
}: AlertData): string {
  const when = observed_at === null ? '' : ` at ${observed_at}`;
  if (service !== undefined) return `${rule_name}: ${serviceWords(service)}${service.meter === null ? '' : when}.`;
  if (code !== undefined)
    return `${rule_name}: trouble code SPN ${code.spn} FMI ${code.fmi}${code.meaning === null ? '' : ` (${code.meaning})`} from address ${code.source_address}${when}.`;
  if (condition === 'no_data') return `${rule_name}: no ${signal_name} for ${threshold} s; the last value came${when}.`;
  if (change !== undefined)
    return `${rule_name}: ${signal_name} changed from ${change.from.value} ${unit} at ${change.from.observed_at} to ${change.to.value} ${unit} at ${change.to.observed_at}.`;
  return value === null
    ? `${rule_name}${when}.`
    : `${rule_name}: ${signal_name} ${value} ${unit}${when}, limit ${threshold} ${unit}.`;
}

/** Adds an alert to the alerts of a ticket. If there are too many, the first one and the newest ones stay. */
function withAlert(before: readonly TicketAlert[], added: TicketAlert): TicketAlert[] {
  const all = [...before, added];
  return all.length <= MAX_TICKET_ALERTS ? all : [all[0] as TicketAlert, ...all.slice(1 - MAX_TICKET_ALERTS)];
}

type Service = NonNullable<AlertData['service']>;

/**
 * Executes the action `ticket` of an alert on a service. The ticket is the one that the maintenance plan makes for this occurrence of the
 * service: if the plan has made it, the alert is added to it; otherwise it is made here, and the plan makes no second one. If the service
 * was done in the meantime, or the plan is gone, the action is skipped.
 */
async function stageServiceTicket(
  context: HandlerContext,
  current: Stored<AlertData>,
  service: Service,
): Promise<void> {
  const { data: alert, id: alert_id } = current;
  const { machine_id, rule_name, raised_at, value, unit } = alert;
  const due = machine_id === null ? undefined : await dueServiceOf(context, service.plan_id, machine_id);
  if (due === undefined || due.services !== service.services)
    return stageActed(context, current, { action: 'ticket', status: 'skipped', reason: 'cleared' });
  const own: TicketAlert = { alert_id, rule_name, cause: causeOf(alert), raised_at, value, unit };
  let ticket_id = due.ticket?.id;
  if (due.ticket !== undefined) stageAdded(context, due.ticket, own, alert);
  else {
    const { name, instructions, priority } = due.plan.data;
    const made = await stageTicket(context, {
      title: name,
      description: [evidence(alert), instructions].filter((text) => text !== '').join('\n\n'),
      equipment_id: due.machine.id,
      location_id: due.machine.data.location_id,
      priority,
      safety_critical: false,
      type: 'preventive',
      source: { kind: 'pm', ref: service.plan_id },
      reported_by: context.caller.name,
      flagged_at: context.now,
      alerts: [own],
    });
    ticket_id = made.id;
    noteTicket(context, due, made.id);
  }
  stageActed(context, current, { action: 'ticket', status: 'executed', reason: null, ...(ticket_id && { ticket_id }) });
}

/** Stages a ticket with a further alert, and the event in the log of the ticket. */
function stageAdded(context: HandlerContext, ticket: Stored<TicketData>, own: TicketAlert, alert: AlertData): void {
  const { view } = context;
  const data: TicketData = { ...ticket.data, alerts: withAlert(ticket.data.alerts ?? [], own) };
  const { id, revision: expected } = ticket;
  view.stage<TicketData>({ collection: 'records', id, object: 'repair_ticket', data, current: ticket, expected });
  const details = { ...own, severity: alert.severity, text: evidence(alert) };
  stageEvent(context, view, 'repair_ticket', id, 'alert.added', details);
}

/**
 * Executes the action `ticket` of an alert. If the machine has an open ticket about the same fault, the alert is added to that ticket.
 * Otherwise a new ticket is made. The ticket and the result in the alert are one commit, so that a restart makes no second ticket.
 */
export async function stageAlertTicket(context: HandlerContext, alert_id: string): Promise<void> {
  const { view, now } = context;
  const current = await waiting(context, alert_id, 'ticket');
  const machine_id = current?.data.machine_id ?? null;
  if (current === undefined || machine_id === null) return;
  const { data: alert } = current;
  if (alert.service !== undefined) return stageServiceTicket(context, current, alert.service);
  const { rule_name, severity, raised_at, value, unit, code } = alert;
  const own: TicketAlert = { alert_id, rule_name, cause: causeOf(alert), raised_at, value, unit };
  const open = await openTicket(context, machine_id, alert);
  let ticket_id = open?.id;
  if (open !== undefined) stageAdded(context, open, own, alert);
  else {
    const machine = await view.get<EquipmentData>('records', machine_id);
    if (machine === undefined) return;
    const failure = { component: null, spn: code?.spn ?? null, fmi: code?.fmi ?? null, cause: null, remedy: null };
    const made = await stageTicket(context, {
      title: rule_name,
      description: evidence(alert),
      equipment_id: machine_id,
      location_id: machine.data.location_id,
      priority: PRIORITY[severity],
      safety_critical: false,
      type: 'corrective',
      failure,
      source: { kind: 'alert', ref: alert_id },
      reported_by: context.caller.name,
      flagged_at: now,
      alerts: [own],
    });
    ticket_id = made.id;
  }
  stageActed(context, current, { action: 'ticket', status: 'executed', reason: null, ...(ticket_id && { ticket_id }) });
}
