/** Facts that are made twice, or that are gone and come back, one case each, over stores in memory and on SQLite files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerPage, openAnswer, takeAnswer, takeAnswerPage } from '#domain/sync/courier.ts';
import { dropFacts, removableFacts } from '#domain/sync/ledger.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { backUp, type Calm, calm, commit, machine, note, talk } from './calm.ts';
import { Courier } from './courier.ts';
import type { End } from './end.ts';
import { SqliteFiles } from './sqlite-twin.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const rollup = (id: string, replaces: readonly string[] = []): LocalWrite => ({
  collection: 'telemetry',
  id,
  object: 'rollup',
  data: { slot: 'eq_1/20000', seal: { generation: replaces.length + 1, replaces } },
});

/** Runs a case over stores in memory, and then on SQLite files. */
const both = (run: (world: Calm) => void) => async (): Promise<void> => {
  run(calm());
  await using files = new SqliteFiles();
  run(calm(files.make));
};

/** The value of a fact at an end. */
const valueAt = ({ twin }: End, key: string): string | undefined => twin.docs.get(key)?.registers.get('=')?.[0]?.id;

/** Both ends have the same value, and the site says that nothing is missing. */
function assertComplete(world: World, site: End, key: string): void {
  assert.equal(valueAt(site, key), valueAt(world.cloud, key), key);
  const { verdict, unbalanced, differs, gaps } = world.custody(site);
  assert.deepEqual(
    { verdict, unbalanced, differs, gaps },
    { verdict: 'complete', unbalanced: [], differs: false, gaps: [] },
  );
}

const removable = (world: World, site: End, key: string): boolean =>
  site.twin.run((tx) => removableFacts(tx, world.env(site), [key]).length > 0);

test(
  '[Y130] a fact that is in no page of this site waits until it is 30 days old, whatever backup head office has',
  both(({ world, site, other, cloud }) => {
    commit(world, other, machine('eq_1'), note('evt_1', 'eq_1'));
    talk(world, other, site);
    commit(world, site, machine('eq_2'), note('evt_2', 'eq_2'));
    talk(world, site);
    backUp(cloud);
    talk(world, site);
    const waits = () => ['events/evt_1', 'events/evt_2'].map((key) => removable(world, site, key));
    assert.deepEqual(waits(), [false, true]);
    world.now += 31 * DAY;
    assert.deepEqual(waits(), [true, true]);
  }),
);

test(
  '[Y131] a fact of this site that was gone and that comes back is sent again, so an earlier backup of head office does not count',
  both(({ world, site, other, cloud }) => {
    talk(world, site, other);
    const restore = cloud.twin.backup();
    commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
    talk(world, site, other);
    site.twin.run((tx) => tx.remove('events/evt_1'));
    restore();
    talk(world, site);
    commit(world, site, machine('eq_2'));
    talk(world, site);
    // This backup of head office does not have the fact, which only the other site has.
    backUp(cloud);
    talk(world, other, site, site);
    assertComplete(world, site, 'events/evt_1');
    assert.equal(removable(world, site, 'events/evt_1'), false);
    backUp(cloud);
    talk(world, site);
    assert.equal(removable(world, site, 'events/evt_1'), true);
  }),
);

test(
  '[Y132] a site that was put back makes the same history again: the earlier one counts at both ends, and nothing vanished',
  both(({ world, site }) => {
    talk(world, site);
    const restore = site.twin.backup();
    commit(world, site, rollup('rlp_1'));
    const first = valueAt(site, 'telemetry/rlp_1');
    talk(world, site);
    restore();
    // Far enough for another leaf of the digests.
    world.now += 300 * MINUTE;
    commit(world, site, rollup('rlp_1'));
    assert.notEqual(valueAt(site, 'telemetry/rlp_1'), first);
    talk(world, site);
    assert.equal(valueAt(site, 'telemetry/rlp_1'), first);
    const { verdict, unbalanced, differs } = world.custody(site);
    assert.deepEqual({ verdict, unbalanced, differs }, { verdict: 'declared_gap', unbalanced: [], differs: false });
  }),
);

test(
  '[Y132] of two versions of one history, what either of them replaces is at neither end',
  both(({ world, site, cloud }) => {
    commit(world, site, rollup('rlp_1'));
    talk(world, site);
    const restore = site.twin.backup();
    commit(world, site, rollup('rlp_2'));
    talk(world, site);
    restore();
    world.now += MINUTE;
    commit(world, site, rollup('rlp_2', ['rlp_1']));
    talk(world, site);
    const keys = [site, cloud].map(({ twin }) => [...twin.docs.keys()].filter((key) => key.startsWith('telemetry')));
    assert.deepEqual(keys, [['telemetry/rlp_2'], ['telemetry/rlp_2']]);
    assert.deepEqual([world.custody(site).unbalanced, world.custody(site).differs], [[], false]);
  }),
);

test(
  '[Y133] a fact that a site removed by age and that is sent to it again has the earlier time, without a repair',
  both(({ world, site, cloud }) => {
    commit(world, site, note('evt_1', 'eq_1'));
    const first = valueAt(site, 'events/evt_1');
    talk(world, site);
    site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
    world.now += 300 * MINUTE;
    commit(world, site, note('evt_1', 'eq_1'));
    talk(world, site);
    assert.deepEqual([valueAt(site, 'events/evt_1'), valueAt(cloud, 'events/evt_1')], [first, first]);
    assertComplete(world, site, 'events/evt_1');
  }),
);

