/** Numbers as people type them. Pure. */

/** With a point or a comma; null for nothing, throws in words for what is none. */
export function numberOf(text: string, what: string): number | null {
  const typed = text.trim().replace(',', '.');
  if (typed === '') return null;
  const value = Number(typed);
  if (!Number.isFinite(value)) throw new Error(`${what} is not a number: ${text.trim()}`);
  return value;
}

/** A whole number from 0 to `most`. */
export function wholeOf(text: string, most: number, what: string): number | null {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^\d{1,9}$/.test(typed) || Number(typed) > most) throw new Error(`${what} is a whole number from 0 to ${most}.`);
  return Number(typed);
}
