/** What a DBC says: messages, their signals, and how these count their bits. */

/** A number as it is written: `digits` with the point `places` from the right, so that 0.1 is a tenth; undefined for one of too many digits. */
export interface Decimal {
  readonly value: number;
  readonly exact: { readonly digits: number; readonly places: number } | undefined;
}

/** Which value of a multiplexor a signal belongs to. */
export interface Selector {
  /** Name of the multiplexor, a signal of the same message of up to 32 bits. */
  readonly by: string;
  /** Inclusive, over its bits without sign. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

export interface DbcSignal {
  readonly name: string;
  /** As the DBC counts: Intel from the least significant bit, Motorola from the most significant one. */
  readonly start: number;
  readonly bits: number;
  readonly motorola: boolean;
  readonly signed: boolean;
  readonly float: boolean;
  readonly factor: Decimal;
  readonly offset: Decimal;
  /** Null where the file writes [0|0] or an empty range: none. */
  readonly range: { readonly min: number; readonly max: number } | null;
  readonly unit: string;
  readonly multiplexor: boolean;
  readonly selector: Selector | null;
  readonly spn: number | null;
  /** What raw values are called. */
  readonly labels: ReadonlyMap<number, string>;
  readonly comment: string;
}

export interface DbcMessage {
  /** 11 or 29 bits. */
  readonly id: number;
  readonly extended: boolean;
  /** Told apart by its parameter group: source, priority and, in PDU1, destination are not looked at. */
  readonly j1939: boolean;
  readonly name: string;
  /** Bytes. */
  readonly length: number;
  readonly sender: string;
  readonly comment: string;
  readonly signals: readonly DbcSignal[];
}

export interface Dbc {
  readonly version: string;
  readonly nodes: readonly string[];
  readonly messages: readonly DbcMessage[];
  /** What was left out, and why; at most 100. */
  readonly notes: readonly string[];
}

/** The byte that holds the last bit of a signal. */
export function lastByte(start: number, bits: number, motorola: boolean): number {
  if (!motorola) return (start + bits - 1) >> 3;
  return (bigEndian(start) + bits - 1) >> 3;
}

/** The place of a Motorola signal's first bit, counted from the most significant bit of the first byte. */
export function bigEndian(start: number): number {
  return (start & ~7) + 7 - (start & 7);
}

/** A number with what is written of it. */
export function decimalOf(text: string): Decimal {
  const value = Number(text);
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', behind = ''] = mantissa.split('.');
  const trimmed = behind.replace(/0+$/, '');
  const places = trimmed.length - Number(exponent);
  const digits = Number(`${whole}${trimmed}`);
  return { value, exact: Number.isSafeInteger(digits) && Math.abs(places) <= 15 ? { digits, places } : undefined };
}
