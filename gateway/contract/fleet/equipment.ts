/**
 * Equipment: a machine. People set `status`. Telemetry sets `live_status` and the fields with values, which callers cannot change. The
 * gateway stores the source of each of these values.
 */
import { z } from 'zod';
import {
  base,
  Context,
  Id,
  idPath,
  Labels,
  LabelsInput,
  listOf,
  MediaInput,
  searchQuery,
  Timestamp,
} from '#contract/base/common.ts';
import { deliveryField } from '#contract/base/delivery.ts';
import { eventOperations } from '#contract/base/event.ts';
import type { IntervalBasis } from '#contract/base/freshness.ts';
import type { MeterBasis } from '#contract/base/meter-bases.ts';
import { HINTS, operation, V1, WRITERS } from '#contract/base/operation.ts';
import { shown } from '#contract/base/shown.ts';
import { SIGNAL_NAMES, type SIGNALS, type SignalName, signalRow } from '#contract/base/signals.ts';
import { Attention } from '#contract/work/attention.ts';
import { ClassMinutes } from '#contract/work/shift-report.ts';
import { Meter, type SegmentCause } from './meter.ts';

export const EQUIPMENT_STATUS = ['available', 'in_use', 'maintenance', 'down', 'decommissioned'] as const;
export type EquipmentStatus = (typeof EQUIPMENT_STATUS)[number];
export const LIVE_STATUS = ['running', 'idle', 'off', 'unknown'] as const;
export type LiveStatus = (typeof LIVE_STATUS)[number];

/** The lamps of a DM1 message (SAE J1939-73 5.7.1). */
export const DTC_LAMPS = ['red_stop', 'amber', 'mil', 'protect'] as const;

export const Dtc = z
  .object({
    spn: z.number().int().nullable().meta({
      description: 'Suspect parameter; null when the conversion method is ambiguous.',
    }),
    fmi: z.number().int().meta({ description: 'Failure mode identifier.' }),
    occurrence_count: z.number().int().nullable(),
    source_address: z.number().int(),
    bus: z.number().int(),
    device_id: z.string(),
    raw: z.string().meta({ description: 'The four bytes, hex.' }),
    since: Timestamp.meta({ description: 'First seen active.' }),
    observed_at: Timestamp.optional().meta({ description: 'Last DM1 with the code.' }),
    meaning: z.string().nullable().optional().meta({ description: 'SPN and FMI in words.' }),
    lamps: z.array(z.enum(DTC_LAMPS)).optional().meta({
      description: 'Lamps that its control unit switches on; they may belong to other codes of the unit.',
    }),
  })
  .meta({ id: 'Dtc', description: 'One active trouble code (J1939-73 DM1).' });
export type Dtc = z.infer<typeof Dtc>;

export const DtcCounts = z
  .object({
    active: z.number().int(),
    previously_active: z.number().int().nullable().default(null).meta({
      description: 'Previously active codes (DM2); null if none was received. Most units send DM2 on request.',
    }),
    previously_observed_at: Timestamp.nullable().default(null),
    red_stop: z.number().int().meta({ description: 'ECUs whose red stop lamp is on.' }),
    amber: z.number().int(),
    protect: z.number().int(),
    mil: z.number().int(),
    observed_at: Timestamp,
  })
  .meta({ id: 'DtcCounts', description: 'Active codes over all ECUs; null, not zero, if no DM1 was ever received.' });
export type DtcCounts = z.infer<typeof DtcCounts>;

/** The API fields of a machine with signal values. Each is a number in the unit of its signal, or null. */
export type TelemetryFields = { [N in SignalName as (typeof SIGNALS)[N]['field']]: number | null };

/** The telemetry fields, generated from the signal table, so that a new signal needs only one row. */
const telemetryFields = Object.fromEntries(
  SIGNAL_NAMES.map((name) => {
    const row = signalRow(name);
    return [
      row.field,
      z
        .number()
        .nullable()
        .meta({ description: `${row.label}, from ${name}; null: unknown.`, unit: row.unit }),
    ];
  }),
) as { [N in SignalName as (typeof SIGNALS)[N]['field']]: z.ZodNullable<z.ZodNumber> };

