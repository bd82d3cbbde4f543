/**
 * Shift report: the production of a shift and its stoppages. A report is created once. A correction is an `amended` event in its log, so no
 * field is overwritten.
 */
import { z } from 'zod';
import { base, Context, Id, idPath, listOf, listQuery, MediaInput, Timestamp } from '#contract/base/common.ts';
import { eventOperations } from '#contract/base/event.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { operation, V1, WRITERS } from '#contract/base/operation.ts';
import { shownFields } from '#contract/base/shown.ts';
import type { Cause, Grade } from './attention.ts';

/** Time categories of the time usage model of the Global Mining Guidelines Group (GMG). */
export const TIME_USAGE = [
  'productive',
  'non_productive',
  'operating_delay',
  'standby',
  'scheduled_downtime',
  'unscheduled_downtime',
  'unscheduled',
  'unknown',
] as const;
export type TimeUsage = (typeof TIME_USAGE)[number];

/** Time classes of shifts, from telemetry and from reports of people. */
export const SHIFT_CLASSES = ['working', 'idle', 'off', 'down', 'standby', 'unknown'] as const;
export type ShiftClass = (typeof SHIFT_CLASSES)[number];
/** Time classes that screens show. Screens show planned service separately from breakdowns; reports count both as `down`. */
export const SHIFT_PARTS = [...SHIFT_CLASSES, 'service'] as const;
export type ShiftPart = (typeof SHIFT_PARTS)[number];
/** Milliseconds of a shift for each entry of `SHIFT_PARTS`. */
export type ShiftSpent = Readonly<Record<ShiftPart, number>>;

/** Minutes of a shift by class of time. */
export type ShiftMinutes = ShiftSpent;
/** A part of a ribbon (the time of a machine in the order in which it passed): its class, and how long it lasted. */
export type ShiftSpan = readonly [part: ShiftPart, minutes: number];
/** How a machine spent a shift: the minutes of each class, and its ribbon. */
export interface ShiftUse {
  readonly minutes: ShiftMinutes;
  readonly spans: readonly ShiftSpan[];
}
export interface UnknownTime {
  /** Why the time is unknown. entered: the machine was created during the shift. silent: it stopped sending. never: it has never sent. */
  readonly why: 'entered' | 'silent' | 'never';
  /** Number of machines with this reason. `unit_number` is the number of one of these machines. */
  readonly count: number;
  readonly unit_number: string;
  /** Time at which the last of these machines was created or stopped sending, in milliseconds since 1970. */
  readonly at_ms: number | null;
}
/** One machine of a shift tile. */
export interface ShiftRow {
  readonly id: string;
  readonly unit_number: string;
  readonly minutes: ShiftMinutes;
  /** Absent from gateways of older versions, whose boards a TV may have stored. */
  readonly spans?: readonly ShiftSpan[];
  /** The most urgent reason of a machine in trouble; it decides the shape before the name. */
  readonly reason?: { readonly cause: Cause; readonly grade: Grade };
}
export interface ShiftTile {
  /** The current shift; null between shifts. */
  readonly now: { readonly name: string; readonly from_ms: number; readonly to_ms: number } | null;
  /** The next shift; null if the project has none. */
  readonly next: { readonly name: string; readonly from_ms: number } | null;
  /** Time up to which the minutes are counted, in milliseconds since 1970. The ribbons begin with the shift and end here. */
  readonly computed_ms: number;
  readonly total: ShiftMinutes;
  /** The machines: those in trouble first, then the others by unit number. */
  readonly rows: readonly ShiftRow[];
  /** Number of machines that have no entry in `rows`. */
  readonly more: number;
  /** Machines whose time is mostly unknown, grouped by the reason. */
  readonly unknown: readonly UnknownTime[];
}

/** The date of a shift. */
export const CalendarDate = z.iso.date().meta({ description: 'Local date on which the shift begins.' });
/** The name of a shift, such as `night`. */
export const ShiftName = z.string().trim().min(1).max(40);

