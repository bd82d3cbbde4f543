/** Time zones of the IANA database, as Node.js and browsers provide them. */

/** True if the platform accepts the name as a time zone: an IANA name or an offset. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** True for an IANA name. An offset such as `+08:00` is not one, because it has no daylight saving rules. */
export function isZoneName(name: string): boolean {
  return /^[A-Za-z]/.test(name) && isTimeZone(name);
}

/** Returns a function from a time to the UTC offset of the zone, both in milliseconds. Throws `RangeError` for an unknown zone. */
export function offsetsOf(timezone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = new Map<string, string>(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const part = (name: string) => Number(parts.get(name));
    // The year 0 is 1 BC, and -1 is 2 BC. `Date.UTC` would read the years 0 to 99 as 1900 to 1999.
    const year = parts.get('era')?.startsWith('B') === true ? 1 - part('year') : part('year');
    const wall = new Date(0);
    wall.setUTCFullYear(year, part('month') - 1, part('day'));
    wall.setUTCHours(part('hour'), part('minute'), part('second'));
    return wall.getTime() - Math.floor(ms / 1000) * 1000;
  };
}