/** Equipment fields that only telemetry writes. The gateway refuses a request that sets one of them, and the error names the field. */
export const TELEMETRY_OWNED: ReadonlySet<string> = new Set([
  ...Object.keys(telemetryFields),
  'live_status',
  'live_status_since',
  'last_live_data_at',
  'expected_interval_s',
  'dtcs',
  'dtc_counts',
  'utilization_pct',
  'meters',
]);

const described = {
  unit_number: z
    .string()
    .trim()
    .min(1)
    .max(40)
    .meta({ description: 'The unit number that the crew uses; unique in the project.' }),
  aliases: z.array(z.string().trim().min(1).max(40)).max(20),
  name: z.string().trim().min(1).max(120),
  kind: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .meta({ description: 'haul_truck, excavator, wheel_loader, dozer, grader, drill, water_truck, crusher, ...' }),
  oem_name: z.string().max(120),
  model: z.string().max(120),
  serial_number: z.string().max(120),
  pin: z.string().max(40).meta({ description: 'Product identification number or VIN.' }),
  year: z.number().int().min(1900).max(2200),
  location_id: Id,
  operator_id: Id,
};

const UtilizationCalc = z
  .object({
    shift: z.string().meta({ description: 'Name of the shift.' }),
    starts_at: Timestamp,
    ends_at: Timestamp,
    counted_until: Timestamp,
    minutes: ClassMinutes.meta({ description: 'Minutes from the start of the shift until `counted_until`.' }),
    formula: z.string(),
    basis: z.literal('history_and_log').meta({
      description: 'Whether it ran: history, or live status where history has no samples. Status and downtime: log.',
    }),
  })
  .meta({ id: 'UtilizationCalc', description: 'utilization_pct is working / known minutes.' });
/** The formulas of `utilization_pct` and `engine_hours`, in the names of the fields of their inputs. */
export const UTILIZATION_FORMULA = '100 * working / (working + idle + off + down + standby)';
export const HOURS_FORMULA = 'reading + offset';
export type UtilizationCalc = z.infer<typeof UtilizationCalc>;

const HoursCalc = z
  .object({
    formula: z.string(),
    basis: z.string(),
    reading: z.number(),
    offset: z.number(),
    segment: z.number().int(),
    opened_because: z.string(),
    since: Timestamp,
  })
  .meta({ id: 'HoursCalc', description: 'See equipment_meters.' });

const Taken = z
  .object({ by: z.string().meta({ description: 'Name of the person.' }), by_id: z.string().nullable(), at: Timestamp })
  .meta({ id: 'EquipmentTaken', description: 'A person said "I take it".' });
export type Taken = z.infer<typeof Taken>;

export const EquipmentData = z.object({
  unit_number: described.unit_number,
  aliases: described.aliases,
  name: z.string(),
  kind: z.string().nullable(),
  oem_name: z.string().nullable(),
  model: z.string().nullable(),
  serial_number: z.string().nullable(),
  pin: z.string().nullable(),
  year: z.number().int().nullable(),
  status: z.enum(EQUIPMENT_STATUS).meta({ description: 'Written by people and operator workflows.' }),
  location_id: z.string().nullable(),
  operator_id: z.string().nullable(),
  operator_since: Timestamp.nullable().meta({ description: 'When the operator was assigned.' }),
  status_since: Timestamp.nullable().optional().meta({ description: 'When people set `status`; null: unknown.' }),
  taken: Taken.nullable().optional().meta({ description: 'Who is on the trouble of the machine; null: nobody.' }),
  labels: Labels,
});
export type EquipmentData = z.infer<typeof EquipmentData>;

