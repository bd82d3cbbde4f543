/** Parses DM1 and DM2, the lamps and trouble codes of one control unit (J1939-73). */

/**
 * The layout of the SPN in the four bytes of a trouble code. If the conversion bit is 0, the layout is method 4. If the bit is 1, it is
 * method 1, 2 or 3, and the message does not say which.
 */
export type ConversionMethod = 1 | 2 | 3 | 4;

/**
 * The conversion method for codes with conversion bit 1 from one source. A `bus` of null matches every bus, and an address of null matches
 * every address.
 */
export interface ConversionRule {
  readonly bus: number | null;
  readonly source_address: number | null;
  readonly method: 1 | 2 | 3;
}

/** Returns the method of the first rule that matches a source. Returns undefined if no rule matches; the SPN is then unknown. */
export function conversionOf(rules: readonly ConversionRule[], bus: number, sa: number): ConversionMethod | undefined {
  return rules.find(
    (rule) => (rule.bus === null || rule.bus === bus) && (rule.source_address === null || rule.source_address === sa),
  )?.method;
}

const LAMP_STATES = ['off', 'on', 'error', 'unavailable'] as const;
type LampState = (typeof LAMP_STATES)[number];
const LAMP_FLASHES = ['slow', 'fast', 'reserved', 'steady'] as const;
type LampFlash = (typeof LAMP_FLASHES)[number];

interface Lamp {
  readonly state: LampState;
  readonly flash: LampFlash;
}

export interface Lamps {
  readonly mil: Lamp;
  readonly red_stop: Lamp;
  readonly amber: Lamp;
  readonly protect: Lamp;
}

export interface FaultCode {
  /** The SPN. It is null if the code has conversion bit 1 and the layout of its SPN is unknown. */
  readonly spn: number | null;
  readonly fmi: number;
  /** Null if the unit does not count occurrences. */
  readonly occurrence_count: number | null;
  /** The four bytes of the trouble code in hexadecimal. */
  readonly raw: string;
}

/** One received DM1 or DM2. `frame` is the index, in its batch, of the frame with which the message was complete. */
export interface FaultMessage {
  readonly t_us: number;
  readonly bus: number;
  readonly sa: number;
  readonly frame: number;
  readonly lamps: Lamps;
  readonly dtcs: readonly FaultCode[];
}

const HEX = '0123456789ABCDEF';

/**
 * Returns the state of one warning lamp in a DM1 or DM2. The flash state of a lamp that is off is always `steady`, because some units send
 * the flash bits 00 (slow) for such a lamp (J1939-73 5.7.1).
 */
function lamp(states: number, flashes: number, shift: number): Lamp {
  const state = LAMP_STATES[(states >> shift) & 3] as LampState;
  return { state, flash: state === 'off' ? 'steady' : (LAMP_FLASHES[(flashes >> shift) & 3] as LampFlash) };
}

function suspect(b1: number, b2: number, b3: number, method: ConversionMethod): number {
  if (method === 1) return (b1 << 11) | (b2 << 3) | (b3 >> 5);
  if (method === 2) return (b1 << 3) | (b2 << 11) | (b3 >> 5);
  return b1 | (b2 << 8) | ((b3 >> 5) << 16);
}

/**
 * Parses a trouble code of four bytes; returns undefined for padding. `method` is the layout for codes with conversion bit 1. If it is
 * absent, such a code gets the SPN null.
 */
export function parseFaultCode(
  data: Uint8Array,
  at: number,
  method: ConversionMethod | undefined,
): FaultCode | undefined {
  const b1 = data[at] as number;
  const b2 = data[at + 1] as number;
  const b3 = data[at + 2] as number;
  const b4 = data[at + 3] as number;
  const fmi = b3 & 31;
  const version4 = suspect(b1, b2, b3, 4);
  // SPN 0 with FMI 0 means "no code", and an SPN with all bits set means "not available". Control units use both as padding.
  if ((version4 === 0 && fmi === 0) || version4 === 0x7ffff) return undefined;
  const spn = b4 < 0x80 ? version4 : method === undefined ? null : suspect(b1, b2, b3, method);
  const occurrences = b4 & 127;
  let raw = '';
  for (let i = at; i < at + 4; i++) raw += (HEX[(data[i] as number) >> 4] as string) + HEX[(data[i] as number) & 15];
  return { spn, fmi, occurrence_count: occurrences === 127 ? null : occurrences, raw };
}

/** Parses the lamps and codes of a payload; returns undefined if the payload is too short for the lamps. */
export function parseFaults(
  data: Uint8Array,
  length: number,
  method: ConversionMethod | undefined,
): { readonly lamps: Lamps; readonly dtcs: readonly FaultCode[] } | undefined {
  if (length < 2) return undefined;
  const states = data[0] as number;
  const flashes = data[1] as number;
  const dtcs: FaultCode[] = [];
  for (let at = 2; at + 4 <= length; at += 4) {
    const code = parseFaultCode(data, at, method);
    if (code) dtcs.push(code);
  }
  return {
    lamps: {
      mil: lamp(states, flashes, 6),
      red_stop: lamp(states, flashes, 4),
      amber: lamp(states, flashes, 2),
      protect: lamp(states, flashes, 0),
    },
    dtcs,
  };
}
