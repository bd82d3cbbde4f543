/** Counts the frames of a bus and measures their rate and their load. */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

/** Bits of a frame without its data, with the gap after it (ISO 11898-1). */
const FRAME_BITS = { standard: 47, extended: 67 } as const;
/** Stuff bits add 9 to 10 % on real buses. */
const STUFFING = 1.095;

export class BusMeter {
  frames = 0;
  /** Measured over the last complete interval between two calls of `measure`. */
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

  /** Ends an interval. */
  measure(): void {
    const at = performance.now();
    const seconds = (at - this.last.at) / 1000;
    this.frames_per_s = Math.round((this.frames - this.last.frames) / seconds);
    this.bits_per_s = (this.bits - this.last.bits) / seconds;
    this.last = { at, frames: this.frames, bits: this.bits };
  }

  /** Load in percent at this bit rate; null when the bit rate is unknown. */
  loadAt(bitrate: number | null): number | null {
    return bitrate === null ? null : Math.round((1000 * this.bits_per_s * STUFFING) / bitrate) / 10;
  }
}
