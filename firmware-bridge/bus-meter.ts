/** Counts the frames of a bus, and computes the frame rate and the bus load (the share of time in which frames occupy the bus). */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

/** Bits of a classic CAN frame without data, including the gap to the next frame (ISO 11898-1). */
const FRAME_BITS = { standard: 47, extended: 67 } as const;
/** Factor for stuff bits, which the sender inserts for synchronization; they add 9 to 10 % to the frames of real buses. */
const STUFFING = 1.095;

export class BusMeter {
  frames = 0;
  /** Frames per second between the last two calls of `measure`. */
  frames_per_s = 0;
  private bits = 0;
  private bits_per_s = 0;
  private last = { at: performance.now(), frames: 0, bits: 0 };

  /** Counts the frames of the batch from index `from` on. */
  add({ count, len, flags }: FrameBatch, from: number): void {
    for (let i = from; i < count; i++)
      this.bits +=
        8 * (len[i] as number) + ((flags[i] as number) & FRAME.extended ? FRAME_BITS.extended : FRAME_BITS.standard);
    this.frames += count - from;
  }

  /** Ends the current interval: computes its rates and starts the next interval. */
  measure(): void {
    const at = performance.now();
    const seconds = (at - this.last.at) / 1000;
    this.frames_per_s = Math.round((this.frames - this.last.frames) / seconds);
    this.bits_per_s = (this.bits - this.last.bits) / seconds;
    this.last = { at, frames: this.frames, bits: this.bits };
  }

  /** Returns the bus load of the last interval in percent at this bit rate (bit/s); null when the bit rate is unknown. */
  loadAt(bitrate: number | null): number | null {
    return bitrate === null ? null : Math.round((1000 * this.bits_per_s * STUFFING) / bitrate) / 10;
  }
}
