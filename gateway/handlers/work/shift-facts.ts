/** Reads the facts about a machine in a time window from its event log: changes of its status and live status, and reported downtimes. */

import type { EventData } from '#contract/base/event.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { LiveReader } from '#contract/context.ts';
import type { EquipmentData, EquipmentStatus, LiveStatus } from '#contract/fleet/equipment.ts';
import type { MachineSays, TimeFact } from '#domain/work/shift-time.ts';
import { walk } from '#store/walk.ts';

/** Largest number of facts read per machine. If there are more, the time after the last fact read is unknown. */
const MOST_FACTS = 5_000;
const CHUNK = 1_000;
/** A fact that is recorded later than this after the end of the window is ignored, in milliseconds. */
const LATER_MS = 24 * 3_600_000;
/** The start of a downtime is searched only this long before the window, in milliseconds. An earlier start is not found. */
const EARLIER_MS = 30 * 24 * 3_600_000;

const DOWNTIME = ['downtime.started', 'downtime.ended'];
/** Kinds of events that change a machine's time class. */
export const TIME_KINDS: readonly string[] = ['status_changed', 'live_status_changed', ...DOWNTIME];

/** The stores that the facts are read from. */
interface Source {
  readonly view: Pick<View, 'find'>;
  readonly live: LiveReader;
  readonly now_ms: number;
}
type Machine = Pick<Stored<Pick<EquipmentData, 'status'>>, 'id' | 'created_at' | 'data'>;

const iso = (ms: number) => new Date(ms).toISOString();

/** Converts an event to a fact. If the sender's clock was ahead, the fact gets the time at which the event was recorded. */
export function toFact({ created_at, data: { type, occurred_at, data } }: Stored<EventData>): TimeFact {
  const at_ms = Math.min(Date.parse(occurred_at), Date.parse(created_at));
  if (type === 'status_changed') return { at_ms, status: data.to as EquipmentStatus };
  if (type === 'live_status_changed') return { at_ms, live: data.to as LiveStatus };
  return { at_ms, downtime: type === 'downtime.started' };
}

/** Events of a machine in the order in which they were recorded. */
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

/** The facts about a machine in a window, and its state before the window. */
export async function factsOf(
  source: Source,
  machine: Machine,
  from_ms: number,
  to_ms: number,
): Promise<{ before: MachineSays; facts: TimeFact[] }> {
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
  // The state before the creation of the machine is unknown.
  const entered_ms = Date.parse(machine.created_at);
  const isNew = entered_ms > from_ms;
  if (isNew) facts.push({ at_ms: entered_ms, status: status as EquipmentStatus });
  const cut = events.length >= MOST_FACTS ? Math.max(...facts.map(({ at_ms }) => at_ms)) : undefined;
  return {
    before: {
      status: isNew ? 'available' : (status as EquipmentStatus),
      live: live as LiveStatus,
      downtime: earlier[0]?.data.type === 'downtime.started',
    },
    facts: cut === undefined ? facts : [...facts, { at_ms: cut, live: 'unknown' }],
  };
}

/**
 * The live status of a machine at `from_ms`, for a machine whose log has no earlier change. If the current status began before `from_ms`,
 * it is the current one, otherwise `unknown`.
 */
function currentLive(known: LiveReader, id: string, from_ms: number): LiveStatus {
  const live = known.equipment(id);
  const since = live?.live_status_since ?? null;
  return live === undefined || since === null || Date.parse(since) > from_ms ? 'unknown' : live.live_status;
}
