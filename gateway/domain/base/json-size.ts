/** Estimates the size of a value as JSON, without serializing it. */

/** Longer texts are measured; in shorter ones a character counts as one byte. */
const SHORT = 64;

/**
 * The approximate size of a value as JSON in bytes, usually some percent too high. Only short texts with non-ASCII
 * characters count too low.
 */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return value.length <= SHORT ? value.length + 3 : sizeOfLong(value);
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += jsonSize(item);
    return size;
  }
  for (const name in value) size += name.length + 4 + jsonSize((value as Record<string, unknown>)[name]);
  return size;
}

/** A non-ASCII UTF-16 unit takes at most three bytes. */
function sizeOfLong(text: string): number {
  const { length } = JSON.stringify(text);
  return /[^\p{ASCII}]/u.test(text) ? length * 3 : length;
}
