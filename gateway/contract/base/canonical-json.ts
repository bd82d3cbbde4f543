/** Writes JSON in the canonical form of RFC 8785 (JSON Canonicalization Scheme). Equal values have the same text, and so the same hash. */

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
