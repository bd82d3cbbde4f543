/**
 * The bytes of a rollup: the statistics of the minutes of a machine and UTC day, one column per signal, and the states of all signals. A column has the arrays of a
 * `MinuteSeries` except `at`, the times of the last values. The reader computes these times: the last second that has a value, according to
 * the bits in `early` and `late`, is the second of the last value.
 */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import { listOf, openColumns, sealColumns } from './columns.ts';
import { MINUTE_FIELDS, type MinuteSeries } from './minutes.ts';
import type { Origin } from './origins.ts';
import type { RawRange } from './samples.ts';
import type { StateRuns } from './states.ts';
import { readStates, statesColumns, statesMeta } from './states-column.ts';

/** The content of a rollup. */
export interface RollupContent {
  readonly minutes: readonly MinuteSeries[];
  /** The states that control units reported instead of values. */
  readonly states: readonly StateRuns[];
  readonly origins: readonly Origin[];
  /** The parts of the raw journal from which the values came. */
  readonly raw: readonly RawRange[];
}

const STORED = MINUTE_FIELDS.filter((field) => field !== 'at');
const SECOND_US = 1_000_000;

/** Returns the last second that has a value, from the bits of both half minutes; -1 if no second has one. */
const lastSecond = (early: number, late: number): number =>
  late !== 0 ? 61 - Math.clz32(late) : 31 - Math.clz32(early);

/** Encodes a rollup as small as possible; awaits `breathe` after each signal. */
export function sealRollup(
  { minutes, states, origins, raw }: RollupContent,
  breathe: () => Promise<void>,
): Promise<Uint8Array> {
  const columns = minutes.map((one) => ({
    name: one.signal,
    arrays: Object.fromEntries(STORED.map((field) => [field, Float64Array.from(one[field])])),
  }));
  return sealColumns({ origins, raw, ...statesMeta(states) }, [...columns, ...statesColumns(states)], breathe);
}

/** An opened rollup. It decodes the rows of a signal only when they are read. */
export interface OpenRollup extends Pick<RollupContent, 'origins' | 'raw'> {
  readonly signals: readonly SignalName[];
  /** Returns the rows of a signal; undefined if there are none. Throws `RangeError` if its bytes are damaged. */
  readonly read: (signal: SignalName) => MinuteSeries | undefined;
  /** Returns the states; an empty list if there are none. Throws `RangeError` if the bytes are damaged. */
  readonly states: () => StateRuns[];
}

/** Opens a rollup; undefined if its bytes are damaged. Signals that this version does not know are left out. */
export function openRollup(bytes: Uint8Array): OpenRollup | undefined {
  const opened = openColumns(bytes);
  if (opened === undefined) return undefined;
  const { origins, raw, states } = (opened.meta ?? {}) as RollupContent;
  if (!Array.isArray(origins) || !Array.isArray(raw)) return undefined;
  return {
    origins,
    raw,
    signals: opened.names.filter(isSignal),
    states: () => readStates(opened, states),
    read(signal) {
      const arrays = opened.column(signal)?.arrays;
      if (arrays === undefined) return undefined;
      const rows = arrays.m?.length;
      const fields = STORED.map((field) => {
        const numbers = arrays[field];
        if (numbers === undefined || numbers.length !== rows) throw new RangeError(`the column ${signal} is damaged`);
        return [field, listOf(numbers)] as const;
      });
      const read = Object.fromEntries(fields) as Record<(typeof MINUTE_FIELDS)[number], number[]>;
      const at = read.early.map((early, i) => lastSecond(early, read.late[i] as number) * SECOND_US);
      return { signal, ...read, at };
    },
  };
}
