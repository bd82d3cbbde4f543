/** Divides a range of time into UTC days. */
import type { SecondRange } from '#domain/history/merge.ts';

const DAY_S = 86_400;

/** A part of a UTC day that begins at `start`, in seconds since 1970. */
export interface DayPart extends SecondRange {
  readonly start: number;
}

/** Divides the seconds from `from` to before `to` into UTC days. */
export function* daysOf(from: number, to: number): Generator<DayPart> {
  for (let start = Math.floor(from / DAY_S) * DAY_S; start < to; start += DAY_S)
    yield { start, from: Math.max(from, start), to: Math.min(to, start + DAY_S) };
}
