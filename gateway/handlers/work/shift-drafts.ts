/** The operation that drafts a shift report. Each call computes the draft from the event logs of the machines; the store has no drafts. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import { TWO_SHIFTS } from '#contract/site/project.ts';
import type { Draft, Shift } from '#contract/work/shift-report.ts';
import {
  classMinutes,
  classSpent,
  type Stretch,
  shiftKpi,
  shiftStretches,
  shiftWindow,
  usageMinutes,
} from '#domain/work/shift-time.ts';
import type { ProjectData } from '#handlers/access/projects.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { branchOf } from '#handlers/fleet/locations.ts';
import { factsOf } from './shift-facts.ts';

/** Largest number of machines in the draft of a shift report. */
const MOST_MACHINES = 200;
const MINUTE_MS = 60_000;
/** A draft lists only stoppages of at least this length, in milliseconds. */
const SHORTEST_STOP_MS = 5 * MINUTE_MS;

const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Returns the time zone of a location. A location without a time zone uses the time zone of its nearest parent that has one, or else the
 * time zone of the project.
 */
async function zoneOf(context: HandlerContext, location: Stored<LocationData>, project: ProjectData): Promise<string> {
  let at: Stored<LocationData> | undefined = location;
  for (let level = 0; at !== undefined && level < 16; level++) {
    if (at.data.timezone !== null) return at.data.timezone;
    at = at.data.parent_id === null ? undefined : await context.view.get<LocationData>('records', at.data.parent_id);
  }
  return project.timezone;
}

/**
 * Returns the shift with this name on this date. For an unknown name it throws `parameter_invalid`; the error has the names of the
 * project's shifts.
 */
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

/** Returns the stoppages of a machine that last at least `SHORTEST_STOP_MS`. */
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

/** Computes the draft of a shift report; throws `parameter_invalid` if the shift has not begun. */
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
    throw new OperationError('parameter_invalid', `This shift has not begun; it begins at ${shift.starts_at}.`, {
      param: 'date',
    });
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
  const source = { view, live: context.live, now_ms: Date.parse(context.now) };
  // The minutes of a machine must add up to the length of the shift, so count the part of the shift that has not passed yet as unknown.
  const ahead = (ends_ms - to_ms) / MINUTE_MS;
  for (const machine of machines) {
    const { before, facts } = await factsOf(source, machine, from_ms, to_ms);
    const stretches = shiftStretches(before, facts, from_ms, to_ms);
    const minutes = usageMinutes(stretches);
    const { id: equipment_id, data } = machine;
    draft.time_classes.push({
      equipment_id,
      unit_number: data.unit_number,
      minutes: classMinutes(classSpent(stretches)),
      kpi: shiftKpi(minutes),
    });
    draft.report.time_usage.push({ equipment_id, minutes: { ...minutes, unknown: minutes.unknown + ahead } });
    draft.report.stopped.push(...stopsOf(equipment_id, stretches));
  }
  return { ...draft, report: { ...draft.report, stopped: draft.report.stopped.slice(0, 500) } };
}

export const shiftDraftHandlers = handlerGroup([], {
  shift_reports_draft: (input, context) => draftOf(context, input),
});
