/** One value of a watched signal, with its times and the message that it comes from. */

import { NONE } from '#domain/base/none.ts';

/** A value and its origin. */
export interface WatchedPoint {
  /** The number that is compared with the limits of rules: the value of the signal, its change within a window, or a `FENCE_STATE`. */
  value: number;
  /** The value of the signal. */
  level: number;
  observed_us: number;
  received_us: number;
  device: string;
  /** The message that contained the value; null if the value came from no message. */
  ref: string | null;
  /** Index of the CAN frame in that message; NONE if the value came from no frame. */
  frame: number;
  /** The earlier value with which this value was compared. Only for a change within a window. */
  from: EarlierValue | null;
  /** The position of the machine. Only for a geofence. */
  place: Place | null;
  /** The trouble codes behind the value (see `codes.ts`). Only for a lamp and for trouble codes. */
  codes: readonly WatchedCode[] | null;
}

/** An active trouble code with a known SPN, and the control unit that sent it. */
export interface WatchedCode {
  readonly spn: number;
  readonly fmi: number;
  readonly source_address: number;
  readonly bus: number;
  readonly device_id: string;
  readonly since_us: number;
}

/** The earlier of two values whose difference a rule watches. */
export interface EarlierValue {
  readonly value: number;
  readonly observed_us: number;
  readonly ref: string | null;
  readonly frame: number;
}

/** A position in degrees (WGS 84). */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Returns the reference of a value as the API shows it: the message, and the frame in the message after a `#`. */
export function fullRef({ ref, frame }: Pick<WatchedPoint, 'ref' | 'frame'>): string | null {
  return ref === null || frame === NONE ? ref : `${ref}#${frame}`;
}
