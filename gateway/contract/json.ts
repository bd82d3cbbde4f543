/** What JSON of strangers may look like, whatever door it came through. */

/** Levels of nesting that any reader can follow; deeper input is refused, because code that copies it would end in a stack overflow. */
const MAX_JSON_DEPTH = 32;

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Why a parsed value is refused: nested too deep, or a name that means something to JavaScript; undefined when it is fine. */
export function unsafeJson(value: unknown, levels = MAX_JSON_DEPTH): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels <= 0) return 'nested too deep';
  if (Array.isArray(value)) {
    for (const item of value) {
      const why = unsafeJson(item, levels - 1);
      if (why !== undefined) return why;
    }
    return undefined;
  }
  for (const [name, item] of Object.entries(value)) {
    if (FORBIDDEN.has(name)) return `the name \`${name}\` is not allowed`;
    const why = unsafeJson(item, levels - 1);
    if (why !== undefined) return why;
  }
  return undefined;
}
