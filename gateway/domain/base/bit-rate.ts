/**
 * The bit rate of a bus, from frames that follow each other at once: none comes sooner than it takes, and many come no later. That
 * proves the higher rates. One sender alone may keep such a pace where the bus is faster, so the lowest rate takes frames of two
 * senders, of which one had to wait for the other.
 *
 *   full frame, full frame -> the gap between them, sorted into buckets of 16 µs -> the rate of which a frame takes that long
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { NONE } from './none.ts';

const BIT_RATES = [250_000, 500_000, 1_000_000] as const;
const FULL_FRAME_BITS = 131;
const GAP_SHIFT = 4;
const GAPS = 48;
const GAP_LIMIT_US = GAPS << GAP_SHIFT;
/** Frames that are looked at since the start. */
const MAX_LOOKED = 50_000;
const LEAST_GAPS = 20;
/** Stamps are coarse: gaps between these shares of a frame's least duration count as "at once". */
const SOONEST = 0.93;
const LATEST = 1.3;
/** So many of all short gaps may be shorter than a frame takes, where stamps are late now and then. */
const STRAY = 0.02;

const KIND = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/** Gaps on one bus, counted by their length: those between full frames, and those of them between two senders. */
export interface Gaps {
  gaps: number[];
  between: number[];
}

/** No gaps yet. */
export function createGaps(): Gaps {
  return { gaps: new Array<number>(GAPS).fill(0), between: new Array<number>(GAPS).fill(0) };
}

/** Looks at the gaps of all buses of a device, until enough were seen. */
export class GapWatch {
  /** By channel, time and sender of the last frame; NONE unless it was a full one. */
  private readonly time = new Float64Array(256);
  private readonly sender = new Int16Array(256).fill(NONE);
  private looked = 0;

  /** Counts the gaps between the frames of a batch, which follows the last one; `of` gives those of a bus, undefined where none are kept. */
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

/** The bit rate that the gaps speak for; null when they do not. */
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
