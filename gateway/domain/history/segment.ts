/** Encodes and decodes the bytes of a segment: the samples of one machine with their origins, and the statistics of each minute. */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import { type Column, encodeColumns, listOf, openColumns, sealColumns } from './columns.ts';
import { MINUTE_FIELDS, type MinuteSeries, minutesOfSamples } from './minutes.ts';
import { NO_ORIGIN, type Origin } from './origins.ts';
import type { RawRange, SampleSeries } from './samples.ts';
import { decodeSegment } from './segment-v1.ts';
import { decodeShared, encodeShared } from './shared-column.ts';
import type { StateRuns } from './states.ts';
import { readStates, statesColumns, statesMeta } from './states-column.ts';

/** The samples of a segment. */
export interface SealedContent {
  readonly series: readonly SampleSeries[];
  readonly origins: readonly Origin[];
  /** The parts of the journal from which the samples came. */
  readonly raw: readonly RawRange[];
}

/**
 * The content of a segment. An open segment also has the statistics of the minutes. A sealed segment has none, because its statistics are
 * in the rollup of the day (a document with the statistics of one machine and day).
 */
export interface SegmentContent extends SealedContent {
  readonly minutes?: readonly MinuteSeries[];
  /** The states that control units reported instead of values. Like the statistics, a sealed segment has none. */
  readonly states?: readonly StateRuns[];
}

interface Meta {
  readonly origins: readonly Origin[];
  readonly raw: readonly RawRange[];
  /** The signals to which the array `signal` of the column MINUTES refers. */
  readonly minutes?: readonly string[];
  /** The signals to which the array `signal` of the column of the states refers. */
  readonly states?: readonly string[];
}

/**
 * The name of the column with the statistics of all signals. They share one column, because in an open segment each signal has only one or
 * two rows, one for each minute.
 */
const MINUTES = '~minutes';

const columnOf = ({ signal, t, v, o }: SampleSeries): Column => ({
  name: signal,
  arrays: { t: Float64Array.from(t), v: Float64Array.from(v), o: Float64Array.from(o) },
});

/** Encodes a segment quickly, with low compression, in one turn of the event loop. */
export function encodeSegment({ series, origins, raw, minutes, states = [] }: SegmentContent): Uint8Array {
  if (minutes === undefined) return encodeColumns({ origins, raw } satisfies Meta, series.map(columnOf));
  const meta: Meta = { origins, raw, minutes: minutes.map(({ signal }) => signal), ...statesMeta(states) };
  return encodeColumns(meta, [
    ...series.map(columnOf),
    encodeShared(MINUTES, MINUTE_FIELDS, minutes),
    ...statesColumns(states),
  ]);
}

/** Encodes a sealed segment with high compression; awaits `breathe` after each signal, so that other work can run. */
export function sealSegment(
  { series, origins, raw }: SealedContent,
  breathe: () => Promise<void>,
): Promise<Uint8Array> {
  return sealColumns({ origins, raw } satisfies Meta, series.map(columnOf), breathe);
}

/** A decoded segment. It decodes the samples of a signal only when they are read. */
export interface OpenSegment extends Pick<SegmentContent, 'origins' | 'raw'> {
  readonly signals: readonly SignalName[];
  /** Returns the samples of a signal; undefined if there are none. Throws `RangeError` if its bytes are damaged. */
  readonly read: (signal: SignalName) => SampleSeries | undefined;
  /**
   * Returns the statistics of an open segment. If an earlier build stored the segment without statistics, they are computed from its
   * samples. Throws `RangeError` if the bytes are damaged.
   */
  readonly minutes: () => MinuteSeries[];
  /** Returns the states of an open segment; an empty list if it has none. Throws `RangeError` if the bytes are damaged. */
  readonly states: () => StateRuns[];
}

/**
 * Opens a segment of any format version. Returns undefined if its bytes are damaged. Signals that this version of the gateway does not know
 * are left out.
 */
export function openSegment(bytes: Uint8Array): OpenSegment | undefined {
  const opened = openColumns(bytes);
  if (opened === undefined) return openFirstVersion(bytes);
  const { origins, raw, minutes, states } = (opened.meta ?? {}) as Meta;
  if (!Array.isArray(origins) || !Array.isArray(raw)) return undefined;
  const signals = opened.names.filter(isSignal);
  const read = (signal: SignalName): SampleSeries | undefined => {
    const column = opened.column(signal);
    if (column === undefined) return undefined;
    const { t, v, o } = column.arrays;
    if (t === undefined || v?.length !== t.length || o?.length !== t.length)
      throw new RangeError(`the column ${signal} is damaged`);
    return { signal, t: listOf(t), v: listOf(v), o: listOf(o) };
  };
  return {
    origins,
    raw,
    signals,
    read,
    minutes: () =>
      Array.isArray(minutes)
        ? decodeShared(opened, MINUTES, MINUTE_FIELDS, minutes)
        : signals.map((signal) => minutesOfSamples(read(signal) as SampleSeries)),
    states: () => readStates(opened, states),
  };
}

function openFirstVersion(bytes: Uint8Array): OpenSegment | undefined {
  const columns = decodeSegment(bytes);
  if (columns === undefined) return undefined;
  const known = new Map<SignalName, SampleSeries>();
  for (const { signal, t, v } of columns) {
    if (!isSignal(signal)) continue;
    const seconds = Array.from(t, (t_us) => Math.floor(t_us / 1_000_000));
    known.set(signal, { signal, t: seconds, v: [...v], o: seconds.map(() => 0) });
  }
  return {
    origins: [NO_ORIGIN],
    raw: [],
    signals: [...known.keys()],
    read: (signal) => known.get(signal),
    minutes: () => [...known.values()].map(minutesOfSamples),
    states: () => [],
  };
}
