/**
 * Estimates the bit rate of a bus from back-to-back frames: no frame follows sooner than its own duration, and on a busy bus many follow
 * exactly then. This proves the higher rates. A single sender may keep such a pace on a faster bus, so the lowest rate needs frames of
 * two senders, one of which had to wait for the other.
 *
 *   full frame, full frame -> the gap between them, sorted into buckets of 16 µs -> the rate at which a frame takes that long
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { NONE } from './none.ts';

const BIT_RATES = [250_000, 500_000, 1_000_000] as const;
const FULL_FRAME_BITS = 131;
const GAP_SHIFT = 4;
const GAPS = 48;
const GAP_LIMIT_US = GAPS << GAP_SHIFT;
/** The number of frames that are examined. */
const MAX_LOOKED = 50_000;
const LEAST_GAPS = 20;
/** Timestamps are coarse: gaps between these shares of a frame's shortest duration count as back-to-back. */
const SOONEST = 0.93;
const LATEST = 1.3;
/** The share of short gaps that may be shorter than a frame, because some timestamps are late. */
const STRAY = 0.02;

const KIND = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/** The gaps on one bus, counted by length: those between full frames, and those of them between two senders. */
export interface Gaps {
  gaps: number[];
  between: number[];
}

/** Creates empty counts. */
export function createGaps(): Gaps {
  return { gaps: new Array<number>(GAPS).fill(0), between: new Array<number>(GAPS).fill(0) };
}

/** Examines the gaps on all buses of a device, until it has seen enough. */
export class GapWatch {
  /** By channel: time and sender of the last frame; NONE unless it was a full one. */
  private readonly time = new Float64Array(256);
  private readonly sender = new Int16Array(256).fill(NONE);
  private looked = 0;

  /**
   * Counts the gaps between the frames of a batch, which follows the last one. `of` returns the counts of a bus;
   * undefined for a bus without counts.
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

/** The bit rate that fits the gaps; null when none does. */
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
