/** The protocol between a site and the cloud, one case each, over stores in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askRepair } from '#domain/sync/apply.ts';
import { handleRequest } from '#domain/sync/cloud.ts';
import { answerRanges, nextRanges, startWalk, takeRanges } from '#domain/sync/digest.ts';
import { dropFacts } from '#domain/sync/ledger.ts';
import { MOST_ANCESTORS } from '#domain/sync/registers/registers.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import { calm, commit, machine, name, note, talk } from './calm.ts';
import { cloneEnd } from './clone.ts';
import { Courier } from './courier.ts';
import type { End } from './end.ts';
import { MemoryTwin } from './twin.ts';

test('[Y3] [Y24] a commit that the cloud cannot take is kept out as a whole, blocks nothing else, and is taken later', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  commit(world, site, machine('eq_1', { name: 'poison' }), note('evt_1', 'eq_1'));
  commit(world, site, machine('eq_2'), note('evt_2', 'eq_2'));
  talk(world, site);
  assert.deepEqual([name(cloud, 'eq_1'), cloud.twin.docs.has('events/evt_1')], ['eq_1', false]);
  assert.deepEqual([name(cloud, 'eq_2'), cloud.twin.docs.has('events/evt_2')], ['eq_2', true]);
  const custody = world.custody(site);
  assert.deepEqual([custody.verdict, custody.quarantined.length], ['incomplete', 1]);
  world.poison = false;
  world.retry(cloud);
  assert.deepEqual([name(cloud, 'eq_1'), cloud.twin.docs.has('events/evt_1')], ['poison', true]);
  talk(world, site);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y4] [Y6] a page that is repeated or late changes nothing, and a page that failed moves no token', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  commit(world, site, machine('eq_2'));
  site.twin.run((tx) => site.link.next(tx, world.env(site)));
  site.link.close();
  const pushes = [1, 2].map(() => {
    const asked = site.twin.run((tx) => site.link.next(tx, world.env(site)));
    assert.ok(asked);
    const answer = world.deliver(asked);
    site.twin.run((tx) => site.link.take(tx, world.env(site), asked, answer));
    return asked;
  });
  const page = pushes[1];
  assert.equal(page?.type, 'push');
  const { length } = cloud.twin.log;
  const tokens = cloud.twin.channels.get('gw_A')?.tokens;
  assert.deepEqual(page && world.deliver(page), { type: 'ok', place: 2, quarantined: [] });
  commit(world, site, machine('eq_2', { name: 'later' }));
  talk(world, site);
  assert.deepEqual(page && world.deliver(page), { type: 'ok', place: 2, quarantined: [] });
  const lost = { ...(page as Extract<typeof page, { type: 'push' }>), token: 'other', after: 'lost' };
  assert.deepEqual(world.deliver(lost), { type: 'refused', code: 'session_changed' });
  assert.deepEqual([name(cloud, 'eq_2'), cloud.twin.log.length], ['later', length + 1]);
  assert.throws(() =>
    cloud.twin.run((tx) => {
      handleRequest(tx, world.env(cloud), {
        ...(page as Extract<typeof page, { type: 'push' }>),
        token: 'new',
        after: tokens?.at(-1),
      });
      throw new Error('the disk failed');
    }),
  );
  assert.equal(cloud.twin.channels.get('gw_A')?.tokens.includes('new'), false);
});

test('[Y8] [Y9] machinery has one writer: nothing from above reaches it, and head office shows it exactly', () => {
  const { world, site, other, cloud } = calm();
  const device = {
    collection: 'records',
    id: 'dev_1',
    object: 'device',
    data: { name: 'd', serial: 's', bus_requests: 'armed' },
  };
  commit(world, site, device, { collection: 'live', id: 'dev_1', object: 'device_config', data: { n: 1 } });
  talk(world, site, other);
  assert.equal(cloud.twin.docs.get('live/dev_1')?.machine, site.twin.docs.get('live/dev_1')?.machine);
  assert.equal(other.twin.docs.has('live/dev_1'), false);
  assert.equal(other.twin.docs.get('records/dev_1')?.registers.has('!bus_requests'), false);
  const doc = site.twin.docs.get('records/dev_1');
  assert.ok(doc);
  world.injected(doc, 'from above');
  talk(world, site);
  assert.equal(site.twin.docs.get('records/dev_1')?.registers.get('!serial')?.[0]?.v, 's');
  assert.deepEqual(
    site.twin.tx.quarantined().map(({ reason }) => reason),
    ['not_yours'],
  );
});

test('[Y17] one name given at both ends has one holder, the same at all ends, until a person renames the other', () => {
  const { world, site, other, cloud } = calm();
  commit(world, site, machine('eq_1', { unit_number: 'HT-14' }));
  world.now += 1_000;
  commit(world, other, machine('eq_2', { unit_number: 'ht-14' }));
  talk(world, site, other, site);
  for (const end of [site, other, cloud])
    assert.deepEqual(
      end.twin.allClaims.get('unit_number/ht-14')?.map(({ id }) => id),
      ['eq_1', 'eq_2'],
    );
  commit(world, cloud, machine('eq_2', { unit_number: 'HT-15' }));
  talk(world, site, other);
  assert.deepEqual(
    site.twin.allClaims.get('unit_number/ht-14')?.map(({ id }) => id),
    ['eq_1'],
  );
});

test('[Y18] [Y19] a remote time moves the clock up to the bound, and an effect is always later than its cause', () => {
  const { world, site, cloud } = calm();
  cloud.skew = 200_000;
  commit(world, cloud, machine('eq_1'));
  talk(world, site);
  assert.ok(site.twin.tx.node().clock >= (cloud.twin.docs.get('records/eq_1')?.hlc ?? 'x'));
  cloud.skew = 3_600_000;
  commit(world, cloud, machine('eq_1', { name: 'ahead' }));
  const { clock } = site.twin.tx.node();
  talk(world, site);
  const cause = site.twin.docs.get('records/eq_1')?.hlc ?? '';
  assert.ok(site.twin.tx.node().clock < cause && site.twin.tx.node().clock >= clock);
  commit(world, site, machine('eq_1', { name: 'effect' }));
  assert.ok((site.twin.docs.get('records/eq_1')?.hlc ?? '') > cause);
  assert.ok(SYNC_RULES.isBeyond('ffffffffffffffff', world.now));
});

test('[Y20] [Y21] hello writes nothing, and a repair that was cut at any point is done again', () => {
  for (let cut = 1; cut < 12; cut++) {
    const { world, site, cloud } = calm();
    for (let i = 0; i < 10; i++) commit(world, i % 2 ? site : cloud, machine(`eq_${i}`), note(`evt_${i}`, `eq_${i}`));
    const before = cloud.twin.channels.size;
    const hello = site.twin.run((tx) => site.link.next(tx, world.env(site)));
    assert.ok(hello?.type === 'hello' && world.deliver(hello).type === 'hello');
    assert.equal(cloud.twin.channels.size, before);
    site.link.close();
    world.contact(site, cut);
    talk(world, site);
    assert.equal(world.custody(site).verdict, 'complete', `cut after ${cut} requests`);
    assert.equal(site.twin.docs.size, 20);
  }
});

test('[Y22] [Y23] an end that was put back from a backup and not told is found out, and nothing that the other has is lost', () => {
  for (const restored of ['site', 'cloud'] as const) {
    const { world, site, other, cloud } = calm();
    commit(world, site, machine('eq_1'));
    talk(world, site, other);
    const restore = (restored === 'site' ? site : cloud).twin.backup();
    commit(world, site, machine('eq_1', { name: 'after' }), note('evt_1', 'eq_1'));
    commit(world, cloud, machine('eq_2'));
    talk(world, site, other);
    restore();
    commit(world, restored === 'site' ? site : cloud, machine('eq_1', { name: 'since the restore' }));
    talk(world, site, other, site);
    for (const end of [site, other, cloud]) {
      const values = end.twin.docs
        .get('records/eq_1')
        ?.registers.get('name')
        ?.map(({ v }) => String(v))
        .sort();
      assert.deepEqual(values, ['after', 'since the restore'], `${restored} at ${end.name}`);
      assert.ok(end.twin.docs.has('events/evt_1') && end.twin.docs.has('records/eq_2'));
    }
  }
});

test('[Y25] of two boxes with one disk one is fenced by name, works on alone, and loses nothing', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  const copy = cloneEnd(site);
  world.ends.push(copy);
  commit(world, site, machine('eq_1', { name: 'first' }));
  commit(world, copy, machine('eq_1', { name: 'second' }), note('evt_2', 'eq_1'));
  talk(world, site, copy, site);
  assert.deepEqual([site.twin.tx.siteChannel().fenced, copy.twin.tx.siteChannel().fenced], [true, false]);
  commit(world, site, machine('eq_3'));
  world.decide(site, 1);
  talk(world, site, copy, site);
  assert.equal(cloud.twin.docs.get('records/eq_1')?.registers.get('name')?.length, 2);
  for (const end of [site, copy, cloud])
    assert.ok(end.twin.docs.has('records/eq_3') && end.twin.docs.has('events/evt_2'));
});

test('[Y293] an order that a box with the same disk gave to a list of a deleted record is at all ends when an edit brings the record back', () => {
  const { world, site, other, cloud } = calm();
  const stateOf = (end: End) => {
    const doc = end.twin.docs.get('records/eq_1');
    return [doc?.dead, doc?.registers.has('^aliases#order')];
  };
  commit(world, site, machine('eq_1', { aliases: ['a', 'b'] }));
  talk(world, site, other);
  const copy = cloneEnd(site);
  world.ends.push(copy);
  world.choices.copied(site, copy);
  commit(world, copy, note('evt_2', 'eq_1'));
  talk(world, copy);
  commit(world, site, { collection: 'records', id: 'eq_1', object: 'equipment' });
  talk(world, site);
  commit(world, copy, machine('eq_1', { aliases: ['b', 'a'] }));
  talk(world, copy);
  assert.equal(copy.twin.tx.siteChannel().fenced, true);
  world.decide(copy, 1);
  talk(world, copy, site);
  assert.deepEqual([site, cloud].map(stateOf), [
    [true, false],
    [true, true],
  ]);
  commit(world, other, machine('eq_1', { name: 'needed', aliases: ['a', 'b'] }));
  talk(world, other, site, copy, other);
  for (const end of [site, other]) {
    assert.equal(world.custody(end).differs, true);
    end.twin.run(askRepair);
    talk(world, end);
  }
  for (const end of [site, other, copy, cloud])
    assert.deepEqual([name(end, 'eq_1'), ...stateOf(end)], ['needed', false, true], end.name);
});

test('[Y30] [Y31] custody is complete exactly when it is; a fact that vanished makes it incomplete', () => {
  const { world, site } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  commit(world, site, note('evt_2', 'eq_1'));
  assert.equal(world.custody(site).verdict, 'not_settled');
  talk(world, site);
  assert.equal(world.custody(site).verdict, 'complete');
  commit(world, site, note('evt_3', 'eq_1'));
  site.twin.run((tx) => tx.remove('events/evt_3'));
  talk(world, site);
  const { verdict, unbalanced, missing } = world.custody(site);
  assert.deepEqual([verdict, unbalanced, missing], ['incomplete', [site.twin.life], []]);
});

test('[Y32] a hole among 30,000 facts is found in 4 round trips', () => {
  const { world } = calm();
  const stores = [new MemoryTwin('gw_big', 't'), new MemoryTwin('gw_other', 't')] as const;
  const items = Array.from({ length: 30_000 }, (_, i) => ({
    key: `events/evt_${i}`,
    item: { scope: 'events', leaf: Math.floor(i / 300), hash: SYNC_RULES.item(`${i}`, '', '') },
  }));
  const doc = { collection: 'events', object: 'event', registers: new Map(), whole: true, rev: 1, vid: 'x' } as const;
  const rest = { hlc: '', machine: '', home: '', dead: false, grave: false } as const;
  for (const [which, { tx }] of stores.entries())
    for (const [i, { key, item }] of items.entries())
      if (which === 0 || i !== 17_777) tx.put({ ...doc, ...rest, id: key.slice(7) }, [item]);
  const [ours, theirs] = stores;
  const walk = startWalk(ours.tx, 'events', 0);
  let bytes = 0;
  while (walk.open.length > 0) {
    const ranges = nextRanges(walk);
    const answers = answerRanges(theirs.tx, 'events', ranges);
    bytes += JSON.stringify(answers).length;
    takeRanges(ours.tx, walk, ranges, answers);
  }
  assert.deepEqual([[...walk.ours], walk.theirs.size, walk.both.size], [['events/evt_17777'], 0, 0]);
  assert.ok(walk.rounds <= 4, `${walk.rounds} rounds`);
  assert.ok(bytes < 32_000, `${bytes} bytes`);
  assert.equal(world.ends.length, 3);
});

test('[Y56] a field that is written 1,300 times between two contacts shows no conflict that nobody made', () => {
  const { world, site, cloud } = calm();
  const rename = (to: string) => commit(world, site, machine('eq_1', { name: to }));
  const nameOf = (end: End) => end.twin.docs.get('records/eq_1')?.registers.get('name');
  rename('first');
  talk(world, site);
  // The list of ancestors is full when the second contact begins, and what the cloud has is its newest entry.
  for (let i = 0; i < MOST_ANCESTORS + 20; i++) rename(`crew ${i}`);
  talk(world, site);
  for (let i = 0; i < 1_300; i++) rename(`later crew ${i}`);
  assert.equal(nameOf(site)?.[0]?.anc.length, MOST_ANCESTORS);
  talk(world, site, site, site, site);
  for (const end of [site, cloud])
    assert.deepEqual(
      nameOf(end)?.map(({ v }) => v),
      ['later crew 1299'],
    );
  assert.equal(world.custody(site).verdict, 'complete');
  // A page that was built, but whose answer is not known, counts as sent.
  // What was written before an edit of head office arrives is beside that edit.
  for (let i = 0; i < 20; i++) rename(`last crew ${i}`);
  commit(world, cloud, machine('eq_1', { name: 'of head office' }));
  talk(world, site);
  for (const end of [site, cloud])
    assert.deepEqual(
      nameOf(end)?.map(({ v }) => v),
      ['of head office', 'last crew 19'],
    );
});

test('[Y58] a bundle that a courier carries is joined beside the network, and its answer is applied once', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  commit(world, site, machine('eq_1', { name: 'by courier' }), note('evt_1', 'eq_1'));
  commit(world, cloud, machine('eq_2'));
  const answer = new Courier(world).journey(site);
  assert.equal(name(cloud, 'eq_1'), 'by courier');
  assert.ok(site.twin.docs.has('records/eq_2'));
  assert.equal(world.custody(site).verdict, 'complete');
  const { length } = cloud.twin.log;
  talk(world, site);
  assert.equal(cloud.twin.log.length, length);
  assert.equal(answer, true);
});

test('[Y60] a site keeps only the commits that the cloud has not confirmed', () => {
  const { world, site, cloud } = calm();
  for (let i = 0; i < 20; i++) commit(world, site, machine(`eq_${i}`), note(`evt_${i}`, `eq_${i}`));
  talk(world, site);
  const { n } = site.twin.tx.head();
  // The first contact is a repair, so head office has a row for each document.
  assert.deepEqual([site.twin.tx.rows(0, 100).length, n, cloud.twin.tx.rows(0, 100).length], [0, 20, 40]);
  commit(world, site, machine('eq_new'));
  assert.deepEqual(
    site.twin.tx.rows(0, 100).map((row) => row.n),
    [n + 1],
  );
  talk(world, site);
  assert.equal(world.custody(site).verdict, 'complete');
});

test('[Y63] the sums of facts that a node has follow each change of them', () => {
  const { world, site } = calm();
  commit(world, site, note('evt_1', 'x'), note('evt_2', 'x'));
  const heldOf = () => site.twin.tx.held().get(site.twin.life)?.n ?? 0;
  assert.equal(heldOf(), 2);
  site.twin.run((tx) => dropFacts(tx, world.env(site), ['events/evt_1']));
  assert.equal(heldOf(), 1);
  site.twin.run((tx) => tx.remove('events/evt_2'));
  assert.deepEqual([heldOf(), world.custody(site).unbalanced], [0, [site.twin.life]]);
});

test('[Y160] [Y162] a new box gets everything back, the one before is fenced, and a person can give it its place back', () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'), note('evt_1', 'eq_1'));
  talk(world, site);
  const before = cloneEnd(site);
  world.ends.push(before);
  commit(world, before, machine('eq_2'));
  world.replace(site);
  talk(world, site);
  assert.deepEqual([name(site, 'eq_1'), site.twin.docs.has('events/evt_1')], ['eq_1', true]);
  assert.equal(world.custody(site).verdict, 'declared_gap');
  commit(world, site, machine('eq_1', { name: 'later' }));
  talk(world, site, before);
  assert.equal(before.twin.tx.siteChannel().fenced, true);
  assert.deepEqual([name(cloud, 'eq_1'), cloud.twin.docs.has('records/eq_2')], ['later', false]);
  world.decide(before, 0);
  talk(world, before, site);
  assert.equal(site.twin.tx.siteChannel().fenced, true);
  assert.deepEqual([name(cloud, 'eq_2'), name(before, 'eq_1')], ['eq_2', 'later']);
});
