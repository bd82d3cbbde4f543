/** An order that looks like none, and is the same wherever the same seed is used. */
import { random, streamOf } from '#domain/base/random.ts';

/** A number that depends on every letter (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The items in another order (Fisher and Yates), told by the seed alone. */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  const out = [...items];
  const stream = streamOf(hashOf(seed));
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random(stream) * (i + 1));
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
