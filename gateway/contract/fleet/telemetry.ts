/** Telemetry points that devices send, and the operation that reads the stored samples of a machine. */
import { z } from 'zod';
import { Id, idPath, mapOf, Timestamp } from '#contract/base/common.ts';
import { FRESHNESS } from '#contract/base/freshness.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { SIGNAL_NAMES, STORED_STATES } from '#contract/base/signals.ts';
import { DeletedRange, MOST_DELETED_RANGES } from './history.ts';

/** One point of `POST /devices/{id}/telemetry` and of the MQTT `telemetry` topic. */
export const TelemetryPoint = z
  .object({
    // The schema accepts any text here. A later check refuses only the point with an invalid time, not the whole request.
    observed_at: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'Time of the measurement, such as 2026-11-21T06:00:00Z; default: the time of receipt.' }),
    ts: z.number().optional().meta({ description: 'The same as milliseconds since 1970.', unit: 'ms' }),
    seq: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'Sequence number of the source. A repeated point with the same number is stored once.' }),
    values: mapOf(120, z.number().nullable(), 1_000).meta({
      description: 'Values by signal name, each in the unit of the signal.',
    }),
  })
  .meta({ id: 'TelemetryPoint' });

/** Largest number of points in one call or MQTT message. */
export const MAX_POINTS = 5_000;
/** Largest number of refused points in an answer. `refused_total` counts all. */
export const MAX_REFUSED = 100;
/** Largest number of unknown signal names in an answer. */
export const MAX_UNKNOWN = 200;

/** Reasons to refuse a telemetry point, by code, each with its message. */
export const POINT_REFUSALS = {
  point_malformed: 'A point must be an object with the field `values`, which is an object of numbers.',
  time_invalid:
    '`observed_at` must be a time with a zone, such as 2026-11-21T06:00:00Z. Neither `observed_at` nor `ts` may be before 1970 or after the last date of a JavaScript Date.',
} as const;
export type PointRefusal = keyof typeof POINT_REFUSALS;

export const TelemetryAck = z.object({
  object: z.literal('telemetry_ack'),
  accepted: z.number().int().meta({ description: 'Number of valid points. They are on disk.' }),
  refused: z
    .array(
      z.object({
        index: z.number().int().meta({ description: 'Index in `points`, from 0.' }),
        code: z.enum(Object.keys(POINT_REFUSALS) as [PointRefusal]),
        message: z.string(),
      }),
    )
    .meta({ description: `The first ${MAX_REFUSED} refused points. Do not send them again unchanged.` }),
  refused_total: z.number().int().meta({ description: 'All refused points of this call.' }),
  refused_signals: z
    .array(z.string())
    .meta({ description: 'Signals with an impossible value. The value is in the raw journal only.' }),
  unknown_signals: z.array(z.string()).meta({
    description: `The first ${MAX_UNKNOWN} unknown signal names. Their values are in the raw journal only.`,
  }),
  received_at: Timestamp,
});

/** The last millisecond of the year 9999. Times in the API have a year of four digits. */
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

/** Time of an event in milliseconds since 1970; undefined if the value is not a time, or is before 1970 or after 9999. */
export function timeOfEvent(value: unknown): number | undefined {
  const ms = timeOf(value);
  return ms === undefined || ms > LAST_MS ? undefined : ms;
}

/** ISO 8601 time with a zone, because a time without one would depend on the time zone of the gateway. A date alone means 00:00 UTC. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[+-]\d\d:?\d\d))?$/i;

/** Converts to milliseconds since 1970; undefined if the value is not a time or is before 1970. */
function timeOf(value: unknown): number | undefined {
  const ms =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && ISO_TIME.test(value)
        ? Date.parse(value)
        : Number.NaN;
  return ms >= 0 && ms <= 8.64e15 ? ms : undefined;
}

/** Time of a point; null if it has none; undefined if its time is invalid. */
export function timeOfPoint(point: { observed_at?: unknown; ts?: unknown }): number | null | undefined {
  const said = point.observed_at ?? point.ts;
  return said === undefined || said === null ? null : timeOf(said);
}

/** The reason to refuse a point; undefined if it is valid. */
export function refusalOf(point: unknown): PointRefusal | undefined {
  if (typeof point !== 'object' || point === null || !('values' in point)) return 'point_malformed';
  const { values } = point;
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return 'point_malformed';
  return timeOfPoint(point as { observed_at?: unknown; ts?: unknown }) === undefined ? 'time_invalid' : undefined;
}

