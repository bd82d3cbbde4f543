import { NONE } from './none.ts';

/**
 * A value that a decoder read from a frame. To save memory, a decoder fills the same object again for each value. So a function that
 * receives the object must copy the fields that it keeps.
 */
export interface DecodedValue {
  /** The number in the frame, before scale and offset. */
  raw: number;
  value: number;
  /** Time of the frame in microseconds since 1970. */
  t_us: number;
  bus: number;
  /** The source address in J1939, which is the low byte of the identifier; NONE for a value without a source address. */
  sa: number;
  /** Index of the frame in its batch. */
  frame: number;
}

/** Creates an object for a decoder to fill. */
export function createDecodedValue(): DecodedValue {
  return { raw: 0, value: 0, t_us: 0, bus: 0, sa: NONE, frame: NONE };
}

/** Writes into the object which frame the next values come from. */
export function setSource(decoded: DecodedValue, t_us: number, bus: number, sa: number, frame: number): void {
  decoded.t_us = t_us;
  decoded.bus = bus;
  decoded.sa = sa;
  decoded.frame = frame;
}
