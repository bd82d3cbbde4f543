/** The small share of messages that each device may send while the disk is low ([I53]). */
import type { Headroom } from './headroom.ts';

/** The share of a device while the disk is low: the messages and bytes that it may send at once, and per second after that. */
const SCARCE = { messages: 30, messages_per_s: 1, bytes: 64 << 10, bytes_per_s: 256 } as const;
/** The limit of devices with a share in memory. At the limit the device that sent longest ago is removed. */
const MAX_SHARES = 20_000;
/** One byte of a small message causes at most this many bytes of writes in the store. */
const GROWTH = 8;

/** The remaining share of a device, as two token buckets: one counts messages, and one counts bytes. */
interface Share {
  messages: number;
  bytes: number;
  at_ms: number;
}

/** The shares of all devices. */
export class ScarceShares {
  private readonly shares = new Map<string, Share>();
  private readonly clock: () => number;
  private scarce = false;
  /**
   * The bytes that ingest may still accept before it refuses all data of devices. `measureLeft` has the bytes that it may still accept
   * before it refuses measurements.
   */
  private left = Number.POSITIVE_INFINITY;
  private measureLeft = Number.POSITIVE_INFINITY;

  constructor(clock: () => number) {
    this.clock = clock;
  }

  setHeadroom(headroom: Headroom): void {
    this.scarce = headroom.disk !== 'ok';
    this.left = headroom.left_bytes ?? Number.POSITIVE_INFINITY;
    this.measureLeft = headroom.measure_bytes ?? Number.POSITIVE_INFINITY;
    if (!this.scarce) this.shares.clear();
  }

  /** Subtracts a message from the share of its device; returns false if the share or the space on disk is used up. */
  admits(device: string, bytes: number): boolean {
    if (!this.scarce) return true;
    // Keep the last disk space for people: they must be able to sign in, look at the data and delete data.
    if (this.left <= 0) return false;
    const share = this.refilled(device);
    if (share.messages < 1 || share.bytes < bytes) return false;
    share.messages--;
    share.bytes -= bytes;
    this.left -= bytes * GROWTH;
    return true;
  }

  /** Subtracts the bytes of a measurement from the remaining space; returns false if too little space would remain for measurements. */
  hasRoomFor(bytes: number): boolean {
    this.measureLeft -= bytes;
    return this.measureLeft > 0;
  }

  /** Returns the share of a device, after refilling it for the time since its last message. */
  private refilled(device: string): Share {
    const { shares } = this;
    const now = this.clock();
    const share = shares.get(device) ?? { messages: SCARCE.messages, bytes: SCARCE.bytes, at_ms: now };
    const s = Math.max(0, now - share.at_ms) / 1_000;
    share.messages = Math.min(SCARCE.messages, share.messages + s * SCARCE.messages_per_s);
    share.bytes = Math.min(SCARCE.bytes, share.bytes + s * SCARCE.bytes_per_s);
    share.at_ms = now;
    shares.delete(device);
    if (shares.size >= MAX_SHARES) shares.delete(shares.keys().next().value as string);
    shares.set(device, share);
    return share;
  }
}
