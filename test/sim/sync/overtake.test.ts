/** Pages that overtake each other, and alerts that overtake all pages, over stores in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askRepair } from '#domain/sync/apply.ts';
import type { Push, Request } from '#domain/sync/messages.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { Random } from '#test/sim/random.ts';
import { cloneEnd } from './clone.ts';
import type { End } from './end.ts';
import { World } from './world.ts';

/** A world without faults, whose first site has ended its first contact but for the pages. */
function linked(): { world: World; site: End; cloud: End } {
  const world = new World(new Random(7));
  world.faults = 0;
  const [site] = world.sites as [End];
  world.contact(site, 1_000);
  const hello = ask(world, site);
  assert.equal(hello?.type, 'hello');
  arrive(world, site, hello);
  return { world, site, cloud: world.cloud };
}

function ask(world: World, site: End, urgent = false): Request | undefined {
  return world.run(site, (tx, env) => site.link.next(tx, env, { urgent }));
}

const askPage = (world: World, site: End, urgent = false): Push => {
  const request = ask(world, site, urgent);
  assert.equal(request?.type, 'push');
  return request as Push;
};

function arrive(world: World, site: End, request: Request | undefined): void {
  assert.ok(request);
  const answer = world.deliver(request);
  world.run(site, (tx, env) => site.link.take(tx, env, request, answer));
}

const place = (id: string): LocalWrite => ({
  collection: 'records',
  id,
  object: 'location',
  data: { name: id, code: id, parent_id: null, active: true, labels: {} },
});
const fact = (id: string, type: string): LocalWrite => ({
  collection: 'events',
  id,
  object: 'event',
  data: { type, subject: { object: 'location', id: 'loc_0' }, data: {} },
});

test('[Y40] an alert that is made while pages are on their way waits for none of them, and old alerts do not delay it', () => {
  const { world, site, cloud } = linked();
  site.link.close();
  for (let i = 0; i < 40; i++) world.commit(site, [fact(`evt_old_${i}`, 'alert_raised')], false);
  for (let i = 0; i < 40; i++) world.commit(site, [place(`loc_${i}`)], false);
  arrive(world, site, ask(world, site));
  const pages = [askPage(world, site), askPage(world, site)];
  world.commit(site, [fact('evt_new', 'alert_raised')], false);
  world.commit(site, [place('loc_new')], false);
  const urgent = askPage(world, site, true);
  assert.deepEqual(
    urgent.commits.map(({ docs }) => docs.map(({ id }) => id)),
    [['evt_new']],
  );
  assert.equal(ask(world, site, true), undefined, 'one urgent page is on its way');
  arrive(world, site, urgent);
  assert.equal(ask(world, site, true), undefined, 'nothing urgent is left');
  assert.deepEqual([cloud.twin.docs.has('events/evt_new'), cloud.twin.docs.has('records/loc_0')], [true, false]);
  for (const page of pages) arrive(world, site, page);
  world.contact(site, 1_000);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y40] an alert that is made while both ends compare all documents is sent at once, and is there once', () => {
  const { world, site, cloud } = linked();
  for (let i = 0; i < 30; i++) world.commit(site, [place(`loc_${i}`), fact(`evt_${i}`, 'note')], true);
  world.run(site, askRepair);
  site.link.close();
  const types: string[] = [];
  for (let i = 0; ; i++) {
    const request = ask(world, site);
    if (request === undefined) break;
    types.push(request.type);
    if (request.type === 'digest' && i % 2 === 0) world.commit(site, [fact(`evt_alert_${i}`, 'alert_raised')], false);
    const isEnd = request.type === 'end';
    const early = isEnd ? undefined : ask(world, site, true);
    assert.equal(early?.type, request.type === 'digest' && i % 2 === 0 ? 'early' : undefined);
    if (early !== undefined) {
      assert.equal(ask(world, site, true), undefined, 'one is on its way');
      arrive(world, site, early);
      assert.equal(cloud.twin.docs.has(`events/evt_alert_${i}`), true);
    }
    arrive(world, site, request);
    if (isEnd) break;
  }
  assert.ok(types.filter((type) => type === 'digest').length > 3, types.join(' '));
  assert.ok(types.includes('end'));
  world.contact(site, 1_000);
  const keys = cloud.twin.log.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y40] an early alert that is lost or refused does not end the comparison of both ends', () => {
  const { world, site, cloud } = linked();
  for (let i = 0; i < 30; i++) world.commit(site, [place(`loc_${i}`)], true);
  world.run(site, askRepair);
  site.link.close();
  for (const type of ['hello', 'begin', 'digest']) {
    const request = ask(world, site);
    assert.equal(request?.type, type);
    arrive(world, site, request);
  }
  world.commit(site, [fact('evt_lost', 'alert_raised')], false);
  const lost = ask(world, site, true);
  assert.ok(lost);
  assert.equal(site.link.dropEarly(lost), true);
  world.commit(site, [fact('evt_refused', 'alert_raised')], false);
  const refused = ask(world, site, true);
  assert.ok(refused);
  world.run(site, (tx, env) => site.link.take(tx, env, refused, { type: 'refused', code: 'session_changed' }));
  assert.equal(site.link.isRepairing, true);
  assert.equal(cloud.twin.docs.has('events/evt_lost'), false);
  for (let request = ask(world, site); request !== undefined; request = ask(world, site)) arrive(world, site, request);
  assert.deepEqual([cloud.twin.docs.has('events/evt_lost'), cloud.twin.docs.has('events/evt_refused')], [true, true]);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y25] two boxes with one identity that always have something to send are found out', () => {
  const { world, site } = linked();
  const copy = cloneEnd(site);
  const boxes = [site, copy];
  arrive(world, copy, ask(world, copy));
  const fenced = () => boxes.map(({ twin }) => twin.tx.siteChannel().fenced);
  for (let i = 0; i < 40 && !fenced().includes(true); i++)
    for (const [k, box] of boxes.entries()) {
      world.commit(box, [place(`loc_${k}_${i}`)], false);
      // The box never has nothing to do, so it begins no new session by itself.
      for (let asked = ask(world, box), n = 0; asked !== undefined && n < 50; asked = ask(world, box), n++)
        arrive(world, box, asked);
    }
  assert.equal(fenced().filter(Boolean).length, 1);
  const counts = boxes[fenced().indexOf(false)] as End;
  world.contact(counts, 1_000);
  assert.ok(counts.twin.docs.has('records/loc_0_0') && counts.twin.docs.has('records/loc_1_0'));
});

