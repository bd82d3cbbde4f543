/** Checks of untrusted JSON, for every protocol. */

import { LIMITS } from './limits.ts';

/** Property names with a special meaning in JavaScript. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns the reason to refuse a parsed value; undefined if the value is accepted. A value is refused if it has a forbidden name, or if it
 * is nested too deeply, because copying it could overflow the stack.
 */
export function unsafeJson(value: unknown, levels: number = LIMITS.depth.value): string | undefined {
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
    if (FORBIDDEN_NAMES.has(name)) return `the name \`${name}\` is not allowed`;
    const why = unsafeJson(item, levels - 1);
    if (why !== undefined) return why;
  }
  return undefined;
}
