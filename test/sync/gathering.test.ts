/** Changes that are made while earlier ones are on their way to head office. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handleRequest } from '#domain/sync/cloud.ts';
import type { Push } from '#domain/sync/messages.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { gatherMs } from '#sync/gather.ts';
import { type Send, Session } from '#sync/sessions.ts';
import { decodeRequest, encodeAnswer } from '#sync/wire/messages.ts';
import { calm, commit, machine, talk } from '#test/sim/sync/calm.ts';

const isRunning = () => false;

test('[Y140] changes that are made while a page is on its way share the next page, and an alert does not wait for it', async () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  const pages: Push[] = [];
  let onWay = (): Promise<void> => Promise.resolve();
  const send: Send = async (message) => {
    const { request } = decodeRequest(message);
    if (request.type === 'push') {
      pages.push(request);
      await onWay();
    }
    return encodeAnswer(cloud.twin.run((tx) => handleRequest(tx, world.env(cloud), request)));
  };
  const run: SyncStore['run'] = async (_, work) => site.twin.run((tx) => work(tx, world.env(site)));
  const session = new Session('project_1', { run } as SyncStore);
  const drain = (): Promise<number> => session.drain(send, 20, isRunning);
  await drain();
  commit(world, site, machine('eq_2'));
  onWay = async () => {
    onWay = () => Promise.resolve();
    for (const id of ['eq_3', 'eq_4', 'eq_5']) commit(world, site, machine(id));
    const alert = {
      object: 'event',
      data: { type: 'alert_raised', subject: { object: 'equipment', id: 'eq_1' }, data: {} },
    };
    commit(world, site, { collection: 'events', id: 'evt_alert', ...alert });
    assert.equal(await session.exchange(send, { urgent: true }), true);
  };
  await drain();
  const idsOf = ({ commits }: Push): string[] => commits.flatMap(({ docs }) => docs.map(({ id }) => id));
  assert.deepEqual(pages.map(idsOf), [['eq_2'], ['evt_alert']]);
  assert.equal(session.hasLater, true, 'there is something for the next drain');
  await drain();
  assert.deepEqual(pages.slice(2).map(idsOf), [['eq_3', 'eq_4', 'eq_5']]);
  assert.equal(session.hasLater, false);
  assert.equal(await drain(), 0);
});

test('[Y140] rounds of a site begin 0.2 to 0.4 s apart, and each change waits at least 0.1 s', () => {
  const waits = (random: number) => [0, 50, 250, 5_000].map((since_ms) => Math.round(gatherMs(since_ms, 40, random)));
  assert.deepEqual(
    [waits(0), waits(0.5), waits(1)],
    [
      [200, 150, 100, 100],
      [300, 250, 100, 100],
      [400, 350, 150, 100],
    ],
  );
});

test('[Y292] after a slow page the rounds begin six times its duration apart, up to 1 s', () => {
  const means = [0, 50, 60, 100, 160, 20_000, Number.POSITIVE_INFINITY].map((page_ms) => gatherMs(0, page_ms, 0.5));
  assert.deepEqual(means, [300, 300, 360, 600, 960, 1_000, 1_000]);
  assert.deepEqual(
    [0, 1].map((random) => Math.round(gatherMs(0, 20_000, random))),
    [667, 1_333],
  );
});

test('[Y292] a session knows how long its last page took', async () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  const send: Send = async (message) => {
    const { request } = decodeRequest(message);
    if (request.type === 'push') await new Promise((resolve) => setTimeout(resolve, 120));
    return encodeAnswer(cloud.twin.run((tx) => handleRequest(tx, world.env(cloud), request)));
  };
  const run: SyncStore['run'] = async (_, work) => site.twin.run((tx) => work(tx, world.env(site)));
  const session = new Session('project_1', { run } as SyncStore);
  assert.equal(session.page_ms, 0);
  commit(world, site, machine('eq_2'));
  await session.drain(send, 20, isRunning);
  assert.ok(session.page_ms > 110 && session.page_ms < 60_000, String(session.page_ms));
});
