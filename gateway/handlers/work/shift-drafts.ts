/**
 * The operations that draft a shift report and compare a report with history. Each call computes the draft from history and the event logs;
 * the store has no drafts.
 */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Parsed } from '#contract/operations.ts';
import type { ProjectData } from '#contract/site/project.ts';
import { TWO_SHIFTS } from '#contract/site/project.ts';
import type { Draft, ReportChanges } from '#contract/work/shift-draft.ts';
import { type Shift, type ShiftReportData, TIME_USAGE } from '#contract/work/shift-report.ts';
import { classMinutes, classSpent, shiftKpi, shiftWindow, usageMinutes } from '#domain/work/shift-time.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { branchOf } from '#handlers/fleet/locations.ts';
import { changesSince, type MachineTime, machineTimes, reportTimes, snapshotOf } from './shift-classes.ts';
import { basisOf, lastLook, stageLook } from './shift-looks.ts';
import { MOST_STOPPAGES, stoppagesOf, toStopped } from './shift-stoppages.ts';

/** Largest number of machines in the draft of a shift report. */
const MOST_MACHINES = 200;
const MINUTE_MS = 60_000;

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
    throw new OperationError('parameter_invalid', say('The project has no shift {name}.', { name }), {
      param: 'shift',
      details: [{ allowed: shifts.map((shift) => shift.name) }],
    });
  const [from, to] = shiftWindow(date, times, timezone);
  return { name, date, starts_at: iso(from), ends_at: iso(to), timezone };
}

/** The draft of a shift, and how its machines spent the shift. */
interface Computed {
  readonly draft: Omit<Draft, 'changes'>;
  readonly times: readonly MachineTime[];
  readonly from_ms: number;
}

/** Computes the draft of a shift report; throws `parameter_invalid` if the shift has not begun. */
async function compute(context: HandlerContext<'runStates'>, input: Parsed<'shift_reports_draft'>): Promise<Computed> {
  const { view } = context;
  const location = await requireRecord<LocationData>(view, 'location', input.location_id, 'location_id');
  const project = await requireRecord<ProjectData>(context.node, 'project', view.project_id, 'Project-ID');
  const shift = shiftOf(project.data, input.shift, input.date, await zoneOf(context, location, project.data));
  const from_ms = Date.parse(shift.starts_at);
  const ends_ms = Date.parse(shift.ends_at);
  const now_ms = Math.floor(Date.parse(context.now) / MINUTE_MS) * MINUTE_MS;
  const to_ms = Math.min(ends_ms, now_ms);
  if (to_ms <= from_ms)
    throw new OperationError(
      'parameter_invalid',
      say('This shift has not begun; it begins at {starts_at}.', { starts_at: shift.starts_at }),
      {
        param: 'date',
      },
    );
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
  const times = await machineTimes(context, machines, from_ms, to_ms);
  const stoppages = (await stoppagesOf(context, times)).slice(0, MOST_STOPPAGES);
  // The minutes of a machine must add up to the length of the shift, so count the part of the shift that has not passed yet as unknown.
  const ahead = (ends_ms - to_ms) / MINUTE_MS;
  const usage = times.map(({ machine, stretches }) => ({ machine, stretches, minutes: usageMinutes(stretches) }));
  const draft = {
    object: 'shift_report_draft' as const,
    computed_at: context.now,
    computed_until: iso(to_ms),
    complete: to_ms === ends_ms,
    more_machines: found.length > MOST_MACHINES,
    time_classes: usage.map(({ machine, stretches, minutes }) => ({
      equipment_id: machine.id,
      unit_number: machine.data.unit_number,
      minutes: classMinutes(classSpent(stretches)),
      kpi: shiftKpi(minutes),
    })),
    stoppages,
    report: {
      location_id: location.id,
      shift,
      stopped: stoppages.map(toStopped),
      time_usage: usage.map(({ machine, minutes }) => ({
        equipment_id: machine.id,
        minutes: { ...minutes, unknown: minutes.unknown + ahead },
      })),
    },
  };
  return { draft, times, from_ms };
}

/** Computes the draft, with what changed since the last look of the caller. If `remember` is true, stages this look. */
async function draftOf(
  context: HandlerContext<'runStates'>,
  input: Parsed<'shift_reports_draft'>,
  remember: boolean,
): Promise<Draft> {
  const { draft, times, from_ms } = await compute(context, input);
  const changes = await changesSince(context, 'look', await lastLook(context, input), times, from_ms);
  if (remember) await stageLook(context, input, snapshotOf(context.now, times));
  return { ...draft, changes };
}

/** Compares a report with what history says now. */
async function compare(context: HandlerContext<'runStates'>, id: string): Promise<ReportChanges> {
  const { view } = context;
  const { data } = await requireRecord<ShiftReportData>(view, 'shift_report', id);
  const { shift, time_usage } = data;
  const from_ms = Date.parse(shift.starts_at);
  const times = await reportTimes(context, data);
  const reported = new Map(time_usage.map(({ equipment_id, minutes }) => [equipment_id, minutes]));
  const length = (Date.parse(shift.ends_at) - from_ms) / MINUTE_MS;
  const machines = times.flatMap(({ machine, stretches }) => {
    const minutes = usageMinutes(stretches);
    const counted = TIME_USAGE.reduce((sum, name) => sum + minutes[name], 0);
    const now = { ...minutes, unknown: minutes.unknown + length - counted };
    const before = reported.get(machine.id);
    if (before === undefined || TIME_USAGE.every((name) => before[name] === now[name])) return [];
    return [{ equipment_id: machine.id, unit_number: machine.data.unit_number, reported: before, now }];
  });
  const changes = await changesSince(context, 'report', await basisOf(context, id), times, from_ms);
  return { object: 'shift_report_changes', report_id: id, computed_at: context.now, changes, machines };
}

export const shiftDraftHandlers = handlerGroup(['runStates'], {
  shift_reports_draft: (input, context) => draftOf(context, input, false),
  shift_reports_look: (input, context) => draftOf(context, input, true),
  shift_reports_changes: ({ id }, context) => compare(context, id),
});
