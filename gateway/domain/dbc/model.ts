/** The data model of a parsed DBC file: messages, signals and bit positions. */

/**
 * A decimal number of the file. `value` is the number as a double, which may be rounded. `exact` is the same number without rounding: the
 * integer `digits` divided by 10 to the power of `places`. `exact` is undefined if the number has too many digits.
 */
export interface Decimal {
  readonly value: number;
  readonly exact: { readonly digits: number; readonly places: number } | undefined;
}

/** Selects a multiplexed signal: if the multiplexor has one of these values, the payload contains the signal. */
export interface Selector {
  /** The name of the multiplexor: an integer signal of at most 32 bits in the same message. */
  readonly by: string;
  /** Inclusive ranges, compared with the raw value of the multiplexor as an unsigned number. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

export interface DbcSignal {
  readonly name: string;
  /** The start bit as the file writes it: the least significant bit of an Intel signal, the most significant of a Motorola signal. */
  readonly start: number;
  readonly bits: number;
  readonly motorola: boolean;
  readonly signed: boolean;
  readonly float: boolean;
  readonly factor: Decimal;
  readonly offset: Decimal;
  /**
   * The physical range in the unit of the file. It is null if the minimum is not below the maximum; many files have [0|0] when they state
   * no range.
   */
  readonly range: { readonly min: number; readonly max: number } | null;
  readonly unit: string;
  readonly multiplexor: boolean;
  readonly selector: Selector | null;
  readonly spn: number | null;
  /** Names of raw values, from VAL_ sections. */
  readonly labels: ReadonlyMap<number, string>;
  readonly comment: string;
}

export interface DbcMessage {
  /** The identifier of 11 bits, or of 29 bits if `extended`. */
  readonly id: number;
  readonly extended: boolean;
  /** True if frames match by PGN. Priority, source address and (in PDU1) destination address are then ignored. */
  readonly j1939: boolean;
  readonly name: string;
  /** The length of the payload in bytes. */
  readonly length: number;
  readonly sender: string;
  readonly comment: string;
  readonly signals: readonly DbcSignal[];
}

export interface Dbc {
  readonly version: string;
  readonly nodes: readonly string[];
  readonly messages: readonly DbcMessage[];
  /** Notes on the parts of the file that were left out; at most 100. */
  readonly notes: readonly string[];
}

/** Returns the index of the byte that contains the last bit of a signal. */
export function lastByte(start: number, bits: number, motorola: boolean): number {
  if (!motorola) return (start + bits - 1) >> 3;
  return (bigEndian(start) + bits - 1) >> 3;
}

/** Converts the start bit of a Motorola signal to a count from the most significant bit of the first byte. */
export function bigEndian(start: number): number {
  return (start & ~7) + 7 - (start & 7);
}

/** Parses a decimal number such as `-1.5e-3`. */
export function decimalOf(text: string): Decimal {
  const value = Number(text);
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', behind = ''] = mantissa.split('.');
  const trimmed = behind.replace(/0+$/, '');
  const places = trimmed.length - Number(exponent);
  const digits = Number(`${whole}${trimmed}`);
  return { value, exact: Number.isSafeInteger(digits) && Math.abs(places) <= 15 ? { digits, places } : undefined };
}
