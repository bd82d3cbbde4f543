/** Two boxes with one identity, whose messages a test puts in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handleRequest } from '#domain/sync/cloud.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { type Send, Session } from '#sync/sessions.ts';
import { decodeRequest, encodeAnswer } from '#sync/wire/messages.ts';
import { calm, commit, machine, talk } from '#test/sim/sync/calm.ts';
import { cloneEnd } from '#test/sim/sync/clone.ts';
import { until } from '#test/support/until.ts';

const isRunning = () => false;

test('[Y120] of two boxes that interrupt the repair of each other one comes to its end, and the other one is fenced', async () => {
  const { world, site, cloud } = calm();
  commit(world, site, machine('eq_1'));
  talk(world, site);
  // Two copies of a disk that is older than what head office has: each finds out at its first contact that it needs a repair.
  const copies = [cloneEnd(site), cloneEnd(site)];
  world.ends.push(...copies);
  commit(world, site, machine('eq_2'));
  talk(world, site);
  const send: Send = async (message) => {
    const { request } = decodeRequest(message);
    return encodeAnswer(cloud.twin.run((tx) => handleRequest(tx, world.env(cloud), request)));
  };
  const boxes = copies.map((end, i) => {
    commit(world, end, machine(`eq_of_${i}`));
    const run: SyncStore['run'] = async (_, work) => end.twin.run((tx) => work(tx, world.env(end)));
    return { end, session: new Session('project_1', { run } as SyncStore) };
  });
  const fenced = () => boxes.filter(({ end }) => end.twin.tx.siteChannel().fenced).length;
  // Each box sends one request, then the other one does.
  for (let i = 0; i < 100 && boxes.every(({ session }) => session.wait_ms === 0); i++)
    for (const { session } of boxes) await session.drain(send, 1, isRunning);
  const waiting = boxes.filter(({ session }) => session.wait_ms > 0);
  assert.equal(waiting.length, 1, 'the box whose repair was interrupted waits');
  for (let i = 0; i < 20 && fenced() === 0; i++) {
    for (const { session } of boxes) {
      while ((await session.drain(send, 100, isRunning)) > 0);
      session.refresh();
    }
    await until(() => boxes.every(({ session }) => session.wait_ms === 0), 'each box may begin again');
  }
  assert.equal(fenced(), 1);
});
