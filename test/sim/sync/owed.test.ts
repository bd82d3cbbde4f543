/** A quarantine that is full: what comes then is noted, and comes again by a repair. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuarantineFull } from '#domain/sync/apply.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import { CONTROLS } from './bugs.ts';
import { calm, commit, machine, name, note, talk } from './calm.ts';
import { Courier } from './courier.ts';
import { fullQuarantine } from './directed.ts';
import type { End } from './end.ts';

const bad = (id: string) => machine(id, { name: 'poison' });
const owedAt = ({ twin }: End): number => twin.tx.owed.owings().reduce((sum, { count }) => sum + count, 0);

test('[Y61] [Y200] [Y201] [Y202] a full quarantine stops nothing: what comes then is noted, nothing says complete, and an update brings it', () => {
  const { world, site, cloud } = calm();
  const { commits } = SYNC_RULES.quarantine;
  for (let i = 0; i < commits; i++) commit(world, site, bad(`eq_bad_${i}`));
  for (let i = 0; i < 5; i++) commit(world, site, bad(`eq_more_${i}`), note(`evt_${i}`, `eq_more_${i}`));
  commit(world, site, machine('eq_2'));
  for (let i = 0; i < 20; i++) talk(world, site);
  assert.equal(name(cloud, 'eq_2'), 'eq_2');
  assert.equal(cloud.twin.tx.quarantined().length, commits);
  assert.ok(owedAt(cloud) >= 5);
  assert.equal(site.twin.tx.siteChannel().owed, owedAt(cloud));
  const before = world.custody(site);
  assert.deepEqual([before.verdict, before.owed], ['incomplete', { there: owedAt(cloud), here: 0 }]);
  // A later change of a document that is only noted waits, too.
  commit(world, site, machine('eq_more_1', { name: 'later' }));
  talk(world, site);
  assert.equal(cloud.twin.docs.has('records/eq_more_1'), false);
  world.poison = false;
  world.retry(cloud);
  for (let i = 0; i < 20; i++) talk(world, site);
  assert.deepEqual([name(cloud, 'eq_more_1'), cloud.twin.docs.has('events/evt_4')], ['later', true]);
  assert.deepEqual([owedAt(cloud), cloud.twin.tx.quarantined().length], [0, 0]);
  assert.deepEqual([world.custody(site).verdict, site.twin.tx.siteChannel().owed ?? 0], ['complete', 0]);
});

test('[Y200] [Y202] a site whose quarantine is full goes on fetching, and gets what it noted after its update', () => {
  const { world, site, cloud } = calm(undefined, { commits: 2, keys: 100 });
  talk(world, site);
  for (let i = 0; i < 6; i++) commit(world, cloud, bad(`eq_bad_${i}`));
  commit(world, cloud, machine('eq_2'));
  talk(world, site);
  assert.deepEqual([name(site, 'eq_2'), owedAt(site)], ['eq_2', 4]);
  assert.equal(world.custody(site).verdict, 'not_settled');
  world.poison = false;
  world.retry(site);
  talk(world, site);
  talk(world, site);
  assert.deepEqual([name(site, 'eq_bad_5'), owedAt(site)], ['poison', 0]);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y203] at the bound of the notes a page fails as a whole, and nothing is lost', () => {
  const { world, site, cloud } = calm(undefined, { commits: 2, keys: 3 });
  commit(world, site, machine('eq_1'));
  talk(world, site);
  for (let i = 0; i < 9; i++) commit(world, site, bad(`eq_bad_${i}`));
  commit(world, site, machine('eq_2'));
  const [open] = [site.twin.run((tx) => site.link.next(tx, world.env(site)))];
  assert.ok(open);
  site.twin.run((tx) => site.link.take(tx, world.env(site), open, world.deliver(open)));
  assert.throws(() => {
    for (;;) {
      const request = site.twin.run((tx) => site.link.next(tx, world.env(site)));
      assert.ok(request);
      site.twin.run((tx) => site.link.take(tx, world.env(site), request, world.deliver(request)));
    }
  }, QuarantineFull);
  assert.ok(owedAt(cloud) <= 3);
  site.link.close();
  world.poison = false;
  world.retry(cloud);
  for (let i = 0; i < 3; i++) talk(world, site);
  assert.deepEqual([name(cloud, 'eq_2'), world.custody(site).verdict], ['eq_2', 'complete']);
});

test('[Y203] for a site of an earlier version, which would forget what is only noted, a full quarantine lets the page fail', () => {
  const { world, site } = calm(undefined, { commits: 2, keys: 100 });
  talk(world, site);
  for (let i = 0; i < 3; i++) commit(world, site, bad(`eq_bad_${i}`));
  const ask = () => site.twin.run((tx) => site.link.next(tx, world.env(site)));
  const hello = ask();
  assert.ok(hello);
  site.twin.run((tx) => site.link.take(tx, world.env(site), hello, world.deliver(hello)));
  const page = ask();
  assert.ok(page?.type === 'push');
  assert.throws(() => world.deliver({ ...page, owes: undefined }), QuarantineFull);
  assert.equal(world.deliver(page).type, 'ok');
});

test('[Y203] a bundle for which there is no room is not taken, and is taken after the update', () => {
  const { world, site, cloud } = calm(undefined, { commits: 2, keys: 100 });
  talk(world, site);
  for (let i = 0; i < 3; i++) commit(world, site, bad(`eq_bad_${i}`));
  const couriers = new Courier(world);
  couriers.journey(site);
  assert.deepEqual([cloud.twin.tx.quarantined().length <= 2, owedAt(cloud)], [true, 0]);
  world.poison = false;
  world.retry(cloud);
  assert.equal(couriers.journey(site), true);
  assert.equal(name(cloud, 'eq_bad_2'), 'poison');
  talk(world, site);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y200] [Y201] the simulator finds notes that are forgotten, taken too early, or not heard of', () => {
  assert.equal(fullQuarantine({}), undefined);
  const controls = CONTROLS.filter(({ directed }) => directed === fullQuarantine);
  assert.equal(controls.length, 3);
  for (const { name: of, bug } of controls) assert.ok(fullQuarantine(bug), of);
});
