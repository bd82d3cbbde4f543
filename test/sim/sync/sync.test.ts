import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTROLS } from './bugs.ts';
import { runHistory } from './history.ts';

const SEEDS = 300;
/** Deliberate bugs that the simulator finds within some seeds; `npm run sim:controls` runs all. */
const QUICK = ['the last writer of the document wins', 'digest over id and time only', 'a deletion beats an edit'];

test(`[Y1] [Y5] ${SEEDS} histories of two sites and a cloud, with restores, clones and a bad network, end in one state`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violation } = runHistory(seed, 140);
    assert.equal(violation, undefined, `seed ${seed}; replay it with \`node test/sim/sync/run.ts ${seed}\``);
  }
});

test('the same seed is the same history', () => {
  assert.deepEqual(runHistory(7, 140), runHistory(7, 140));
});

test('the simulator finds deliberate bugs', () => {
  for (const { name, bug } of CONTROLS.filter((control) => QUICK.includes(control.name))) {
    const found = Array.from({ length: 20 }, (_, i) => runHistory(i + 1, 140, bug).violation);
    assert.ok(
      found.some((violation) => violation !== undefined),
      name,
    );
  }
});
