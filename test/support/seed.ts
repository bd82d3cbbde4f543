/**
 * The seed of all random tests. `npm test` loads this file before each test file, so that every run makes the same choices;
 * `TEST_SEED=7 npm test` makes others.
 */
import fc from 'fast-check';

/** A whole number; printed by `npm test`. */
export const TEST_SEED = Number.parseInt(process.env.TEST_SEED ?? '20261122', 10);

fc.configureGlobal({ seed: TEST_SEED });
