/** Converts times in log files and messages to microseconds since 1970. */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';

/** The date 2001-09-09 in microseconds since 1970. A smaller time is not a date, but a time since the start of a recording. */
export const FIRST_DATE_US = 1e15;

/**
 * Converts a time in seconds, milliseconds, microseconds or nanoseconds since 1970 to microseconds. The function finds the unit by the size
 * of the number. Returns NaN for an invalid number.
 */
export function microseconds(t: number): number {
  if (!(t >= 0)) return Number.NaN;
  if (t < 1e11) return Math.round(t * 1e6);
  if (t < 1e14) return Math.round(t * 1e3);
  if (t < 1e17) return Math.round(t);
  return t < 1e20 ? Math.floor(t / 1e3) : Number.NaN;
}

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Reads a date in ISO 8601 with a zone and up to nine decimals as microseconds since 1970; returns NaN for any other text. */
export function parseIsoUs(text: string): number {
  const match = ISO.exec(text);
  if (!match) return Number.NaN;
  const [, date, time, fraction = '', zone] = match;
  return Date.parse(`${date}T${time}${zone}`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/**
 * Sets the times of the frames without a date in one payload, and sets their flag `FRAME.noTime`. The frames of the payload begin at index
 * `from` of the batch. The last of these frames gets the receive time `receivedUs`, and the frames before it keep their intervals. If a
 * time in the payload is smaller than the time before it, the times cannot count from one start. The function then takes each time as the
 * interval since the previous frame.
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
 * Creates an object that sets the times of frames without a date, in a recording that is read in pieces. A frame gets the microseconds
 * since the start of the recording as its time, and the flag `FRAME.noTime`. If a time in the first piece is smaller than the time before
 * it, the object takes each time of the recording as the interval since the previous frame.
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
