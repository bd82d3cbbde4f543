/** The draft of a shift report: what machines and people said during the shift, computed at the call and never stored. */
import type { HandlerContext, StagedView } from '#contract/context.ts';
import type { EquipmentData, EquipmentStatus, LiveStatus } from '#contract/equipment.ts';
import { OperationError } from '#contract/errors.ts';
import type { EventData } from '#contract/event.ts';
import type { LocationData } from '#contract/location.ts';
import type { Parsed } from '#contract/operations.ts';
import { TWO_SHIFTS } from '#contract/project.ts';
import type { Draft, Shift } from '#contract/shift-report.ts';
import type { Stored } from '#contract/view.ts';
import {
  classMinutes,
  type MachineSays,
  type Stretch,
  shiftKpi,
  shiftStretches,
  shiftWindow,
  type TimeFact,
  usageMinutes,
} from '#domain/shift-time.ts';
import { requireRecord } from './documents.ts';
import type { Handlers } from './handler.ts';
import { branchOf } from './locations.ts';
import type { ProjectData } from './projects.ts';

/** Machines in one draft. */
const MOST_MACHINES = 200;
/** Facts of one machine that a draft reads; what is behind them is unknown. */
const MOST_FACTS = 5_000;
const PAGE = 1_000;
/** What is told later than this after the end of the shift is not in its draft. */
const LATER_MS = 24 * 3_600_000;
/** A downtime that began earlier than this before the shift and is not over is not seen. */
const EARLIER_MS = 30 * 24 * 3_600_000;
const MINUTE_MS = 60_000;
/** Shorter stops are part of the work. */
const SHORTEST_STOP_MS = 5 * MINUTE_MS;

const DOWNTIME = ['downtime.started', 'downtime.ended'];
const KINDS = ['status_changed', 'live_status_changed', ...DOWNTIME];

const iso = (ms: number) => new Date(ms).toISOString();

/** The zone of a place: its own, that of what it is part of, the project's. */
async function zoneOf(context: HandlerContext, location: Stored<LocationData>, project: ProjectData): Promise<string> {
  let at: Stored<LocationData> | undefined = location;
  for (let level = 0; at !== undefined && level < 16; level++) {
    if (at.data.timezone !== null) return at.data.timezone;
    at = at.data.parent_id === null ? undefined : await context.view.get<LocationData>('records', at.data.parent_id);
  }
  return project.timezone;
}

/** The shift of this name on this day; throws `parameter_invalid` naming those that there are. */
function shiftOf(project: ProjectData, name: string, date: string, timezone: string): Shift {
  const { shift_pattern: shifts = TWO_SHIFTS } = project as Partial<ProjectData>;
  const times = shifts.find((shift) => shift.name === name);
  if (times === undefined)
    throw new OperationError('parameter_invalid', `The project has no shift ${name}.`, {
      param: 'shift',
      details: [{ allowed: shifts.map((shift) => shift.name) }],
    });
  const [from, to] = shiftWindow(date, times, timezone);
  return { name, date, starts_at: iso(from), ends_at: iso(to), timezone };
}

function toFact({ type, occurred_at, data }: EventData): TimeFact {
  const at_ms = Date.parse(occurred_at);
  if (type === 'status_changed') return { at_ms, status: data.to as EquipmentStatus };
  if (type === 'live_status_changed') return { at_ms, live: data.to as LiveStatus };
  return { at_ms, downtime: type === 'downtime.started' };
}

/** Events of a machine in the order in which they were recorded. */
function eventsOf(
  view: StagedView,
  id: string,
  type: string | string[],
  after: { readonly created_at: string; readonly id: string },
  to_ms: number,
  limit: number,
) {
  return view.find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': id, 'data.type': type, created_at: { lte: iso(to_ms) } },
    after,
    order: 'asc',
    limit,
  });
}

