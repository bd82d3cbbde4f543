/** The value of one source, in the form in which the gateway applies it to the facts of a machine (the object with its latest values). */
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { NONE } from '#domain/base/none.ts';
import type { Evidence } from './evidence.ts';

/**
 * One value of one source, in the unit of its signal. To save memory, the decoder fills the same object for each value. So a function that
 * receives the object must copy the fields that it keeps.
 */
export interface SourceValue {
  /** The signal, and the parameter that measures it. */
  evidence: Evidence;
  /** The number in the frame, before scale and offset; null for a telemetry point. */
  raw: number | null;
  value: number;
  /** Time of the value in microseconds since 1970. */
  t_us: number;
  /** True if the source sent no time; `t_us` is then the time of receipt. */
  undated: boolean;
  /**
   * Time of the observation: `t_us`, or another time if `t_us` cannot be right. The function that applies the value sets it. It is a field
   * and not an argument of functions, because a call with a fraction or a large number as an argument allocates memory.
   */
  observed_us: number;
  /** Bus number; NONE for a telemetry point. */
  bus: number;
  /** Source address; NONE for a telemetry point. */
  sa: number;
  /** Index of the frame in its message; NONE for a telemetry point. */
  frame: number;
  /** Number of the control unit that sent the value (`AddressBook.unitOf`). It equals `sa` until the unit claims another address. */
  unit: number;
}

/** Returns the value of a telemetry point. */
export function pointValue(evidence: Evidence, value: number, t_us: number, undated = false): SourceValue {
  return {
    evidence,
    raw: null,
    value,
    t_us,
    undated,
    observed_us: t_us,
    bus: NONE,
    sa: NONE,
    frame: NONE,
    unit: NONE,
  };
}

/** Fills `sent` with a value that a decoder has read from a frame with a time. */
export function fillSourceValue(sent: SourceValue, evidence: Evidence, decoded: DecodedValue): void {
  sent.evidence = evidence;
  sent.raw = decoded.raw;
  sent.value = decoded.value;
  sent.t_us = decoded.t_us;
  sent.undated = false;
  sent.observed_us = decoded.t_us;
  sent.bus = decoded.bus;
  sent.sa = decoded.sa;
  sent.frame = decoded.frame;
  sent.unit = decoded.sa;
}
