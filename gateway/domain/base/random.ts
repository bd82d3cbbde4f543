/** Random number generators of the simulated site. The state of a generator is one number, so that a snapshot can store it. */

/** The state of a random number generator. */
export interface Stream {
  random: number;
}

/** Returns the next random number from 0 to 1 (algorithm mulberry32). */
export function random(stream: Stream): number {
  stream.random = (stream.random + 0x6d2b79f5) | 0;
  let t = stream.random;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}

/** Returns the next random number between two bounds. */
export function between(stream: Stream, [low, high]: readonly [number, number]): number {
  return low + (high - low) * random(stream);
}

/** Creates a random number generator from whole numbers. Different numbers give independent generators. */
export function streamOf(...of: readonly number[]): Stream {
  let state = 0x9e3779b9 | 0;
  for (const number of of) {
    // Mix the low and the high 32 bits, because a time has more than 32 bits.
    for (const word of [number | 0, Math.floor(number / 4_294_967_296)]) {
      state = Math.imul(state ^ word, 0x85ebca6b);
      state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
      state ^= state >>> 16;
    }
  }
  return { random: state };
}
