/** JSON Canonicalization Scheme (RFC 8785): one text per value, so that equal inputs have equal fingerprints. */

import { isLarge } from './input-pieces.ts';

/** The canonical text of a JSON value; members that are undefined are left out, as JSON.stringify does. */
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
  // RFC 8785 3.2.2: literals, strings and numbers are written as ECMAScript writes them.
  return JSON.stringify(value) ?? 'null';
}

/** The same text in parts, of which each is made from few values unless it is one list or object of plain values. */
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