test(
  '[Y133] a fact that was given up and that is made again leaves its gap record',
  both(({ world, site }) => {
    talk(world, site);
    commit(world, site, note('evt_1', 'eq_1'));
    site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
    talk(world, site);
    assert.equal(world.custody(site).verdict, 'declared_gap');
    world.now += MINUTE;
    commit(world, site, note('evt_1', 'eq_1'));
    talk(world, site);
    assertComplete(world, site, 'events/evt_1');
  }),
);

test(
  '[Y286] a fact that a site removed by age, and of which another site has an earlier one, needs no comparison',
  both(({ world, site, other, cloud }) => {
    talk(world, site, other);
    commit(world, other, note('evt_1', 'eq_1'));
    const first = valueAt(other, 'events/evt_1');
    world.now += 300 * MINUTE;
    commit(world, site, note('evt_1', 'eq_1'));
    talk(world, site);
    site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
    talk(world, other, site);
    assert.equal(valueAt(cloud, 'events/evt_1'), first);
    assert.equal(site.twin.docs.has('events/evt_1'), false);
    const { verdict, unbalanced, gaps, differs } = world.custody(site);
    assert.deepEqual([verdict, unbalanced, gaps, differs], ['complete', [], [], false]);
  }),
);

test(
  '[Y290] an earlier one in a file that comes out of order asks once for a comparison',
  both(({ world, site, other, cloud }) => {
    talk(world, site, other);
    commit(world, other, machine('eq_2'));
    commit(world, other, note('evt_1', 'eq_1'));
    world.now += MINUTE;
    commit(world, site, note('evt_1', 'eq_1'));
    talk(world, site);
    site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
    const from = cloud.twin.tx.head();
    talk(world, other);
    const head = world.run(cloud, (tx) => openAnswer(tx, 'gw_A', undefined, from)) ?? assert.fail();
    const size = { page: 1, bytes: 100_000 };
    const pageAfter = (at: typeof from) => {
      const page = world.run(cloud, (tx, env) => answerPage(tx, env, at, size));
      return page === undefined || page === 'gone' ? assert.fail() : page;
    };
    const second = pageAfter(pageAfter(from).to);
    assert.deepEqual(
      second.commits.flatMap(({ docs }) => docs.map(({ id }) => id)),
      ['evt_1'],
    );
    world.run(site, (tx) => takeAnswer(tx, head));
    const { asked } = site.twin.tx.siteChannel();
    for (let i = 0; i < 2; i++) {
      world.run(site, (tx, env) => takeAnswerPage(tx, env, head.cloud, second));
      assert.equal(site.twin.tx.siteChannel().asked, asked + 1);
    }
    talk(world, site);
    assert.equal(world.custody(site).verdict, 'complete');
  }),
);

test(
  '[Y286] a later one changes nothing, in a page or in a file, and an earlier one in a file counts at once',
  both(({ world, site, other, cloud }) => {
    talk(world, site, other);
    commit(world, other, note('evt_1', 'eq_1'));
    const first = valueAt(other, 'events/evt_1');
    const give = new Courier(world).carried(other);
    world.now += MINUTE;
    commit(world, site, note('evt_1', 'eq_1'));
    const from = cloud.twin.tx.head();
    talk(world, site);
    const head = world.run(cloud, (tx) => openAnswer(tx, 'gw_A', undefined, from)) ?? assert.fail();
    const page = world.run(cloud, (tx, env) => answerPage(tx, env, from, { page: 10, bytes: 100_000 }));
    assert.ok(page !== undefined && page !== 'gone' && page.commits.length === 1);
    site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
    give();
    assert.equal(valueAt(cloud, 'events/evt_1'), first);
    new Courier(world).written(site)();
    const made = () => site.twin.tx.removal('events/evt_1')?.made?.hlc;
    const earlier = cloud.twin.docs.get('events/evt_1')?.hlc;
    assert.equal(made(), earlier);
    assert.equal(world.custody(site).differs, false);
    // The file from before, with the later time, is read last.
    assert.equal(
      world.run(site, (tx) => takeAnswer(tx, head)),
      'taken',
    );
    world.run(site, (tx, env) => takeAnswerPage(tx, env, head.cloud, page));
    assert.equal(made(), earlier);
    talk(world, site);
    assert.deepEqual([world.custody(site).verdict, world.custody(site).unbalanced], ['complete', []]);
  }),
);

test(
  '[Y134] if head office lost the earlier one, a comparison notes at the site the later one that another site gave',
  both(({ world, site, other, cloud }) => {
    talk(world, site, other);
    const restore = cloud.twin.backup();
    commit(world, site, note('evt_1', 'eq_1'));
    talk(world, site);
    site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
    restore();
    world.now += 300 * MINUTE;
    commit(world, other, note('evt_1', 'eq_1'));
    talk(world, other, site);
    assert.equal(valueAt(cloud, 'events/evt_1'), valueAt(other, 'events/evt_1'));
    assert.equal(site.twin.docs.has('events/evt_1'), false);
    const { verdict, unbalanced, gaps, differs } = world.custody(site);
    assert.deepEqual([verdict, unbalanced, gaps, differs], ['complete', [], [], false]);
  }),
);
