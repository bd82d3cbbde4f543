/**
 * Operations on shift reports. A submitted report never changes. Its acknowledgements and amendments (later corrections) are events in the
 * log of the report.
 */

import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import { PARSE } from '#contract/base/input-words.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { WRITERS } from '#contract/base/operation.ts';
import { part, type Sayable, say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { Amended, type ShiftReportData } from '#contract/work/shift-report.ts';
import { jsonSize } from '#domain/base/json-size.ts';
import { localDate, shiftKpi } from '#domain/work/shift-time.ts';
import {
  contextOf,
  mediaFrom,
  requireRecord,
  requireRecords,
  type WithMedia,
  wireBase,
} from '#handlers/base/documents.ts';
import { append, stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { claimNames } from '#handlers/base/names.ts';
import { newestEvents } from '#handlers/base/newest-events.ts';
import { checkPerson } from '#handlers/base/people-references.ts';
import { checkTimeZone } from '#handlers/base/time-zones.ts';

import { reportTimes, snapshotOf } from './shift-classes.ts';
import { stageBasis } from './shift-looks.ts';

type Report = Output<'shift_reports_get'>;
type ReportData = ShiftReportData & WithMedia;

const MINUTE_MS = 60_000;
/** The longest shift of a report, in milliseconds. */
const LONGEST_MS = 36 * 3_600_000;
/** A returned report has at most this many amendments and at most this many acknowledgements. Their size in bytes is limited too. */
const MOST_SIGNED = 1_000;

const minutesBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / MINUTE_MS);

type Signed = Pick<Report, 'amendments' | 'more_amendments' | 'acknowledgements' | 'more_acknowledgements'>;

const UNSIGNED: Signed = {
  amendments: [],
  more_amendments: false,
  acknowledgements: [],
  more_acknowledgements: false,
};

const signature = ({ id, data }: Stored<EventData>) => ({ event_id: id, at: data.occurred_at, by: data.actor.name });

function amendment(event: Stored<EventData>): Report['amendments'][number] {
  const { reason, changes } = event.data.data as { reason: string; changes: Record<string, unknown> };
  return { ...signature(event), reason, changes };
}

/** Returns the newest events of a kind, in order of time. `more` is true if the limits leave out older events of this kind. */
async function newestOf<T>(
  context: HandlerContext,
  id: string,
  type: string,
  toItem: (event: Stored<EventData>) => T,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let bytes = 0;
  for await (const event of newestEvents(context.view, id, type)) {
    bytes += jsonSize(event.data.data);
    const full = items.length === MOST_SIGNED || bytes > LIMITS.amendments.value;
    if (full && items.length > 0) return { items: items.reverse(), more: true };
    items.push(toItem(event));
  }
  return { items: items.reverse(), more: false };
}

async function signedOf(context: HandlerContext, id: string): Promise<Signed> {
  const amended = await newestOf(context, id, 'amended', amendment);
  const acknowledged = await newestOf(context, id, 'acknowledged', signature);
  return {
    amendments: amended.items,
    more_amendments: amended.more,
    acknowledgements: acknowledged.items,
    more_acknowledgements: acknowledged.more,
  };
}

/** Converts documents to reports. Stops when the page is full, so that it does not read the logs of reports on later pages. */
async function toReports(context: HandlerContext, documents: readonly Stored<ReportData>[]): Promise<Report[]> {
  const reports: Report[] = [];
  let bytes = 0;
  for (const document of documents) {
    const isFull = bytes > LIMITS.page_bytes.value;
    const signed = isFull ? UNSIGNED : await signedOf(context, document.id);
    bytes += jsonSize(signed);
    reports.push(toReport(document, signed));
  }
  return reports;
}

function toReport(document: Stored<ReportData>, signed: Signed): Report {
  const { media, ...data } = document.data;
  return {
    object: 'shift_report',
    ...wireBase(document),
    ...data,
    stopped: data.stopped.map((stop) => ({ ...stop, minutes: minutesBetween(stop.started_at, stop.ended_at) })),
    time_usage: data.time_usage.map((usage) => ({ ...usage, kpi: shiftKpi(usage.minutes) })),
    ...signed,
    context: contextOf({ ...(media && { media }) }),
  };
}

function refuse(param: string, message: Sayable): never {
  throw new OperationError('parameter_invalid', message, { param });
}

/**
 * Throws if the times of a report contradict each other. The shift must end after it begins, and must begin on its local date. The
 * stoppages must be inside the shift. The minutes of each machine must add up to the length of the shift.
 */
function checkTimes(context: HandlerContext, { shift, stopped, time_usage }: ShiftReportData): void {
  checkTimeZone(shift.timezone);
  const from = Date.parse(shift.starts_at);
  const to = Date.parse(shift.ends_at);
  if (from % MINUTE_MS !== 0 || to % MINUTE_MS !== 0) refuse('shift', 'A shift begins and ends on a whole minute.');
  if (to <= from) refuse('shift.ends_at', 'The shift ends before it begins.');
  if (to - from > LONGEST_MS) refuse('shift.ends_at', 'A shift lasts at most 36 hours.');
  if (from > Date.parse(context.now)) refuse('shift.starts_at', 'This shift has not begun.');
  const day = localDate(from, shift.timezone);
  if (day !== shift.date)
    refuse('shift.date', say('In {timezone} the shift begins on {day}.', { timezone: shift.timezone, day }));
  stopped.forEach((stop, i) => {
    const began = Date.parse(stop.started_at);
    const ended = Date.parse(stop.ended_at);
    if (ended <= began) refuse(`stopped[${i}].ended_at`, 'The stoppage ends before it begins.');
    if (began < from || ended > to)
      refuse(`stopped[${i}]`, 'The stoppage is outside the shift; give only the part inside.');
  });
  const length = (to - from) / MINUTE_MS;
  const seen = new Set<string>();
  time_usage.forEach(({ equipment_id, minutes }, i) => {
    if (seen.has(equipment_id)) refuse(`time_usage[${i}].equipment_id`, 'The machine is listed twice.');
    seen.add(equipment_id);
    const sum = Object.values(minutes).reduce((total, part) => total + part, 0);
    if (sum !== length)
      refuse(
        `time_usage[${i}].minutes`,
        say('The minutes add up to {sum}; the shift has {length}. The rest is unknown.', { sum, length }),
      );
  });
}

/**
 * Throws if two stoppages of a machine overlap, or if the stoppages of a category last longer than the minutes of that category in
 * `time_usage`.
 */
function checkStops({ stopped, time_usage }: ShiftReportData): void {
  const usage = new Map(time_usage.map(({ equipment_id, minutes }) => [equipment_id, minutes]));
  const ordered = stopped
    .map((stop, i) => ({ ...stop, i, from: Date.parse(stop.started_at), to: Date.parse(stop.ended_at) }))
    .toSorted((a, b) => a.from - b.from);
  const ends = new Map<string, number>();
  const spent = new Map<string, number>();
  for (const { equipment_id, category, i, from, to } of ordered) {
    if (from < (ends.get(equipment_id) ?? 0)) refuse(`stopped[${i}]`, 'Two stoppages of one machine overlap.');
    ends.set(equipment_id, to);
    const key = `${equipment_id} ${category}`;
    const total = (spent.get(key) ?? 0) + to - from;
    spent.set(key, total);
    const minutes = usage.get(equipment_id)?.[category];
    // `time_usage` has whole minutes, so accept stoppages that exceed `minutes` by less than one minute.
    if (minutes !== undefined && total >= (minutes + 1) * MINUTE_MS)
      refuse(
        `stopped[${i}]`,
        say('The stoppages of category {category} last {lasts} minutes; time_usage has {minutes} for this machine.', {
          category,
          lasts: Math.round(total / MINUTE_MS),
          minutes,
        }),
      );
  }
}

/** Throws if an object that the report names, such as a machine, does not belong to the project. */
async function checkReferences(context: HandlerContext, data: ShiftReportData): Promise<void> {
  const { view } = context;
  await requireRecord(view, 'location', data.location_id, 'location_id');
  await checkPerson(view, data.supervisor_id, 'supervisor_id');
  const given = (ids: readonly (string | null)[]) => ids.filter((id) => id !== null);
  const machines = {
    crew: data.crew.flatMap(({ equipment_ids }) => equipment_ids),
    moved: given(data.moved.map(({ equipment_id }) => equipment_id)),
    stopped: data.stopped.map(({ equipment_id }) => equipment_id),
    time_usage: data.time_usage.map(({ equipment_id }) => equipment_id),
  };
  for (const [param, ids] of Object.entries(machines)) await requireRecords(view, 'equipment', ids, param);
  const operators = data.crew.map(({ operator_id }) => operator_id);
  await requireRecords(view, 'operator', operators, 'crew');
  const places = given(
    data.moved.flatMap(({ from_location_id, to_location_id }) => [from_location_id, to_location_id]),
  );
  await requireRecords(view, 'location', places, 'moved');
  const tickets = given(data.stopped.map(({ repair_ticket_id }) => repair_ticket_id));
  await requireRecords(view, 'repair_ticket', tickets, 'stopped');
  const alerts = data.stopped.flatMap(({ alert_ids }) => alert_ids);
  await requireRecords(view, 'alert', alerts, 'stopped', 'live');
}

const appendEvent = append('shift_report');

/** Throws if the amendment has no reason, if its changes are not valid, or if its caller has a role that is not in `WRITERS`. */
async function checkAmendment(context: HandlerContext, id: string, data: unknown): Promise<void> {
  const { role } = context.caller;
  if (role === null || !WRITERS.includes(role))
    throw new OperationError(
      'permission_denied',
      say('Only these roles can amend a report: {writers}.', { writers: WRITERS.join(', ') }),
    );
  const report = await requireRecord<ReportData>(context.view, 'shift_report', id);
  const parsed = Amended.safeParse(data, PARSE);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    refuse(
      ['data', ...(issue?.path ?? [])].join('.'),
      say('An amendment has a `reason` and `changes`: {message}', { message: part(issue?.message ?? '') }),
    );
  }
  const changes = Object.fromEntries(Object.entries(parsed.data.changes).filter(([, value]) => value !== undefined));
  const amended: ShiftReportData = { ...report.data, ...changes };
  checkTimes(context, amended);
  checkStops(amended);
  await checkReferences(context, amended);
}

