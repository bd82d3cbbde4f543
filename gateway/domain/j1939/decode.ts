/**
 * Decodes frames to signals. This code runs for every frame, so it must be fast. It looks up the PGN of the frame in a table, reads only
 * the parameters that measure a signal of the gateway, and allocates no memory for a frame.
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { createDecodedValue, type DecodedValue, setSource } from '#domain/base/decoded-value.ts';
import type { ClaimMessage } from './addresses.ts';
import type { BusInventory } from './bus-inventory.ts';
import { type ConversionMethod, type FaultMessage, parseFaults } from './faults.ts';
import { PGN, pgnOf } from './identifier.ts';
import { type IdentityMessage, parseFields, parseVin } from './identity.ts';
import { nameKey } from './name.ts';
import { PARAMETERS } from './parameters.ts';
import { fraction, largestValid, type ValueState, valueState } from './signals.ts';
import { createTransport, type TransportCounters, type TransportMessage, type TransportSnapshot } from './transport.ts';

/** Receives the decoded values and messages. */
export interface DecodeSink {
  /** Called for each valid parameter with a signal: its index in PARAMETERS, and the value in the unit of the signal. */
  signal(parameter: number, decoded: DecodedValue): void;
  /**
   * Called for each parameter with a signal whose raw number is not valid: its index in PARAMETERS, and the state that the raw number means,
   * for example `error`. `decoded` has no value then.
   */
  invalid?(parameter: number, state: ValueState, decoded: DecodedValue): void;
  /** Called for each DM1, the message with the warning lamps and the active trouble codes of a control unit. */
  faults(message: FaultMessage): void;
  /** Called for each DM2, the message with the previously active trouble codes of a control unit. */
  previous?(message: FaultMessage): void;
  identity?(message: IdentityMessage): void;
  claim?(message: ClaimMessage): void;
  /**
   * Called for each frame that is not J1939 data. It returns true if it has decoded the frame itself; the decoder then does not count the
   * frame as ignored.
   */
  other?(batch: FrameBatch, frame: number): boolean;
}

interface DecodeCounters {
  frames: number;
  /**
   * The number of frames that were not decoded because they are not J1939 data: 11-bit frames, remote frames, error frames, and frames of
   * more than 8 bytes.
   */
  ignored: number;
  /** The number of frames with a parameter group that is not decoded. */
  unknown: number;
  readonly transport: TransportCounters;
}

export interface DecoderSnapshot {
  readonly frames: number;
  readonly ignored: number;
  readonly unknown: number;
  readonly transport: TransportSnapshot;
}

export interface Decoder {
  /** Decodes a batch and counts every frame in `inventory`; `received_us` replaces times before 2001 or in the future. */
  decode(batch: FrameBatch, sink: DecodeSink, inventory?: BusInventory, received_us?: number): void;
  readonly counters: DecodeCounters;
  /** Returns the open transport sessions and the counters as plain JSON. */
  snapshot(): DecoderSnapshot;
}

export interface DecoderOptions {
  readonly snapshot?: DecoderSnapshot;
  /**
   * Some control units send trouble codes in an older layout, which they mark with the conversion bit 1. The function returns the layout
   * that a source uses. If it returns undefined, the SPN of these codes stays unknown.
   */
  readonly conversion?: (bus: number, sa: number) => ConversionMethod | undefined;
}

// These constants say what the decoder does with a PGN: it ignores UNKNOWN, and runs a special function for each kind of message from
// CONTROL to CLAIM. Values from FIRST_GROUP on mean a parameter group from which the decoder reads signals.
const UNKNOWN = 0;
const CONTROL = 1;
const DATA = 2;
const EXTENDED = 3;
const DM1 = 4;
const VIN = 5;
const COMPONENT = 6;
const SOFTWARE = 7;
const DM2 = 8;
const CLAIM = 9;
const FIRST_GROUP = 10;

