/** Sums of digest items: how many, and the sum of their hashes modulo 2^128. */
import type { Sum } from './store.ts';

const MODULUS = 1n << 128n;
export const NOTHING: Sum = { n: 0, sum: 0n };
export const plus = (a: Sum, b: Sum): Sum => ({ n: a.n + b.n, sum: (a.sum + b.sum) % MODULUS });
export const minus = (a: Sum, b: Sum): Sum => ({
  n: a.n - b.n,
  sum: (((a.sum - b.sum) % MODULUS) + MODULUS) % MODULUS,
});
export const one = (hash: bigint): Sum => ({ n: 1, sum: hash });
