/** Checks of untrusted JSON, for every protocol. */

import { LIMITS } from './limits.ts';

/** Property names with a special meaning in JavaScript. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The reason to refuse a parsed value: nested too deeply (copying it could overflow the stack) or a forbidden name; undefined if it is accepted. */
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
