/** Encodes and decodes the bytes of a segment: the samples of one machine with their origins, one column for each signal. */
import { isSignal, type SignalName } from '#contract/base/signals.ts';
import { type Column, encodeColumns, openColumns, sealColumns } from './columns.ts';
import { NO_ORIGIN, type Origin } from './origins.ts';
import type { RawRange, SampleSeries } from './samples.ts';
import { decodeSegment } from './segment-v1.ts';

/** The content of a segment. */
export interface SegmentContent {
  readonly series: readonly SampleSeries[];
  readonly origins: readonly Origin[];
  /** The parts of the journal from which the samples came. */
  readonly raw: readonly RawRange[];
}

interface Meta {
  readonly origins: readonly Origin[];
  readonly raw: readonly RawRange[];
}

const columnOf = ({ signal, t, v, o }: SampleSeries): Column => ({
  name: signal,
  arrays: { t: Float64Array.from(t), v: Float64Array.from(v), o: Float64Array.from(o) },
});

/** Encodes a segment quickly, with low compression, in one turn of the event loop. */
export function encodeSegment({ series, origins, raw }: SegmentContent): Uint8Array {
  return encodeColumns({ origins, raw } satisfies Meta, series.map(columnOf));
}

/** Encodes a segment with high compression; awaits `breathe` after each signal, so that other work can run. */
export function sealSegment(
  { series, origins, raw }: SegmentContent,
  breathe: () => Promise<void>,
): Promise<Uint8Array> {
  return sealColumns({ origins, raw } satisfies Meta, series.map(columnOf), breathe);
}

/** A decoded segment. It decodes the samples of a signal only when they are read. */
export interface OpenSegment extends Pick<SegmentContent, 'origins' | 'raw'> {
  readonly signals: readonly SignalName[];
  /** Returns the samples of a signal; undefined if there are none. Throws `RangeError` if its bytes are damaged. */
  readonly read: (signal: SignalName) => SampleSeries | undefined;
}

/**
 * Opens a segment of any format version. Returns undefined if its bytes are damaged. Signals that this version of the gateway does not know
 * are left out.
 */
export function openSegment(bytes: Uint8Array): OpenSegment | undefined {
  const opened = openColumns(bytes);
  if (opened === undefined) return openFirstVersion(bytes);
  const { origins, raw } = opened.meta as Meta;
  if (!Array.isArray(origins) || !Array.isArray(raw)) return undefined;
  return {
    origins,
    raw,
    signals: opened.names.filter(isSignal),
    read(signal) {
      const column = opened.column(signal);
      if (column === undefined) return undefined;
      const { t, v, o } = column.arrays;
      if (t === undefined || v?.length !== t.length || o?.length !== t.length)
        throw new RangeError(`the column ${signal} is damaged`);
      return { signal, t: [...t], v: [...v], o: [...o] };
    },
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
  return { origins: [NO_ORIGIN], raw: [], signals: [...known.keys()], read: (signal) => known.get(signal) };
}
