/** Puts items into a pseudo-random order from a seed. The same seed gives the same order on every gateway. */
import { random, streamOf } from '#domain/base/random.ts';

/** FNV-1a hash of a string. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Shuffles the items (Fisher and Yates) in an order that depends only on the seed. */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  const out = [...items];
  const stream = streamOf(hashOf(seed));
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random(stream) * (i + 1));
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
