/**
 * Frames by the plan of a DBC: frames to every signal of their message, numbers only, nothing allocated per frame.
 *
 *   identifier -> message (11-bit table, 29-bit map, J1939 by parameter group) -> its signals as columns -> raw -> state -> value
 *
 * Nothing is clamped: what J1939 calls an error or not available has a state of its own and is no number. A multiplexed signal is
 * told only while its multiplexor selects it; one that the payload is too short for is not told.
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { PGN, pgnOf } from '#domain/j1939/identifier.ts';
import { type ValueState, valueState } from '#domain/j1939/signals.ts';
import { createTransport, type TransportCounters, type TransportSnapshot } from '#domain/j1939/transport.ts';
import {
  ACROSS,
  ANYWHERE,
  bitsAt,
  bytes,
  type Columns,
  DOUBLE,
  FIRST,
  HIGH,
  type Identifiers,
  LOW,
  OVER,
  SECOND,
  SINGLE,
  TWO_32,
  WIDE,
} from './columns.ts';
/** States as the numbers that a sink gets; 0 is valid. */
export const DBC_STATES = ['valid', 'specific', 'reserved', 'error', 'unavailable'] as const satisfies ValueState[];

/** Where values go: the number of the signal in the plan, what stood on the bus, and what it means in the unit of the DBC. */
export interface DbcSink {
  /** `value` is NaN unless the state is 0. A raw number of more than 53 bits is the nearest one; `frame` is that of the last packet of a transported message. */
  value(
    signal: number,
    raw: number,
    value: number,
    state: number,
    t_us: number,
    bus: number,
    sa: number,
    frame: number,
  ): void;
  /** A frame, or a transported message, that the DBC knows. */
  message?(message: number, t_us: number, bus: number, sa: number, frame: number): void;
  /** A data frame that it does not know. */
  unmatched?(id: number, extended: boolean, bus: number): void;
}

interface DbcCounters {
  frames: number;
  /** Frames and transported messages of which the DBC knows the message. */
  matched: number;
  unmatched: number;
  /** Error and remote frames. */
  ignored: number;
  /** Signals not told because the payload ended before them. */
  short: number;
  readonly transport: TransportCounters;
}

/** What a decoder needs to go on after a restart. */
export interface DbcSnapshot {
  readonly transport: TransportSnapshot;
}

export interface DbcDecoder {
  /** Batches must come in the order in which they were recorded. */
  decode(batch: FrameBatch, sink: DbcSink): void;
  readonly counters: DbcCounters;
  snapshot(): DbcSnapshot;
}

/** What a decoder works by. */
export interface DecodePlan {
  readonly columns: Columns;
  readonly ids: Identifiers;
  readonly start: Uint32Array;
  readonly muxed: Uint8Array;
  readonly swapped: Uint8Array;
}

/** Both groups carry parts of longer messages, and are no message themselves. */
const isTransport = (pgn: number): boolean => pgn === PGN.transportControl || pgn === PGN.transportData;

