/** Describes every source of a value (a J1939 parameter, a DBC signal, a telemetry point) and the signal that it measures. */
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import { GNSS, type GnssQuantity } from '#domain/gnss/frames.ts';
import type { ParameterOrigin } from '#domain/history/origins.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';

/** A signal of a DBC file that is mapped to a signal of the gateway. The gateway decodes its values live. */
export interface LiveTarget {
  readonly to: SignalName;
  readonly factor: number;
  readonly offset: number;
  /**
   * The rank of this source. If several sources (also J1939 parameters that the gateway decodes without a DBC file) send the same signal,
   * the source with the lowest rank provides its value.
   */
  readonly rank: number;
  /**
   * A negative number that identifies this DBC signal. Fields that have the SPN of a J1939 parameter have this number for a DBC signal. It
   * is the same in every version of the DBC file.
   */
  readonly key: number;
  /** Parameter group number; -1 if the DBC message is not a J1939 parameter group. */
  readonly pgn: number;
  /** The version of the DBC file, the message and the signal with which the value was decoded. */
  readonly source: string;
}

/** The evidence of a value: the properties that all values of one parameter have in common, such as their signal, PGN and SPN. */
export interface Evidence {
  readonly signal: SignalName;
  /** Index of the signal in SIGNAL_NAMES. */
  readonly index: number;
  /** Parameter group number; NONE if the value does not come from a J1939 parameter group. */
  readonly pgn: number;
  /** SPN (J1939 parameter number); NONE for telemetry points; for a DBC signal or a GNSS quantity, the negative `key`. */
  readonly spn: number;
  /** If several sources measure the same signal, the source with the lowest rank provides its value. */
  readonly rank: number;
  /**
   * A number that distinguishes several parameters of one control unit that measure the same signal. It is the index in PARAMETERS for a
   * J1939 parameter, and otherwise the same number as `spn`.
   */
  readonly key: number;
  /** The DBC signal with which the value is decoded; undefined if the value does not come from a DBC file. */
  readonly target: LiveTarget | undefined;
}

/**
 * Rank of telemetry points (values that a device sends under the name of a signal, not as CAN frames). It is the highest rank, so the
 * gateway prefers a parameter decoded from frames.
 */
const POINT_RANK = 100;

function evidence(
  signal: SignalName,
  pgn: number,
  spn: number,
  rank: number,
  key: number,
  target?: LiveTarget,
): Evidence {
  return { signal, index: SIGNAL_NAMES.indexOf(signal), pgn, spn, rank, key, target };
}

/** The evidence of each J1939 parameter, in the order of PARAMETERS; undefined for a parameter that has no signal. */
export const EVIDENCE: readonly (Evidence | undefined)[] = PARAMETERS.map(({ signal, pgn, spn, rank }, key) =>
  signal === null ? undefined : evidence(signal, pgn, spn, rank, key),
);

/** The evidence of telemetry points, in the order of SIGNAL_NAMES. */
export const POINT_EVIDENCE: readonly Evidence[] = SIGNAL_NAMES.map((signal) =>
  evidence(signal, NONE, NONE, POINT_RANK, NONE),
);

/**
 * Rank of values from the GNSS receiver of a logger. The gateway prefers values from the machine itself to these values, and prefers these
 * values to telemetry points.
 */
const GNSS_RANK = 60;
/**
 * The key of the first GNSS quantity. Each further quantity has the next lower number. These keys never equal a key of a DBC signal,
 * because every key of a DBC signal is above -2 ** 30 - 2.
 */
const GNSS_KEY = -2_000_000_000;

function gnssEvidence(signal: SignalName, quantity: GnssQuantity): [GnssQuantity, Evidence] {
  const key = GNSS_KEY - quantity;
  return [quantity, evidence(signal, NONE, key, GNSS_RANK, key)];
}

const GNSS_SIGNALS = new Map([
  gnssEvidence('position.latitude', GNSS.latitude),
  gnssEvidence('position.longitude', GNSS.longitude),
  gnssEvidence('position.heading', GNSS.heading),
  gnssEvidence('vehicle.speed', GNSS.speed),
]);

/** The evidence of each GNSS quantity, in the order of the values of `GNSS`; undefined for a quantity that has no signal. */
export const GNSS_EVIDENCE: readonly (Evidence | undefined)[] = Object.values(GNSS).map((one) => GNSS_SIGNALS.get(one));

/** Returns true for the `spn` of a reading that came from the GNSS of a logger. */
export function isGnss(spn: number): boolean {
  return spn <= GNSS_KEY;
}

const orNull = (number: number) => (number === NONE ? null : number);

/** Returns the origin of the values of this parameter from this bus and source address. */
export function parameterOrigin({ pgn, spn, target }: Evidence, bus: number, sa: number): ParameterOrigin {
  return { bus: orNull(bus), sa: orNull(sa), pgn: orNull(pgn), spn: spn < 0 ? null : spn, dbc: target?.source ?? null };
}

/** Returns the evidence with this key; undefined if no signal has the key. */
export function evidenceOf(key: number): Evidence | undefined {
  return isGnss(key) ? GNSS_EVIDENCE[GNSS_KEY - key] : EVIDENCE[key];
}

/** Returns the evidence of a signal that is decoded with a DBC file. */
export function mappedEvidence(target: LiveTarget): Evidence {
  const { to, pgn, key, rank } = target;
  return evidence(to, pgn, key, rank, key, target);
}
