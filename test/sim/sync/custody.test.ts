/** Custody beside deletion by age, one case each, over stores in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askRepair } from '#domain/sync/apply.ts';
import { markBackup, noteBackup, withdrawBackups, withOlder } from '#domain/sync/backups.ts';
import { openAnswer, takeAnswer } from '#domain/sync/courier.ts';
import { dropFacts, removableFacts } from '#domain/sync/ledger.ts';
import { beginLife } from '#domain/sync/lives.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { backUp, calm, commit, machine, note, talk } from './calm.ts';
import { Courier } from './courier.ts';

test('[Y33] a fact is removed by age when a backup of the cloud has it, not when it was acknowledged, and is no gap then', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  const key = 'events/evt_1';
  const removable = () => site.twin.run((tx) => removableFacts(tx, world.env(site), [key]));
  talk(world, site);
  assert.deepEqual(removable(), []);
  backUp(cloud, 1);
  talk(world, site);
  // The backup before this one may be restored, too.
  assert.deepEqual(removable(), []);
  // Far more pages than a site keeps tokens of.
  for (let i = 0; i < 60; i++) {
    commit(world, site, note(`evt_later_${i}`, 'eq_1'));
    talk(world, site);
  }
  backUp(cloud, 1);
  talk(world, site);
  assert.deepEqual(removable(), [key]);
  const later = world.run(site, (tx, env) => removableFacts(tx, env, ['events/evt_later_59']));
  assert.deepEqual(later, []);
  site.twin.run((tx) => dropFacts(tx, world.env(site), removable()));
  assert.deepEqual([world.custody(site).verdict, world.custody(site).gaps], ['complete', []]);
  site.twin.run(askRepair);
  talk(world, site);
  assert.deepEqual([site.twin.docs.has(key), cloud.twin.docs.has(key)], [false, true]);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y171] of old tokens a site keeps few, and for each time one that is not much older', () => {
  const LAST = 500_000;
  let older: ReturnType<typeof withOlder> = [];
  for (let place = 1; place <= LAST; place++) older = withOlder(older, [{ token: `t.${place}`, sent: [], place }]);
  assert.ok(older.length <= 32, `${older.length} tokens`);
  for (let age = 100; age < LAST / 2; age *= 2) {
    const found = older.findLast(({ place = 0 }) => place <= LAST - age);
    assert.ok(LAST - (found?.place ?? 0) < 2 * age, `${age}: ${JSON.stringify(found)}`);
  }
});

test('[Y170] a backup of which the older ones lack something, or during which the cloud was put back, promises nothing', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  talk(world, site);
  const promised = () => {
    talk(world, site);
    return world.run(site, (tx, env) => removableFacts(tx, env, ['events/evt_1']).length > 0);
  };
  backUp(cloud, 1);
  assert.equal(promised(), false);
  cloud.twin.run((tx) => noteBackup(tx, 'gw_A', markBackup(tx, 'gw_A'), true));
  assert.equal(promised(), false);
  const mark = cloud.twin.run((tx) => markBackup(tx, 'gw_A'));
  cloud.twin.run((tx) => beginLife(tx, world.env(cloud), 5));
  assert.equal(
    cloud.twin.run((tx) => noteBackup(tx, 'gw_A', mark)),
    false,
  );
  assert.equal(promised(), false);
  // The comparison after the new life of the cloud is over, so the next backups count from their begin.
  backUp(cloud);
  assert.equal(promised(), true);
  // A backup failed, and found that the older ones are damaged.
  cloud.twin.run((tx) => withdrawBackups(tx, 'gw_A'));
  assert.equal(promised(), false);
});

test('[Y264] bundles bring the promise of backups to a site without a link, and take it away', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  commit(world, site, machine('eq_1'));
  talk(world, site);
  commit(world, site, note('evt_1', 'eq_1'));
  const removable = (id: string) => world.run(site, (tx, env) => removableFacts(tx, env, [`events/${id}`])).length > 0;
  // A backup before the bundle arrives does not have the fact.
  backUp(cloud);
  assert.deepEqual([courier.journey(site), removable('evt_1')], [true, false]);
  backUp(cloud, 1);
  assert.deepEqual([courier.journey(site), removable('evt_1')], [true, false]);
  backUp(cloud, 1);
  commit(world, site, note('evt_2', 'eq_1'));
  // The fact came after both backups, and the bundle that has it says at once what the backups have.
  assert.deepEqual([courier.journey(site), removable('evt_1'), removable('evt_2')], [true, true, false]);
  const { covered } = site.twin.tx.siteChannel();
  assert.ok(covered);
  // A contact says the same.
  talk(world, site);
  assert.deepEqual([removable('evt_1'), removable('evt_2')], [true, false]);
  // The backups are found to be damaged.
  cloud.twin.run((tx) => withdrawBackups(tx, 'gw_A'));
  assert.deepEqual([courier.journey(site), removable('evt_1')], [true, false]);
});

test('[Y264] an old file with a promise does not bring it back after a later file or a contact took it away', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  talk(world, site);
  const courier = new Courier(world);
  assert.equal(courier.journey(site), true);
  backUp(cloud);
  const answer = () => world.run(cloud, (tx) => openAnswer(tx, 'gw_A', site.twin.tx.siteChannel().pulled));
  const removable = () => world.run(site, (tx, env) => removableFacts(tx, env, ['events/evt_1'])).length > 0;
  const take = (head: ReturnType<typeof answer>) => {
    assert.ok(head);
    assert.equal(
      world.run(site, (tx) => takeAnswer(tx, head)),
      'taken',
    );
    return removable();
  };
  const old = answer();
  assert.equal(take(old), true);
  cloud.twin.run((tx) => withdrawBackups(tx, 'gw_A'));
  assert.deepEqual([take(answer()), take(old)], [false, false]);
  backUp(cloud);
  const second = answer();
  cloud.twin.run((tx) => withdrawBackups(tx, 'gw_A'));
  talk(world, site);
  assert.deepEqual([removable(), take(second)], [false, false]);
});

test('[Y264] a page that came after a bundle is not in a backup from between the two', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  commit(world, site, machine('eq_1'));
  talk(world, site);
  commit(world, site, note('evt_1', 'eq_1'));
  courier.deliver(site);
  // Both backups have the bundle, but not the page that comes next.
  backUp(cloud);
  commit(world, site, note('evt_2', 'eq_1'));
  talk(world, site);
  assert.equal(courier.journey(site), true);
  const { n } = site.twin.tx.head();
  assert.ok(site.twin.tx.siteChannel().sent.every((sent) => sent >= n - 1));
  const removable = world.run(site, (tx, env) => removableFacts(tx, env, ['events/evt_2']));
  assert.deepEqual(removable, []);
});

test('[Y269] more than 40 files between two contacts are no loss, and a cloud that was put back is still found out', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  commit(world, site, machine('eq_1'));
  talk(world, site);
  assert.equal(courier.journey(site), true);
  const { asked } = site.twin.tx.siteChannel();
  const restore = cloud.twin.backup();
  const many = (from: string) => {
    for (let i = 0; i < 45; i++) {
      commit(world, site, note(`evt_${from}_${i}`, 'eq_1'));
      courier.deliver(site);
    }
  };
  commit(world, site, note('evt_0', 'eq_1'));
  assert.equal(courier.journey(site), true);
  many('a');
  assert.equal(courier.journey(site), true);
  assert.equal(site.twin.tx.siteChannel().asked, asked);
  // Head office loses the last bundles, and gets more than 40 others since.
  restore();
  many('b');
  assert.equal(courier.journey(site), true);
  assert.ok(site.twin.tx.siteChannel().asked > asked, 'a repair is asked for');
  talk(world, site);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y33] without a backup a fact that is confirmed waits 30 days, and one that is not 210 days', () => {
  const DAY = 86_400_000;
  const { world, site } = calm();
  const removable = (key: string) => site.twin.run((tx) => removableFacts(tx, world.env(site), [key]).length > 0);
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  talk(world, site);
  commit(world, site, note('evt_2', 'eq_1'));
  const waits = [29, 31, 209, 211].map((days) => {
    world.now += days * DAY;
    const may = ['events/evt_1', 'events/evt_2'].map(removable);
    world.now -= days * DAY;
    return may;
  });
  assert.deepEqual(waits, [
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ]);
  site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1', 'events/evt_2']));
  talk(world, site);
  const custody = world.custody(site);
  assert.equal(custody.verdict, 'declared_gap');
  assert.deepEqual(
    site.twin.tx.gaps().map(({ items }) => Object.keys(items)),
    [['events/evt_2']],
  );
});

test('[Y33] a fact that was removed by age, and that the cloud lost since, is named, and a repair makes it a declared gap', () => {
  const { world, site, cloud } = calm();
  talk(world, site);
  const restore = cloud.twin.backup();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  talk(world, site);
  site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
  assert.equal(world.custody(site).verdict, 'complete');
  restore();
  talk(world, site);
  const custody = world.custody(site);
  assert.deepEqual([custody.verdict, custody.unbalanced], ['declared_gap', []]);
  assert.equal(cloud.twin.docs.has('records/eq_1'), true);
});

test('[Y35] a fact that another one replaces is at neither end, is no gap, and does not come back', () => {
  const { world, site, cloud } = calm();
  const rollup = (id: string, replaces: string[]): LocalWrite => ({
    collection: 'telemetry',
    id,
    object: 'rollup',
    data: { slot: 'eq_1/20000', seal: { generation: replaces.length + 1, replaces } },
  });
  const keys = () =>
    [site, cloud].map(({ twin }) => [...twin.docs.keys()].filter((key) => key.startsWith('telemetry')));
  commit(world, site, rollup('hrol_1', []));
  talk(world, site);
  const restore = cloud.twin.backup();
  // The second one never leaves the site.
  commit(world, site, rollup('hrol_2', ['hrol_1']));
  commit(world, site, rollup('hrol_3', ['hrol_1', 'hrol_2']));
  talk(world, site);
  assert.deepEqual(keys(), [['telemetry/hrol_3'], ['telemetry/hrol_3']]);
  assert.deepEqual([world.custody(site).verdict, site.twin.tx.gaps()], ['complete', []]);
  // Head office is put back to a time when it had the first one.
  restore();
  talk(world, site);
  assert.deepEqual(keys(), [['telemetry/hrol_3'], ['telemetry/hrol_3']]);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y34] what a bound drops leaves a gap record, and custody names it until the fact comes back', () => {
  const { world, site } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  const restore = site.twin.backup();
  site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
  talk(world, site);
  const custody = world.custody(site);
  assert.deepEqual([custody.verdict, custody.gaps.length], ['declared_gap', 1]);
  restore();
  talk(world, site);
  site.twin.run((tx) => beginLife(tx, world.env(site), 1));
  assert.equal(site.twin.docs.has('events/evt_1'), true);
});

test('[Y64] the log of the cloud has a bound, and a site that needs an older row compares all documents', () => {
  const { world, site, other, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site, other);
  for (let i = 0; i < 120; i++) commit(world, cloud, machine(`eq_c_${i}`));
  const rows = cloud.twin.tx.rows(0, 1_000);
  assert.ok(rows.length <= 48 && rows.at(-1)?.n === cloud.twin.tx.head().n, `${rows.length} rows`);
  talk(world, site, other);
  for (const end of [site, other]) {
    assert.equal([...end.twin.docs.keys()].filter((key) => key.startsWith('records/eq_c_')).length, 120);
    assert.equal(world.custody(end).verdict, 'complete');
  }
  // From here on the log is enough again, also for what the sites write.
  commit(world, site, machine('eq_2'));
  commit(world, cloud, machine('eq_3'));
  talk(world, site, other);
  assert.deepEqual(
    [site, other].map(({ twin }) => ['eq_2', 'eq_3'].map((id) => twin.docs.has(`records/${id}`))),
    [
      [true, true],
      [true, true],
    ],
  );
});

test('[Y64] a bundle of a cloud that was put back and lacks its oldest rows brings no fact without its record', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  const has = (...keys: string[]) => keys.map((key) => site.twin.docs.has(key));
  commit(world, site, machine('eq_1'));
  talk(world, site);
  const restore = cloud.twin.backup();
  for (let i = 0; i < 70; i++) commit(world, cloud, machine(`eq_lost_${i}`));
  // The oldest rows are gone, but the cloud knows up to which row the site has its log.
  commit(world, cloud, machine('eq_2'), note('evt_2', 'eq_2'));
  talk(world, site);
  commit(world, cloud, machine('eq_3'), note('evt_3', 'eq_3'));
  assert.equal(courier.journey(site), true);
  assert.deepEqual(has('records/eq_3', 'events/evt_3'), [true, true]);
  const { n } = site.twin.tx.siteChannel().pulled;
  restore();
  commit(world, cloud, machine('eq_early'));
  for (let i = 0; i < 38; i++) commit(world, cloud, machine(`eq_new_${i}`));
  commit(world, cloud, note('evt_late', 'eq_early'));
  for (let i = 38; i < 70; i++) commit(world, cloud, machine(`eq_new_${i}`));
  const rows = cloud.twin.tx.rows(0, 1_000);
  const first = rows.findIndex(({ members }) => members.some(({ id }) => id === 'eq_early'));
  assert.ok(first < 0 && (rows[0]?.n ?? n) < n, 'the row of the record is gone, and the number of the site is later');
  const isTaken = courier.journey(site);
  assert.deepEqual([...has('records/eq_early', 'events/evt_late'), isTaken], [false, false, false]);
  // A contact brings both, and the next bundle goes on from there.
  talk(world, site);
  assert.deepEqual(has('records/eq_early', 'events/evt_late'), [true, true]);
  commit(world, cloud, machine('eq_4'));
  assert.equal(courier.journey(site), true);
  assert.deepEqual([has('records/eq_4'), world.custody(site).verdict], [[true], 'complete']);
});
