import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changedJsonOf, isLong, longJsonOf } from '#servers/base/json-text.ts';
import { createRestingQueue, inSlices } from '#servers/base/pause.ts';

const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 51, maxLength: 120 });
const bodies = fc.record({ object: fc.constant('list'), data: items, next_cursor: fc.option(fc.string()) });

test('[W19] the text of a long list is the JSON of the list', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      assert.ok(isLong(body));
      assert.deepEqual(JSON.parse(await longJsonOf(body)), JSON.parse(JSON.stringify(body)));
    }),
    { numRuns: 50 },
  );
  assert.deepEqual(JSON.parse(await longJsonOf({ data: Array(60).fill(1) })), { data: Array(60).fill(1) });
});

test('[W19] the text of a short and of a long body is its JSON, with what was changed in it', async () => {
  const long = { object: 'list', data: Array.from({ length: 60 }, (_, i) => ({ name: `key "${i}"` })) };
  for (const body of [long, { name: 'key "1"' }]) {
    const json = await changedJsonOf(body, (part) => part.replace(/key/g, 'lock'));
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(body).replace(/key/g, 'lock')));
  }
});

test('[W19] sliced works alternate, and a resting queue runs one at a time, also after a failure', async () => {
  function* count(to: number): Generator<void, number> {
    for (let i = 0; i < to; i++) {
      for (const until = performance.now() + 0.5; performance.now() < until; );
      yield;
    }
    return to;
  }
  const ended: number[] = [];
  await Promise.all([40, 4].map(async (to) => ended.push(await inSlices(count(to)))));
  assert.deepEqual(ended, [4, 40]);

  const inTurn = createRestingQueue();
  let running = 0;
  const work = async (fails: boolean) => {
    assert.equal(++running, 1);
    await new Promise(setImmediate);
    running--;
    if (fails) throw new Error('planned');
    return 'done';
  };
  const results = await Promise.allSettled([false, true, false].map((fails) => inTurn(() => work(fails))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
