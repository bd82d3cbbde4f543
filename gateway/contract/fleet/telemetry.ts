/** Telemetry points: their schema, the check of each point, and the answer that lists refused points. */
import { z } from 'zod';
import { mapOf, Timestamp } from '#contract/base/common.ts';

/** One point of `POST /devices/{id}/telemetry` and of the MQTT `telemetry` topic. */
export const TelemetryPoint = z
  .object({
    // Any string: the check of single points refuses an invalid time, so that it does not refuse the whole request.
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

/** Points in one call or message. */
export const MAX_POINTS = 5_000;
/** Largest number of refused points in an answer. `refused_total` counts all. */
export const MAX_REFUSED = 100;
/** Largest number of unknown signal names in an answer. */
export const MAX_UNKNOWN = 200;

/** Why a point is refused. */
export const POINT_REFUSALS = {
  point_malformed: 'A point is an object with `values`, an object of numbers.',
  time_invalid:
    '`observed_at` is no time with a zone (as 2026-11-21T06:00:00Z), or it or `ts` is before 1970 or beyond what a calendar has.',
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
    .meta({ description: 'Signals with an impossible value. The value is kept in the raw journal only.' }),
  unknown_signals: z.array(z.string()).meta({
    description: `The first ${MAX_UNKNOWN} unknown signal names. Their values are kept in the raw journal only.`,
  }),
  received_at: Timestamp,
});

/** The last time with a year of four digits, which API timestamps require. */
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
