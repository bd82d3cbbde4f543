/**
 * Fair sharing of the broker between devices.
 *
 * A device that sends far more than another one dominates. The broker reads from it in small portions and pauses after each portion for
 * as long as the portion took to be acknowledged. So a message of another device waits for one portion, not for a long queue. Devices
 * with similar rates are not slowed: many messages in one journal group cost less than the same messages in many groups.
 */

/** A device dominates when it sends more than this many times as much as another device that sends. */
const FACTOR = 8;
/** A device that sends fewer bytes than this in a second never dominates. */
const LEAST_BYTES = 64 * 1024;
/** Every `WINDOW_MS` each count is multiplied by `KEPT`, so that a count covers about one second. */
const WINDOW_MS = 100;
const KEPT = 0.9;
/** A count below so many bytes becomes 0: the device no longer sends. */
const ZERO_BYTES = 1;
/** The longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 20;

/** Bytes that all connections of a dominating device may have unacknowledged. */
const PORTION_BYTES = 16 * 1024;

/** How much one device sent recently, and its pause. All connections of the device use the same object. */
export interface Share {
  /** Bytes that the device sent in about the last second. Each connection adds the bytes that it reads. */
  sent: number;
  /** The end of the current pause, on the clock of `DeviceShares`. */
  pauseUntil: number;
}

/** The shares of all devices that are connected. */
export class DeviceShares {
  private readonly shares = new Map<string, Share>();
  /** The smallest count of all devices that send. */
  private least = Number.POSITIVE_INFINITY;
  private windowEnd = Number.NEGATIVE_INFINITY;
  private readonly now: () => number;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** The share of a connected device; created when there is none. */
  of(device_id: string): Share {
    const share = this.shares.get(device_id) ?? { sent: 0, pauseUntil: 0 };
    this.shares.set(device_id, share);
    return share;
  }

  /** Call it when the last connection of the device has closed. */
  delete(device_id: string): void {
    this.shares.delete(device_id);
  }

  /** Whether the device sends far more than another device that sends. */
  dominates({ sent }: Share): boolean {
    const now = this.now();
    if (now >= this.windowEnd) this.shrink(now);
    return sent > LEAST_BYTES && sent > FACTOR * this.least;
  }

  /** Bytes that all connections of a device may have unacknowledged; infinite when it does not dominate. */
  portion(share: Share): number {
    return this.dominates(share) ? PORTION_BYTES : Number.POSITIVE_INFINITY;
  }

  /**
   * Milliseconds to pause before the broker reads from the device again, after a portion that took `tookMs` to be acknowledged; 0 when
   * the device does not dominate. All connections of a device share one pause.
   */
  pauseMs(share: Share, tookMs: number): number {
    if (!this.dominates(share)) return 0;
    const now = this.now();
    share.pauseUntil = Math.max(share.pauseUntil, now + Math.min(tookMs, LONGEST_PAUSE_MS));
    return share.pauseUntil - now;
  }

  private shrink(now: number): void {
    const windows = this.windowEnd === Number.NEGATIVE_INFINITY ? 1 : 1 + (now - this.windowEnd) / WINDOW_MS;
    const kept = KEPT ** windows;
    this.windowEnd = now + WINDOW_MS;
    this.least = Number.POSITIVE_INFINITY;
    for (const share of this.shares.values()) {
      share.sent *= kept;
      if (share.sent < ZERO_BYTES) share.sent = 0;
      else this.least = Math.min(this.least, share.sent);
    }
  }
}
