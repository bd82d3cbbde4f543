/** Further reports of a fault that already has an open ticket: they join that ticket instead of making a second one. */
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext, StagedView } from '#contract/context.ts';
import { JOINED_TICKET_STATUS, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { stageTicket, type TicketData } from './ticket-records.ts';

/** Number of open tickets of one machine, the newest first, among which a further report or alert finds the ticket that it joins. */
const MOST_SEARCHED = 500;
/** Largest number of files of a ticket. */
const MOST_MEDIA = 50;

/** A report: the ticket that it makes if no open ticket has the same source and key. */
type Report = Parameters<typeof stageTicket>[1] & {
  readonly source: RepairTicketData['source'] & { readonly key: string };
  /** True if the ticket that the report joins gets the priority of the report. */
  readonly urgent?: boolean;
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

/**
 * Stages (adds to the commit of this call) a ticket for a report, or joins the report to the open ticket of the same machine with the same
 * source and key. A joined report becomes an event of the ticket. It adds its files, and can make the ticket safety-critical or give it its priority.
 */
export async function stageReport(
  context: HandlerContext,
  { urgent = false, ...report }: Report,
  details: Readonly<Record<string, unknown>>,
): Promise<Reported> {
  const { view } = context;
  const { source, equipment_id, safety_critical, priority, media = [] } = report;
  const open = await openTicketsOf(view, equipment_id);
  const current = open.find(({ data }) => data.source.kind === source.kind && data.source.key === source.key);
  if (current === undefined) return { ticket: await stageTicket(context, report), joined: false };
  const { data } = current;
  stageEvent(context, view, 'repair_ticket', current.id, 'report.joined', { ...details });
  const raise = safety_critical && !data.safety_critical;
  const isNow = urgent && priority !== data.priority;
  const added = media.filter((id) => !data.media?.includes(id));
  if (!raise && !isNow && added.length === 0) return { ticket: current, joined: true };
  const next: TicketData = {
    ...data,
    ...(raise ? { safety_critical } : {}),
    ...(raise || isNow ? { priority } : {}),
    media: [...(data.media ?? []), ...added].slice(0, MOST_MEDIA),
  };
  const write = { collection: 'records', id: current.id, object: 'repair_ticket', data: next, current } as const;
  return { ticket: view.stage<TicketData>({ ...write, expected: current.revision }), joined: true };
}
