/** The reverse of `decode.ts`: converts physical values to the bytes that a control unit would send. The simulator and the tests use it. */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { GLOBAL_ADDRESS, PGN } from './identifier.ts';
import { PARAMETERS, type Parameter } from './parameters.ts';
import { largestValid } from './signals.ts';

/** The rows of `PARAMETERS` by PGN, then by SPN. The SPN is a string, because the keys of `Values` are strings at run time. */
const byPgn = new Map<number, Map<string, Parameter>>();
for (const row of PARAMETERS) {
  const rows = byPgn.get(row.pgn) ?? new Map<string, Parameter>();
  byPgn.set(row.pgn, rows.set(String(row.spn), row));
}
const NOT_AVAILABLE = new Uint8Array(8).fill(0xff);

/** Physical values by SPN; null or a missing value is sent as "not available". */
export type Values = Readonly<Record<number, number | null>>;

/** Returns the raw number nearest to a physical value, limited to the valid range of the parameter. */
function rawOf(row: Parameter, physical: number): number {
  const raw = Math.round((physical - row.offset) / row.scale);
  return Math.min(Math.max(raw, 0), largestValid(row.bits));
}

/**
 * Returns the eight bytes of a parameter group. Throws if the table does not have the group, or if the group does not have an SPN in
 * `values`.
 */
export function encodeGroup(pgn: number, values: Values): Uint8Array {
  const rows = byPgn.get(pgn);
  if (rows === undefined) throw new Error(`parameter group ${pgn} is not in the table of parameters`);
  const data = NOT_AVAILABLE.slice();
  for (const key in values) {
    const row = rows.get(key);
    if (row === undefined) throw new Error(`SPN ${key} is not in parameter group ${pgn}`);
    const physical = values[key as unknown as number];
    if (physical !== null && physical !== undefined) putBits(data, row, rawOf(row, physical));
  }
  return data;
}

function putBits(data: Uint8Array, row: Parameter, raw: number): void {
  let rest = raw;
  let at = (row.byte - 1) * 8 + row.bit - 1;
  // Use multiplication and division, because the shift operators of JavaScript cannot handle unsigned 32-bit numbers.
  for (let left = row.bits; left > 0; ) {
    const shift = at % 8;
    const take = Math.min(8 - shift, left);
    const mask = 2 ** take - 1;
    const byte = at >> 3;
    data[byte] = ((data[byte] as number) & ~(mask << shift)) | ((rest % 2 ** take) << shift);
    rest = Math.floor(rest / 2 ** take);
    at += take;
    left -= take;
  }
}

/** Builds the 29-bit identifier from priority, PGN, source address and, in PDU1, destination address (SAE J1939-21 5.2). */
export function identifier(priority: number, pgn: number, source: number, destination = GLOBAL_ADDRESS): number {
  const pdu1 = ((pgn >> 8) & 0xff) < 240;
  return ((priority << 26) | (pgn << 8) | (pdu1 ? destination << 8 : 0) | source) >>> 0;
}

export interface DtcCode {
  readonly spn: number;
  readonly fmi: number;
  /** The number of occurrences; 127 means "not available". */
  readonly count: number;
}
export interface LampSet {
  readonly mil?: boolean;
  readonly red?: boolean;
  readonly amber?: boolean;
  readonly protect?: boolean;
}

/**
 * Returns the payload of a DM1 (SAE J1939-73 5.7.1): the lamps, the flash states (all "not flashing"), and four bytes per trouble code in
 * the version 4 layout.
 */
export function encodeDm1(lamps: LampSet, codes: readonly DtcCode[]): Uint8Array {
  const bits = (on: boolean | undefined, shift: number) => (on ? 1 : 0) << shift;
  const data = new Uint8Array(codes.length < 2 ? 8 : 2 + 4 * codes.length).fill(0xff);
  data[0] = bits(lamps.mil, 6) | bits(lamps.red, 4) | bits(lamps.amber, 2) | bits(lamps.protect, 0);
  data[1] = 0xff;
  // If no code is active, J1939 requires a code with SPN 0 and FMI 0 in the message.
  const listed = codes.length === 0 ? [{ spn: 0, fmi: 0, count: 0 }] : codes;
  listed.forEach(({ spn, fmi, count }, i) => {
    data.set([spn & 0xff, (spn >> 8) & 0xff, ((spn >> 16) << 5) | fmi, count & 0x7f], 2 + 4 * i);
  });
  return data;
}

/** One frame of a message; `after_us` is the time after the first frame, in microseconds. */
export interface TimedFrame {
  readonly after_us: number;
  readonly id: number;
  readonly data: Uint8Array;
}

const BAM = 0x20;
/** The minimum time between two packets of a broadcast (SAE J1939-21 5.10.3). */
const BAM_GAP_US = 50_000;

/** Returns the frames of a payload: one frame for up to 8 bytes, otherwise a BAM announcement and its packets. Throws above 1,785 bytes. */
export function framesOf(priority: number, pgn: number, source: number, payload: Uint8Array): TimedFrame[] {
  if (payload.length <= 8) return [{ after_us: 0, id: identifier(priority, pgn, source), data: payload }];
  if (payload.length > 1785)
    throw new Error(`the payload has ${payload.length} bytes; the transport protocol allows at most 1785`);
  const packets = Math.ceil(payload.length / 7);
  const group = [pgn & 0xff, (pgn >> 8) & 0xff, (pgn >> 16) & 0xff];
  const size = [payload.length & 0xff, payload.length >> 8];
  const frames: TimedFrame[] = [
    {
      after_us: 0,
      id: identifier(7, PGN.transportControl, source),
      data: Uint8Array.of(BAM, ...size, packets, 0xff, ...group),
    },
  ];
  for (let n = 1; n <= packets; n++) {
    const data = new Uint8Array(8).fill(0xff);
    data[0] = n;
    data.set(payload.subarray((n - 1) * 7, n * 7), 1);
    frames.push({ after_us: n * BAM_GAP_US, id: identifier(7, PGN.transportData, source), data });
  }
  return frames;
}

/** Adds a frame to a batch at a time in microseconds since 1970. */
export function pushFrame(into: FrameBatch, t_us: number, bus: number, id: number, data: Uint8Array): void {
  into.push(t_us, bus, id, FRAME.extended, data, 0, data.length);
}
