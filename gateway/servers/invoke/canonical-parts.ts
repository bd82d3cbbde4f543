/** Writes the canonical form of RFC 8785 in parts, so that a large value can be hashed in slices. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { isLarge } from './input-pieces.ts';

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
