import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_SEED } from '#test/support/seed.ts';
import { fuzzBucket } from './bucket.ts';

test('[W222] nonsense at the door of the bucket, signed or not, finds no fault of ours and nothing of another logger', async (t) => {
  const seed = TEST_SEED;
  const { answers, read, violations } = await fuzzBucket(seed, (shots) => shots < 400);
  t.diagnostic(`seed ${seed}, ${read} read, ${JSON.stringify(answers)}`);
  assert.deepEqual(violations, [], `node test/fuzz/bucket.ts 1 ${seed}`);
  assert.ok((answers['200'] ?? 0) > 5, 'some of what is sent is right');
});
