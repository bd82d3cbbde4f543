/** Converts between instants and the site's wall time in date fields: the browser may be in another zone. Pure. */

const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const;

/** The wall time in an IANA zone, in the format of a datetime-local field: "2026-05-04T14:30". */
export function wallTime(ms: number, timezone: string): string {
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = (zone: string) =>
    new Intl.DateTimeFormat('en-GB', { ...options, hourCycle: 'h23', timeZone: zone }).formatToParts(ms);
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = format(timezone);
  } catch {
    // This browser does not know the zone: use UTC, like the TV.
    parts = format('UTC');
  }
  const [year, month, day, hour, minute] = PARTS.map((name) => parts.find(({ type }) => type === name)?.value ?? '00');
  return `${year}-${month}-${day}T${hour}:${minute}`;
}

/** The instant of a wall time; null for other text. A time that a clock change skips becomes one hour later. */
export function instantOf(wall: string, timezone: string): number | null {
  const minutes = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(wall)?.[0];
  const wanted = minutes === undefined ? Number.NaN : Date.parse(`${minutes}:00Z`);
  if (Number.isNaN(wanted)) return null;
  let at = wanted;
  // The offset at the first guess may be that of the neighbouring hour; a second round corrects it.
  for (let round = 0; round < 2; round++) at += wanted - Date.parse(`${wallTime(at, timezone)}:00Z`);
  return at;
}
