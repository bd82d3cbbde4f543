/**
 * What one device may take of the broker while others send, too.
 *
 * A device that sends far more than another one is read from in small portions, and rests after each for as long as the portion took.
 * So the other device's message waits for a portion and not for a queue. Devices that send alike are not held back: many messages in
 * one group of the journal cost less than the same messages in many groups.
 */

/** A device dominates when it sends more than this many times what another device sends. */
const FACTOR = 8;
/** A device that sends less than this in a second never dominates, in bytes. */
const MUCH_BYTES = 64 * 1024;
/** Every so many milliseconds all that was counted shrinks by the share `KEPT`, so that about a second is remembered. */
const WINDOW_MS = 100;
const KEPT = 0.9;
/** A device that sends nothing more is forgotten when so little of it is left, in bytes. */
const FORGOTTEN_BYTES = 1;
/** The longest rest, in milliseconds. */
const REST_MS = 20;

/** Bytes that the connections of one device may have unanswered while it dominates. */
const PORTION_BYTES = 16 * 1024;

/** What a device sent and may send; its connections have it in common. */
export interface Share {
  /** Bytes of the last second or so; whoever reads from the device adds to it. */
  sent: number;
  /** When the device may be read from again. */
  restUntil: number;
}

/** The shares of all devices that are connected. */
export class DeviceShares {
  private readonly shares = new Map<string, Share>();
  /** What the quietest device sent that sends at all. */
  private least = Number.POSITIVE_INFINITY;
  private windowEnd = Number.NEGATIVE_INFINITY;
  private readonly now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** The share of a device that comes in. */
  of(device_id: string): Share {
    const share = this.shares.get(device_id) ?? { sent: 0, restUntil: 0 };
    this.shares.set(device_id, share);
    return share;
  }

  /** The device has no connection any more. */
  leave(device_id: string): void {
    this.shares.delete(device_id);
  }

  /** True when the device sends far more than another device that sends. */
  dominates({ sent }: Share): boolean {
    const now = this.now();
    if (now >= this.windowEnd) this.shrink(now);
    return sent > MUCH_BYTES && sent > FACTOR * this.least;
  }

  /** Bytes that the connections of a device may have unanswered; no bound for one that does not dominate. */
  portion(share: Share): number {
    return this.dominates(share) ? PORTION_BYTES : Number.POSITIVE_INFINITY;
  }

  /**
   * Milliseconds to wait before the device is read from again, after a portion that took so long to answer; 0 for a device that does not
   * dominate. The connections of a device rest together.
   */
  rest(share: Share, tookMs: number): number {
    if (!this.dominates(share)) return 0;
    const now = this.now();
    share.restUntil = Math.max(share.restUntil, now + Math.min(tookMs, REST_MS));
    return share.restUntil - now;
  }

  private shrink(now: number): void {
    const windows = this.windowEnd === Number.NEGATIVE_INFINITY ? 1 : 1 + (now - this.windowEnd) / WINDOW_MS;
    const kept = KEPT ** windows;
    this.windowEnd = now + WINDOW_MS;
    this.least = Number.POSITIVE_INFINITY;
    for (const share of this.shares.values()) {
      share.sent *= kept;
      if (share.sent < FORGOTTEN_BYTES) share.sent = 0;
      else this.least = Math.min(this.least, share.sent);
    }
  }
}
