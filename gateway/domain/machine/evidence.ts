/** What a number is evidence of: a signal of ours, told by a parameter of the table, by a DBC file, or by a telemetry point. */
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { NONE } from '#domain/base/none.ts';
import { PARAMETERS } from '#domain/j1939/parameters.ts';

/** One target of live decoding, by a DBC file. */
export interface LiveTarget {
  readonly to: SignalName;
  readonly factor: number;
  readonly offset: number;
  /** Before what the gateway reads by itself, or after it. */
  readonly rank: number;
  /** Stands where a parameter has its SPN: negative, the same in all versions. */
  readonly key: number;
  /** -1 where the message is no parameter group. */
  readonly pgn: number;
  /** Which version, message and signal the number came by. */
  readonly source: string;
}

/** Everything about a value that does not change from one to the next of its kind. */
export interface Evidence {
  readonly signal: SignalName;
  /** Place of the signal in SIGNAL_NAMES. */
  readonly index: number;
  /** NONE where it is no parameter group. */
  readonly pgn: number;
  /** NONE for points; below it for a DBC file: it stands for message and signal. */
  readonly spn: number;
  /** Lower is preferred. */
  readonly rank: number;
  /** Tells apart what one control unit says in several ways: index in PARAMETERS, else as `spn`. */
  readonly key: number;
  /** Where a DBC file is read. */
  readonly target: LiveTarget | undefined;
}

/** Rank of telemetry points: after every decoded parameter. */
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

/** By place in PARAMETERS; undefined for what is no signal of ours. */
export const EVIDENCE: readonly (Evidence | undefined)[] = PARAMETERS.map(({ signal, pgn, spn, rank }, key) =>
  signal === null ? undefined : evidence(signal, pgn, spn, rank, key),
);

/** Of telemetry points, by place in SIGNAL_NAMES. */
export const POINT_EVIDENCE: readonly Evidence[] = SIGNAL_NAMES.map((signal) =>
  evidence(signal, NONE, NONE, POINT_RANK, NONE),
);

/** What a DBC file says of one of its signals. */
export function mappedEvidence(target: LiveTarget): Evidence {
  const { to, pgn, key, rank } = target;
  return evidence(to, pgn, key, rank, key, target);
}