const whole = (unit: string, max = 100_000) => z.number().int().min(0).max(max).meta({ unit });
const minutesOf = <const K extends readonly [string, ...string[]]>(names: K) =>
  z.object(Object.fromEntries(names.map((name) => [name, whole('min', 3_000)])) as Record<K[number], z.ZodNumber>);

/** Minutes for each category of the time usage model. */
export const UsageMinutes = minutesOf(TIME_USAGE);
export type UsageMinutes = z.infer<typeof UsageMinutes>;
export const ClassMinutes = minutesOf(SHIFT_CLASSES);
export type ClassMinutes = z.infer<typeof ClassMinutes>;

const share = z.number().min(0).max(1).nullable();
/** The ratios that are computed from the minutes of a machine. */
export const Kpi = z
  .object({
    physical_availability: share.meta({ description: 'Known time without downtime, divided by known time.' }),
    use_of_availability: share.meta({ description: 'Operating time divided by available time.' }),
    operating_utilisation: share.meta({ description: 'Operating time divided by known time.' }),
    known: share.meta({ description: 'Known time divided by all time.' }),
  })
  .meta({ id: 'ShiftKpi', description: 'Computed from the minutes; null if no time is known.' });
export type ShiftKpi = z.infer<typeof Kpi>;

const Crew = z.object({ operator_id: Id, equipment_ids: z.array(Id).max(50).default([]) }).meta({ id: 'ShiftCrew' });

const Moved = z
  .object({
    equipment_id: Id.nullable().default(null),
    from_location_id: Id.nullable().default(null),
    to_location_id: Id.nullable().default(null),
    material: z.string().trim().min(1).max(80),
    loads: z.number().int().min(0).max(100_000).nullable().default(null),
    quantity: z.number().min(0).max(1e9).nullable().default(null),
    unit: z.enum(['t', 'm3', 'bcm', 'loads']).default('t'),
    source: z.enum(['manual', 'payload', 'computed']).default('manual'),
  })
  .meta({ id: 'ShiftMoved' });

/** A stoppage in the body of a report. */
export const Stopped = z
  .object({
    equipment_id: Id,
    started_at: Timestamp,
    ended_at: Timestamp.meta({ description: 'End of the stoppage; the end of the shift if it lasted longer.' }),
    category: z.enum(['operating_delay', 'standby', 'scheduled_downtime', 'unscheduled_downtime', 'unscheduled']),
    reason_code: z.string().max(80).nullable().default(null),
    repair_ticket_id: Id.nullable().default(null),
    alert_ids: z.array(Id).max(50).default([]),
    evidence: z.array(z.string().max(200)).max(50).default([]),
    note: z.string().max(1_000).nullable().default(null),
  })
  .meta({ id: 'ShiftStopped' });

/** The minutes of one machine in a report. */
export const Usage = z.object({ equipment_id: Id, minutes: UsageMinutes }).meta({ id: 'ShiftUsage' });

/** The shift of a report: its name, date, times and time zone. */
export const Shift = z
  .object({
    name: ShiftName,
    date: CalendarDate,
    starts_at: Timestamp,
    ends_at: Timestamp,
    timezone: z.string().max(64).meta({ description: 'IANA time zone.' }),
  })
  .meta({ id: 'Shift' });
export type Shift = z.infer<typeof Shift>;

const body = {
  location_id: Id,
  shift: Shift,
  supervisor_id: z.string().trim().min(1).max(120).nullable().meta({
    description: 'Id of an operator or mechanic, or a name.',
  }),
  crew: z.array(Crew).max(300),
  moved: z.array(Moved).max(1_000),
  stopped: z.array(Stopped).max(500),
  time_usage: z
    .array(Usage)
    .max(300)
    .meta({ description: 'Minutes per machine. They add up to the length of the shift.' }),
  fuel_l: z.number().min(0).max(1e7).nullable().meta({ unit: 'L' }),
  safety: z.object({ incidents: whole('1'), inspections_failed: whole('1') }).nullable(),
  weather: z.string().max(200).nullable(),
  summary: z.string().max(10_000),
};

