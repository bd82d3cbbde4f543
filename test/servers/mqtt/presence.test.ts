/** Presence: `connected` and `disconnected` follow the sockets of a device, in every order of events. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';
import { checkBroker } from '#test/faults/presence-broker.ts';
import {
  connected,
  connectPacket,
  KEY,
  packet,
  publishPacket,
  type Rig,
  resumed,
  startRig,
  subscribePacket,
  text,
  topicOf,
  until,
} from './broker-rig.ts';

test('[B26] a device is reported connected exactly while its socket is open, over 200 interleavings', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const seed = Date.now() & 0x7fffffff;
  t.diagnostic(`seed ${seed}`);
  await checkBroker(200, seed, (ms) => t.mock.timers.tick(ms));
});

test('[B26] [MQTT-3.1.4-2] of three connections with one client id one stays, and no two are connected at once', async () => {
  const gates: (() => void)[] = [];
  await using rig = await startRig({
    authenticate: async (device_id) => {
      await new Promise<void>((done) => gates.push(done));
      return { device: 'dev_truck', device_id, project_id: 'prj_1' };
    },
  });
  const raws = await Promise.all([rig.socket(), rig.socket(), rig.socket()]);
  raws[0]?.send(connectPacket());
  await until(() => gates.length === 1);
  gates[0]?.();
  assert.equal((await raws[0]?.read(4))?.length, 4);
  raws[0]?.send(subscribePacket(topicOf('truck', 'commands'), 1));
  assert.equal((await raws[0]?.read(5))?.length, 5);
  raws[1]?.send(connectPacket());
  raws[2]?.send(connectPacket());
  await until(() => gates.length === 3);
  // Both find the first connection still open.
  for (const open of gates) open();
  await until(() => raws.filter(({ socket }) => socket.destroyed).length === 2);
  const count = (said: string) => rig.sessions.filter((one) => one === said).length;
  await until(() => count('+truck') - count('-truck') === 1);
  assert.deepEqual(
    rig.sessions,
    rig.sessions.map((_, i) => (i % 2 === 0 ? '+truck' : '-truck')),
  );
  assert.equal(rig.broker.counters().connections, 1);
});

test("[B26] a refused client with a device's client id changes none of its state: a QoS 2 repeat is still recognised", async () => {
  await using rig = await startRig();
  const { raw } = await resumed(rig);
  const twice = publishPacket(topicOf('truck', 'events'), 7, Buffer.from('once'), 0x34);
  raw.send(twice);
  assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 7]);
  const stranger = await rig.socket();
  stranger.send(connectPacket('truck', 'unit', { key: 'dk_wrong' }));
  assert.deepEqual([...(await stranger.read(4))], [0x20, 2, 0, 5]);
  await stranger.closed;
  await until(() => rig.broker.counters().connections === 1);
  const again = Buffer.from(twice);
  again[0] = 0x3c;
  raw.send(again);
  assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 7]);
  assert.equal(rig.messages.length, 1);
});

async function withWill(rig: Rig, will: string): Promise<Awaited<ReturnType<Rig['socket']>>> {
  const raw = await rig.socket();
  const left = [...text(topicOf('truck', 'status')), ...text(will)];
  raw.send(packet(0x10, text('MQTT'), [4, 0xc6, 0, 60], text('unit'), left, text('truck'), text(KEY)));
  assert.deepEqual([...(await raw.read(4))], [0x20, 2, 0, 0]);
  return raw;
}

test('[B26] [B8] on takeover the old will is published before the new client is accepted, and the new will stays stored', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-wills-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const order: string[] = [];
  await using rig = await startRig({
    folder: join(folder, 'mqtt'),
    connected: () => order.push('+'),
    disconnected: () => order.push('-'),
    accept: async ({ payload }) => void order.push(Buffer.from(payload).toString()),
  });
  await withWill(rig, 'of the first');
  const second = await withWill(rig, 'of the second');
  await until(() => order.length === 4);
  assert.deepEqual(order, ['+', 'of the first', '-', '+']);
  // Read a copy of the file, which is what a power cut now would leave.
  second.send(packet(0xc0));
  assert.deepEqual([...(await second.read(2))], [0xd0, 0]);
  cpSync(join(folder, 'mqtt'), join(folder, 'copy'), { recursive: true });
  const copy = await openSessions({
    folder: join(folder, 'copy'),
    limits: SESSION_LIMITS,
    maySubscribe: () => true,
    onDropped: () => {},
    closeConnection: () => {},
    warn: () => {},
  });
  const kept = await copy.getWill({ id: 'truck/unit' });
  await copy.destroy();
  assert.equal(Buffer.from(kept?.payload ?? '').toString(), 'of the second');
});

test('[B26] a client that does not read cannot keep open a connection that the broker ends', async () => {
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const after: number[] = [];
  await using rig = await startRig({ disconnected: () => after.push(sockets()) });
  const stuck = await connected(rig);
  stuck.send(packet(0x82, [0, 1], text(topicOf('truck', 'config')), [0]));
  await stuck.read(5);
  stuck.socket.pause();
  // Send until the kernel buffers are full, so that bytes wait in this process.
  for (let i = 0; i < 40; i++) await rig.broker.publish('truck', 'config', Buffer.alloc(200 * 1024));
  const before = sockets();
  stuck.send(packet(0xf0));
  await until(() => after.length > 0);
  assert.deepEqual(after, [before - 1], 'the socket is closed when the broker says so');
  assert.equal(rig.broker.counters().connections, 0);
});

test('[B26] [B10] a connection that closes during its key lookup is released once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using rig = await startRig({
    limits: { unauthenticated: 4 },
    authenticate: async (device_id) => {
      await promise;
      return { device: 'dev_truck', device_id, project_id: 'prj_1' };
    },
  });
  const stranger = async () => {
    const socket = connect(rig.broker.port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const stays = await stranger();
  const goes = await rig.socket();
  goes.send(connectPacket());
  await until(() => rig.broker.counters().connections === 2);
  goes.socket.resetAndDestroy();
  await until(() => rig.broker.counters().connections === 1);
  resolve();
  // One address may have three of the four unauthenticated sockets.
  const others = [await stranger(), await stranger()];
  await until(() => rig.broker.counters().connections === 3);
  const late = await stranger();
  await until(() => rig.broker.counters().connections === 4 || rig.refused.length > 0);
  assert.deepEqual(rig.refused, [['127.0.0.1', 'too many connections of this address']]);
  late.destroy();
  for (const socket of [stays, ...others]) socket.destroy();
});

test('[B26] a stopped broker has reported the end of every connection', async () => {
  for (let round = 0; round < 10; round++) {
    await using rig = await startRig();
    for (let i = 0; i < 10; i++) await connected(rig, `truck${i}`);
    await until(() => rig.sessions.length === 10);
    await rig.broker[Symbol.asyncDispose]();
    assert.equal(rig.sessions.length, 20);
  }
});
