/** How large a value is as JSON, without writing it. */

/** Texts over this length are measured; in shorter ones a character counts as one byte. */
const SHORT = 64;

/** Bytes of a value as JSON, about: mostly some percent more. Only short texts beyond ASCII count for less than they are. */
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

/** What is beyond ASCII takes three bytes at most for each unit. */
function sizeOfLong(text: string): number {
  const { length } = JSON.stringify(text);
  return /[^\p{ASCII}]/u.test(text) ? length * 3 : length;
}
