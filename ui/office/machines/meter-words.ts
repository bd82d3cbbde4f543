/** The texts that the page of a machine shows for meters. */
import type { MeterBasis } from '#contract/base/meter-bases.ts';
import type { SegmentCause } from '#contract/fleet/meter.ts';
import type { Output } from '#contract/operations.ts';
import { decimals, t, type Word } from '#ui/languages/texts.ts';

type MeterDetail = Output<'equipment_meters'>['data'][number];
type Segment = MeterDetail['segments'][number];

/** The text for each basis of a meter. */
export const BASIS_TEXT: Readonly<Record<MeterBasis, Word>> = {
  control_unit: 'from a control unit',
  counted: 'counted by the gateway',
  manual: 'read by a person',
  feed: 'sent by a device as a value',
};

/** The text for each cause of a segment. */
export const CAUSE_TEXT: Readonly<Record<SegmentCause, Word>> = {
  first: 'first reading',
  rolled_back: 'the source began again at a lower number',
  jumped: 'the source rose faster than time allows',
  rolled_over: 'the counter reached its end and began again',
  source_changed: 'another source',
  swapped: 'another control unit',
  reconciled: 'reading of a person',
};

/** Returns a number of a meter with two decimals and its unit. */
export function meterNumber(value: number, unit: string): string {
  return `${decimals(value.toFixed(2))} ${unit}`;
}

/** Returns an offset with its sign. */
export function offsetText(offset: number, unit: string): string {
  return `${offset < 0 ? '−' : '+'}${meterNumber(Math.abs(offset), unit)}`;
}

/** Returns the source of a segment in words. */
export function sourceText({ basis, bus, source_address, spn, by }: Segment): string {
  if (basis === 'manual') return by?.name ?? t('a person');
  if (basis === 'counted') return t('engine speed above 0');
  if (bus === null) return t('telemetry points');
  const parameter = spn === null ? t('DBC signal') : `SPN ${spn}`;
  return t('CAN {bus}, address {address}, {parameter}', {
    bus,
    address: source_address ?? '?',
    parameter,
  });
}

/**
 * Returns why the chart of a meter and its total differ; null if they do not. History has the readings as the source sent them, and the
 * total adds the offset.
 */
export function chartNote(meter: { offset: number; unit: string; basis: MeterBasis } | undefined): string | null {
  if (meter === undefined) return null;
  if (meter.basis === 'counted' || meter.basis === 'manual')
    return t('The chart shows only readings that came from the machine. The present total is {basis}.', {
      basis: t(BASIS_TEXT[meter.basis]),
    });
  if (meter.offset === 0) return null;
  return t(
    'The chart shows the readings of the source. The total of the machine adds the offset {offset}; the section Meters says why.',
    { offset: offsetText(meter.offset, meter.unit) },
  );
}
