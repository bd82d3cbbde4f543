/** Times of day and days of the week, as the clock of the site shows them. */
import { z } from 'zod';

export const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a local time HH:MM');

/** The days of a week, from Monday. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** True if shifts do not overlap. A shift that does not end after its start ends on the next day. */
export function areApart(shifts: readonly { readonly starts: string; readonly ends: string }[]): boolean {
  const day = 24 * 60;
  const spans = shifts.map(({ starts, ends }) => {
    const from = minutes(starts);
    return { from, to: minutes(ends) > from ? minutes(ends) : minutes(ends) + day };
  });
  return spans.every((a, i) =>
    spans.slice(i + 1).every((b) => [-day, 0, day].every((shift) => a.to <= b.from + shift || b.to + shift <= a.from)),
  );
}
