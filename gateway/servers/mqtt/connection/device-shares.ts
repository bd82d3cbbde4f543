/**
 * Prevents one device from delaying the messages of the others.
 *
 * A device dominates when it sends far more than another device. The broker reads from a dominating device in small portions. After each
 * portion the broker pauses for as long as the portion took to be acknowledged. So a message of another device waits only until one portion
 * is stored, and not until a long queue is stored. The broker does not slow down devices with similar rates, because the journal (the file
 * of all accepted messages) is faster if it writes many messages together.
 */

/** A device dominates when it sends more than this many times as much as another device that sends. */
const FACTOR = 8;
/** A device that sends fewer bytes than this in a second never dominates. */
const LEAST_BYTES = 64 * 1024;
/**
 * Every `WINDOW_MS` milliseconds, each count of sent bytes is multiplied by `KEPT`, which is below 1. So the count covers about the last
 * second.
 */
const WINDOW_MS = 100;
const KEPT = 0.9;
/** A count of sent bytes below this number becomes 0; the device then counts as one that does not send. */
const ZERO_BYTES = 1;
/** The longest pause, in milliseconds. */
const LONGEST_PAUSE_MS = 20;

/** Unacknowledged bytes that all connections of a dominating device together may have. */
const PORTION_BYTES = 16 * 1024;

/** How many bytes one device sent recently, and when its pause ends. All connections of the device use the same object. */
export interface Share {
  /** Bytes that the device sent in about the last second. The connection filters of the device add the bytes that they read. */
  sent: number;
  /** Time at which the pause of the device ends, in milliseconds of the monotonic clock. */
  pauseUntil: number;
}

/** The `Share` of each connected device. */
export class DeviceShares {
  private readonly shares = new Map<string, Share>();
  /** The smallest `sent` of all devices that send; infinite if no device sends. */
  private least = Number.POSITIVE_INFINITY;
  private windowEnd = Number.NEGATIVE_INFINITY;
  private readonly now: () => number;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Returns the share of a device; creates it if the device has none. */
  of(device_id: string): Share {
    const share = this.shares.get(device_id) ?? { sent: 0, pauseUntil: 0 };
    this.shares.set(device_id, share);
    return share;
  }

  /** Call it when the last connection of the device has closed. */
  delete(device_id: string): void {
    this.shares.delete(device_id);
  }

  /** Returns true if the device sends far more than another device that also sends. */
  dominates({ sent }: Share): boolean {
    const now = this.now();
    if (now >= this.windowEnd) this.shrink(now);
    return sent > LEAST_BYTES && sent > FACTOR * this.least;
  }

  /** Returns how many unacknowledged bytes all connections of a device together may have; infinite if the device does not dominate. */
  portion(share: Share): number {
    return this.dominates(share) ? PORTION_BYTES : Number.POSITIVE_INFINITY;
  }

  /**
   * Returns for how many milliseconds the broker must pause before it reads from the device again; 0 if the device does not dominate.
   * `tookMs`: milliseconds until the last portion was acknowledged. The pause applies to all connections of the device.
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
