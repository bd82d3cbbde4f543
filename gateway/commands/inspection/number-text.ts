/** Formats numbers for the text of an inspection. */

/** Formats a number with commas between thousands. */
export const count = (value: number): string => value.toLocaleString('en');

/** Formats a number with a noun, which gets an `s` in the plural. */
export const many = (value: number, what: string): string => `${count(value)} ${what}${value === 1 ? '' : 's'}`;

/** Returns a value as text, or a dash when the value is unknown. */
export const orDash = (value: string | number | null | undefined): string =>
  value === null || value === undefined || value === '' ? '-' : String(value);

/** SPNs of latitude and longitude, and the number of decimals in degrees that gives a resolution of about a metre. */
export const PLACE = { latitude: 584, longitude: 585, digits: 5 } as const;

/** Returns the number of decimals: as many as the values have, at most two, or three for small values. */
export function digitsOf(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  const longest = Math.max(0, ...known.map((value) => String(value).split('.')[1]?.length ?? 0));
  return Math.min(longest, known.some((value) => value !== 0 && Math.abs(value) < 1) ? 3 : 2);
}
