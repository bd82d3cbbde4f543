/** Finds the stoppages of a shift, and for each the evidence that overlaps it: who reported it, tickets, alerts and trouble codes. */
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { faultWords } from '#contract/fleet/fault-words.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { RepairTicketData } from '#contract/work/repair-ticket.ts';
import { type Draft, MOST_EVIDENCE, type Stoppage } from '#contract/work/shift-draft.ts';
import type { Machine, MachineTime } from './shift-classes.ts';
import { toFact } from './shift-facts.ts';

/** The largest number of stoppages in a draft. */
export const MOST_STOPPAGES = 500;
const MINUTE_MS = 60_000;
/** A draft lists only stoppages of at least this length, in milliseconds. */
const SHORTEST_MS = 5 * MINUTE_MS;
/** The newest tickets, alerts and events of a machine that are searched for evidence. */
const MOST_READ = 500;
/** Events that were recorded more than this long after the stoppages are left out. */
const LATER_MS = 24 * 3_600_000;
const REPORTS = ['status_changed', 'downtime.started', 'downtime.ended'];

const iso = (ms: number) => new Date(ms).toISOString();

/** A range of time. A start or end that is not known is infinite. */
interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Something that may overlap a stoppage, in the form in which the draft shows it. */
interface Evidence<T> extends Range {
  readonly shown: T;
}

interface AlertEvidence extends Evidence<Stoppage['alerts'][number]> {
  readonly alert: AlertData;
}

/** The evidence of one machine. */
interface MachineEvidence {
  readonly reported: readonly Evidence<Stoppage['reported'][number]>[];
  readonly tickets: readonly Evidence<Stoppage['tickets'][number]>[];
  readonly alerts: readonly AlertEvidence[];
  readonly codes: readonly Evidence<Stoppage['codes'][number]>[];
}

/** Returns the stoppages of these machines that last at least five minutes, each with its evidence. */
export async function stoppagesOf(context: HandlerContext, times: readonly MachineTime[]): Promise<Stoppage[]> {
  const found: Stoppage[] = [];
  for (const { machine, stretches } of times) {
    const stops = stretches.flatMap(({ from_ms, to_ms, usage }) =>
      (usage === 'scheduled_downtime' || usage === 'unscheduled_downtime') && to_ms - from_ms >= SHORTEST_MS
        ? [{ from_ms, to_ms, category: usage }]
        : [],
    );
    const last = stops.at(-1);
    if (last === undefined || found.length >= MOST_STOPPAGES) continue;
    const evidence = await readEvidence(context, machine, last.to_ms);
    for (const stop of stops) {
      const lists = {
        reported: overlapping(evidence.reported, stop),
        tickets: overlapping(evidence.tickets, stop),
        alerts: overlapping(evidence.alerts, stop),
        codes: overlapping(evidence.codes, stop),
      };
      found.push({
        equipment_id: machine.id,
        unit_number: machine.data.unit_number,
        started_at: iso(stop.from_ms),
        ended_at: iso(stop.to_ms),
        minutes: Math.round((stop.to_ms - stop.from_ms) / MINUTE_MS),
        category: stop.category,
        reported: lists.reported.slice(0, MOST_EVIDENCE),
        tickets: lists.tickets.slice(0, MOST_EVIDENCE),
        alerts: lists.alerts.slice(0, MOST_EVIDENCE),
        codes: lists.codes.slice(0, MOST_EVIDENCE),
        more: Object.values(lists).some(({ length }) => length > MOST_EVIDENCE),
      });
    }
  }
  return found;
}

/** Converts a stoppage to the form in which a report is submitted. */
export function toStopped(stop: Stoppage): Draft['report']['stopped'][number] {
  const { equipment_id, started_at, ended_at, category, reported, tickets, alerts, codes } = stop;
  return {
    equipment_id,
    started_at,
    ended_at,
    category,
    reason_code: null,
    repair_ticket_id: tickets[0]?.id ?? null,
    alert_ids: alerts.map(({ id }) => id),
    evidence: [
      ...reported.map(({ event_id, by }) => `${event_id}${by === null ? '' : `, reported by ${by}`}`),
      ...codes.map(
        ({ spn, fmi, meaning }) => `SPN ${spn ?? 'unknown'} FMI ${fmi}${meaning === null ? '' : `, ${meaning}`}`,
      ),
    ].map((text) => text.slice(0, 200)),
    note: null,
  };
}

function overlapping<T>(all: readonly Evidence<T>[], { from_ms, to_ms }: Range): T[] {
  return all.filter((one) => one.from_ms < to_ms && one.to_ms > from_ms).map(({ shown }) => shown);
}

