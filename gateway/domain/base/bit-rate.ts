/**
 * Estimates the bit rate of a bus from the shortest times between two frames. A frame can begin only when the frame before it has ended. So
 * on a busy bus, the time between the starts of many frames is exactly the time that one frame takes on the bus, and this time gives the
 * bit rate. But a single control unit may also send its frames at this distance on a faster bus. So the lowest bit rate is accepted only if
 * the frames come from two control units, because one of them must then have waited for the bus.
 *
 *   two frames with 8 bytes -> the time between them, counted in steps of 16 µs -> the bit rate at which a frame takes that long
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { NONE } from './none.ts';

const BIT_RATES = [250_000, 500_000, 1_000_000] as const;
const FULL_FRAME_BITS = 131;
const GAP_SHIFT = 4;
const GAPS = 48;
const GAP_LIMIT_US = GAPS << GAP_SHIFT;
/** The largest number of frames that are examined. */
const MAX_LOOKED = 50_000;
const LEAST_GAPS = 20;
/**
 * Two frames count as sent directly one after the other if the time between them is from `SOONEST` times to `LATEST` times the shortest
 * duration of a frame. The range allows for inaccurate timestamps.
 */
const SOONEST = 0.93;
const LATEST = 1.3;
/**
 * The share of the times between frames that may be shorter than one frame. Some are, because the timestamp of the first frame of a pair
 * may be late.
 */
const STRAY = 0.02;

const KIND = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/**
 * How often each time between two frames with 8 bytes occurred on one bus; the index is the time in steps of 16 µs. `gaps` counts all
 * pairs of frames. `between` counts only the pairs with frames of two different control units.
 */
export interface Gaps {
  gaps: number[];
  between: number[];
}

/** Creates counts that are all 0. */
export function createGaps(): Gaps {
  return { gaps: new Array<number>(GAPS).fill(0), between: new Array<number>(GAPS).fill(0) };
}

/** Counts the times between frames on all buses of a device, until it has examined `MAX_LOOKED` frames. */
export class GapWatch {
  /** Time and source address of the last frame of each channel; the address is NONE if that frame had less than 8 bytes. */
  private readonly time = new Float64Array(256);
  private readonly sender = new Int16Array(256).fill(NONE);
  private looked = 0;

  /**
   * Counts the times between the frames of a batch, and between its first frame and the last frame of the previous batch. `of` returns the
   * counts of a bus; undefined for a bus that is not examined.
   */
  look({ count, t, id, flags, bus, len }: FrameBatch, of: (channel: number) => Gaps | undefined): void {
    if (this.looked >= MAX_LOOKED) return;
    this.looked += count;
    const { time, sender } = this;
    for (let i = 0; i < count; i++) {
      const channel = bus[i] as number;
      const t_us = t[i] as number;
      const full = len[i] === 8 && ((flags[i] as number) & KIND) === FRAME.extended;
      const from = full ? (id[i] as number) & 0xff : NONE;
      const other = sender[channel] as number;
      const gap = t_us - (time[channel] as number);
      time[channel] = t_us;
      sender[channel] = from;
      if (!full || other === NONE || gap >= GAP_LIMIT_US || gap < 0) continue;
      const counts = of(channel);
      if (counts === undefined) continue;
      counts.gaps[gap >> GAP_SHIFT] = (counts.gaps[gap >> GAP_SHIFT] as number) + 1;
      if (other !== from) counts.between[gap >> GAP_SHIFT] = (counts.between[gap >> GAP_SHIFT] as number) + 1;
    }
  }
}

/** Returns the bit rate that fits the counted times; null if no bit rate fits them. */
export function estimateBitRate({ gaps, between }: Gaps): number | null {
  const sum = (of: readonly number[], from: number, to: number) => of.slice(from, to).reduce((a, b) => a + b, 0);
  const all = sum(gaps, 0, GAPS);
  for (const rate of BIT_RATES) {
    const least_us = (FULL_FRAME_BITS / rate) * 1_000_000;
    const soonest = Math.floor((least_us * SOONEST) / 2 ** GAP_SHIFT);
    const latest = Math.ceil((least_us * LATEST) / 2 ** GAP_SHIFT);
    if (sum(gaps, 0, soonest) > all * STRAY) continue;
    return sum(rate === BIT_RATES[0] ? between : gaps, soonest, latest) >= LEAST_GAPS ? rate : null;
  }
  return null;
}
