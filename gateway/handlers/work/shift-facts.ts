/**
 * Reads the facts about a machine in a time window from its event log. A fact is a change of the status or live status, or the start or end
 * of a reported downtime.
 */

import type { EventData } from '#contract/base/event.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { LiveReader } from '#contract/context.ts';
import type { EquipmentData, EquipmentStatus, LiveStatus } from '#contract/fleet/equipment.ts';
import type { LogFacts } from '#domain/work/run-facts.ts';
import type { TimeFact } from '#domain/work/shift-time.ts';
import { walk } from '#store/walk.ts';

/**
 * Largest number of facts that one call reads for a machine. If the log has more facts, the status after the last fact that was read is
 * unknown.
 */
export const MOST_FACTS = 5_000;
const CHUNK = 1_000;
/** The call ignores a fact that the gateway recorded more than this many milliseconds after the end of the window. */
const LATER_MS = 24 * 3_600_000;
/** The call searches for the start of a downtime at most this many milliseconds before the window. It does not find an earlier start. */
const EARLIER_MS = 30 * 24 * 3_600_000;

const DOWNTIME = ['downtime.started', 'downtime.ended'];
/** Kinds of events that may change how a shift report counts the time of a machine, for example as downtime. */
export const TIME_KINDS: readonly string[] = ['status_changed', 'live_status_changed', ...DOWNTIME];

/** The data from which `factsOf` reads the facts. */
interface Source {
  readonly view: Pick<View, 'find'>;
  readonly live: LiveReader;
  readonly now_ms: number;
}
type Machine = Pick<Stored<Pick<EquipmentData, 'status'>>, 'id' | 'created_at' | 'data'>;

const iso = (ms: number) => new Date(ms).toISOString();

/** Converts an event to a fact. The time of the fact is `occurred_at`, but never later than the time at which the event was recorded. */
export function toFact({ created_at, data: { type, occurred_at, data } }: Stored<EventData>): TimeFact {
  const at_ms = Math.min(Date.parse(occurred_at), Date.parse(created_at));
  if (type === 'status_changed') return { at_ms, status: data.to as EquipmentStatus };
  if (type === 'live_status_changed') return { at_ms, live: data.to as LiveStatus };
  return { at_ms, downtime: type === 'downtime.started' };
}

/** Returns events of a machine in the order in which the gateway recorded them. */
function eventsOf(
  view: Source['view'],
  id: string,
  type: string | string[],
  after: { readonly created_at: string; readonly id: string },
  to_ms: number,
  chunk: number,
) {
  const where = { 'data.subject.id': id, 'data.type': type, created_at: { lte: iso(to_ms) } };
  return walk<EventData>(view, 'events', { object: 'event', where, after }, chunk);
}

/** Returns the facts about a machine that its log has for a time window, and the state of the machine before the window. */
export async function factsOf(source: Source, machine: Machine, from_ms: number, to_ms: number): Promise<LogFacts> {
  const { view, live: known, now_ms } = source;
  const until = to_ms + LATER_MS;
  const events: Stored<EventData>[] = [];
  const begin = { created_at: iso(from_ms), id: '' };
  for await (const event of eventsOf(view, machine.id, [...TIME_KINDS], begin, until, CHUNK)) {
    events.push(event);
    if (events.length >= MOST_FACTS) break;
  }
  const later = { created_at: iso(until), id: '' };
  const first = async (type: string): Promise<EventData | undefined> =>
    (
      events.find(({ data }) => data.type === type) ??
      (await eventsOf(view, machine.id, type, later, now_ms, 1).next()).value
    )?.data;
  const status = (await first('status_changed'))?.data.from ?? machine.data.status;
  const live = (await first('live_status_changed'))?.data.from ?? currentLive(known, machine.id, from_ms);
  const earlier = await view.find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': machine.id, 'data.type': DOWNTIME, created_at: { gte: iso(from_ms - EARLIER_MS) } },
    after: begin,
    order: 'desc',
    limit: 1,
  });
  const facts = events.map(toFact);
  // If the machine was created inside the window, its status applies only from that time on. A person may also have said that another
  // status began before that time.
  const entered_ms = Date.parse(machine.created_at);
  const isNew = entered_ms > from_ms;
  const told = facts.some((fact) => fact.status !== undefined && fact.at_ms <= entered_ms);
  if (isNew && !told) facts.unshift({ at_ms: entered_ms, status: status as EquipmentStatus });
  return {
    before: {
      status: isNew ? 'available' : (status as EquipmentStatus),
      live: live as LiveStatus,
      downtime: earlier[0]?.data.type === 'downtime.started',
    },
    facts,
    cut_ms: events.length >= MOST_FACTS ? Math.max(...facts.map(({ at_ms }) => at_ms)) : null,
  };
}

/**
 * Returns the live status of a machine at `from_ms`, for a machine without an earlier change in its log. This is the current live status if
 * it began before `from_ms`, otherwise `unknown`.
 */
function currentLive(known: LiveReader, id: string, from_ms: number): LiveStatus {
  const live = known.equipment(id);
  const since = live?.live_status_since ?? null;
  return live === undefined || since === null || Date.parse(since) > from_ms ? 'unknown' : live.live_status;
}
