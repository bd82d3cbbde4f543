/**
 * The origins of samples: which device, control unit and parameter a value came from, and which run (one decoding of live data or of a
 * file) decoded it.
 */
import type { SampleClock } from '#domain/base/sample-clock.ts';

/** The origin of a sample. All fields are null if it is unknown, as for samples of earlier builds. */
export interface Origin {
  /** Record id of the device that sent the value. */
  readonly device: string | null;
  /** Id of the run that decoded the value. The run names the version of the decoder. */
  readonly run: string | null;
  /** Id of the log file from which the value was read; null for live data. */
  readonly artifact: string | null;
  /** Channel of the CAN bus. */
  readonly bus: number | null;
  /** Source address of the control unit. */
  readonly sa: number | null;
  readonly pgn: number | null;
  readonly spn: number | null;
  /** The version of the DBC file, the message and the signal, if the value was decoded with a DBC file; otherwise null. */
  readonly dbc: string | null;
  /** The correction of the times of the samples; absent if they have the times that the device reported. */
  readonly clock?: SampleClock;
}

/** The part of an origin that a decoder knows: the parameter and the control unit that sent it. */
export type ParameterOrigin = Pick<Origin, 'bus' | 'sa' | 'pgn' | 'spn' | 'dbc'>;

/** The part of an origin that the reader of a log file knows. */
export type RecordedOrigin = ParameterOrigin & Pick<Origin, 'clock'>;

/** The origin of a sample that was stored without an origin. */
export const NO_ORIGIN: Origin = {
  device: null,
  run: null,
  artifact: null,
  bus: null,
  sa: null,
  pgn: null,
  spn: null,
  dbc: null,
};

/** Returns the origin with this index. Throws `RangeError` if the list has none, because the data that names the index is damaged. */
export function originAt(origins: readonly Origin[], index: number): Origin {
  const origin = origins[index];
  if (origin === undefined) throw new RangeError(`the list of origins has no origin ${index}`);
  return origin;
}

/** A list of different origins. Samples refer to an origin by its index. */
export class Origins {
  readonly list: Origin[] = [];
  private readonly indexes = new Map<string, number>();

  /** Returns the index of an origin; adds the origin if it is new. */
  indexOf({ device, run, artifact, bus, sa, pgn, spn, dbc, clock }: Origin): number {
    const corrected = clock === undefined ? [] : [clock.clock, clock.correction_ms, clock.uncertainty_ms];
    const key = JSON.stringify([device, run, artifact, bus, sa, pgn, spn, dbc, ...corrected]);
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    this.indexes.set(key, this.list.length);
    const origin = { device, run, artifact, bus, sa, pgn, spn, dbc };
    return this.list.push(clock === undefined ? origin : { ...origin, clock }) - 1;
  }
}
