/** Times of day and days of the week, as the clock of the site shows them. */
import { z } from 'zod';

export const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a local time HH:MM');

/** The days of a week, from Monday. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];