export const shiftReportHandlers = handlerGroup(['runStates'], {
  async shift_reports_create({ context: given, ...data }, context) {
    const { view } = context;
    checkTimes(context, data);
    checkStops(data);
    await checkReferences(context, data);
    const id = context.newId('shift_report');
    const { name, date } = data.shift;
    await claimNames(context, view, 'shift', id, [], [`${data.location_id} ${date} ${name}`]);
    const document = view.stage<ReportData>({
      collection: 'records',
      id,
      object: 'shift_report',
      data: { ...data, ...(await mediaFrom(view, given)) },
      expected: 0,
    });
    stageBasis(context, id, snapshotOf(context.now, await reportTimes(context, data)));
    stageEvent(context, view, 'shift_report', id, 'submitted', { location_id: data.location_id, shift: name, date });
    return toReport(document, UNSIGNED);
  },

  async shift_reports_append_event(input, context) {
    if (input.type === 'amended') await checkAmendment(context, input.id, input.data);
    return appendEvent(input, context);
  },

  async shift_reports_list(input, context) {
    const { location_id, shift_date, shift } = input;
    return listPage<ReportData, Report>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'shift_report',
        where: { 'data.location_id': location_id, 'data.shift.date': shift_date, 'data.shift.name': shift },
      },
      (reports) => toReports(context, reports),
    );
  },

  async shift_reports_get({ id }, context) {
    const report = await requireRecord<ReportData>(context.view, 'shift_report', id);
    return toReport(report, await signedOf(context, id));
  },
});
