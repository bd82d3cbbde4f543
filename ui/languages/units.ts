/**
 * The US units of values that screens show. The gateway stores and sends metric values; only what a screen draws is converted. A converted
 * number has as many decimals as the number that the gateway sent, and one more if its unit is larger, so that a value and its limit that
 * differ never look the same.
 */
import { formatNumber, readNumber } from '#contract/base/format-number.ts';
import { decimals, language } from './texts.ts';

interface Conversion {
  readonly unit: string;
  readonly factor: number;
  readonly offset?: number;
}

/** Conversions by metric unit. Percent, rpm, hours, volts, degrees and tonnes are the same in both. */
const US: Readonly<Record<string, Conversion>> = {
  '°C': { unit: '°F', factor: 1.8, offset: 32 },
  kPa: { unit: 'psi', factor: 0.145_037_738 },
  L: { unit: 'gal', factor: 0.264_172_052 },
  'L/h': { unit: 'gal/h', factor: 0.264_172_052 },
  'km/h': { unit: 'mph', factor: 0.621_371_192 },
  km: { unit: 'mi', factor: 0.621_371_192 },
  m: { unit: 'ft', factor: 3.280_839_895 },
};

const conversionOf = (unit: string) => (language().us && Object.hasOwn(US, unit) ? US[unit] : undefined);

/** Returns the unit in which a screen shows values of this unit. */
export function shownUnit(unit: string): string {
  return conversionOf(unit)?.unit ?? unit;
}

/** Returns a value of this unit in the unit that the screen shows. */
export function shownValue(value: number, unit: string): number {
  const to = conversionOf(unit);
  return to === undefined ? value : value * to.factor + (to.offset ?? 0);
}

/** Returns a formatted number of this unit as the screen shows it. A change, for example of a temperature, has no zero point. */
export function shownNumber(text: string, unit: string, isChange = false): string {
  const to = conversionOf(unit);
  const value = readNumber(text);
  if (to === undefined || Number.isNaN(value)) return decimals(text);
  const digits = (text.split('.')[1]?.length ?? 0) + (to.factor < 1 ? 1 : 0);
  return decimals(formatNumber(value * to.factor + (isChange ? 0 : (to.offset ?? 0)), digits));
}

/** Returns a text such as "110 °C" as the screen shows it. A text that is no number with a unit stays as it is. */
export function shownQuantity(text: string, isChange = false): string {
  const found = /^([^ ]+) ([^ ]+)$/.exec(text);
  const [, number = '', unit = ''] = found ?? [];
  if (found === null || Number.isNaN(readNumber(number))) return text;
  return `${shownNumber(number, unit, isChange)} ${shownUnit(unit)}`;
}