/** The stored report, as submitted. */
export const ShiftReportData = z.object(body);
export type ShiftReportData = z.infer<typeof ShiftReportData>;

/** Data of an `amended` event: the corrected fields. */
export const Amended = z.strictObject({
  reason: z.string().trim().min(1).max(1_000),
  changes: z
    .strictObject({
      supervisor_id: body.supervisor_id,
      crew: body.crew,
      moved: body.moved,
      stopped: body.stopped,
      time_usage: body.time_usage,
      fuel_l: body.fuel_l,
      safety: body.safety,
      weather: body.weather,
      summary: body.summary,
    })
    .partial(),
});

const Signed = { event_id: z.string(), at: Timestamp, by: z.string().nullable() };

const MOST = `at least one, at most 1,000 and about ${LIMITS.amendments.value / 1_048_576} MiB of JSON`;
const LOG = 'all are in `GET /shift-reports/{id}/events`';

const ShiftReport = z
  .object({
    object: z.literal('shift_report'),
    ...base,
    ...shownFields({ ...body, stopped: z.array(Stopped.extend({ minutes: whole('min') })) }),
    time_usage: z.array(Usage.extend({ kpi: Kpi })),
    amendments: z.array(z.object({ ...Signed, reason: z.string(), changes: z.record(z.string(), z.unknown()) })).meta({
      description: `Corrections, oldest first; the fields above stay as submitted. Only the newest: ${MOST}.`,
    }),
    more_amendments: z.boolean().meta({ description: `True if there are older amendments; ${LOG}, \`type=amended\`.` }),
    acknowledgements: z
      .array(z.object(Signed))
      .meta({ description: `Acknowledgements, oldest first. Only the newest: ${MOST}.` }),
    more_acknowledgements: z
      .boolean()
      .meta({ description: `True if there are older acknowledgements; ${LOG}, \`type=acknowledged\`.` }),
    context: Context,
  })
  .meta({ id: 'ShiftReport', description: 'The production of a shift and its stoppages.' });
export type ShiftReport = z.infer<typeof ShiftReport>;

const createInput = {
  location_id: body.location_id,
  shift: body.shift,
  supervisor_id: body.supervisor_id.default(null),
  crew: body.crew.default([]),
  moved: body.moved.default([]),
  stopped: body.stopped.default([]),
  time_usage: body.time_usage.default([]),
  fuel_l: body.fuel_l.default(null),
  safety: body.safety.default(null),
  weather: body.weather.default(null),
  summary: body.summary.default(''),
  context: MediaInput.optional(),
};

const events = eventOperations('shift-reports', 'shift report');

/** Operations on shift reports. */
export const shiftReportOperations = {
  shift_reports_create: operation({
    method: 'POST',
    path: `${V1}/shift-reports`,
    summary: 'Submit the report of a shift; possible once',
    input: z.object(createInput),
    output: ShiftReport,
    status: 201,
    revision: 'etag',
    roles: WRITERS,
    errors: ['not_found', 'parameter_invalid', 'already_exists'],
  }),
  shift_reports_list: operation({
    method: 'GET',
    path: `${V1}/shift-reports`,
    summary: 'List shift reports',
    input: z.object({
      ...listQuery,
      location_id: Id.optional(),
      shift_date: CalendarDate.optional(),
      shift: ShiftName.optional(),
    }),
    output: listOf(ShiftReport),
    errors: ['invalid_cursor'],
  }),
  shift_reports_get: operation({
    method: 'GET',
    path: `${V1}/shift-reports/{id}`,
    summary: 'Get a shift report with its amendments',
    input: z.object(idPath),
    output: ShiftReport,
    revision: 'etag',
    errors: ['not_found'],
  }),
  shift_reports_append_event: events.append,
  shift_reports_events: events.list,
} as const;
