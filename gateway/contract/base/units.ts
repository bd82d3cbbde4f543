/** Spellings of units in DBC files, and conversions to the unit of a signal. */
import { type SignalName, signalRow } from './signals.ts';

/** value in our unit = value in the file's unit × `factor` + `offset`. */
export interface Conversion {
  readonly factor: number;
  readonly offset: number;
}

type Spelling = readonly [unit: string, factor: number, offset?: number];

/** Spellings in files for each of our units, in lower case without spaces and dots. */
const SPELLINGS: Readonly<Record<string, readonly Spelling[]>> = {
  rpm: [
    ['rpm', 1],
    ['1/min', 1],
    ['u/min', 1],
    ['r/min', 1],
    ['min-1', 1],
    ['rad/s', 30 / Math.PI],
  ],
  '%': [
    ['%', 1],
    ['percent', 1],
    ['pct', 1],
  ],
  'L/h': [
    ['l/h', 1],
    ['l/hr', 1],
    ['lph', 1],
    ['gal/h', 3.785411784],
    ['gph', 3.785411784],
    ['ml/s', 3.6],
  ],
  '°C': [
    ['°c', 1],
    ['degc', 1],
    ['c', 1],
    ['celsius', 1],
    ['k', 1, -273.15],
    ['°f', 5 / 9, -160 / 9],
    ['degf', 5 / 9, -160 / 9],
    ['f', 5 / 9, -160 / 9],
  ],
  kPa: [
    ['kpa', 1],
    ['pa', 0.001],
    ['hpa', 0.1],
    ['mbar', 0.1],
    ['bar', 100],
    ['psi', 6.894757293168],
    ['mpa', 1_000],
  ],
  h: [
    ['h', 1],
    ['hr', 1],
    ['hrs', 1],
    ['hour', 1],
    ['hours', 1],
    ['min', 1 / 60],
    ['s', 1 / 3_600],
    ['sec', 1 / 3_600],
  ],
  L: [
    ['l', 1],
    ['litre', 1],
    ['liter', 1],
    ['ml', 0.001],
    ['m3', 1_000],
    ['gal', 3.785411784],
  ],
  km: [
    ['km', 1],
    ['m', 0.001],
    ['mi', 1.609344],
    ['mile', 1.609344],
    ['miles', 1.609344],
  ],
  'km/h': [
    ['km/h', 1],
    ['kmh', 1],
    ['kph', 1],
    ['m/s', 3.6],
    ['mph', 1.609344],
    ['mi/h', 1.609344],
  ],
  t: [
    ['t', 1],
    ['tonne', 1],
    ['kg', 0.001],
    ['lb', 0.00045359237],
    ['lbs', 0.00045359237],
  ],
  V: [
    ['v', 1],
    ['volt', 1],
    ['mv', 0.001],
  ],
  '°': [
    ['°', 1],
    ['deg', 1],
    ['degree', 1],
    ['degrees', 1],
    ['rad', 180 / Math.PI],
  ],
};

/** The conversion from a unit of a file to the unit of a signal; undefined if there is none. */
export function conversionOf(unit: string, to: SignalName): Conversion | undefined {
  const plain = unit.toLowerCase().replace(/[\s.]/g, '').replace('º', '°');
  const found = SPELLINGS[signalRow(to).unit]?.find(([spelling]) => spelling === plain);
  return found && { factor: found[1], offset: found[2] ?? 0 };
}

/** Units that can be converted to the unit of a signal. */
export function unitsOf(to: SignalName): string[] {
  return (SPELLINGS[signalRow(to).unit] ?? []).map(([unit]) => unit);
}
