/**
 * Applies two things to the meters of a machine that no control unit sends: the engine hours that the gateway counts, and readings of
 * people.
 */
import type { SignalName } from '#contract/base/signals.ts';
import { signalRow } from '#contract/base/signals.ts';
import type { MeterReconciliation } from '#contract/fleet/meter.ts';
import { NONE } from '#domain/base/none.ts';
import { countEngine, createEngineCount, restartCount } from './engine-count.ts';
import type { FactEvent } from './fact-events.ts';
import type { Facts } from './facts.ts';
import { staleAfterUs } from './latest-known.ts';
import type { MeterPoint, MeterSegment, MeterState } from './meter-state.ts';
import { addSegment, currentSegment, meterOf, moveEnd, type NextSegment, pointOf, roundMeter } from './meters.ts';

/** The engine speed must be known for this number of seconds before a machine without an hour meter gets counted hours. */
const ENOUGH_S = 600;

const NO_SOURCE = { device: null, bus: NONE, sa: NONE, unit: NONE, spn: NONE } as const;

/** Adds one value of the engine speed to the count of engine hours, and to the meter if the gateway provides it. */
export function countSpeed(
  facts: Facts,
  { received_us, ref }: Pick<MeterPoint, 'received_us' | 'ref'>,
  { value: rpm, observed_us, frame }: Pick<MeterPoint, 'value' | 'observed_us' | 'frame'>,
): void {
  facts.counted ??= createEngineCount();
  if (!countEngine(facts.counted, Math.floor(observed_us / 1e6), rpm > 0)) return;
  const reading = facts.signals['engine.hours'];
  const meter = facts.meters?.['engine.hours'];
  const current = currentSegment(meter);
  const point = { value: roundMeter(facts.counted.on_s / 3600), observed_us, received_us, ref, frame };
  if (meter !== undefined && current?.basis === 'counted') {
    moveEnd(meter, current, { ...point, observed_us: Math.max(point.observed_us, current.last.observed_us) });
    return;
  }
  const isSilent = reading === undefined || reading.holder === NONE;
  if (!isSilent && (current?.basis !== 'manual' || facts.counted.known_s < ENOUGH_S)) return;
  const next: NextSegment = { ...NO_SOURCE, basis: 'counted', first: point };
  if (meter !== undefined && current?.basis === 'manual')
    addSegment(meter, next, 'source_changed', meter.total, current.review === true);
  else if (current === undefined && facts.counted.known_s >= ENOUGH_S)
    addSegment(meterOf(facts, 'engine.hours'), next, 'first', 0, false);
}

/**
 * Applies the reading of a person. If the source sent a reading at nearly the same time (within the stale limit of the signal), the source
 * continues with the offset that gives the total of the person. Otherwise the reading of the person begins a segment of its own, because
 * nobody knows what the source would have sent at that time.
 */
export function reconcileMeter(
  facts: Facts,
  { signal, value, observed_ms, reason, by }: MeterReconciliation,
  at: { readonly received_us: number; readonly ref: string | null },
  events: FactEvent[],
): void {
  const meter = meterOf(facts, signal);
  const current = currentSegment(meter);
  const from = current === undefined ? null : meter.total;
  const observed_us = observed_ms * 1000;
  const who = { by: { id: by.id, name: by.name }, reason };
  const manual = { value, observed_us, received_us: at.received_us, ref: at.ref, frame: NONE };
  const next = { ...NO_SOURCE, basis: 'manual' as const, first: manual, ...who };
  meter.total = value;
  meter.observed_us = NONE;
  let added: MeterSegment;
  if (signal === 'engine.hours' && facts.counted !== undefined)
    restartCount(facts.counted, Math.ceil(observed_us / 1e6));
  if (current === undefined || current.basis === 'manual')
    added = addSegment(meter, next, current === undefined ? 'first' : 'reconciled', 0, false);
  else if (current.basis === 'counted')
    added = addSegment(
      meter,
      { ...next, basis: 'counted', first: countedPoint(facts, current, manual) },
      'reconciled',
      value,
      false,
    );
  else if (observed_us - current.last.observed_us > staleAfterUs(signal))
    added = addSegment(meter, next, 'reconciled', 0, false);
  else added = continueSource(meter, current, value, from ?? value, who);
  const unit = signalRow(signal).unit;
  events.push({
    type: 'meter.reconciled',
    occurred_us: observed_us,
    data: { signal, from, to: value, unit, reason, segment: added.id },
  });
}

/** Returns the first reading of a count that began again at the reading of a person. */
function countedPoint(facts: Facts, { last }: MeterSegment, manual: MeterPoint): MeterPoint {
  const hours = roundMeter((facts.counted?.on_s ?? 0) / 3600);
  return {
    ...manual,
    value: hours,
    observed_us: hours > 0 ? Math.max(last.observed_us, manual.observed_us) : manual.observed_us,
  };
}

/** Lets the same source continue with a new offset. Changes the offsets with which other sources continued the meter by the same amount. */
function continueSource(
  meter: MeterState,
  { basis, device, bus, sa, unit, spn, dbc, last }: MeterSegment,
  value: number,
  before: number,
  who: Pick<NextSegment, 'by' | 'reason'>,
): MeterSegment {
  for (const one of meter.known) one.offset = roundMeter(one.offset + value - before);
  const next = { basis, device, bus, sa, unit, spn, dbc, first: pointOf(last), ...who };
  return addSegment(meter, next, 'reconciled', roundMeter(value - last.value), false);
}

/** Returns why a person must check the total of a meter; null if there is no need. */
export function reviewOf(signal: SignalName, meter: MeterState): string | null {
  const segment = currentSegment(meter);
  if (segment === undefined) return null;
  const { label, unit, decimals } = signalRow(signal);
  const number = (value: number) => `${value.toFixed(decimals)} ${unit}`;
  if (segment.basis === 'counted' && segment.by === undefined && segment.offset === 0)
    return `The gateway counts ${label.toLowerCase()} since it first heard the machine. Enter the reading of the machine.`;
  if (segment.review !== true) return null;
  const { because, first, opened_total } = segment;
  const step = WORDS[because] ?? 'The source of the meter changed';
  return `${step}: the source sent ${number(first.value)} when the total was ${number(opened_total)}. Compare the total with the machine.`;
}

const WORDS: Partial<Record<MeterSegment['because'], string>> = {
  rolled_back: 'The meter fell',
  jumped: 'The meter rose faster than time allows',
  swapped: 'Another control unit took the place of the one before',
};
