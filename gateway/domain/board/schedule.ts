/** Decides whether a playlist item is due, by weekday and time of day in the time zone of the site. */
import type { PlaylistWhen } from '#contract/site/board.ts';
import type { ShiftPattern } from '#contract/site/project.ts';
import { localDate, shiftWindow } from '#domain/work/shift-time.ts';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const DAY_MS = 86_400_000;

/**
 * Returns true if the playlist item must be shown now. A time window over midnight belongs to the day on which the window begins. If the
 * item is for a shift that the project does not have, the function returns false.
 */
export function isDue(when: PlaylistWhen, now_ms: number, timezone: string, shifts: ShiftPattern): boolean {
  const { days, from = '00:00', to = '00:00', shift } = when;
  const times = shift === undefined ? { starts: from, ends: to } : shifts.find(({ name }) => name === shift);
  if (times === undefined) return false;
  const today = localDate(now_ms, timezone);
  const yesterday = new Date(Date.parse(today) - DAY_MS).toISOString().slice(0, 10);
  return [today, yesterday].some((date) => {
    const day = DAYS[new Date(date).getUTCDay()];
    if (days !== undefined && (day === undefined || !days.includes(day))) return false;
    const [begin, end] = shiftWindow(date, times, timezone);
    return begin <= now_ms && now_ms < end;
  });
}
