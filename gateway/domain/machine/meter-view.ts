/** The meters of a machine in the form of the API: the total with its basis, and the list of segments. */
import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { LiveValue } from '#contract/fleet/equipment.ts';
import { METER_SIGNALS, type MeterSegments } from '#contract/fleet/meter.ts';
import { NONE } from '#domain/base/none.ts';
import { isoTime } from '#domain/base/times.ts';
import { isGnss } from './evidence.ts';
import type { Facts, Reading } from './facts.ts';
import { readingOf } from './latest-known.ts';
import { reviewOf } from './meter-people.ts';
import type { MeterPoint, MeterSegment, MeterState } from './meter-state.ts';
import { currentSegment } from './meters.ts';

const orNull = (number: number) => (number === NONE ? null : number);

/** Returns a reading in the form of the API. */
export function liveValue(reading: Reading): LiveValue {
  const { ref, frame } = reading;
  return {
    value: reading.value,
    observed_at: isoTime(reading.observed_us),
    received_at: isoTime(reading.received_us),
    device_id: reading.device,
    run_id: reading.run_id,
    ref: placeOf(ref, frame),
    bus: orNull(reading.bus),
    source_address: orNull(reading.sa),
    pgn: orNull(reading.pgn),
    spn: reading.spn < 0 ? null : reading.spn,
    raw: reading.raw,
    ...(reading.dbc === undefined ? {} : { dbc: reading.dbc }),
    ...(isGnss(reading.spn) ? { gnss: true } : {}),
  };
}

function placeOf(ref: string | null, frame: number): string | null {
  return ref === null || frame === NONE ? ref : `${ref}#${frame}`;
}

/** Returns the total of a meter with its origin; undefined if the signal is not a meter or has no segment. */
export function meterValue(facts: Facts, signal: SignalName): LiveValue | undefined {
  const meter = facts.meters?.[signal];
  const segment = currentSegment(meter);
  if (meter === undefined || segment === undefined) return undefined;
  const { basis, first, last, offset, id, because } = segment;
  const reading = basis === 'control_unit' || basis === 'feed' ? readingOf(facts, signal) : undefined;
  const shown = reading === undefined ? withoutFrame(segment) : liveValue(reading);
  const since = isoTime(first.observed_us);
  const review = reviewOf(signal, meter);
  const part = {
    basis,
    reading: last.value,
    offset,
    since,
    segment: id,
    opened_because: because,
    needs_review: review,
  };
  return { ...shown, value: meter.total, meter: part };
}

/** Returns the newest number of a segment whose number comes from the count of the gateway or from a person, and not from a device. */
function withoutFrame({ device, last }: MeterSegment): LiveValue {
  return {
    value: last.value,
    observed_at: isoTime(last.observed_us),
    received_at: isoTime(last.received_us),
    device_id: device,
    run_id: null,
    ref: placeOf(last.ref, last.frame),
    bus: null,
    source_address: null,
    pgn: null,
    spn: null,
    raw: null,
  };
}

function pointView({
  value,
  observed_us,
  received_us,
  ref,
  frame,
}: MeterPoint): MeterSegments['segments'][number]['first'] {
  return { value, observed_at: isoTime(observed_us), received_at: isoTime(received_us), ref: placeOf(ref, frame) };
}

function segmentView(segment: MeterSegment): MeterSegments['segments'][number] {
  const { id, basis, device, bus, sa, spn, dbc, first, last, offset, opened_total, because } = segment;
  return {
    id,
    basis,
    device_id: device,
    bus: orNull(bus),
    source_address: orNull(sa),
    spn: spn < 0 ? null : spn,
    dbc: dbc ?? null,
    first: pointView(first),
    last: pointView(last),
    offset,
    total_from: opened_total,
    opened_because: because,
    needs_review: segment.review === true,
    by: segment.by ?? null,
    reason: segment.reason ?? null,
    merged: segment.merged ?? 1,
  };
}

/** Returns the meters of a machine with all their segments. */
export function meterSegments(facts: Facts): MeterSegments[] {
  return METER_SIGNALS.flatMap((signal) => {
    const meter: MeterState | undefined = facts.meters?.[signal];
    const value = meterValue(facts, signal);
    if (meter === undefined || value?.meter === undefined) return [];
    const { label, unit, field } = signalRow(signal);
    const { basis, reading, offset, since, needs_review } = value.meter;
    return {
      object: 'meter',
      kind: field,
      label,
      basis,
      value: value.value,
      unit,
      reading,
      offset,
      since,
      observed_at: value.observed_at,
      device_id: value.device_id,
      needs_review,
      segments: meter.segments.map(segmentView),
      counted: signal === 'engine.hours' ? countView(facts) : null,
    };
  });
}

function countView({ counted }: Facts): MeterSegments['counted'] {
  if (counted === undefined || counted.rows.length === 0) return null;
  const { on_s, known_s, from_s, rows } = counted;
  const first_s = (rows[0]?.[0] ?? 0) * 60;
  return {
    hours: on_s / 3600,
    known_hours: known_s / 3600,
    from: isoTime(Math.max(from_s, first_s) * 1e6),
  };
}