test('[Y79] pages that arrive in any order bring all commits once, and the site keeps no row that head office has', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const { world, site, cloud } = linked();
    const random = new Random(seed);
    for (let i = 0; i < 30; i++) world.commit(site, [place(`loc_${i}`), fact(`evt_${i}`, 'note')], true);
    for (let i = 0; i < 10; i++) world.commit(site, [place(`loc_${i}`)], false);
    const open: Request[] = [];
    for (;;) {
      const request = open.length < 4 ? ask(world, site) : undefined;
      if (request !== undefined) open.push(request);
      else if (open.length === 0) break;
      else arrive(world, site, open.splice(random.int(open.length), 1)[0]);
    }
    const { carried, pending, sent } = site.twin.tx.siteChannel();
    assert.deepEqual([carried, pending, new Set(sent)], [[], [], new Set([site.twin.tx.head().n])], `seed ${seed}`);
    assert.equal(site.twin.tx.rows(0, 100).length, 0);
    const keys = cloud.twin.log.map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
    site.link.close();
    world.contact(site, 100);
    assert.equal(world.custody(site).verdict, 'complete');
  }
});

test('[Y80] the rows of a page that was cut are sent in other pages, and the first page changes nothing when it arrives late', () => {
  const { world, site, cloud } = linked();
  for (let i = 0; i < 12; i++) world.commit(site, [place(`loc_${i}`)], false);
  const cut = askPage(world, site);
  site.link.close();
  world.contact(site, 1_000);
  assert.equal(cloud.twin.docs.has('records/loc_11'), true);
  const { length } = cloud.twin.log;
  world.deliver(cut);
  assert.equal(cloud.twin.log.length, length);
  world.contact(site, 1_000);
  assert.equal(world.custody(site).verdict, 'complete');
});