/** What was told of a machine about a window, and what was true before: every change names what it changed. */
async function toldOf(
  context: HandlerContext,
  machine: Stored<EquipmentData>,
  from_ms: number,
  to_ms: number,
): Promise<{ before: MachineSays; facts: TimeFact[] }> {
  const { view } = context;
  const now_ms = Date.parse(context.now);
  const until = to_ms + LATER_MS;
  const events: Stored<EventData>[] = [];
  const begin = { created_at: iso(from_ms), id: '' };
  while (events.length < MOST_FACTS) {
    const page = await eventsOf(view, machine.id, KINDS, events.at(-1) ?? begin, until, PAGE);
    events.push(...page);
    if (page.length < PAGE) break;
  }
  const later = { created_at: iso(until), id: '' };
  const first = async (type: string): Promise<EventData | undefined> =>
    (events.find(({ data }) => data.type === type) ?? (await eventsOf(view, machine.id, type, later, now_ms, 1))[0])
      ?.data;
  const status = (await first('status_changed'))?.data.from ?? machine.data.status;
  const live = (await first('live_status_changed'))?.data.from ?? currentLive(context, machine.id, from_ms);
  const earlier = await view.find<EventData>('events', {
    object: 'event',
    where: { 'data.subject.id': machine.id, 'data.type': DOWNTIME, created_at: { gte: iso(from_ms - EARLIER_MS) } },
    after: begin,
    order: 'desc',
    limit: 1,
  });
  const facts = events.map(({ data }) => toFact(data));
  const cut = events.length >= MOST_FACTS ? Math.max(...facts.map(({ at_ms }) => at_ms)) : undefined;
  return {
    before: {
      status: status as EquipmentStatus,
      live: live as LiveStatus,
      downtime: earlier[0]?.data.type === 'downtime.started',
    },
    facts: cut === undefined ? facts : [...facts, { at_ms: cut, live: 'unknown' }],
  };
}

/** The live status of a machine that reported no change since: unknown, unless it has been what it is for longer. */
function currentLive(context: HandlerContext, id: string, from_ms: number): LiveStatus {
  const live = context.live.equipment(id);
  const since = live?.live_status_since ?? null;
  return live === undefined || since === null || Date.parse(since) > from_ms ? 'unknown' : live.live_status;
}

/** Stretches in which the machine could not work, long enough to be reported. */
function stopsOf(equipment_id: string, stretches: readonly Stretch[]): Draft['report']['stopped'] {
  return stretches.flatMap(({ from_ms, to_ms, usage }) =>
    (usage === 'scheduled_downtime' || usage === 'unscheduled_downtime') && to_ms - from_ms >= SHORTEST_STOP_MS
      ? [
          {
            equipment_id,
            started_at: iso(from_ms),
            ended_at: iso(to_ms),
            category: usage,
            reason_code: null,
            repair_ticket_id: null,
            alert_ids: [],
            evidence: [],
            note: null,
          },
        ]
      : [],
  );
}

/** The draft of a shift; throws for a shift that has not begun. */
async function draftOf(context: HandlerContext, input: Parsed<'shift_reports_draft'>): Promise<Draft> {
  const { view } = context;
  const location = await requireRecord<LocationData>(view, 'location', input.location_id, 'location_id');
  const project = await requireRecord<ProjectData>(context.node, 'project', view.project_id, 'Project-ID');
  const shift = shiftOf(project.data, input.shift, input.date, await zoneOf(context, location, project.data));
  const from_ms = Date.parse(shift.starts_at);
  const ends_ms = Date.parse(shift.ends_at);
  const now_ms = Math.floor(Date.parse(context.now) / MINUTE_MS) * MINUTE_MS;
  const to_ms = Math.min(ends_ms, now_ms);
  if (to_ms <= from_ms)
    throw new OperationError('parameter_invalid', `This shift begins at ${shift.starts_at}.`, { param: 'date' });
  const { ids } = await branchOf(view, location.id);
  const found = await view.find<EquipmentData>('records', {
    object: 'equipment',
    where: { 'data.location_id': [...ids] },
    order: 'asc',
    limit: MOST_MACHINES + 1,
  });
  const machines = found
    .filter(({ data }) => data.status !== 'decommissioned')
    .slice(0, MOST_MACHINES)
    .sort((a, b) => a.data.unit_number.localeCompare(b.data.unit_number, 'en', { numeric: true }));
  const draft: Draft = {
    object: 'shift_report_draft',
    computed_at: context.now,
    computed_until: iso(to_ms),
    complete: to_ms === ends_ms,
    more_machines: found.length > MOST_MACHINES,
    time_classes: [],
    report: { location_id: location.id, shift, stopped: [], time_usage: [] },
  };
  // Of what is still to come nothing is known.
  const ahead = (ends_ms - to_ms) / MINUTE_MS;
  for (const machine of machines) {
    const { before, facts } = await toldOf(context, machine, from_ms, to_ms);
    const stretches = shiftStretches(before, facts, from_ms, to_ms);
    const minutes = usageMinutes(stretches);
    const { id: equipment_id, data } = machine;
    draft.time_classes.push({
      equipment_id,
      unit_number: data.unit_number,
      minutes: classMinutes(stretches),
      kpi: shiftKpi(minutes),
    });
    draft.report.time_usage.push({ equipment_id, minutes: { ...minutes, unknown: minutes.unknown + ahead } });
    draft.report.stopped.push(...stopsOf(equipment_id, stretches));
  }
  return { ...draft, report: { ...draft.report, stopped: draft.report.stopped.slice(0, 500) } };
}

export const shiftDraftHandlers = {
  shift_reports_draft: (input, context) => draftOf(context, input),
} satisfies Handlers;
