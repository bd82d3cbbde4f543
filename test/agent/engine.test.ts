import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureQueue } from '#test/bench/engine.ts';

test('[Q25] 1,000 runs that wait take less than 50 MB of memory', async () => {
  const { waiting, added_mb } = await measureQueue();
  assert.equal(waiting, 1_000);
  assert.ok(added_mb < 50, `${added_mb} MB`);
});
