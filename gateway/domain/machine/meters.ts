/**
 * Builds the segments of the meters of a machine (`meter-state.ts`) from the readings that `latest-known.ts` accepts, and from the readings
 * that people give. The total of a meter never falls, unless a person corrects it.
 *
 *   reading of the same source                       -> moves the end of the current segment
 *   fall or jump that a second reading confirmed     -> a new segment
 *   another source                                   -> a new segment
 *   reading by a person                              -> a new segment
 *
 * A new segment uses an offset that is already known, if the total then rises as time allows: the offset of the segment before, an offset
 * with which the same source continued the meter earlier, or zero. If none of them fits, the segment gets the offset with which the total
 * stays the same, and a person must check it.
 */

import type { MeterBasis } from '#contract/base/meter-bases.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { SegmentCause } from '#contract/fleet/meter.ts';
import { NONE } from '#domain/base/none.ts';
import { notBeyond } from '#domain/base/times.ts';
import { isGnss } from './evidence.ts';
import type { Facts, Held, Reading } from './facts.ts';
import { follows, type MeterLimit, rangesOf, stepOf } from './meter-limits.ts';
import type { MeterOrigin, MeterPoint, MeterSegment, MeterState } from './meter-state.ts';

/** Largest number of segments of a meter. At the limit, the two oldest segments are merged into one that counts them. */
export const MAX_SEGMENTS = 64;

/** Largest number of offsets that a meter remembers. At the limit the oldest offset is removed. */
const MAX_OFFSETS = 16;