/** The meaning of each PGN of 18 bits; the low byte of a PDU1 PGN is 0. */
const MEANING = new Uint8Array(0x40000);
MEANING[PGN.transportControl] = CONTROL;
MEANING[PGN.transportData] = DATA;
MEANING[PGN.extendedTransportControl] = EXTENDED;
MEANING[PGN.extendedTransportData] = EXTENDED;
MEANING[PGN.dm1] = DM1;
MEANING[PGN.dm2] = DM2;
MEANING[PGN.addressClaim] = CLAIM;
MEANING[PGN.vehicleIdentification] = VIN;
MEANING[PGN.componentIdentification] = COMPONENT;
MEANING[PGN.softwareIdentification] = SOFTWARE;

// An extractor describes how to read one signal: its first byte, width, largest valid value and scaling. The extractors of one
// parameter group have consecutive indexes. A signal has one, two or four whole bytes.
const GROUPS = [...new Set(PARAMETERS.map((row) => row.pgn))];
const EXTRACTORS = GROUPS.flatMap((pgn) =>
  PARAMETERS.flatMap((row, index) => (row.pgn === pgn && row.signal !== null ? [{ row, index }] : [])),
);
for (const { row } of EXTRACTORS) {
  if (row.bit !== 1 || ![8, 16, 32].includes(row.bits))
    throw new Error(`SPN ${row.spn} must have one, two or four whole bytes`);
}
const INDEX = Uint16Array.from(EXTRACTORS, ({ index }) => index);
const FROM = Uint16Array.from(EXTRACTORS, ({ row }) => row.byte - 1);
const WIDTH = Uint8Array.from(EXTRACTORS, ({ row }) => row.bits / 8);
const LARGEST = Float64Array.from(EXTRACTORS, ({ row }) => largestValid(row.bits));
const NUMERATOR = Float64Array.from(EXTRACTORS, ({ row }) => fraction(row.scale * row.factor).numerator);
const DENOMINATOR = Float64Array.from(EXTRACTORS, ({ row }) => fraction(row.scale * row.factor).denominator);
/**
 * The offset multiplied by the denominator. The decoder computes (raw * numerator + this offset) / denominator, so only the division
 * rounds.
 */
const OFFSET = Float64Array.from(EXTRACTORS, ({ row }, k) => row.offset * row.factor * (DENOMINATOR[k] as number));
/** The extractors of group g have the indexes from START[g] to START[g + 1] - 1. */
const START = new Uint16Array(GROUPS.length + 1);
GROUPS.forEach((pgn, group) => {
  MEANING[pgn] = FIRST_GROUP + group;
  const count = EXTRACTORS.filter(({ row }) => row.pgn === pgn).length;
  START[group + 1] = (START[group] as number) + count;
});

/** Reports the valid signals of one payload: `length` bytes of `data` from `at`. `decoded` has the time and the source already. */
function extract(
  meaning: number,
  data: Uint8Array,
  at: number,
  length: number,
  decoded: DecodedValue,
  sink: DecodeSink,
): void {
  const end = START[meaning - FIRST_GROUP + 1] as number;
  for (let k = START[meaning - FIRST_GROUP] as number; k < end; k++) {
    const from = FROM[k] as number;
    const width = WIDTH[k] as number;
    if (from + width > length) continue;
    const p = at + from;
    let raw = data[p] as number;
    if (width > 1) raw |= (data[p + 1] as number) << 8;
    if (width > 2) raw = (raw | ((data[p + 2] as number) << 16) | ((data[p + 3] as number) << 24)) >>> 0;
    decoded.raw = raw;
    if (raw > (LARGEST[k] as number)) {
      sink.invalid?.(INDEX[k] as number, valueState(raw, width * 8), decoded);
      continue;
    }
    decoded.value = (raw * (NUMERATOR[k] as number) + (OFFSET[k] as number)) / (DENOMINATOR[k] as number);
    sink.signal(INDEX[k] as number, decoded);
  }
}

/** Returns true if the decoder reads the parameter group. */
export function isDecoded(pgn: number): boolean {
  return MEANING[pgn] !== UNKNOWN;
}

// The decoder ignores every frame that is not an extended data frame.
const KIND = FRAME.extended | FRAME.remote | FRAME.error;

