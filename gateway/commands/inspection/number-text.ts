/** Numbers as the text of an inspection shows them. */

/** With commas between thousands. */
export const count = (value: number): string => value.toLocaleString('en');

/** A number of things. */
export const many = (value: number, what: string): string => `${count(value)} ${what}${value === 1 ? '' : 's'}`;

/** A dash for what is not known. */
export const orDash = (value: string | number | null | undefined): string =>
  value === null || value === undefined || value === '' ? '-' : String(value);

/** SPNs of a place, and the digits of a metre. */
export const PLACE = { latitude: 584, longitude: 585, digits: 5 } as const;

/** Digits behind the point: as many as the values have, two at most, three for what is small. */
export function digitsOf(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  const longest = Math.max(0, ...known.map((value) => String(value).split('.')[1]?.length ?? 0));
  return Math.min(longest, known.some((value) => value !== 0 && Math.abs(value) < 1) ? 3 : 2);
}
