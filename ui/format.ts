/** Formats ages, durations and clock times in the language of the page. */
import { isolated, language, t } from '#ui/languages/texts.ts';

/** Formats a duration: "6 s", "18 min", "1 h 52", "3 d 4 h". A negative duration becomes "0 s". */
export function duration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return isolated(`${s} s`);
  const min = Math.floor(s / 60);
  if (min < 60) return isolated(`${min} min`);
  const h = Math.floor(min / 60);
  if (h < 24) return isolated(min % 60 === 0 ? `${h} h` : `${h} h ${String(min % 60).padStart(2, '0')}`);
  const n = Math.floor(h / 24);
  if (n >= 365) return t('{n} y|{n} y', { n: Math.floor(n / 365) });
  return h % 24 === 0 || n >= 30 ? t('{n} d', { n }) : t('{n} d {h} h', { n, h: h % 24 });
}

/** Formats a duration below an hour to the second: "1 min 40 s". A longer one is formatted as `duration` does. */
export function exactDuration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60 || s >= 3600 || s % 60 === 0) return duration(ms);
  return isolated(`${Math.floor(s / 60)} min ${s % 60} s`);
}

/** Formats a duration for narrow places: "40s", "6m", "2h", "3d". */
export function shortDuration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  return s < 86_400 ? `${Math.floor(s / 3600)}h` : t('{n}d', { n: Math.floor(s / 86_400) });
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timezone: string, seconds: boolean): Intl.DateTimeFormat {
  const key = `${timezone} ${seconds}`;
  const known = clocks.get(key);
  if (known !== undefined) return known;
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const more = seconds ? ({ second: '2-digit' } as const) : {};
  let made: Intl.DateTimeFormat;
  try {
    made = new Intl.DateTimeFormat('en-GB', { ...options, ...more, timeZone: timezone });
  } catch {
    // This browser does not know the time zone of the site. Use UTC and not the time zone that is set on the TV, because that may be wrong.
    made = new Intl.DateTimeFormat('en-GB', { ...options, ...more, timeZone: 'UTC' });
  }
  if (clocks.size >= 16) clocks.clear();
  clocks.set(key, made);
  return made;
}

/** Formats a time as hours and minutes in an IANA time zone: "14:07". */
export function clock(ms: number, timezone: string): string {
  return clockOf(timezone, false).format(ms);
}

/** Formats a time with seconds in an IANA time zone: "14:07:31". */
export function clockSeconds(ms: number, timezone: string): string {
  return clockOf(timezone, true).format(ms);
}

/** A date that is further away than this has its year, in milliseconds. */
const YEAR_MS = 300 * 86_400_000;

/**
 * Formats a time as "14:07" if it is on the same day as `now` in the time zone, otherwise as "12 Nov 14:07". A time that is more than 300
 * days away has its year: "12 Nov 2021 14:07" ([U372]).
 */
export function moment(ms: number, now: number, timezone: string): string {
  const day = (at: number) => dayOf(at, timezone, Math.abs(ms - now) > YEAR_MS);
  return day(ms) === day(now) ? clock(ms, timezone) : `${day(ms)} ${clock(ms, timezone)}`;
}

/** Formats a time as `moment` does, with seconds: "14:07:31". */
export function momentSeconds(ms: number, now: number, timezone: string): string {
  const text = moment(ms, now, timezone);
  return text.replace(clock(ms, timezone), clockSeconds(ms, timezone));
}

function dayOf(ms: number, timezone: string, hasYear: boolean): string {
  const year = hasYear ? ({ year: 'numeric' } as const) : {};
  const options = { day: 'numeric', month: 'short', ...year } as const;
  const of = (timeZone: string) => new Date(ms).toLocaleDateString(language().tag, { ...options, timeZone });
  try {
    return of(timezone);
  } catch {
    return of('UTC');
  }
}

/** Formats a local date: "25 Nov 2026". */
export function dateText(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(language().tag, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** Joins texts with dots between them; leaves out those that are absent or empty. */
export function joined(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null && part !== '').join(' · ');
}

/** Returns the short name of a day of the week in the language of the page; 0 is Monday. */
export function weekdayText(day: number): string {
  // 1 January 2024 was a Monday.
  const at = new Date(Date.UTC(2024, 0, 1 + day));
  return new Intl.DateTimeFormat(language().tag, { weekday: 'short', timeZone: 'UTC' }).format(at);
}