/** Lengths of steps in seconds. `resolution=auto` uses one of them. */
export const STEP_LADDER = [1, 10, 60, 300, 900, 3_600, 21_600, 86_400] as const;
/** Largest number of signal names in one read; repeated names count once. */
const MAX_SIGNALS_READ = 1_000;
/** Largest number of gaps that an answer lists for one series. `gaps_total` has the number of all gaps. */
export const MAX_GAPS_LISTED = 200;
/** How long before `from` a read searches for `latest_before`, in hours. */
export const BEFORE_HOURS = 24;

const Sample = z.object({
  t: z
    .number()
    .int()
    .meta({ description: 'Second of the sample; with steps of whole minutes the minute; since 1970.', unit: 'ms' }),
  value: z.number().meta({ description: 'In `unit`.' }),
});

const column = (description: string) => z.array(z.number()).optional().meta({ description });
const times = (description: string) =>
  z
    .array(z.number().int())
    .optional()
    .meta({ description: `${description}, since 1970.`, unit: 'ms' });

const CorrectedTimes = z.object({
  clock: z.enum(['gnss', 'j1939']).meta({ description: '`j1939`: Time/Date of a control unit, PGN 65254.' }),
  from: z.number().int().meta({ description: 'First corrected value, since 1970.', unit: 'ms' }),
  to: z.number().int().meta({ description: 'Last corrected value, since 1970.', unit: 'ms' }),
  values: z.number().int().meta({ description: 'Number of corrected values.' }),
  least_ms: z.number().meta({ description: 'Smallest correction: corrected minus reported time.', unit: 'ms' }),
  most_ms: z.number().meta({ description: 'Largest correction.', unit: 'ms' }),
  uncertainty_ms: z.number().meta({ description: 'Largest difference from `clock`.', unit: 'ms' }),
});
export type CorrectedTimes = z.infer<typeof CorrectedTimes>;

export const TelemetrySeries = z
  .object({
    signal: z.string(),
    label: z.string().meta({ description: 'Name on screens.' }),
    unit: z.string().meta({ description: 'Unit of all values.' }),
    samples: z.number().int().meta({ description: 'Number of samples, or of all values with steps of whole minutes.' }),
    lowest: Sample.nullable().meta({ description: 'First lowest value.' }),
    highest: Sample.nullable().meta({ description: 'First highest value.' }),
    latest_before: Sample.extend({
      freshness: z.enum(FRESHNESS).meta({ description: 'How current the sample was at `from`.' }),
    })
      .nullable()
      .meta({
        description: `The last sample before \`from\`; null: none in the ${BEFORE_HOURS} hours before.`,
      }),
    stale_after_s: z.number().meta({
      description: 'Age from which a value of this signal is stale.',
      unit: 's',
    }),
    gaps: z
      .array(
        z.object({
          from: z
            .number()
            .int()
            .meta({ description: 'Last sample before the gap, or `from`, since 1970.', unit: 'ms' }),
          to: z.number().int().meta({
            description: 'Next sample, or the end of the read or now, since 1970.',
            unit: 'ms',
          }),
        }),
      )
      .max(MAX_GAPS_LISTED)
      .meta({
        description: `The first ${MAX_GAPS_LISTED} ranges without a sample, longer than \`stale_after_s\`.`,
      }),
    gaps_total: z.number().int().meta({ description: 'Number of all gaps.' }),
    corrected: z
      .array(CorrectedTimes)
      .max(2)
      .meta({ description: 'Values of log files whose times were corrected by a clock in the file; a row per clock.' }),
    states: z
      .array(
        z.object({
          state: z
            .enum(STORED_STATES)
            .meta({ description: '`unavailable`: the control unit does not measure it now.' }),
          from: z.number().int().meta({ description: 'First report, since 1970.', unit: 'ms' }),
          to: z.number().int().meta({ description: 'Second of the last report, since 1970.', unit: 'ms' }),
        }),
      )
      .max(MAX_GAPS_LISTED)
      .meta({ description: `The first ${MAX_GAPS_LISTED} times with a state instead of a value (J1939-71).` }),
    states_total: z.number().int().meta({ description: 'Number of all such times.' }),
    t: z.array(z.number().int()).meta({
      description: 'Start of each step (raw: time of each sample) since 1970. Steps without samples are absent.',
      unit: 'ms',
    }),
    value: column('Raw only: each sample.'),
    min: column('Lowest value of each step.'),
    min_t: times('First `min` of each step'),
    max: column('Highest value of each step.'),
    max_t: times('First `max` of each step'),
    mean: column('Mean of each step.'),
    last: column('Last value of each step.'),
    count: z.array(z.number().int()).optional().meta({ description: 'Number of values.' }),
  })
  .meta({ id: 'TelemetrySeries', description: 'Stored samples of one signal.' });
export type TelemetrySeries = z.infer<typeof TelemetrySeries>;

