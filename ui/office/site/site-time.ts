/** Wall time of the site in and out of a field of the browser, whose own zone may be another. Pure. */

const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const;

/** "2026-05-04T14:30", as a field for date and time holds it, in a zone of the IANA table. */
export function wallTime(ms: number, timezone: string): string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = (zone: string) =>
    new Intl.DateTimeFormat('en-GB', { ...options, hourCycle: 'h23', timeZone: zone }).formatToParts(ms);
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = format(timezone);
  } catch {
    // A zone that this browser does not know is shown in UTC, as on the wall.
    parts = format('UTC');
  }
  const [year, month, day, hour, minute] = PARTS.map((name) => parts.find(({ type }) => type === name)?.value ?? '00');
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/** The instant of a wall time; null when it is none. A time that a change of the clocks skips is taken an hour later. */
export function instantOf(wall: string, timezone: string): number | null {
  const minutes = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(wall)?.[0];
  const wanted = minutes === undefined ? Number.NaN : Date.parse(`${minutes}:00Z`);
  if (Number.isNaN(wanted)) return null;
  let at = wanted;
  // The offset at the guess is that of the answer, or of the hour beside it: twice settles it.
  for (let round = 0; round < 2; round++) at += wanted - Date.parse(`${wallTime(at, timezone)}:00Z`);
  return at;
}
