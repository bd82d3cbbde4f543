/** What JSON of strangers may look like, whatever door it came through. */

import { LIMITS } from './limits.ts';

/** Names that mean something to JavaScript itself. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Why a parsed value is refused: nested too deep (code that copies it would end in a stack overflow), or a name that means something to JavaScript; undefined when it is fine. */
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
