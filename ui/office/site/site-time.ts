/**
 * Converts times between milliseconds since 1970 and the local time of the site, which date fields show. The browser's own conversion is
 * not used, because the browser may be in another time zone.
 */

const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const;

/** Returns the local time in an IANA zone, in the format of a datetime-local field: "2026-05-04T14:30". */
export function wallTime(ms: number, timezone: string): string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = (zone: string) =>
    new Intl.DateTimeFormat('en-GB', { ...options, hourCycle: 'h23', timeZone: zone }).formatToParts(ms);
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = format(timezone);
  } catch {
    // This browser does not know the zone. Use UTC, as the TV page does.
    parts = format('UTC');
  }
  const [year, month, day, hour, minute] = PARTS.map((name) => parts.find(({ type }) => type === name)?.value ?? '00');
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/**
 * Converts a local time to milliseconds since 1970; returns null for other text. If a clock change skips this local time, returns the time
 * one hour later.
 */
export function instantOf(wall: string, timezone: string): number | null {
  const minutes = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(wall)?.[0];
  const wanted = minutes === undefined ? Number.NaN : Date.parse(`${minutes}:00Z`);
  if (Number.isNaN(wanted)) return null;
  let at = wanted;
  // Near a change to or from summer time, the first round may use the wrong UTC offset (the one before or after the change). The second
  // round corrects the result.
  for (let round = 0; round < 2; round++) at += wanted - Date.parse(`${wallTime(at, timezone)}:00Z`);
  return at;
}