/** A decoder of the frames of one device. */
export function createDecoder({ columns, ids, start, muxed, swapped }: DecodePlan, snapshot?: DbcSnapshot): DbcDecoder {
  const { kind, shift, bits, mask, place, motorola, signed, needs, numerator, offset, denominator, largest } = columns;
  const { above, ranges } = columns;
  const { standard, extended, groups } = ids;
  const transport = createTransport(snapshot?.transport);
  const counters: DbcCounters = {
    frames: 0,
    matched: 0,
    unmatched: 0,
    ignored: 0,
    short: 0,
    transport: transport.counters,
  };
  /** Raw values of the multiplexors of the message at hand; -1 when it is not there. */
  const selected = new Float64Array(kind.length);

  /** The raw value of a signal that is not in the first eight bytes or has more than 32 bits. */
  const slow = (k: number, data: Uint8Array, at: number): number => {
    const where = place[k] as number;
    const isMotorola = motorola[k] === 1;
    const width = bits[k] as number;
    if (kind[k] === ANYWHERE) return bitsAt(data, at, where, width, isMotorola);
    if (kind[k] === SINGLE) {
      bytes.setUint32(0, bitsAt(data, at, where, 32, isMotorola));
      return finite(bytes.getFloat32(0));
    }
    const high = isMotorola
      ? bitsAt(data, at, where, width - 32, true)
      : bitsAt(data, at, where + 32, width - 32, false);
    const low = bitsAt(data, at, isMotorola ? where + width - 32 : where, 32, isMotorola);
    if (kind[k] === DOUBLE) {
      bytes.setUint32(0, high);
      bytes.setUint32(4, low);
      return finite(bytes.getFloat64(0));
    }
    const top = 2 ** (width - 33);
    return (signed[k] === 1 && high >= top ? high - 2 * top : high) * TWO_32 + low;
  };

  const selects = (k: number): boolean => {
    const raw = selected[above[k] as number] as number;
    for (const [from, to] of ranges[k] ?? []) if (raw >= from && raw <= to) return true;
    return false;
  };

  const tell = (
    m: number,
    data: Uint8Array,
    at: number,
    length: number,
    t_us: number,
    bus: number,
    sa: number,
    frame: number,
    sink: DbcSink,
  ): void => {
    counters.matched++;
    sink.message?.(m, t_us, bus, sa, frame);
    const low =
      (data[at] as number) |
      ((data[at + 1] as number) << 8) |
      ((data[at + 2] as number) << 16) |
      ((data[at + 3] as number) << 24);
    const high =
      (data[at + 4] as number) |
      ((data[at + 5] as number) << 8) |
      ((data[at + 6] as number) << 16) |
      ((data[at + 7] as number) << 24);
    let first = 0;
    let second = 0;
    if (swapped[m] === 1) {
      first = swap(low);
      second = swap(high);
    }
    const isMuxed = muxed[m] === 1;
    const end = start[m + 1] as number;
    for (let k = start[m] as number; k < end; k++) {
      if ((needs[k] as number) > length) {
        counters.short++;
        if (isMuxed) selected[k] = -1;
        continue;
      }
      if (isMuxed && (above[k] as number) >= 0 && !selects(k)) {
        selected[k] = -1;
        continue;
      }
      const s = shift[k] as number;
      let raw = 0;
      switch (kind[k]) {
        case LOW:
          raw = ((low >>> s) & (mask[k] as number)) >>> 0;
          break;
        case HIGH:
          raw = ((high >>> s) & (mask[k] as number)) >>> 0;
          break;
        case ACROSS:
          raw = (((low >>> s) | (high << (32 - s))) & (mask[k] as number)) >>> 0;
          break;
        case FIRST:
          raw = ((first >>> s) & (mask[k] as number)) >>> 0;
          break;
        case SECOND:
          raw = ((second >>> s) & (mask[k] as number)) >>> 0;
          break;
        case OVER:
          raw = (((first << s) | (second >>> (32 - s))) & (mask[k] as number)) >>> 0;
          break;
        default:
          raw = slow(k, data, at);
      }
      if (isMuxed) selected[k] = raw;
      if (signed[k] === 1 && kind[k] !== WIDE) raw = (raw << (32 - (bits[k] as number))) >> (32 - (bits[k] as number));
      if (raw <= (largest[k] as number))
        sink.value(
          k,
          raw,
          (raw * (numerator[k] as number) + (offset[k] as number)) / (denominator[k] as number),
          0,
          t_us,
          bus,
          sa,
          frame,
        );
      else sink.value(k, raw, Number.NaN, stateOf(raw, bits[k] as number), t_us, bus, sa, frame);
    }
  };

  return {
    counters,
    decode(batch, sink) {
      const { count, t, id, flags, bus, len, data, at, long } = batch;
      counters.frames += count;
      for (let i = 0; i < count; i++) {
        const flag = flags[i] as number;
        if ((flag & (FRAME.error | FRAME.remote)) !== 0) {
          counters.ignored++;
          continue;
        }
        const identifier = id[i] as number;
        const length = len[i] as number;
        const t_us = t[i] as number;
        const channel = bus[i] as number;
        const isExtended = (flag & FRAME.extended) !== 0;
        let found = 0;
        if (!isExtended) found = standard[identifier & 0x7ff] as number;
        else {
          if (extended.size > 0) found = extended.get(identifier) ?? 0;
          if (found === 0 && groups !== undefined) {
            const pgn = pgnOf(identifier);
            found = groups[pgn] as number;
            if (found === 0 && isTransport(pgn) && length <= 8) {
              const sa = identifier & 0xff;
              const da = (identifier >>> 8) & 0xff;
              const undated = (flag & FRAME.noTime) !== 0;
              if (pgn === PGN.transportControl) transport.control(t_us, channel, sa, da, data, i * 8, length, undated);
              else {
                const whole = transport.packet(t_us, channel, sa, da, data, i * 8, length, i, undated);
                const m = whole === undefined ? 0 : (groups[whole.pgn] as number);
                if (whole && m > 0) tell(m - 1, whole.data, 0, whole.size, t_us, channel, sa, i, sink);
              }
              continue;
            }
          }
        }
        if (found === 0) {
          counters.unmatched++;
          sink.unmatched?.(identifier, isExtended, channel);
        } else if (length <= 8) tell(found - 1, data, i * 8, length, t_us, channel, identifier & 0xff, i, sink);
        else tell(found - 1, long, at[i] as number, length, t_us, channel, identifier & 0xff, i, sink);
      }
      if (count > 0 && groups !== undefined) transport.sweep(t[count - 1] as number);
    },
    snapshot: () => ({ transport: transport.snapshot() }),
  };
}

/** A float that is no number says nothing. */
function finite(raw: number): number {
  return Number.isFinite(raw) ? raw : Number.NaN;
}

function swap(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** What an invalid raw value says, by its width; a value beyond what counts as valid is at least reserved. */
export function stateOf(raw: number, bits: number): number {
  return Math.max(1, DBC_STATES.indexOf(valueState(raw, bits)));
}