/** Returns what happened to a machine in a time: each item with its own range, which has no end if it is not over. */
export async function happenedIn(context: HandlerContext, machine: Pick<Machine, 'id'>, range: Range) {
  const { tickets, alerts, codes } = await readEvidence(context, machine, range.to_ms);
  const inside = <E extends Range>(all: readonly E[]) =>
    all.filter((one) => one.from_ms < range.to_ms && one.to_ms > range.from_ms);
  return { tickets: inside(tickets), alerts: inside(alerts), codes: inside(codes) };
}

async function readEvidence(
  context: HandlerContext,
  machine: Pick<Machine, 'id'>,
  to_ms: number,
): Promise<MachineEvidence> {
  const { view } = context;
  const until = { lte: iso(to_ms) };
  const newest = { order: 'desc', limit: MOST_READ } as const;
  const tickets = await view.find<RepairTicketData>('records', {
    object: 'repair_ticket',
    where: { 'data.equipment_id': machine.id, created_at: until },
    ...newest,
  });
  const alerts = await view.find<AlertData>('live', {
    object: 'alert',
    where: { 'data.machine_id': machine.id, created_at: until },
    ...newest,
  });
  const events = async (type: string[]) => {
    const where = { 'data.subject.id': machine.id, 'data.type': type, created_at: { lte: iso(to_ms + LATER_MS) } };
    return (await view.find<EventData>('events', { object: 'event', where, ...newest })).reverse();
  };
  return {
    reported: reportsOf(await events(REPORTS)),
    tickets: tickets.map(ticketOf),
    alerts: alerts.map(alertOf),
    codes: codesOf(await events(['dtc.activated', 'dtc.cleared'])),
  };
}

/** Each event lasts until the next one, because it says the state of the machine for that time. Events that end a stoppage are left out. */
function reportsOf(events: readonly Stored<EventData>[]): MachineEvidence['reported'] {
  const facts = events.map((event) => ({ event, ...toFact(event) })).sort((a, b) => a.at_ms - b.at_ms);
  return facts.flatMap(({ event, at_ms, status, downtime }, i) => {
    const isStop = downtime === true || status === 'down' || status === 'maintenance';
    if (!isStop) return [];
    const isOf = downtime === undefined ? 'status' : 'downtime';
    const to_ms = facts.slice(i + 1).find((next) => next[isOf] !== undefined)?.at_ms ?? Number.POSITIVE_INFINITY;
    const { type, actor } = event.data;
    return [{ from_ms: at_ms, to_ms, shown: { event_id: event.id, at: iso(at_ms), by: actor.name, type } }];
  });
}

function ticketOf({ id, updated_at, data }: Stored<RepairTicketData>): MachineEvidence['tickets'][number] {
  const { number, title, status, flagged_at, fixed_at, closed_at } = data;
  const end = fixed_at ?? closed_at ?? (status === 'canceled' ? updated_at : null);
  return {
    from_ms: Date.parse(flagged_at),
    to_ms: end === null ? Number.POSITIVE_INFINITY : Date.parse(end),
    shown: { id, number, title, status },
  };
}

function alertOf({ id, data }: Stored<AlertData>): AlertEvidence {
  const { rule_name, raised_at, cleared_at } = data;
  return {
    from_ms: Date.parse(raised_at),
    to_ms: cleared_at === null ? Number.POSITIVE_INFINITY : Date.parse(cleared_at),
    shown: { id, rule_name, raised_at, cleared_at },
    alert: data,
  };
}

/** Joins the events that a trouble code became active and inactive to ranges of time. */
function codesOf(events: readonly Stored<EventData>[]): MachineEvidence['codes'] {
  const open = new Map<string, number>();
  const found: Evidence<Stoppage['codes'][number]>[] = [];
  const add = (key: string, from_ms: number, to_ms: number) => {
    const [spn, fmi] = JSON.parse(key) as [number | null, number];
    found.push({
      from_ms,
      to_ms,
      shown: {
        spn,
        fmi,
        meaning: faultWords(spn, fmi),
        since: Number.isFinite(from_ms) ? iso(from_ms) : null,
        until: Number.isFinite(to_ms) ? iso(to_ms) : null,
      },
    });
  };
  const sorted = events
    .map(({ data }) => ({ type: data.type, at_ms: Date.parse(data.occurred_at), data: data.data }))
    .sort((a, b) => a.at_ms - b.at_ms);
  for (const { type, at_ms, data } of sorted) {
    const key = JSON.stringify([data.spn ?? null, data.fmi, data.device_id, data.bus, data.source_address]);
    if (type === 'dtc.activated') open.set(key, open.get(key) ?? at_ms);
    else {
      add(key, open.get(key) ?? Number.NEGATIVE_INFINITY, at_ms);
      open.delete(key);
    }
  }
  for (const [key, from_ms] of open) add(key, from_ms, Number.POSITIVE_INFINITY);
  return found.sort((a, b) => a.from_ms - b.from_ms);
}
