/** Writes JSON in the canonical form of RFC 8785 (JSON Canonicalization Scheme). Equal values have the same text, and so the same hash. */

import { isLarge } from './input-pieces.ts';

/** Returns the canonical text of a JSON value. Members with the value `undefined` are left out, as in `JSON.stringify`. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    // RFC 8785 3.2.3: members are sorted by the UTF-16 code units of their names.
    const members = Object.keys(value)
      .sort()
      .flatMap((name) => {
        const member = (value as Record<string, unknown>)[name];
        return member === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(member)}`];
      });
    return `{${members.join(',')}}`;
  }
  // RFC 8785 3.2.2: literals, strings and numbers have the form that ECMAScript gives them.
  return JSON.stringify(value) ?? 'null';
}

/** Yields the canonical text in parts, so that a large value can be hashed in slices. Each part is the text of at most 500 values. */
export function* canonicalParts(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || !isLarge(value)) {
    yield canonicalJson(value);
    return;
  }
  let before = Array.isArray(value) ? '[' : '{';
  if (Array.isArray(value)) {
    for (const item of value) {
      yield before;
      yield* canonicalParts(item ?? null);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
    return;
  }
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* canonicalParts(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