export const Equipment = z
  .object({
    object: z.literal('equipment'),
    ...base,
    ...EquipmentData.shape,
    status: shown(EQUIPMENT_STATUS, 'Written by people and operator workflows.'),
    live_status: z
      .enum(LIVE_STATUS)
      .meta({ description: 'Computed from telemetry; `unknown` while the data is stale.' }),
    live_status_since: Timestamp.nullable(),
    last_live_data_at: Timestamp.nullable().meta({ description: 'Timestamp of the latest live data.' }),
    expected_interval_s: z.number().optional().meta({ description: 'Expected seconds between live data.', unit: 's' }),
    device_ids: z.array(z.string()),
    ...telemetryFields,
    utilization_pct: z.number().nullable().meta({
      description:
        'Working time in percent of the known time of the current shift; null between shifts and if no time is known.',
      unit: '%',
    }),
    meters: z.array(Meter).meta({ description: 'All meters with a value, each with the time of its reading.' }),
    dtcs: z.array(Dtc).nullable().meta({ description: 'Active trouble codes; null if no DM1 was ever received.' }),
    dtc_counts: DtcCounts.nullable(),
    calc: z
      .object({ utilization: UtilizationCalc.nullable(), engine_hours: HoursCalc.nullable() })
      .optional()
      .meta({ description: 'The inputs of computed values; only with `include=calc`.' }),
    attention: Attention.optional().meta({ description: 'Only with `include=attention`.' }),
    history_from: Timestamp.nullable().optional().meta({
      description:
        'Only in equipment_get: time of the newest deleted sample; before it, history has gaps. Null: none was deleted.',
    }),
    ...deliveryField,
    context: Context,
  })
  .meta({ id: 'Equipment', description: 'A machine, identified by the unit number that the crew uses.' });
export type Equipment = z.infer<typeof Equipment>;

/** One value of a machine with its origin and times. */
export interface LiveValue {
  value: number;
  observed_at: string;
  received_at: string;
  /** Null if no device sent the value: a person gave it, or the gateway counted it. */
  device_id: string | null;
  run_id: string | null;
  ref: string | null;
  bus: number | null;
  source_address: number | null;
  pgn: number | null;
  spn: number | null;
  raw: number | null;
  /** DBC file version, message and signal, if the value was decoded with a DBC file. */
  dbc?: string;
  /** Present if the GNSS receiver of the device measured the value. */
  gnss?: true;
  /** Seconds in which the next value is expected. Absent if it is the interval of the table of signals. */
  expected_interval_s?: number;
  /** Where the interval comes from. Absent if it is the interval of the table of signals. */
  interval_basis?: IntervalBasis;
  /** Age in seconds from which the value is stale. Absent if it follows from the interval. */
  stale_after_s?: number;
  /** Present for a meter: how `value`, the total of the machine, follows from the newest reading. Absent in documents of earlier builds. */
  meter?: {
    basis: MeterBasis;
    reading: number;
    offset: number;
    /** Start of the current segment. */
    since: string;
    segment: number;
    opened_because: SegmentCause;
    /** Why a person must check the total; null if there is no need. */
    needs_review: string | null;
  };
}

/** Live state of a machine (its live status and newest values), stored in the collection `live` under the id of the machine. */
export interface EquipmentLive {
  live_status: LiveStatus;
  live_status_since: string | null;
  last_live_data_at: string | null;
  values: Partial<Record<SignalName, LiveValue>>;
  dtcs: Dtc[] | null;
  dtc_counts: DtcCounts | null;
  /** Seconds in which the next live data is expected, whatever its signal. Absent if it is the usual 5 s. */
  expected_interval_s?: number;
}

const optional = {
  aliases: described.aliases.optional(),
  kind: described.kind.nullable().optional(),
  oem_name: described.oem_name.nullable().optional(),
  model: described.model.nullable().optional(),
  serial_number: described.serial_number.nullable().optional(),
  pin: described.pin.nullable().optional(),
  year: described.year.nullable().optional(),
  location_id: described.location_id.nullable().optional(),
  operator_id: described.operator_id.nullable().optional(),
  labels: LabelsInput.optional(),
  context: MediaInput.optional(),
};

const equipmentCreateInput = {
  unit_number: described.unit_number,
  name: described.name.optional().meta({ description: 'Default: the unit number.' }),
  status: z.enum(EQUIPMENT_STATUS).default('available'),
  ...optional,
};