/** Rounds a number of a meter to a millionth of its unit, so that sums have no binary remainder. */
export function roundMeter(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Returns the total. Without an offset it is exactly the reading. */
function totalOf(reading: number, offset: number): number {
  return offset === 0 ? reading : roundMeter(reading + offset);
}

/** The source and the first reading of a segment that is about to be opened. */
export interface NextSegment extends MeterOrigin {
  readonly basis: MeterBasis;
  readonly sa: number;
  readonly dbc?: string | undefined;
  readonly first: MeterPoint;
  readonly by?: MeterSegment['by'];
  readonly reason?: string;
}

/** Returns the meter; creates it if the machine has none. */
export function meterOf(facts: Facts, signal: SignalName): MeterState {
  facts.meters ??= {};
  const known = facts.meters[signal];
  if (known !== undefined) return known;
  const made: MeterState = { next: 1, total: 0, observed_us: NONE, received_us: 0, segments: [], known: [] };
  facts.meters[signal] = made;
  return made;
}

/** Returns the current segment of a meter; undefined if the meter has none. */
export function currentSegment(meter: MeterState | undefined): MeterSegment | undefined {
  return meter?.segments.at(-1);
}

function isSource(a: MeterOrigin, b: MeterOrigin): boolean {
  return a.spn === b.spn && a.unit === b.unit && a.bus === b.bus && a.device === b.device;
}

/** Returns the reading without the fields that a segment does not keep. */
export function pointOf({ value, observed_us, received_us, ref, frame }: MeterPoint): MeterPoint {
  return { value, observed_us, received_us, ref, frame };
}

/** Describes a source of decoded values or telemetry points as the source of a segment. `first` is its first reading. */
function nextOf(reading: Reading, first: MeterPoint): NextSegment {
  const { device, bus, sa, unit = sa, spn, dbc } = reading;
  const basis = spn === NONE || isGnss(spn) ? 'feed' : 'control_unit';
  return { basis, device, bus, sa, unit, spn, dbc, first: pointOf(first) };
}

/**
 * Applies the reading that provides the value of a meter now. `confirmed` is set if the reading confirms a fall or a jump: it is the reading
 * that was held until then. Returns the segment that was opened; undefined if the current segment continues.
 */
export function applyMeter(
  facts: Facts,
  signal: SignalName,
  limit: MeterLimit,
  reading: Reading,
  confirmed: Held | undefined,
): MeterSegment | undefined {
  const meter = meterOf(facts, signal);
  const current = currentSegment(meter);
  const { device, bus, spn, sa, unit = sa } = reading;
  if (current === undefined) return openSegment(meter, limit, nextOf(reading, reading), 'first');
  const same = isSource(current, { device, bus, unit, spn });
  if (same && confirmed === undefined) {
    moveEnd(meter, current, reading);
    return undefined;
  }
  const next = nextOf(reading, confirmed ?? reading);
  const opened = openSegment(meter, limit, next, same ? stepCause(current, next) : changeCause(current, next));
  moveEnd(meter, opened, reading);
  return opened;
}

function stepCause({ last }: MeterSegment, { first }: NextSegment): SegmentCause {
  return first.value < last.value ? 'rolled_back' : 'jumped';
}

/** `swapped`: another control unit (another NAME) sends the same parameter from the same address. */
function changeCause(current: MeterSegment, { device, bus, spn, sa, unit }: NextSegment): SegmentCause {
  const place = current.device === device && current.bus === bus && current.spn === spn && current.sa === sa;
  return place && sa !== NONE && current.unit !== unit ? 'swapped' : 'source_changed';
}

/** Applies a new reading of the current segment. The total does not fall. */
export function moveEnd(
  meter: MeterState,
  segment: MeterSegment,
  reading: MeterPoint & { readonly sa?: number },
): void {
  const { last, offset } = segment;
  last.value = reading.value;
  last.observed_us = reading.observed_us;
  last.received_us = reading.received_us;
  last.ref = reading.ref;
  last.frame = reading.frame;
  if (reading.sa !== undefined) segment.sa = reading.sa;
  meter.total = Math.max(meter.total, totalOf(reading.value, offset));
  meter.observed_us = reading.observed_us;
  meter.received_us = reading.received_us;
}

/** The offset of a new segment, and whether a person must check the total. */
interface ChosenOffset {
  readonly offset: number;
  readonly review: boolean;
  readonly because?: SegmentCause;
}

/** Opens a segment with an offset by the rules at the top of this file. */
function openSegment(meter: MeterState, limit: MeterLimit, next: NextSegment, because: SegmentCause): MeterSegment {
  const current = currentSegment(meter);
  const chosen =
    current === undefined ? { offset: 0, review: false } : chooseOffset(meter, limit, current, next, because);
  return addSegment(meter, next, chosen.because ?? because, chosen.offset, chosen.review);
}

/** Adds a segment with this offset, and makes its first reading the total. */
export function addSegment(
  meter: MeterState,
  next: NextSegment,
  because: SegmentCause,
  offset: number,
  review: boolean,
): MeterSegment {
  const { basis, device, bus, sa, unit, spn, dbc, first, by, reason } = next;
  const segment: MeterSegment = {
    id: meter.next++,
    basis,
    device,
    bus,
    sa,
    unit,
    spn,
    ...(dbc === undefined ? {} : { dbc }),
    first: pointOf(first),
    last: pointOf(first),
    offset,
    opened_total: meter.segments.length === 0 ? totalOf(first.value, offset) : meter.total,
    because,
    ...(review ? { review } : {}),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  };
  meter.segments.push(segment);
  if (meter.segments.length > MAX_SEGMENTS) mergeOldest(meter);
  remember(meter, segment, offset, review);
  // A reading that was observed before the present reading may have a lower total. The meter then takes the total of this reading.
  if (first.observed_us < meter.observed_us) meter.total = totalOf(first.value, offset);
  moveEnd(meter, segment, first);
  return segment;
}

function mergeOldest({ segments }: MeterState): void {
  const [oldest, second] = segments as [MeterSegment, MeterSegment];
  const { first, because, opened_total } = oldest;
  const merged = (oldest.merged ?? 1) + (second.merged ?? 1);
  segments.splice(0, 2, { ...second, first, because, opened_total, merged });
}

function remember({ known }: MeterState, origin: MeterOrigin, offset: number, review: boolean): void {
  const at = known.findIndex((one) => one.offset === offset && isSource(one, origin));
  if (at >= 0) known.splice(at, 1);
  const { device, bus, unit, spn } = origin;
  known.push({ device, bus, unit, spn, offset, review });
  if (known.length > MAX_OFFSETS) known.shift();
}

function chooseOffset(
  meter: MeterState,
  limit: MeterLimit,
  current: MeterSegment,
  next: NextSegment,
  because: SegmentCause,
): ChosenOffset {
  const { first } = next;
  if (because === 'rolled_back') {
    const range = rangesOf(next.spn).find((one) =>
      follows(limit, current.last, { ...first, value: first.value + one }, 0),
    );
    if (range !== undefined)
      return {
        offset: roundMeter(current.offset + range),
        review: current.review === true,
        because: 'rolled_over',
      };
  }
  // The gateway counts from the time at which it first heard the machine. Until a person has given a reading, the meter of a control unit
  // replaces the count, if it is not lower.
  if (isUnbased(current) && first.value >= meter.total) return { offset: 0, review: false };
  const fits = (offset: number) => continues(meter, limit, current, next, offset);
  if (because !== 'rolled_back' && because !== 'jumped' && fits(current.offset))
    return { offset: current.offset, review: current.review === true };
  for (let i = meter.known.length - 1; i >= 0; i--) {
    const one = meter.known[i];
    if (one !== undefined && isSource(one, next) && fits(one.offset)) return { offset: one.offset, review: one.review };
  }
  if (fits(0)) return { offset: 0, review: false };
  return { offset: roundMeter(meter.total - first.value), review: true };
}

/** Returns true if the gateway counts this segment and no person has given the reading at which the count began. */
function isUnbased({ basis, offset }: MeterSegment): boolean {
  return basis === 'counted' && offset === 0;
}

/**
 * Returns true if the total rises as time allows when the new segment begins with this offset. It may fall by the resolution of the two
 * sources. A reading by a person or a count may differ by the fixed tolerance of the meter.
 */
function continues(
  meter: MeterState,
  limit: MeterLimit,
  current: MeterSegment,
  { spn, first }: NextSegment,
  offset: number,
): boolean {
  const rough = current.basis === 'manual' || current.basis === 'counted';
  const step = rough ? limit.slack : stepOf(current.spn, spn) + 1e-6;
  const tight: MeterLimit = { per_h: limit.per_h, slack: 0 };
  const known = { value: meter.total, observed_us: meter.observed_us, received_us: meter.received_us };
  const next = { value: first.value + offset, observed_us: first.observed_us, received_us: first.received_us };
  // The new source may have an older reading than the source before. Then check whether the meter can have risen from the new reading.
  return next.observed_us >= known.observed_us ? follows(tight, known, next, step) : follows(tight, next, known, step);
}

/** Makes the segments of a machine that an earlier build stored without segments. */
export function addFirstSegments(facts: Facts, limitOf: (signal: SignalName) => MeterLimit | undefined): void {
  for (const [name, { holder, sources }] of Object.entries(facts.signals)) {
    const signal = name as SignalName;
    const limit = limitOf(signal);
    const reading = sources[holder];
    if (limit === undefined || reading === undefined || facts.meters?.[signal] !== undefined) continue;
    applyMeter(facts, signal, limit, reading, undefined);
  }
}

/** Replaces the times of the meters that are later than `now_us`. Call it after somebody set the clock back. */
export function setMetersBack(facts: Facts, now_us: number): void {
  for (const meter of Object.values(facts.meters ?? {})) {
    meter.observed_us = notBeyond(meter.observed_us, now_us);
    for (const { first, last } of meter.segments) {
      first.observed_us = notBeyond(first.observed_us, now_us);
      last.observed_us = notBeyond(last.observed_us, now_us);
    }
  }
}
