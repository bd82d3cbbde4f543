/**
 * Reports of faults. If no open ticket has the fault, a report makes a ticket. If an open ticket has it, the report joins this ticket: the
 * ticket gets an event, and no second ticket is made.
 */
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { JOINED_TICKET_STATUS, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { stageTicket, type TicketData } from './ticket-records.ts';

/** Number of open tickets of one machine, the newest first, among which a further report or alert finds the ticket that it joins. */
const MOST_SEARCHED = 500;
/** Largest number of files of a ticket. */
export const MOST_MEDIA = 50;

/** Number of changes of a ticket, the newest first, among which a report finds the last change of the priority. */
const MOST_CHANGES = 200;

/** A report: the ticket that it makes if no open ticket has the same source and key. */
type Report = Parameters<typeof stageTicket>[1] & {
  readonly source: RepairTicketData['source'] & { readonly key: string };
};

/** The ticket of a report. */
interface Reported {
  readonly ticket: Stored<TicketData>;
  /** True if the report joined a ticket of an earlier report. */
  readonly joined: boolean;
}

/** Returns the open tickets of a machine that a report can join, the newest first, at most `MOST_SEARCHED`. */
export function openTicketsOf(view: Pick<StagedView, 'find'>, equipment_id: string): Promise<Stored<TicketData>[]> {
  return view.find<TicketData>('records', {
    object: 'repair_ticket',
    where: { 'data.equipment_id': equipment_id, 'data.status': JOINED_TICKET_STATUS },
    limit: MOST_SEARCHED,
  });
}

/** Returns when a person last changed the priority of a ticket, in milliseconds; null if nobody has. */
async function priorityChangedAt(view: StagedView, id: string): Promise<number | null> {
  const changes = await view.find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': id, 'data.type': 'updated' },
    limit: MOST_CHANGES,
  });
  const isPriority = ({ data: { data } }: Stored<EventData>) =>
    Array.isArray(data.fields) && data.fields.includes('priority');
  const times = changes.filter(isPriority).map(({ data }) => Date.parse(data.occurred_at));
  if (times.length > 0) return Math.max(...times);
  // Earlier changes are not read. One of them may have changed the priority, but not after the oldest one that is read.
  const oldest = changes.length < MOST_CHANGES ? undefined : changes.at(-1);
  return oldest === undefined ? null : Date.parse(oldest.data.occurred_at);
}

/**
 * What a report of a breakdown does to the ticket that it joins: it makes the ticket a breakdown with the priority of the report, or it is
 * older than the last change of the priority by a person, and then that change stays. If the gateway does not know when the report was
 * written, it counts as written at the earliest possible time.
 */
async function breakdownOf(
  { view, happened_at, unsure_since }: HandlerContext,
  { id, data }: Stored<TicketData>,
  { stopped_at, priority }: Report,
): Promise<'none' | 'raises' | 'kept'> {
  if (stopped_at === undefined) return 'none';
  // If the ticket has the priority already, a report takes nothing back.
  if (data.priority === priority) return data.stopped_at === undefined ? 'raises' : 'none';
  const changed_ms = await priorityChangedAt(view, id);
  return changed_ms !== null && Date.parse(unsure_since ?? happened_at) <= changed_ms ? 'kept' : 'raises';
}

/**
 * Stages (adds to the commit of this call) a ticket for a report, or an event of the open ticket that the report joins: the ticket of the same
 * machine with the same source and key. A report that joins a ticket adds its files to it. A report with `safety_critical` makes the ticket
 * safety-critical and gives it the priority of the report. A report with `stopped_at` (the machine cannot work) gives the ticket this time and
 * the priority of the report, unless a person changed the priority after the report was written. The event says what the report changed.
 */
export async function stageReport(
  context: HandlerContext,
  report: Report,
  details: Readonly<Record<string, unknown>>,
): Promise<Reported> {
  const { view } = context;
  const { source, equipment_id, safety_critical, priority, media = [] } = report;
  const open = await openTicketsOf(view, equipment_id);
  const current = open.find(({ data }) => data.source.kind === source.kind && data.source.key === source.key);
  if (current === undefined) return { ticket: await stageTicket(context, report), joined: false };
  const { data } = current;
  const danger = safety_critical && !data.safety_critical;
  const breakdown = await breakdownOf(context, current, report);
  const raises = danger || breakdown === 'raises';
  stageEvent(context, view, 'repair_ticket', current.id, 'report.joined', {
    ...details,
    ...(danger ? { safety_critical } : {}),
    ...(raises && priority !== data.priority ? { priority, priority_before: data.priority } : {}),
    ...(breakdown === 'kept' ? { priority_kept: data.priority } : {}),
  });
  const added = media.filter((id) => !data.media?.includes(id));
  if (!raises && added.length === 0) return { ticket: current, joined: true };
  const next: TicketData = {
    ...data,
    ...(danger ? { safety_critical } : {}),
    ...(raises ? { priority } : {}),
    ...(breakdown === 'raises' ? { stopped_at: report.stopped_at } : {}),
    media: [...(data.media ?? []), ...added].slice(0, MOST_MEDIA),
  };
  const write = { collection: 'records', id: current.id, object: 'repair_ticket', data: next, current } as const;
  return { ticket: view.stage<TicketData>({ ...write, expected: current.revision }), joined: true };
}
