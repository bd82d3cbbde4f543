/** Finds the current shift from the shift pattern and the time zone of the site. */
import type { ShiftPattern } from '#contract/site/project.ts';
import { localDate, shiftWindow } from './shift-time.ts';

const DAY_MS = 86_400_000;

/** The current shift (`now`, null between two shifts) and the next shift (`next`, null if the project has no shift pattern). */
export interface ShiftsAround {
  readonly now: { readonly name: string; readonly from_ms: number; readonly to_ms: number } | null;
  readonly next: { readonly name: string; readonly from_ms: number } | null;
}

/** The shift at `now_ms` and the next one. `now` is null between two shifts. */
export function currentShift(
  shifts: ShiftPattern,
  now_ms: number,
  timezone: string,
): ShiftsAround & { readonly date: string | null } {
  const today = Date.parse(localDate(now_ms, timezone));
  const windows = [-1, 0, 1, 2].flatMap((days) => {
    const date = new Date(today + days * DAY_MS).toISOString().slice(0, 10);
    return shifts.map((shift) => {
      const [from_ms, to_ms] = shiftWindow(date, shift, timezone);
      return { name: shift.name, date, from_ms, to_ms };
    });
  });
  const now = windows.find(({ from_ms, to_ms }) => from_ms <= now_ms && now_ms < to_ms);
  const next = windows.filter(({ from_ms }) => from_ms > now_ms).sort((a, b) => a.from_ms - b.from_ms)[0];
  return {
    now: now === undefined ? null : { name: now.name, from_ms: now.from_ms, to_ms: now.to_ms },
    next: next === undefined ? null : { name: next.name, from_ms: next.from_ms },
    date: now?.date ?? null,
  };
}