/** The range, the steps and the format of a read of stored values. */
const readInput = {
  signals: z
    .array(z.enum(SIGNAL_NAMES))
    .min(1)
    .max(MAX_SIGNALS_READ)
    .meta({ description: 'In a query separated by commas. One answer has at most ten signals of a machine.' }),
  from: Timestamp.optional().meta({ description: 'Default: 24 hours before `to`.' }),
  to: Timestamp.optional().meta({ description: 'Not included; default: now.' }),
  resolution: z
    .string()
    .regex(/^(auto|raw|0?\.\d{1,9}|[1-9]\d{0,4})$/, 'must be `auto`, `raw` or whole seconds of a step, such as 60')
    .default('auto')
    .meta({
      description:
        '`auto`, `raw` (samples, at most one a second) or the seconds of a step (a divisor of a day); steps begin at UTC multiples. Less than a second means `raw`.',
    }),
  cursor: z
    .string()
    .max(1024)
    .optional()
    .meta({ description: '`next_cursor` of the answer before, with otherwise equal input.' }),
  as: z.enum(['json', 'csv', 'arrow']).optional().meta({ description: 'REST only: a table with a row per step.' }),
  points: z
    .number()
    .int()
    .min(0)
    .max(LIMITS.telemetry_steps.value)
    .default(500)
    .meta({
      description: `Most steps per series. \`auto\` uses the shortest of ${STEP_LADDER.join(', ')} s that fits, else a day. 0: no steps.`,
    }),
};

/** The range and the steps of an answer. */
const readOutput = {
  from: Timestamp.meta({ description: 'Included.' }),
  to: Timestamp.meta({ description: 'Not included.' }),
  resolution: z.enum(['raw', 'steps']),
  step_s: z.number().int().nullable().meta({ description: 'Null when raw.', unit: 's' }),
  truncated: z.boolean().meta({ description: 'This answer ends before `to`.' }),
  next_from: Timestamp.nullable().meta({ description: 'Where this answer ends if truncated, else null.' }),
  next_cursor: z.string().nullable().meta({
    description: 'Send as `cursor` for the next part of the range, or the next series; null at the end.',
  }),
  unreadable: z.number().int().meta({
    description: 'Damaged records; their samples are missing here.',
  }),
};

const historyFrom = Timestamp.nullable().meta({
  description: 'Time of the newest deleted sample of the machine; null: none was deleted.',
});

const deletedRanges = z
  .array(DeletedRange)
  .max(MOST_DELETED_RANGES)
  .meta({ description: 'Parts of the range that the retention deleted.' });

/** Operations that read stored values. */
export const telemetryOperations = {
  equipment_telemetry: operation({
    method: 'GET',
    path: `${V1}/equipment/{id}/telemetry`,
    summary: 'Read stored values of a machine as steps with extremes, or as samples',
    description: `One answer has at most ${LIMITS.telemetry_days.value} days; \`next_cursor\` leads to the rest.`,
    series: true,
    source: { extension: 'the specification stores the samples of a machine but has no operation that reads them' },
    input: z.object({ ...idPath, ...readInput }),
    output: z.object({
      object: z.literal('telemetry'),
      equipment_id: z.string(),
      ...readOutput,
      history_from: historyFrom,
      deleted: deletedRanges,
      series: z.array(TelemetrySeries),
    }),
    errors: ['not_found', 'rate_limited', 'invalid_cursor'],
  }),
  telemetry_read: operation({
    method: 'GET',
    path: `${V1}/telemetry`,
    summary: 'Read stored values of several machines in one call',
    inputLike: 'equipment_telemetry',
    description: `One answer has at most ${LIMITS.telemetry_days.value} days and ${LIMITS.telemetry_series.value} series (machines multiplied by signals); \`next_cursor\` leads to the rest.`,
    series: true,
    source: { extension: 'a chart or a report compares machines, and one call for each machine is slow' },
    input: z.object({
      equipment_ids: z
        .array(Id)
        .min(1)
        .max(LIMITS.telemetry_series.value)
        .meta({ description: 'In a query separated by commas.' }),
      ...readInput,
    }),
    output: z.object({
      object: z.literal('telemetry'),
      ...readOutput,
      series: z.array(
        z.object({
          equipment_id: z.string(),
          unit_number: z.string(),
          history_from: historyFrom,
          ...TelemetrySeries.shape,
        }),
      ),
      deleted: z.array(DeletedRange.extend({ equipment_id: z.string() })).meta({
        description: 'Parts of the range that the retention deleted, at most 20 for each machine.',
      }),
    }),
    errors: ['not_found', 'rate_limited', 'invalid_cursor'],
  }),
} as const;
