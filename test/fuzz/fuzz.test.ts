import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_SEED } from '#test/support/seed.ts';
import { fuzz } from './fuzz.ts';

test('[W16] requests made from the declaration, fit and unfit, find no fault of ours and nothing of the other project', async (t) => {
  const seed = TEST_SEED;
  const { statuses, succeeded, violations } = await fuzz(400, seed);
  t.diagnostic(`seed ${seed}, ${JSON.stringify(statuses)}`);
  assert.deepEqual(violations, [], `node test/fuzz/fuzz.ts 400 ${seed}`);
  assert.ok(succeeded.size > 20, 'most of what fits succeeds');
});
