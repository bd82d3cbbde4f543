/**
 * Compiles a DBC file to a plan. With the tables of the plan, a decoder decodes many frames fast. The plan also has a slower function that
 * reads a single payload without rounding.
 */

import type { ValueState } from '#domain/j1939/signals.ts';
import { bitsAt, bytes, type Columns, columnsOf, identifiersOf, type PlannedSignal } from './columns.ts';
import { createDecoder, type DbcDecoder, type DbcSnapshot } from './decode.ts';
import { DBC_STATES, stateOf } from './message-reader.ts';
import type { Dbc, DbcMessage, DbcSignal } from './model.ts';

export interface DbcPlan {
  readonly messages: readonly DbcMessage[];
  /** All signals, grouped by message; a multiplexor comes before the signals that it selects. */
  readonly signals: readonly PlannedSignal[];
  /** Returns the number of a signal in `signals`; undefined if the file has no signal of that name. */
  find(message: string, signal: string): number | undefined;
  /** Creates a decoder for the frames of one device. */
  decoder(snapshot?: DbcSnapshot): DbcDecoder;
  /** Reads every signal that a payload of this message contains. Raw values of more than 53 bits are bigint, so that they stay exact. */
  read(message: number, payload: Uint8Array): readonly ExactValue[];
  /** Notes about messages that are never decoded, because an earlier message of the file has the same PGN. */
  readonly notes: readonly string[];
}

/** A value of a signal with its exact raw number. */
export interface ExactValue {
  readonly signal: number;
  readonly raw: bigint | number;
  /** The value; null if the state is not `valid`. */
  readonly value: number | null;
  readonly state: ValueState;
  readonly label: string | null;
}

/** Compiles a parsed DBC file. */
export function compileDbc(dbc: Dbc): DbcPlan {
  const notes: string[] = [];
  const { messages } = dbc;
  const signals: PlannedSignal[] = [];
  const start = new Uint32Array(messages.length + 1);
  const muxed = new Uint8Array(messages.length);
  const swapped = new Uint8Array(messages.length);
  messages.forEach((message, m) => {
    const ordered = inOrder(message.signals);
    for (const signal of ordered) signals.push({ message, signal });
    start[m + 1] = signals.length;
    muxed[m] = Number(ordered.some(({ selector }) => selector !== null));
    swapped[m] = Number(ordered.some(({ motorola }) => motorola));
  });
  const columns = columnsOf(messages, signals, start);
  const ids = identifiersOf(messages, notes);
  const names = new Map(signals.map(({ message, signal }, i) => [`${message.name}.${signal.name}`, i]));

  return {
    messages,
    signals,
    notes,
    find: (message, signal) => names.get(`${message}.${signal}`),
    decoder: (snapshot) => createDecoder({ columns, ids, start, muxed, swapped }, snapshot),
    read: (message, payload) =>
      readExact(signals, columns, start[message] as number, start[message + 1] as number, payload),
  };
}

/** Sorts the signals so that each multiplexor comes before the signals that it selects. */
function inOrder(signals: readonly DbcSignal[]): DbcSignal[] {
  const byName = new Map(signals.map((signal) => [signal.name, signal]));
  const depth = (signal: DbcSignal): number => {
    let levels = 0;
    for (let at: DbcSignal | undefined = signal; at?.selector; at = byName.get(at.selector.by)) levels++;
    return levels;
  };
  return signals
    .map((signal) => ({ signal, levels: depth(signal) }))
    .sort((a, b) => a.levels - b.levels)
    .map(({ signal }) => signal);
}

function readExact(
  signals: readonly PlannedSignal[],
  columns: Columns,
  from: number,
  to: number,
  payload: Uint8Array,
): ExactValue[] {
  const bitsOf = new Map<number, bigint>();
  const values: ExactValue[] = [];
  for (let k = from; k < to; k++) {
    const { signal } = signals[k] as PlannedSignal;
    const above = columns.above[k] as number;
    const selector = bitsOf.get(above);
    if ((columns.needs[k] as number) > payload.length) continue;
    if (
      above >= 0 &&
      !(columns.ranges[k] ?? []).some(([a, b]) => selector !== undefined && selector >= a && selector <= b)
    )
      continue;
    const unsigned = exactBits(payload, columns.place[k] as number, signal.bits, signal.motorola);
    bitsOf.set(k, unsigned);
    values.push(exactValue(k, signal, columns, unsigned));
  }
  return values;
}

function exactValue(k: number, signal: DbcSignal, columns: Columns, unsigned: bigint): ExactValue {
  if (signal.float) {
    const raw = signal.bits === 32 ? floatOf(unsigned) : doubleOf(unsigned);
    const isNumber = Number.isFinite(raw);
    const value = isNumber ? scaled(columns, k, raw) : null;
    return { signal: k, raw, value, state: isNumber ? 'valid' : 'unavailable', label: null };
  }
  const raw = signal.signed ? BigInt.asIntN(signal.bits, unsigned) : unsigned;
  const state =
    raw <= (columns.largest[k] as number) ? 'valid' : (DBC_STATES[stateOf(Number(raw), signal.bits)] ?? 'reserved');
  const [numerator, offset] = [columns.numerator[k] as number, columns.offset[k] as number];
  const value =
    Number.isInteger(numerator) && Number.isInteger(offset)
      ? Number(raw * BigInt(numerator) + BigInt(offset)) / (columns.denominator[k] as number)
      : scaled(columns, k, Number(raw));
  return {
    signal: k,
    raw: signal.bits > 53 ? raw : Number(raw),
    value: state === 'valid' ? value : null,
    state,
    label: signal.labels.get(Number(raw)) ?? null,
  };
}

function scaled({ numerator, offset, denominator }: Columns, k: number, raw: number): number {
  return (raw * (numerator[k] as number) + (offset[k] as number)) / (denominator[k] as number);
}

function exactBits(payload: Uint8Array, place: number, bits: number, motorola: boolean): bigint {
  if (bits <= 32) return BigInt(bitsAt(payload, 0, place, bits, motorola));
  const high = bitsAt(payload, 0, motorola ? place : place + 32, bits - 32, motorola);
  const low = bitsAt(payload, 0, motorola ? place + bits - 32 : place, 32, motorola);
  return (BigInt(high) << 32n) | BigInt(low);
}

function floatOf(word: bigint): number {
  bytes.setUint32(0, Number(word));
  return bytes.getFloat32(0);
}

function doubleOf(word: bigint): number {
  bytes.setBigUint64(0, word);
  return bytes.getFloat64(0);
}
