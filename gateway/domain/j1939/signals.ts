/**
 * Reads raw values from payloads, finds their state, and scales them. The scaling rounds a value only once. If it rounded more often, a
 * printed value could have more decimals than SAE defines, for example 0.30000000000000004.
 */
import type { Parameter } from './parameters.ts';

/** The states of a raw value; only `valid` values become numbers. */
const VALUE_STATES = ['valid', 'specific', 'reserved', 'error', 'unavailable'] as const;
export type ValueState = (typeof VALUE_STATES)[number];

/** Returns the raw value of a parameter in a payload; undefined when the payload is too short for it. */
export function extractRaw(row: Parameter, data: Uint8Array, length: number): number | undefined {
  const first = row.byte - 1;
  const shift = row.bit - 1;
  const bytes = Math.ceil((shift + row.bits) / 8);
  if (first + bytes > length) return undefined;
  let raw = 0;
  for (let i = bytes - 1; i >= 0; i--) raw = raw * 256 + (data[first + i] as number);
  return Math.floor(raw / 2 ** shift) % 2 ** row.bits;
}

/**
 * Returns the state of a raw value (J1939-71). In a value of whole bytes the most significant byte decides the state. In a bit field the
 * largest value means "not available", and the second largest means "error".
 */
export function valueState(raw: number, bits: number): ValueState {
  if (bits % 8 !== 0) {
    if (bits < 2) return 'valid';
    const top = 2 ** bits - 1;
    return raw === top ? 'unavailable' : raw === top - 1 ? 'error' : 'valid';
  }
  const indicator = Math.floor(raw / 2 ** (bits - 8));
  if (indicator <= 0xfa) return 'valid';
  if (indicator === 0xfb) return 'specific';
  if (indicator <= 0xfd) return 'reserved';
  return indicator === 0xfe ? 'error' : 'unavailable';
}

/** Returns the largest valid raw value of a parameter with `bits` bits. */
export function largestValid(bits: number): number {
  if (bits % 8 !== 0) return bits < 2 ? 2 ** bits - 1 : 2 ** bits - 3;
  return 0xfb * 2 ** (bits - 8) - 1;
}

/** Returns a scale as a fraction, so that `raw * numerator / denominator` is rounded only once. */
export function fraction(scale: number): { readonly numerator: number; readonly denominator: number } {
  for (let denominator = 1; denominator <= 2048; denominator++) {
    const numerator = Math.round(scale * denominator);
    if (numerator > 0 && Math.abs(numerator / denominator - scale) <= scale * 1e-12) return { numerator, denominator };
  }
  // The scale of positions is 1e-7 degrees, which needs a larger denominator than the loop tries.
  if (Math.abs(scale * 1e7 - 1) < 1e-9) return { numerator: 1, denominator: 1e7 };
  return { numerator: scale, denominator: 1 };
}

/** Returns the physical value of a raw value, in the unit of the parameter. */
export function physicalOf(row: Parameter, raw: number): number {
  const { numerator, denominator } = fraction(row.scale);
  return (raw * numerator + row.offset * denominator) / denominator;
}
