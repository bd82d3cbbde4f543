/** Converts the timestamps of sources to microseconds since 1970. */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

/** A time below this (2001-09-09) is relative, not a date. */
export const FIRST_DATE_US = 1e15;

/** Converts seconds, milliseconds, microseconds or nanoseconds since 1970; the size of the number shows the unit. NaN if invalid. */
export function microseconds(t: number): number {
  if (!(t >= 0)) return Number.NaN;
  if (t < 1e11) return Math.round(t * 1e6);
  if (t < 1e14) return Math.round(t * 1e3);
  if (t < 1e17) return Math.round(t);
  return t < 1e20 ? Math.floor(t / 1e3) : Number.NaN;
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Reads ISO 8601 with a zone and up to nine decimals; NaN for any other text. */
export function parseIsoUs(text: string): number {
  const match = ISO.exec(text);
  if (!match) return Number.NaN;
  const [, date, time, fraction = '', zone] = match;
  return Date.parse(`${date}T${time}${zone}`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/**
 * Sets the times of all frames without a date from index `from` on, which belong to one payload, and their flag `FRAME.noTime`.
 * The last frame gets the receive time `receivedUs`; the frames before it keep their intervals. If the times go backwards, each of
 * them is read as the interval to the previous frame.
 */
export function settleTimes(batch: FrameBatch, from: number, receivedUs: number): void {
  const { t, flags } = batch;
  let backwards = false;
  let last = 0;
  let sum = 0;
  for (let i = from; i < batch.count; i++) {
    const at = t[i] as number;
    if (at >= FIRST_DATE_US) continue;
    if (at < last) backwards = true;
    last = at;
    sum += at;
  }
  const end = backwards ? sum : last;
  let passed = 0;
  for (let i = from; i < batch.count; i++) {
    const at = t[i] as number;
    if (at >= FIRST_DATE_US) continue;
    passed = backwards ? passed + at : at;
    t[i] = Math.max(0, receivedUs - (end - passed));
    flags[i] = (flags[i] as number) | FRAME.noTime;
  }
}

/**
 * Gives frames without a date, in pieces of one recording, the microseconds since its first frame and the flag `FRAME.noTime`. When
 * times go backwards in the first piece that has times, all times of the recording are intervals to the frame before.
 */
export function createRelativeTimes(): { settle(batch: FrameBatch): void; readonly undated: boolean } {
  let form: 'since' | 'distance' | undefined;
  let passed = 0;
  return {
    get undated() {
      return form !== undefined;
    },
    settle(batch) {
      const { t, flags } = batch;
      if (form === undefined) {
        let last = -1;
        for (let i = 0; i < batch.count; i++) {
          const at = t[i] as number;
          if (at >= FIRST_DATE_US) continue;
          form = form === 'distance' || at < last ? 'distance' : 'since';
          last = at;
        }
        if (form === undefined) return;
      }
      for (let i = 0; i < batch.count; i++) {
        const at = t[i] as number;
        if (at >= FIRST_DATE_US) continue;
        passed = form === 'distance' ? passed + at : at;
        t[i] = passed;
        flags[i] = (flags[i] as number) | FRAME.noTime;
      }
    },
  };
}
