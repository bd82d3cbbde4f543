/** JSON Canonicalization Scheme (RFC 8785): one text per value, so that equal inputs have equal fingerprints. */

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
