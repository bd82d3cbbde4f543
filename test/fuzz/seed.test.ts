/** Random tests make the same choices in every run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TEST_SEED } from '#test/support/seed.ts';

test('a property is tried with the seed that the run printed, so that a failure comes again', () => {
  assert.equal(fc.readConfigureGlobal()?.seed, TEST_SEED);
  const tried = () => {
    const values: number[] = [];
    fc.assert(fc.property(fc.integer(), (value) => void values.push(value)));
    return values;
  };
  const first = tried();
  assert.equal(new Set(first).size > 50, true);
  assert.deepEqual(tried(), first);
});
