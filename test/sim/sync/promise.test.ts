/** What bundles promise and confirm after an end was put back, one case each, over stores in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withdrawBackups } from '#domain/sync/backups.ts';
import { openAnswer, takeAnswer } from '#domain/sync/courier.ts';
import { removableFacts } from '#domain/sync/ledger.ts';
import { beginLife } from '#domain/sync/lives.ts';
import { backUp, calm, commit, machine, note, talk } from './calm.ts';
import { Courier } from './courier.ts';
import { COURIER_BUGS } from './courier-bugs.ts';
import { lostBundle } from './directed.ts';

test('[Y270] a loss that a file of head office shows ends the promise, and confirms nothing from before, until a comparison', () => {
  assert.equal(lostBundle({}), undefined);
  const control = COURIER_BUGS.find(({ directed }) => directed === lostBundle) ?? assert.fail();
  assert.match(lostBundle(control.bug) ?? '', /^\[Y33\] the site may remove telemetry/);
});

test('[Y271] head office does not forget a loss when it reads an older file of the site', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  let count = 0;
  const write = () => commit(world, site, note(`evt_${count++}`, 'eq_1'));
  commit(world, site, machine('eq_1'));
  talk(world, site);
  write();
  courier.journey(site);
  // This file says that the first one is at head office. Somebody forgets it in a pocket.
  write();
  const old = courier.carried(site);
  write();
  courier.deliver(site);
  const restore = cloud.twin.backup();
  for (let i = 0; i < 5; i++) {
    write();
    courier.deliver(site);
  }
  assert.equal(courier.written(site)(), true);
  const { asked, bundle } = site.twin.tx.siteChannel();
  assert.equal(bundle?.place, 7);
  restore();
  write();
  courier.deliver(site);
  old();
  assert.equal(courier.written(site)(), true);
  assert.equal(site.twin.tx.siteChannel().asked, asked + 1, 'a repair is asked for');
  talk(world, site);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y271] head office has a file of long ago only if it named it, also at a contact', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  commit(world, site, machine('eq_1'));
  talk(world, site);
  for (let i = 0; i < 3; i++) courier.deliver(site);
  courier.written(site)();
  const restore = cloud.twin.backup();
  // These files are made before the site reads that head office has the next one.
  const late = Array.from({ length: 60 }, () => courier.carried(site));
  commit(world, site, note('evt_1', 'eq_1'));
  courier.deliver(site);
  // The stick is pulled out after the begin of the file, so the site does not know the later rows of head office.
  assert.equal(courier.written(site)(0), true);
  restore();
  for (const give of late) give();
  // More than 40 files ago another one has the place of the one that was lost.
  talk(world, site);
  assert.ok(cloud.twin.docs.has('events/evt_1'), 'head office gets back what it lost');
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y272] an unread file from before head office was put back promises nothing about the files that have the places of lost ones', () => {
  const { world, site, cloud } = calm();
  const courier = new Courier(world);
  commit(world, site, machine('eq_1'));
  talk(world, site);
  commit(world, site, note('evt_0', 'eq_1'));
  courier.journey(site);
  const restore = cloud.twin.backup();
  for (let i = 0; i < 3; i++) {
    commit(world, site, note(`evt_old_${i}`, 'eq_1'));
    courier.deliver(site);
  }
  backUp(cloud);
  for (let i = 0; i < 10; i++) courier.written(site);
  const old = courier.written(site);
  // Head office does not know that it was put back, so its life is the same.
  restore();
  for (let i = 0; i < 4; i++) {
    commit(world, site, note(`evt_new_${i}`, 'eq_1'));
    courier.journey(site);
  }
  assert.deepEqual([old(), site.twin.tx.siteChannel().lost], [true, undefined]);
  assert.deepEqual(
    world.run(site, (tx, env) => removableFacts(tx, env, ['events/evt_new_0'])),
    [],
  );
});

test('[Y272] a file of an earlier life of head office, or of a version that names no life, brings no promise', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  talk(world, site);
  backUp(cloud);
  const restore = cloud.twin.backup();
  const open = () =>
    world.run(cloud, (tx) => openAnswer(tx, 'gw_A', site.twin.tx.siteChannel().pulled)) ?? assert.fail();
  const take = (head: ReturnType<typeof open>) => {
    assert.equal(
      world.run(site, (tx) => takeAnswer(tx, head)),
      'taken',
    );
    return world.run(site, (tx, env) => removableFacts(tx, env, ['events/evt_1'])).length > 0;
  };
  const { life: _, ...earlier } = open();
  assert.equal(take(earlier), false);
  for (let i = 0; i < 5; i++) open();
  // Files with larger numbers than those after the restore; nobody has read them.
  const [first, old] = [open(), open()];
  assert.deepEqual([take(first), take({ ...earlier, answer: 100, backed_up: undefined })], [true, true]);
  restore();
  cloud.twin.run((tx) => beginLife(tx, world.env(cloud), 2));
  cloud.twin.run((tx) => withdrawBackups(tx, 'gw_A'));
  talk(world, site, site);
  assert.deepEqual([take(old), take(open()), take(old)], [false, false, false]);
  // After the comparison the small numbers count.
  backUp(cloud);
  assert.equal(take(open()), true);
  // A file of a life that the site has not met yet takes the promise away.
  cloud.twin.run((tx) => beginLife(tx, world.env(cloud), 3));
  assert.equal(take(open()), false);
});
