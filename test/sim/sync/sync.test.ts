import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import { CONTROLS } from './bugs.ts';
import { keptBox, lostBefore, sameCommit, sameNumber, samePlace } from './directed.ts';
import { runHistory, runOnSqlite } from './history.ts';

const SEEDS = 300;
/** Deliberate bugs that the simulator finds within some seeds; `npm run sim:controls` runs all. */
const QUICK = ['the last writer of the document wins', 'digest over id and time only', 'a deletion beats an edit'];

test(`[Y1] [Y5] ${SEEDS} histories of two sites and a cloud, with restores, clones and a bad network, end in one state`, () => {
  let kept = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violation, counts } = runHistory(seed, 140);
    assert.equal(violation, undefined, `seed ${seed}; replay it with \`node test/sim/sync/run.ts ${seed}\``);
    kept += counts.kept;
  }
  assert.ok(kept > 5, `people chose ${kept} boxes`);
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

test('[Y22] a cloud that lost commits while a site only pulled, or while pages were on their way, gets them back', () => {
  for (const directed of [sameNumber, sameCommit, samePlace, lostBefore]) {
    assert.equal(directed({}), undefined);
    const control = CONTROLS.find((each) => each.directed === directed);
    assert.ok(control && directed(control.bug), control?.name);
  }
});

test('[Y215] a box that a person keeps becomes the site, and the other one is fenced and stays so', () => {
  assert.equal(keptBox({}), undefined);
  const control = CONTROLS.find(({ directed }) => directed === keptBox);
  assert.match(control?.directed?.(control.bug) ?? '', /^\[Y215\] fenced/);
});

test('a commit key without its content is harmless: a known commit with other values gets a row of its own', () => {
  const commitKey: typeof SYNC_RULES.commitKey = (life, hlc, content) =>
    SYNC_RULES.commitKey(life, hlc, /^(repair|again)/.test(content) ? content : '');
  for (let seed = 1; seed <= 30; seed++)
    assert.equal(runHistory(seed, 140, { rules: { commitKey } }).violation, undefined);
});

test('[Y1] [Y5] histories of nodes on real SQLite files end in one state, and a deliberate bug is found there too', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { violation } = await runOnSqlite(seed, 140);
    assert.equal(violation, undefined, `seed ${seed}; replay it with \`node test/sim/sync/run.ts --sqlite ${seed}\``);
  }
  const control = CONTROLS.find(({ name }) => name === 'the last writer of the document wins');
  const found = await runOnSqlite(1, 140, control?.bug);
  assert.notEqual(found.violation, undefined);
});