const equipmentUpdateInput = {
  unit_number: described.unit_number.optional(),
  name: described.name.optional(),
  status: z.enum(EQUIPMENT_STATUS).optional(),
  status_since: Timestamp.optional().meta({ description: 'If it began earlier.' }),
  reason: z.string().trim().min(1).max(500).optional().meta({
    description: 'Why the status changes, for the event log. Required to bring a decommissioned machine back.',
  }),
  ...optional,
};

const include = {
  include: z.enum(['calc', 'attention', 'provenance']).optional().meta({
    description:
      'calc: adds the inputs of computed values. attention: adds how urgently the machine needs people, and why. provenance: where each value came from; in REST always there.',
  }),
};

const equipmentListQuery = {
  ...searchQuery,
  ...include,
  status: z.enum(EQUIPMENT_STATUS).optional(),
  live_status: z.enum(LIVE_STATUS).optional(),
  unit_number: z.string().max(40).optional(),
  kind: z.string().max(60).optional(),
  location_id: Id.optional(),
  operator_id: Id.optional(),
  device_id: Id.optional().meta({ description: 'Record id of a device; selects the machine that it is linked to.' }),
};

/** The roles of people who work with machines. An agent is not on the site, so it cannot take a machine. */
const TAKERS = ['owner', 'admin', 'supervisor', 'mechanic', 'operator'] as const;
const TAKES = { extension: 'people must see who is on a trouble, and whether anybody is' };

/** The fields that tell more about a change of the status. */
const STATUS_WORDS = { status_since: 'any', reason: 'any' } as const;

const events = eventOperations('equipment', 'machine');

/** Operations on machines. */
export const equipmentOperations = {
  equipment_create: operation({
    example: { unit_number: 'HT-104', kind: 'haul_truck', oem_name: 'Caterpillar', model: '777G' },
    method: 'POST',
    path: `${V1}/equipment`,
    summary: 'Create a machine',
    input: z.object(equipmentCreateInput),
    output: Equipment,
    status: 201,
    revision: 'etag',
    errors: ['already_exists', 'read_only_field'],
  }),
  equipment_list: operation({
    method: 'GET',
    path: `${V1}/equipment`,
    summary: 'List machines with their live values',
    input: z.object(equipmentListQuery),
    output: listOf(Equipment),
    errors: ['invalid_cursor'],
  }),
  equipment_get: operation({
    method: 'GET',
    path: `${V1}/equipment/{id}`,
    summary: 'Get a machine with its live values and their provenance',
    input: z.object({ ...idPath, ...include }),
    output: Equipment,
    revision: 'etag',
    errors: ['not_found'],
  }),
  equipment_update: operation({
    example: { status: 'maintenance' },
    method: 'PATCH',
    path: `${V1}/equipment/{id}`,
    summary: 'Update a machine; telemetry fields are read-only',
    input: z.object({ ...idPath, ...equipmentUpdateInput }),
    output: Equipment,
    revision: 'if-match',
    roles: [...WRITERS, 'mechanic', 'operator'],
    fields: {
      mechanic: { status: ['available', 'in_use', 'maintenance', 'down'], ...STATUS_WORDS, context: 'any' },
      operator: { status: ['down'], ...STATUS_WORDS },
    },
    errors: ['not_found', 'read_only_field', 'revision_mismatch', 'already_exists', 'permission_denied'],
  }),
  equipment_take: operation({
    method: 'POST',
    path: `${V1}/equipment/{id}/take`,
    summary: 'Take the trouble of a machine: the caller is on it; also acknowledges its active alerts',
    input: z.object({ ...idPath, note: z.string().trim().min(1).max(500).optional() }),
    output: Equipment,
    roles: TAKERS,
    hints: HINTS.CHANGE,
    errors: ['not_found', 'revision_mismatch'],
    source: TAKES,
  }),
  equipment_release: operation({
    method: 'POST',
    path: `${V1}/equipment/{id}/release`,
    summary: 'Undo equipment_take: nobody is on the trouble of the machine any more',
    input: z.object(idPath),
    output: Equipment,
    roles: TAKERS,
    hints: HINTS.CHANGE,
    errors: ['not_found', 'permission_denied', 'revision_mismatch'],
    source: TAKES,
  }),
  equipment_append_event: events.append,
  equipment_events: events.list,
} as const;
