/** Telemetry points: their shape, which of them can be read, and the answer that names those that cannot. */
import { z } from 'zod';
import { mapOf, Timestamp } from '#contract/base/common.ts';

/** One point of `POST /devices/{id}/telemetry` and of the MQTT `telemetry` topic. */
export const TelemetryPoint = z
  .object({
    // A text of any kind: one point without a good time is refused by itself, not with all others.
    observed_at: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'When it was measured, as 2026-11-21T06:00:00Z; the receipt time when absent.' }),
    ts: z.number().optional().meta({ description: 'The same as milliseconds since 1970.', unit: 'ms' }),
    seq: z.number().int().nonnegative().optional().meta({ description: 'Source number; makes repeats harmless.' }),
    values: mapOf(120, z.number().nullable(), 1_000).meta({
      description: 'Signal name to value, in the unit of the signal.',
    }),
  })
  .meta({ id: 'TelemetryPoint' });

/** Points in one call or message. */
export const MAX_POINTS = 5_000;
/** Refused points that an answer lists; the rest is in `refused_total`. */
export const MAX_REFUSED = 100;
/** Names of unknown signals that an answer lists. */
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
  accepted: z.number().int().meta({ description: 'Points that are on disk and can be read.' }),
  refused: z
    .array(
      z.object({
        index: z.number().int().meta({ description: 'Place in `points`, from 0.' }),
        code: z.enum(Object.keys(POINT_REFUSALS) as [PointRefusal]),
        message: z.string(),
      }),
    )
    .meta({ description: `Points that become no facts and no history, the first ${MAX_REFUSED}; do not repeat them.` }),
  refused_total: z.number().int().meta({ description: 'All refused points of this call.' }),
  refused_signals: z
    .array(z.string())
    .meta({ description: 'Names with a number that the signal cannot have; kept raw, not decoded.' }),
  unknown_signals: z
    .array(z.string())
    .meta({ description: `Names outside the vocabulary, the first ${MAX_UNKNOWN}; kept raw, not decoded.` }),
  received_at: Timestamp,
});

/** The last time that can be written with a year of four digits, as the times of answers are. */
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

/** When an event occurred, in milliseconds since 1970; undefined for what is no time, before 1970, or beyond the year 9999. */
export function timeOfEvent(value: unknown): number | undefined {
  const ms = timeOf(value);
  return ms === undefined || ms > LAST_MS ? undefined : ms;
}

/** A time with its zone: without one it would depend on the clock of the gateway's system. A day alone is its begin in UTC. */
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[+-]\d\d:?\d\d))?$/i;

/** Milliseconds since 1970; undefined for what is no time, or one before 1970. */
function timeOf(value: unknown): number | undefined {
  const ms =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && ISO_TIME.test(value)
        ? Date.parse(value)
        : Number.NaN;
  return ms >= 0 && ms <= 8.64e15 ? ms : undefined;
}

/** When a point was measured; null when it does not say, undefined when what it says is no time. */
export function timeOfPoint(point: { observed_at?: unknown; ts?: unknown }): number | null | undefined {
  const said = point.observed_at ?? point.ts;
  return said === undefined || said === null ? null : timeOf(said);
}

/** Why the fold could not read a point; undefined when it can. */
export function refusalOf(point: unknown): PointRefusal | undefined {
  if (typeof point !== 'object' || point === null || !('values' in point)) return 'point_malformed';
  const { values } = point;
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return 'point_malformed';
  return timeOfPoint(point as { observed_at?: unknown; ts?: unknown }) === undefined ? 'time_invalid' : undefined;
}
