/** Writes new repair tickets, with their number and their event. */
import type { MeterBasis } from '#contract/base/meter-bases.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { SYNC_LINK, type SyncLinkData } from '#contract/site/sync.ts';
import type { RepairTicketData } from '#contract/work/repair-ticket.ts';
import type { WithMedia } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';

/** `data` of a stored ticket. */
export type TicketData = RepairTicketData & WithMedia;

/**
 * A ticket number ends with this many characters of the gateway's id, so that two gateways without a connection never make the same number.
 */
const MARK_LENGTH = 4;

/** Tickets that are read to find a number that is free, the newest first. */
const NEWEST = 200;

const numberOf = (n: number, mark: string): string => `RT-${n}-${mark}`;

/**
 * The end of the ticket numbers of this gateway. While head office gives the data of a site back to a new box, the box does not know which
 * numbers the box before gave, so its numbers have another end.
 */
async function markOf({ node, nodeId }: HandlerContext): Promise<string> {
  const link = await node.get<SyncLinkData>('local', SYNC_LINK);
  const { takeover, enrolment_id = '' } = link?.data ?? {};
  const isComing = takeover !== undefined && takeover.done_at === undefined;
  return (isComing ? enrolment_id : nodeId).slice(-MARK_LENGTH);
}

/**
 * Returns the first number after `last` that no ticket has. A gateway that was put back from a backup, or that took the place of another box,
 * gets tickets with later numbers back from head office.
 */
async function freeNumber({ view }: HandlerContext, last: number, mark: string): Promise<number> {
  const isTaken = async (n: number): Promise<boolean> => {
    const where = { 'data.number': numberOf(n, mark) };
    return (await view.find('records', { object: 'repair_ticket', where, limit: 1 })).length > 0;
  };
  if (!(await isTaken(last + 1))) return last + 1;
  const newest = await view.find<TicketData>('records', { object: 'repair_ticket', limit: NEWEST });
  const used = newest.flatMap(({ data: { number } }) => {
    const n = Number(/^RT-(\d+)-/.exec(number)?.[1]);
    return number === numberOf(n, mark) ? [n] : [];
  });
  let free = Math.max(last, ...used) + 1;
  while (await isTaken(free)) free++;
  return free;
}

/** Returns the next ticket number of the project on this gateway, such as `RT-17-k3q7`. */
async function mintNumber(context: HandlerContext): Promise<string> {
  const { view } = context;
  const mark = await markOf(context);
  const id = `ticket_counter_${view.project_id}`;
  const counter = await view.get<{ last: number }>('local', id);
  const data = { last: await freeNumber(context, counter?.data.last ?? 0, mark) };
  view.stage({
    collection: 'local',
    id,
    object: 'ticket_counter',
    data,
    current: counter,
    expected: counter?.revision ?? 0,
  });
  return numberOf(data.last, mark);
}

/** The words that earlier versions stored in tickets for the source of the hour meter, with the words of today. */
const EARLIER_BASES: Readonly<Record<string, MeterBasis>> = { ecu: 'control_unit', telemetry: 'feed' };

/** Returns the hour meter of a stored ticket. It replaces the words of earlier versions for the source of the meter. */
export function meterAtFlag({ meter_at_flag: meter }: RepairTicketData): RepairTicketData['meter_at_flag'] {
  return meter === null ? null : { ...meter, basis: EARLIER_BASES[meter.basis] ?? meter.basis };
}

/** Returns the hour meter that the machine reported last. */
function liveMeter(context: HandlerContext, equipment_id: string): RepairTicketData['meter_at_flag'] {
  const hours = context.live.equipment(equipment_id)?.values['engine.hours'];
  if (hours === undefined) return null;
  const { value, observed_at, spn, meter } = hours;
  return { hours: value, basis: meter?.basis ?? (spn === null ? 'feed' : 'control_unit'), observed_at };
}

/** The fields of a new ticket that its maker decides. */
type NewTicket = WithMedia &
  Pick<
    RepairTicketData,
    | 'title'
    | 'description'
    | 'equipment_id'
    | 'location_id'
    | 'priority'
    | 'safety_critical'
    | 'type'
    | 'source'
    | 'reported_by'
    | 'flagged_at'
  > & {
    readonly failure?: RepairTicketData['failure'] | undefined;
    readonly assigned_mechanic_ids?: string[];
    readonly due_at?: string | null;
    readonly related_to?: string | null;
    readonly labels?: RepairTicketData['labels'];
    readonly alerts?: RepairTicketData['alerts'];
    readonly stopped_at?: string | undefined;
    /** Engine hours that a person read; default: the value from the machine. */
    readonly meter_hours?: number | undefined;
  };

const NO_FAILURE = { component: null, spn: null, fmi: null, cause: null, remedy: null };

/** Stages (adds to the commit of this call) a new ticket with its number and its event. */
export async function stageTicket(context: HandlerContext, given: NewTicket): Promise<Stored<TicketData>> {
  const { view } = context;
  const { meter_hours, failure, media, stopped_at, ...rest } = given;
  const data: TicketData = {
    assigned_mechanic_ids: [],
    due_at: null,
    related_to: null,
    labels: {},
    ...rest,
    number: await mintNumber(context),
    status: 'flagged',
    failure: failure ?? NO_FAILURE,
    meter_at_flag:
      meter_hours === undefined
        ? liveMeter(context, given.equipment_id)
        : { hours: meter_hours, basis: 'manual', observed_at: given.flagged_at },
    started_at: null,
    fixed_at: null,
    closed_at: null,
    labor: [],
    parts: [],
    downtime_minutes: null,
    hold_reason: null,
    signature: null,
    ...(media === undefined ? {} : { media }),
    ...(stopped_at === undefined ? {} : { stopped_at }),
  };
  const id = context.newId('repair_ticket');
  const document = view.stage<TicketData>({ collection: 'records', id, object: 'repair_ticket', data, expected: 0 });
  const { number, equipment_id, priority, safety_critical, title, source } = data;
  stageEvent(context, view, 'repair_ticket', id, 'flagged', {
    number,
    equipment_id,
    priority,
    safety_critical,
    title,
    source,
    ...(stopped_at === undefined ? {} : { stopped: true }),
  });
  return document;
}