/** Creates a decoder for the frames of one device. The caller must pass batches in the order in which they were recorded. */
export function createDecoder(options: DecoderOptions = {}): Decoder {
  const { snapshot, conversion } = options;
  const transport = createTransport(snapshot?.transport);
  const counters: DecodeCounters = {
    frames: snapshot?.frames ?? 0,
    ignored: snapshot?.ignored ?? 0,
    unknown: snapshot?.unknown ?? 0,
    transport: transport.counters,
  };

  const decoded = createDecodedValue();

  /** Handles trouble codes, address claims and identification, from a single frame or from a reassembled message. */
  const special = (
    meaning: number,
    data: Uint8Array,
    at: number,
    length: number,
    { t_us, bus, sa, frame }: DecodedValue,
    sink: DecodeSink,
  ) => {
    const payload = data.subarray(at, at + length);
    if (meaning === DM1 || meaning === DM2) {
      const found = parseFaults(payload, length, conversion?.(bus, sa));
      if (!found) return;
      if (meaning === DM1) sink.faults({ t_us, bus, sa, frame, ...found });
      else sink.previous?.({ t_us, bus, sa, frame, ...found });
    } else if (meaning === CLAIM) {
      const name = nameKey(payload, 0, length);
      if (name !== undefined) sink.claim?.({ t_us, bus, sa, frame, name });
    } else if (sink.identity) {
      const kind = meaning === VIN ? 'vin' : meaning === COMPONENT ? 'component' : 'software';
      // The first byte of a software identification (SOFT) is the number of its fields, so the text begins at byte 1.
      const text =
        kind === 'vin' ? parseVin(payload, length) : parseFields(payload, kind === 'software' ? 1 : 0, length);
      if (text !== undefined) sink.identity({ t_us, bus, sa, kind, text });
    }
  };

  const reassembled = (message: TransportMessage, sink: DecodeSink) => {
    const { pgn, data, size } = message;
    const meaning = MEANING[pgn] as number;
    setSource(decoded, message.t_us, message.bus, message.sa, message.frame);
    if (meaning >= FIRST_GROUP) extract(meaning, data, 0, size, decoded, sink);
    else if (meaning >= DM1) special(meaning, data, 0, size, decoded, sink);
  };

  return {
    counters,
    decode(batch, sink, inventory, received_us = Number.MAX_SAFE_INTEGER) {
      const { count, t, id, flags, bus, len, data } = batch;
      let ignored = 0;
      let unknown = 0;
      let next = 0;
      for (let i = 0; i < count; i++) {
        if (i === next && inventory !== undefined) next = inventory.proceed(batch, i, received_us);
        const length = len[i] as number;
        const identifier = id[i] as number;
        const channel = bus[i] as number;
        if (((flags[i] as number) & KIND) !== FRAME.extended || length > 8) {
          inventory?.countOther(identifier, channel, length, flags[i] as number);
          if (sink.other?.(batch, i) !== true) ignored++;
          continue;
        }
        inventory?.count(identifier, channel, length);
        const meaning = MEANING[pgnOf(identifier)] as number;
        if (meaning === UNKNOWN) {
          unknown++;
          continue;
        }
        const t_us = t[i] as number;
        const sa = identifier & 0xff;
        if (meaning >= FIRST_GROUP) {
          setSource(decoded, t_us, channel, sa, i);
          extract(meaning, data, i * 8, length, decoded, sink);
        } else if (meaning >= DM1) {
          setSource(decoded, t_us, channel, sa, i);
          special(meaning, data, i * 8, length, decoded, sink);
        } else if (meaning === EXTENDED) transport.counters.extended++;
        else {
          // Both transport groups are PDU1, so the PS byte of the identifier is the destination address.
          const da = (identifier >>> 8) & 0xff;
          const undated = ((flags[i] as number) & FRAME.noTime) !== 0;
          if (meaning === CONTROL) transport.control(t_us, channel, sa, da, data, i * 8, length, undated);
          else {
            const message = transport.packet(t_us, channel, sa, da, data, i * 8, length, i, undated);
            if (message) reassembled(message, sink);
          }
        }
      }
      counters.frames += count;
      counters.ignored += ignored;
      counters.unknown += unknown;
      if (count > 0) transport.sweep(t[count - 1] as number);
    },
    snapshot() {
      const { frames, ignored, unknown } = counters;
      return { frames, ignored, unknown, transport: transport.snapshot() };
    },
  };
}
