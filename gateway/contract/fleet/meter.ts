/** Meters of a machine, such as its engine hours: an ordered list of segments, and the reading that a person gives to correct the total. */
import { z } from 'zod';
import { Id, idPath, Timestamp } from '#contract/base/common.ts';
import { METER_BASES } from '#contract/base/meter-bases.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { SIGNAL_NAMES, type SignalName, signalRow } from '#contract/base/signals.ts';

/** Why a segment of a meter was opened. */
export const SEGMENT_CAUSES = [
  'first',
  'rolled_back',
  'jumped',
  'rolled_over',
  'source_changed',
  'swapped',
  'reconciled',
] as const;
export type SegmentCause = (typeof SEGMENT_CAUSES)[number];

/** The signals that are meters. */
export const METER_SIGNALS = SIGNAL_NAMES.filter((name) => signalRow(name).kind === 'meter');

/** The kinds of meters. The kind of a meter is the field of the machine that it fills. */
export const METER_KINDS = METER_SIGNALS.map((name) => signalRow(name).field);

/** Returns the signal of a kind of meter; undefined if there is no such kind. */
export function meterSignal(kind: string): SignalName | undefined {
  return METER_SIGNALS.find((name) => signalRow(name).field === kind);
}

const basis = z.enum(METER_BASES).meta({ description: 'counted: by the gateway. feed: telemetry points.' });
const cause = z.enum(SEGMENT_CAUSES);

const total = {
  kind: z.string().meta({ description: 'A field of the machine.' }),
  basis,
  value: z.number().meta({ description: 'Total: reading + offset.' }),
  unit: z.string(),
  reading: z.number().meta({ description: 'The newest number of the source.' }),
  offset: z.number().meta({ description: 'Added to the reading.' }),
  since: Timestamp.meta({ description: 'Start of the current segment.' }),
  observed_at: Timestamp,
  device_id: z.string().nullable(),
  needs_review: z.string().nullable().meta({ description: 'Why a person must check the total; null: no need.' }),
};

export const Meter = z
  .object(total)
  .meta({ id: 'Meter', description: 'A value that only grows, with its source and time.' });

const MeterPoint = z.object({
  value: z.number().meta({ description: 'Without the offset.' }),
  observed_at: Timestamp,
  received_at: Timestamp,
  ref: z.string().nullable(),
});

const MeterSegment = z
  .object({
    id: z.number().int(),
    basis,
    device_id: z.string().nullable(),
    bus: z.number().int().nullable(),
    source_address: z.number().int().nullable(),
    spn: z.number().int().nullable(),
    dbc: z.string().nullable(),
    first: MeterPoint,
    last: MeterPoint,
    offset: z.number(),
    total_from: z.number().meta({ description: 'Total when the segment began.' }),
    opened_because: cause,
    needs_review: z.boolean(),
    by: z.object({ id: z.string().nullable(), name: z.string().nullable() }).nullable(),
    reason: z.string().nullable(),
    merged: z.number().int().meta({ description: 'Number of segments in this row.' }),
  })
  .meta({ description: 'A period without a step.' });

const EngineCount = z
  .object({
    hours: z.number().meta({ description: 'Time with engine speed above 0.', unit: 'h' }),
    known_hours: z.number().meta({ description: 'Time with known engine speed.', unit: 'h' }),
    from: Timestamp.meta({ description: 'Values before this time are not counted.' }),
  })
  .meta({ description: 'Counted from the engine speed.' });

const MeterSegments = z
  .object({
    object: z.literal('meter'),
    ...total,
    label: z.string(),
    segments: z.array(MeterSegment).meta({ description: 'Oldest first, 64 at most.' }),
    counted: EngineCount.nullable(),
  })
  .meta({ id: 'MeterSegments', description: 'A meter with all its segments.' });
export type MeterSegments = z.infer<typeof MeterSegments>;

/** Returns the segment to which a reading of this time (milliseconds since 1970) belongs; undefined before the first segment. */
export function segmentAt(
  segments: MeterSegments['segments'],
  at_ms: number,
): MeterSegments['segments'][number] | undefined {
  return segments.findLast(({ first }) => Date.parse(first.observed_at) <= at_ms);
}

/**
 * Returns the total for a reading that the source sent at this time (milliseconds since 1970). History has the readings as the source sent
 * them, without the offsets of the segments.
 */
export function totalAt(segments: MeterSegments['segments'], at_ms: number, reading: number): number {
  const offset = segmentAt(segments, at_ms)?.offset ?? 0;
  return offset === 0 ? reading : Math.round((reading + offset) * 1e6) / 1e6;
}

/** The reading of a person, as the journal stores it. */
export interface MeterReconciliation {
  readonly signal: SignalName;
  readonly value: number;
  readonly observed_ms: number;
  readonly reason: string;
  readonly by: { readonly type: string; readonly id: string | null; readonly name: string | null };
}

const reconcileInput = {
  id: Id,
  kind: z.string().max(40).meta({ description: 'engine_hours, odometer_km, ...' }),
  value: z.number().min(0).meta({ description: 'Reading of the machine, in the unit of the meter.' }),
  observed_at: Timestamp.optional().meta({ description: 'When it was read; default: now.' }),
  reason: z.string().trim().min(1).max(500),
};

/** Operations on the meters of a machine. */
export const meterOperations = {
  equipment_meters: operation({
    method: 'GET',
    path: `${V1}/equipment/{id}/meters`,
    summary: 'List the meters of a machine with all segments',
    input: z.object(idPath),
    output: z.object({ object: z.literal('list'), data: z.array(MeterSegments) }),
    errors: ['not_found'],
    source: { extension: 'a person must see why an hour meter shows its number: sources, steps and offsets' },
  }),
  equipment_meters_reconcile: operation({
    example: { value: 4511.4, reason: 'New control unit fitted; read from the cab' },
    method: 'POST',
    path: `${V1}/equipment/{id}/meters/{kind}/reconcile`,
    summary: 'Set the total of a meter to a reading that a person took',
    input: z.object(reconcileInput),
    output: MeterSegments,
    roles: ['owner', 'admin', 'supervisor', 'mechanic'],
    errors: ['not_found', 'parameter_invalid', 'backend_unavailable'],
    source: { extension: 'after a control unit was swapped, only a person knows the hours of the machine' },
  }),
} as const;
