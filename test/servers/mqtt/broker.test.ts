import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import mqtt, { type MqttClient } from 'mqtt';
import type { DeviceIdentity, IngestMessage } from '#contract/fleet/ingest.ts';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { openJournal } from '#ingest/journal/journal.ts';
import { RecordReader } from '#ingest/journal/record.ts';
import { collect } from '#test/support/collect.ts';
import {
  connected,
  connectPacket,
  KEY,
  packet,
  publishPacket,
  resumed,
  startRig,
  stopTimers,
  subscribePacket,
  text,
  topicOf,
  until,
} from './broker-rig.ts';

test('[B1] a publish is acknowledged when accept resolves, not earlier, and passed on unchanged', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: IngestMessage[] = [];
  await using rig = await startRig({
    clock: () => 1234,
    accept: (message) => {
      seen.push({ ...message, payload: Uint8Array.from(message.payload) });
      return promise;
    },
  });
  const raw = await connected(rig);
  raw.send(publishPacket(topicOf('truck', 'can'), 7, Buffer.from('hello'), 0x3a));
  let answered = false;
  const answer = raw.read(4).then((bytes) => {
    answered = true;
    return bytes;
  });
  await until(() => seen.length === 1);
  // A request of another client is answered meanwhile, so an unwanted acknowledgement would have come by then.
  await connected(rig, 'other', 'c2');
  assert.equal(answered, false);
  resolve();
  assert.deepEqual([...(await answer)], [0x40, 2, 0, 7]);
  assert.deepEqual(seen, [
    {
      device: 'dev_truck',
      device_id: 'truck',
      project_id: 'prj_1',
      topic: 'can',
      payload: new Uint8Array(Buffer.from('hello')),
      received_at_ms: 1234,
      dup: true,
      packet_id: 7,
      waits: false,
    },
  ]);
});

test('[B1] QoS 0 and QoS 2 are accepted; a repeated QoS 2 message is acknowledged and dropped', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const raw = await connected(rig);
  raw.send(publishPacket(topicOf('truck', 'can'), 0, Buffer.from('zero'), 0x30));
  raw.send(publishPacket(topicOf('truck', 'can'), 9, Buffer.from('two'), 0x34));
  assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
  raw.send(publishPacket(topicOf('truck', 'can'), 9, Buffer.from('two'), 0x3c));
  assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
  raw.send(packet(0x62, [0, 9]));
  assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 9]);
  assert.deepEqual(
    rig.messages.map(({ payload, dup }) => [Buffer.from(payload).toString(), dup]),
    [
      ['zero', false],
      ['two', false],
    ],
  );
});

test('[B25] waits is true only for a client that sends each QoS 2 message after the PUBCOMP of the previous one', async () => {
  await using rig = await startRig();
  const raw = await connected(rig);
  const publish = (id: number) => publishPacket(topicOf('truck', 'can'), id, Buffer.from(`${id}`), 0x34);
  const end = async (id: number) => {
    raw.send(packet(0x62, [0, id]));
    assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, id]);
  };
  raw.send(publish(1), publish(2), publish(3));
  await raw.read(12);
  for (const id of [1, 2, 3]) await end(id);
  assert.ok(rig.messages.every(({ waits }) => waits === false));
  // On a slow computer a round trip may take longer than ten milliseconds now and then.
  for (let id = 4; !rig.messages.some(({ waits }) => waits); id = (id % 255) + 1) {
    raw.send(publish(id));
    assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, id]);
    await end(id);
  }
  assert.ok(rig.messages.length >= 5, 'once may be chance');
});

test('[B2] when accept rejects, the sender gets no acknowledgement and is disconnected; other connections stay', async (t) => {
  stopTimers(t);
  let broken = true;
  await using rig = await startRig({
    accept: async () => (broken ? Promise.reject(new Error('disk full')) : undefined),
  });
  const raw = await connected(rig);
  raw.send(publishPacket(topicOf('truck', 'can'), 7, Buffer.from('x')));
  assert.equal((await raw.read(1)).length, 0);
  assert.equal(await raw.closed, true);
  broken = false;
  const again = await connected(rig);
  again.send(publishPacket(topicOf('truck', 'can'), 7, Buffer.from('x'), 0x3a));
  assert.deepEqual([...(await again.read(4))], [0x40, 2, 0, 7]);
});

test('[B3] only the correct key is accepted; a wrong key gets a CONNACK code and is counted by address', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  for (const options of [{ password: 'wrong' }, { username: '' }]) {
    await assert.rejects(rig.client('truck', options), /Connection refused: Not authorized/);
  }
  assert.deepEqual(rig.refused, [
    ['127.0.0.1', 'wrong device id or key'],
    ['127.0.0.1', 'wrong device id or key'],
  ]);
  assert.equal(rig.broker.counters().refused_connections_total, 2);
  await rig.client('truck');
  await until(() => rig.sessions.length > 0);
  assert.deepEqual(rig.sessions, ['+truck']);
});

test('[B3] a CONNECT without user name is refused and reported with an empty name', async () => {
  const told: string[] = [];
  await using rig = await startRig({ loginRefused: (name, _address, reason) => told.push(`${name}: ${reason}`) });
  const raw = await rig.socket();
  raw.send(packet(0x10, text('MQTT'), [4, 2, 0, 60], text('c')));
  assert.equal((await raw.read(4))[0], 0x20);
  assert.deepEqual(told, [': wrong device id or key']);
});

test('[B3] when keys cannot be looked up, CONNACK is server unavailable', async (t) => {
  stopTimers(t);
  await using rig = await startRig({ authenticate: () => Promise.reject(new Error('database is locked')) });
  await assert.rejects(rig.client('truck'), /Connection refused: Server unavailable/);
  assert.deepEqual(rig.refused, []);
  assert.match(rig.logged[0] ?? '', /database is locked/);
});

test('[B4] a publish to a foreign topic is acknowledged, counted and dropped; the connection stays', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const client = await rig.client('truck');
  const foreign = ['v1/devices/other/can', 'v1/devices/truck/commands', 'v1/devices/truck/can/x', 'can', '$SYS/x'];
  for (const topic of foreign) await client.publishAsync(topic, 'x', { qos: 1 });
  await client.publishAsync(topicOf('truck', 'can'), 'mine', { qos: 1 });
  assert.equal(rig.messages.length, 1);
  assert.equal(rig.refused.length, foreign.length);
  assert.ok(rig.refused.every(([source]) => source === 'truck'));
  assert.equal(rig.broker.counters().refused_messages_total, foreign.length);
});

test('[B4] acknowledgements keep the order of the messages, also for refused messages', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  await using rig = await startRig({
    accept: () => {
      waiting++;
      return promise;
    },
  });
  const raw = await connected(rig);
  raw.send(
    publishPacket(topicOf('truck', 'can'), 1, Buffer.from('a')),
    publishPacket('v1/devices/other/can', 2, Buffer.from('b')),
    publishPacket(topicOf('truck', 'can'), 3, Buffer.from('c')),
  );
  await until(() => waiting === 2 && rig.refused.length === 1);
  resolve();
  const answer = await raw.read(12);
  assert.deepEqual([answer[3], answer[7], answer[11]], [1, 2, 3]);
});

test('[B5] a device may subscribe only to its own config, commands and time', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const client = await rig.client('truck');
  const granted = async (topic: string) => {
    try {
      return (await client.subscribeAsync(topic, { qos: 1 }))[0]?.qos;
    } catch {
      return 128;
    }
  };
  for (const topic of ['config', 'commands', 'alerts', 'time'])
    assert.equal(await granted(topicOf('truck', topic)), 1, topic);
  const foreign = [
    '#',
    'v1/#',
    'v1/devices/+/config',
    'v1/devices/other/config',
    topicOf('truck', '+'),
    topicOf('truck', 'can'),
    '$SYS/#',
  ];
  for (const topic of foreign) assert.equal(await granted(topic), 128, topic);
  assert.equal(rig.refused.length, foreign.length);
});

test('[B6] config is retained, commands reach connected clients, and no device gets those of another', async () => {
  await using rig = await startRig();
  await rig.broker.publish('truck', 'config', '{"rate":1}', true);
  const seen: string[] = [];
  const client = await rig.client('truck');
  client.on('message', (topic, payload) => seen.push(`${topic} ${payload}`));
  const other = await rig.client('other');
  other.on('message', (topic, payload) => seen.push(`other: ${topic} ${payload}`));
  await client.subscribeAsync([topicOf('truck', 'config'), topicOf('truck', 'commands')], { qos: 1 });
  await other.subscribeAsync([topicOf('other', 'config'), topicOf('other', 'commands')], { qos: 1 });
  await rig.broker.publish('truck', 'commands', Buffer.from('{"reboot":true}'));
  await until(() => seen.length === 2);
  assert.equal(rig.broker.counters().sent_total, 2);
  // Any other message to them would arrive before these.
  await rig.broker.publish('truck', 'commands', 'last');
  await rig.broker.publish('other', 'commands', 'last');
  await until(() => seen.filter((line) => line.endsWith(' last')).length === 2);
  assert.deepEqual(
    seen.filter((line) => !line.endsWith(' last')),
    ['v1/devices/truck/config {"rate":1}', 'v1/devices/truck/commands {"reboot":true}'],
  );
});

test('[B6] a subscription to time gets the time at once', async () => {
  await using rig = await startRig({ clock: () => Date.parse('2026-11-21T08:00:00Z') });
  const client = await rig.client('truck');
  const told = new Promise<[string, Buffer]>((done) =>
    client.on('message', (topic, payload) => done([topic, payload])),
  );
  await client.subscribeAsync(topicOf('truck', 'time'));
  const [topic, payload] = await told;
  assert.equal(topic, 'v1/devices/truck/time');
  assert.deepEqual(JSON.parse(String(payload)), { now: '2026-11-21T08:00:00.000Z', ms: 1795248000000 });
});

test('[B6] at most 100 commands are queued for a disconnected device with a session', async () => {
  await using rig = await startRig();
  const first = await rig.client('truck', { clientId: 'unit', clean: false });
  await first.subscribeAsync(topicOf('truck', 'commands'), { qos: 1 });
  await first.endAsync();
  await until(() => rig.sessions.length === 2);
  for (let i = 0; i < 100; i++) await rig.broker.publish('truck', 'commands', `c${i}`);
  await assert.rejects(rig.broker.publish('truck', 'commands', 'one more'), /queue of truck is full/);
  const seen: string[] = [];
  const again = mqtt.connect(`mqtt://127.0.0.1:${rig.broker.port}`, {
    username: 'truck',
    password: KEY,
    protocolVersion: 4,
    clientId: 'unit',
    clean: false,
  });
  again.on('error', () => {});
  again.on('message', (_, payload) => seen.push(String(payload)));
  await until(() => seen.length === 100);
  assert.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, i) => `c${i}`),
  );
  await again.endAsync(true);
});

test('[B6] sessions, their queues and retained messages survive a restart; resent messages carry DUP', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
  const commands = topicOf('truck', 'commands');
  const length = publishPacket(commands, 1, Buffer.from('c1')).length;
  try {
    {
      await using rig = await startRig({ folder });
      const { raw, present } = await resumed(rig);
      assert.equal(present, 0);
      raw.send(subscribePacket(commands, 1));
      assert.deepEqual([...(await raw.read(5))], [0x90, 3, 0, 1, 1]);
      await rig.broker.publish('truck', 'commands', 'c1');
      assert.equal((await raw.read(length))[0], 0x32);
      raw.socket.destroy();
      await until(() => rig.sessions.length === 2);
      await rig.broker.publish('truck', 'commands', 'c2');
      await rig.broker.publish('truck', 'config', 'settings', true);
    }
    await using rig = await startRig({ folder });
    assert.equal(rig.broker.counters().queued, 2);
    const { raw, present } = await resumed(rig);
    assert.equal(present, 1);
    const [first, second] = [await raw.read(length), await raw.read(length)];
    assert.deepEqual([first[0], String(first.subarray(-2))], [0x3a, 'c1']); // [MQTT-3.3.1-1]
    assert.deepEqual([second[0], String(second.subarray(-2))], [0x32, 'c2']);
    const ids = [first, second].map((one) => one.readUInt16BE(one.length - 4));
    assert.deepEqual(ids, [1, 2], 'the packet id stays, and is not given twice');
    for (const id of ids) raw.send(packet(0x40, [0, id]));
    await until(() => rig.broker.counters().queued === 0);
    raw.send(subscribePacket(topicOf('truck', 'config'), 0));
    const kept = await raw.read(5 + 2 + 2 + topicOf('truck', 'config').length + 8);
    assert.equal(kept[5], 0x31, 'retained, in the QoS of the subscription');
    assert.equal(String(kept.subarray(-8)), 'settings');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[B6] CONNACK reports a session without subscriptions; a clean connection ends the session', async () => {
  await using rig = await startRig();
  for (const expected of [0, 1]) {
    const { raw, present } = await resumed(rig);
    assert.equal(present, expected);
    raw.socket.destroy();
  }
  (await connected(rig, 'truck', 'unit')).socket.destroy();
  assert.equal((await resumed(rig)).present, 0);
});

test('[B6] a QoS 2 message of a device is accepted once, also when the broker restarts before PUBREL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
  const commands = topicOf('truck', 'commands');
  const access = { publish: () => false, subscribe: () => true };
  try {
    {
      await using rig = await startRig({ folder, access });
      const { raw } = await resumed(rig);
      raw.send(subscribePacket(commands, 2));
      await raw.read(5);
      // The gateway publishes with QoS 1 at most, so the queued QoS 2 message comes from the device.
      await rig.broker.publish('truck', 'commands', 'c1');
      const sent = await raw.read(publishPacket(commands, 1, Buffer.from('c1')).length);
      assert.equal(sent[0], 0x32);
      raw.send(packet(0x40, [0, 1]), publishPacket(topicOf('truck', 'can'), 9, Buffer.from('x'), 0x34));
      assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
    }
    await using rig = await startRig({ folder, access });
    const { raw } = await resumed(rig);
    raw.send(publishPacket(topicOf('truck', 'can'), 9, Buffer.from('x'), 0x3c));
    assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
    assert.deepEqual(rig.messages, [], 'the first process had it');
    raw.send(packet(0x62, [0, 9]));
    assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 9]);
    raw.send(publishPacket(topicOf('truck', 'can'), 9, Buffer.from('new'), 0x34));
    assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
    assert.equal(rig.messages.length, 1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[B5] a refused filter next to a granted one delivers nothing of another device, also while the client is disconnected', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const { raw } = await resumed(rig);
  raw.send(packet(0x82, [0, 1], text(topicOf('truck', 'commands')), [1], text('v1/devices/+/commands'), [1]));
  assert.deepEqual([...(await raw.read(6))], [0x90, 4, 0, 1, 1, 0x80]);
  raw.socket.destroy();
  await until(() => rig.sessions.length === 2);
  await rig.broker.publish('other', 'commands', 'secret');
  await rig.broker.publish('truck', 'commands', 'mine');
  assert.equal(rig.broker.counters().queued, 1);
});

test('[B19] a subscriber that does not read delays no other; its queue is bounded', async () => {
  await using rig = await startRig();
  const frozen = await connected(rig, 'truck', 'frozen');
  frozen.send(subscribePacket(topicOf('truck', 'commands'), 1));
  await frozen.read(5);
  frozen.socket.pause();
  const reader = await connected(rig, 'truck', 'reader');
  reader.send(subscribePacket(topicOf('truck', 'commands'), 1));
  await reader.read(5);
  const payload = Buffer.alloc(20_000, 65);
  const size = publishPacket(topicOf('truck', 'commands'), 1, payload).length;
  const count = 1_000;
  collect();
  const before = process.memoryUsage().external;
  for (let i = 0; i < count; i++) {
    await rig.broker.publish('truck', 'commands', payload);
    assert.equal((await reader.read(size)).length, size);
  }
  collect();
  const grown = process.memoryUsage().external - before;
  // The 20 MB may be in memory once, for the client that does not read.
  assert.ok(grown < 40 << 20, `${grown} bytes more`);
  assert.equal(rig.broker.counters().frozen_total, 1);
  assert.deepEqual(rig.refused, [['truck', 'does not read its messages']]);
});

test('[B19] a client that does not read gets no more QoS 0 messages, and is disconnected after 30 seconds', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  await using rig = await startRig();
  const raw = await connected(rig);
  for (const topic of ['commands', 'time']) raw.send(subscribePacket(topicOf('truck', topic), 1));
  await raw.read(10);
  raw.socket.pause();
  while (rig.broker.counters().shed_total === 0) {
    await rig.broker.publish('truck', 'commands', Buffer.alloc(20_000));
    await rig.broker.publish('truck', 'time', 'now');
  }
  context.mock.timers.tick(1000);
  for (let second = 0; second < 30; second++) context.mock.timers.tick(1000);
  assert.equal(rig.broker.counters().frozen_total, 0);
  context.mock.timers.tick(1000);
  assert.equal(rig.broker.counters().frozen_total, 1);
});

test('[B8] after a crash the will of a connected device is published once, unless the device reconnects', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
  context.mock.timers.enable({ apis: ['setInterval'] });
  try {
    const killed = await startRig({ folder });
    for (const name of ['gone', 'back']) {
      const will = {
        topic: topicOf(name, 'status'),
        payload: Buffer.from('{"status":"offline"}'),
        qos: 1 as const,
        retain: false,
      };
      await killed.client(name, { clientId: 'unit', will });
    }
    const copy = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
    await cp(folder, copy, { recursive: true });
    await using rig = await startRig({ folder: copy });
    await rig.client('back', { clientId: 'unit' });
    context.mock.timers.tick(120_000);
    await until(() => rig.messages.length > 0);
    // The will is not published again, and the other client's will is not published.
    for (let i = 0; i < 4; i++) {
      context.mock.timers.tick(120_000);
      await connected(rig, 'other', `c${i}`);
    }
    assert.deepEqual(
      rig.messages.map(({ device, topic }) => `${device} ${topic}`),
      ['dev_gone status'],
    );
    await killed[Symbol.asyncDispose]();
    await rm(copy, { recursive: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[B7] only the same key takes over a client id; the same id with another key is another client', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const mine = await rig.client('truck', { clientId: 'unit' });
  let lost = false;
  mine.on('close', () => {
    lost = true;
  });
  await rig.client('other', { clientId: 'unit' });
  await mine.publishAsync(topicOf('truck', 'can'), 'still here', { qos: 1 });
  assert.equal(lost, false);
  await rig.client('truck', { clientId: 'unit' });
  await until(() => lost);
  await until(() => rig.sessions.length === 4);
  assert.deepEqual(rig.sessions, ['+truck', '+other', '-truck', '+truck']);
});

test('[B7] the eleventh connection of a device closes the oldest', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const list: MqttClient[] = [];
  const connected = () => list.filter((client) => client.connected).length;
  for (let i = 0; i < 11; i++) list.push(await rig.client('truck', { clientId: `c${i}` }));
  await until(() => !list[0]?.connected);
  assert.equal(connected(), 10);
  // A connection that ends by itself frees exactly one place.
  await list[5]?.endAsync();
  await until(() => rig.sessions.filter((one) => one === '-truck').length === 2);
  list.push(await rig.client('truck', { clientId: 'c11' }));
  assert.equal(list[1]?.connected, true);
  list.push(await rig.client('truck', { clientId: 'c12' }));
  await until(() => !list[1]?.connected);
  assert.equal(connected(), 10);
  assert.equal(rig.broker.counters().connections_total, 13);
});

test('[B7] too many connections are reported for the device, without a topic', async (t) => {
  stopTimers(t);
  const told: unknown[][] = [];
  await using rig = await startRig({ limits: { connections: 1 }, refused: (...all) => told.push(all) });
  const first = await rig.client('truck', { clientId: 'a' });
  await rig.client('truck', { clientId: 'b' });
  await until(() => !first.connected);
  assert.deepEqual(told, [['truck', 'more than 1 connections']]);
});

test('[B8] a last will is published for its own device only, after a lost connection and not after DISCONNECT', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const will = (topic: string) => ({
    topic,
    payload: Buffer.from('{"status":"offline"}'),
    qos: 1 as const,
    retain: true,
  });
  const lost = await rig.client('truck', { will: will(topicOf('truck', 'status')) });
  lost.stream.destroy();
  const evil = await rig.client('evil', { will: will(topicOf('truck', 'status')) });
  evil.stream.destroy();
  const polite = await rig.client('polite', { will: will(topicOf('polite', 'status')) });
  await polite.endAsync();
  await until(() => rig.sessions.length === 6 && rig.messages.length > 0 && rig.refused.length > 0);
  assert.deepEqual(
    rig.messages.map(({ device_id, topic }) => `${device_id} ${topic}`),
    ['truck status'],
  );
  assert.match(rig.refused[0]?.join(' ') ?? '', /^evil publish to a topic that the device may not use/);
});

test('[B8] a broker that stops publishes no wills', async (t) => {
  stopTimers(t);
  const rig = await startRig();
  await rig.client('truck', {
    will: { topic: topicOf('truck', 'status'), payload: Buffer.from('gone'), qos: 1, retain: true },
  });
  await rig[Symbol.asyncDispose]();
  assert.deepEqual(rig.messages, []);
});

test('[B9] a message over 256 KiB is skipped, acknowledged in order and counted; the next message is taken', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const raw = await connected(rig);
  const big = Buffer.alloc(3_000_000, 65);
  raw.send(
    publishPacket(topicOf('truck', 'can'), 1, Buffer.from('before')),
    publishPacket(topicOf('truck', 'can'), 2, big),
    publishPacket(topicOf('truck', 'can'), 0, big, 0x30),
    publishPacket(topicOf('truck', 'can'), 3, Buffer.from('after')),
  );
  const answer = await raw.read(12);
  assert.deepEqual([answer[3], answer[7], answer[11]], [1, 2, 3]);
  assert.deepEqual(
    rig.messages.map(({ payload }) => Buffer.from(payload).toString()),
    ['before', 'after'],
  );
  assert.deepEqual(rig.refused, [
    ['truck', 'message over 256 KiB'],
    ['truck', 'message over 256 KiB'],
  ]);
  raw.send(publishPacket(topicOf('truck', 'can'), 4, big, 0x34));
  assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 4]);
  raw.send(packet(0x62, [0, 4]));
  assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 4]);
});

test('[B9] a packet of 256 KiB is accepted, however it is split', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const raw = await connected(rig);
  const whole = publishPacket(topicOf('truck', 'can'), 1, randomBytes(256 * 1024 - 40));
  for (let at = 0; at < whole.length; at += 5_000) {
    raw.socket.write(whole.subarray(at, at + 5_000));
    if (at % 20_000 === 0) await new Promise((done) => setImmediate(done));
  }
  assert.deepEqual([...(await raw.read(4))], [0x40, 2, 0, 1]);
  assert.equal(rig.messages[0]?.payload.length, 256 * 1024 - 40);
});

test('[B9] a message that arrives in two parts is taken as soon as its rest arrives', async () => {
  await using rig = await startRig();
  const raw = await connected(rig);
  const [one, two] = [1, 2].map((id) => publishPacket(topicOf('truck', 'can'), id, Buffer.alloc(40, 'x'))) as [
    Buffer,
    Buffer,
  ];
  for (let cut = 1; cut < two.length; cut++) {
    raw.send(one, two.subarray(0, cut));
    assert.deepEqual([...(await raw.read(4))], [0x40, 2, 0, 1]);
    raw.send(two.subarray(cut));
    assert.deepEqual([...(await raw.read(4))], [0x40, 2, 0, 2], `cut at ${cut}`);
  }
});

test('[B10] before authentication one CONNECT of 16 KiB is accepted, and nothing more is held', async () => {
  await using rig = await startRig();
  const raw = await rig.socket();
  raw.send(0x10, Uint8Array.of(0xff, 0xff, 0xff, 0x7f), Buffer.alloc(100));
  assert.equal(await raw.closed, true);
  const early = await rig.socket();
  early.send(publishPacket(topicOf('truck', 'can'), 1, Buffer.from('x')));
  assert.equal(await early.closed, true);
  assert.deepEqual(
    rig.refused.map(([, reason]) => reason),
    ['CONNECT over 16 KiB', 'the first packet is not CONNECT'],
  );
});

test('[B10] packets right after CONNECT wait until the key is looked up', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using rig = await startRig({
    authenticate: async (username) => {
      await promise;
      return { device: 'dev_truck', device_id: username, project_id: 'prj_1' };
    },
  });
  const raw = await rig.socket();
  const publishes = Array.from({ length: 200 }, (_, i) =>
    publishPacket(topicOf('truck', 'can'), i + 1, Buffer.from(`${i}`)),
  );
  raw.send(connectPacket(), ...publishes);
  // A client with an unknown protocol is refused without a key lookup. By then the broker has read the earlier bytes.
  const refused = await rig.socket();
  refused.send(connectPacket('truck', 'c2', { level: 9 }));
  assert.deepEqual([...(await refused.read(4))], [0x20, 2, 0, 1]);
  assert.equal(rig.messages.length, 0);
  resolve();
  const answer = await raw.read(4 + 800);
  assert.deepEqual([...answer.subarray(0, 4)], [0x20, 2, 0, 0]);
  assert.equal(rig.messages.length, 200);
});

test('[B11] MQTT 5 and unknown levels get CONNACK 1, an empty client id with a session gets CONNACK 2', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const answers: [Buffer, number[]][] = [
    [connectPacket('truck', 'c', { level: 5 }), [0x20, 2, 0, 1]],
    [connectPacket('truck', 'c', { level: 3 }), [0x20, 2, 0, 1]],
    [packet(0x10, text('MQTT'), [4, 0xc0, 0, 60], text(''), text('truck'), text(KEY)), [0x20, 2, 0, 2]],
    [connectPacket('truck', 'c'.repeat(257)), [0x20, 2, 0, 2]],
  ];
  for (const [bytes, expected] of answers) {
    const raw = await rig.socket();
    raw.send(bytes);
    assert.deepEqual([...(await raw.read(5))], expected);
    assert.equal(await raw.closed, true);
  }
  await assert.rejects(rig.client('truck', { protocolVersion: 5 }));
  const anonymous = await rig.client('truck', { clientId: '', clean: true });
  await anonymous.publishAsync(topicOf('truck', 'can'), 'x', { qos: 1 });
});

test('[B12] packets that break the protocol end the connection and are counted', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const can = topicOf('truck', 'can');
  const bad: [string, Buffer][] = [
    ['invalid UTF-8 in a topic', packet(0x32, text(Uint8Array.of(0x76, 0xff, 0xfe)), [0, 1], [1])],
    ['NUL in a topic', packet(0x32, text('v1\0x'), [0, 1], [1])],
    ['surrogate in a topic', packet(0x32, text(Uint8Array.of(0xed, 0xa0, 0x80)), [0, 1], [1])],
    ['empty topic', packet(0x32, text(''), [0, 1], [1])],
    ['wildcard in a topic', publishPacket('v1/devices/+/can', 1, Buffer.from('x'))],
    ['packet id 0', publishPacket(can, 0, Buffer.from('x'))],
    ['no packet id', packet(0x32, text(can))],
    ['QoS 3', publishPacket(can, 1, Buffer.from('x'), 0x36)],
    ['DUP with QoS 0', publishPacket(can, 1, Buffer.from('x'), 0x38)],
    ['length of five bytes', Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x01])],
    ['PUBACK too long', packet(0x40, [0, 1, 0])],
    ['PUBREL flags', packet(0x60, [0, 1])],
    ['SUBSCRIBE without filters', packet(0x82, [0, 1])],
    ['SUBSCRIBE flags', packet(0x80, [0, 1], text('x'), [0])],
    ['SUBSCRIBE QoS 3', packet(0x82, [0, 1], text('x'), [3])],
    ['SUBSCRIBE packet id 0', packet(0x82, [0, 0], text('x'), [1])],
    ['UNSUBSCRIBE without filters', packet(0xa2, [0, 1])],
    ['control character in a topic', packet(0x32, text('v1\x01x'), [0, 1], [1])],
    ['U+0085 in a topic', packet(0x32, text('v1\u0085x'), [0, 1], [1])],
    ['# inside a filter', packet(0x82, [0, 1], text('a/#/b'), [1])],
    ['+ beside a letter', packet(0x82, [0, 1], text('a/+b'), [1])],
    ['PINGREQ with a body', packet(0xc0, [0])],
    ['CONNACK from a client', packet(0x20, [0, 0])],
    ['type 15', packet(0xf0)],
    ['type 0', packet(0x00)],
    ['second CONNECT', connectPacket()],
  ];
  for (const [name, bytes] of bad) {
    const raw = await connected(rig);
    raw.send(bytes);
    assert.equal(await raw.closed, true, name);
  }
  assert.equal(rig.broker.counters().malformed_total, bad.length);
  assert.deepEqual(rig.messages, []);
  // [the error, the reason that is counted, the bytes]. A CONNECT that a timer ends has another reason, or none.
  const strange: [string, string, Buffer][] = [
    [
      'trailing bytes',
      'trailing bytes in CONNECT',
      packet(0x10, text('MQTT'), [4, 0xc2, 0, 60], text('c'), text('truck'), text(KEY), [0]),
    ],
    [
      'reserved flag',
      'reserved CONNECT flag',
      packet(0x10, text('MQTT'), [4, 0xc3, 0, 60], text('c'), text('truck'), text(KEY)),
    ],
    [
      'will QoS 3',
      'invalid will flags',
      packet(0x10, text('MQTT'), [4, 0xde, 0, 60], text('c'), text('t'), text('p'), text('truck'), text(KEY)),
    ],
    [
      'will QoS without will',
      'invalid will flags',
      packet(0x10, text('MQTT'), [4, 0xca, 0, 60], text('c'), text('truck'), text(KEY)),
    ],
    [
      'password without user',
      'password without user name',
      packet(0x10, text('MQTT'), [4, 0x42, 0, 60], text('c'), text(KEY)),
    ],
    [
      'client id not UTF-8',
      'malformed client id',
      packet(0x10, text('MQTT'), [4, 0xc2, 0, 60], text(Uint8Array.of(0xff)), text('truck'), text(KEY)),
    ],
    [
      'user with NUL',
      'malformed user name',
      packet(0x10, text('MQTT'), [4, 0xc2, 0, 60], text('c'), text('a\0b'), text(KEY)),
    ],
    ['another protocol', 'not MQTT', packet(0x10, text('HTTP'), [4, 0xc2, 0, 60], text('c'), text('truck'), text(KEY))],
    [
      'will to a topic of the server',
      'will to a topic of the server',
      packet(0x10, text('MQTT'), [4, 0xc6, 0, 60], text('c'), text('$SYS/x'), text('p'), text('truck'), text(KEY)),
    ],
    ['flags of CONNECT', 'reserved CONNECT flag', Buffer.concat([Buffer.from([0x11]), connectPacket().subarray(1)])],
    ['not MQTT at all', 'the first packet is not CONNECT', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ];
  for (const [i, [name, reason, bytes]] of strange.entries()) {
    const raw = await rig.socket();
    raw.send(bytes);
    assert.equal(await raw.closed, true, name);
    assert.equal((await raw.read(1)).length, 0, name);
    assert.deepEqual(rig.refused.at(-1), ['127.0.0.1', reason], name);
    assert.equal(rig.broker.counters().malformed_total, bad.length + i + 1, name);
  }
  await rig.client('truck');
});

test('[B12] random bytes before and after authentication never stop the broker', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }),
      async (inside, chunks) => {
        const raw = inside ? await connected(rig) : await rig.socket();
        for (const chunk of chunks) raw.socket.write(chunk);
        raw.socket.end();
        await raw.closed;
      },
    ),
    { numRuns: 60 },
  );
  const client = await rig.client('good');
  await client.publishAsync(topicOf('good', 'can'), 'x', { qos: 1 });
  assert.equal(rig.messages.at(-1)?.device_id, 'good');
  assert.ok(rig.logged.length < 10, 'trouble is logged once a minute for each kind');
});

test('[B13] a silent connection ends after 1.5 times its keep alive, also without a requested keep alive', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  await using rig = await startRig();
  const patient = await connected(rig, 'truck', 'a');
  const raw = await rig.socket();
  raw.send(connectPacket('truck', 'b', { keepalive: 0 }));
  await raw.read(4);
  let ended = false;
  void patient.closed.then(() => {
    ended = true;
  });
  for (let i = 0; i < 91; i++) context.mock.timers.tick(1000);
  await new Promise((done) => setImmediate(done));
  assert.equal(ended, false);
  for (let i = 0; i < 2; i++) context.mock.timers.tick(1000);
  assert.equal(await patient.closed, true);
  for (let i = 0; i < 1750; i++) context.mock.timers.tick(1000);
  assert.equal(await raw.closed, true);
});

test('[B13] a connection stays open while the broker does not read from it because the journal is slow', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const slow = Promise.withResolvers<void>();
  let taken = 0;
  await using rig = await startRig({
    accept: () => {
      taken++;
      return slow.promise;
    },
  });
  const raw = await connected(rig, 'truck', 'a');
  let ended = false;
  void raw.closed.then(() => {
    ended = true;
  });
  // More unacknowledged bytes than the broker reads from one connection, then a PINGREQ, which waits unread.
  const payload = Buffer.alloc(100_000);
  const messages = 8;
  for (let id = 1; id <= messages; id++) raw.send(publishPacket(topicOf('truck', 'can'), id, payload));
  raw.send(0xc0, 0);
  await until(() => taken >= 5);
  for (let i = 0; i < 200; i++) context.mock.timers.tick(1000);
  await new Promise((done) => setImmediate(done));
  assert.equal(ended, false, 'the broker itself does not read');
  assert.ok(taken < messages);
  slow.resolve();
  const answers = await raw.read(messages * 4 + 2);
  assert.ok(answers.includes(Buffer.from([0xd0, 0])), 'PINGRESP');
  assert.equal(taken, messages);
  for (let i = 0; i < 92; i++) context.mock.timers.tick(1000);
  assert.equal(await raw.closed, true, 'once it reads again, silence counts');
});

test('[B14] a revoked key ends its connections at once', async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  const client = await rig.client('truck');
  const closed = new Promise((done) => client.on('close', () => done(true)));
  rig.broker.drop('truck');
  await closed;
  await until(() => rig.broker.counters().connections === 0);
  assert.equal(
    rig.sessions.filter((one) => one === '+truck').length,
    rig.sessions.filter((one) => one === '-truck').length,
  );
});

test('[B14] a key that is revoked during its lookup opens no connection', async (t) => {
  stopTimers(t);
  const { promise, resolve } = Promise.withResolvers<DeviceIdentity>();
  let asked = false;
  await using rig = await startRig({
    authenticate: () => {
      asked = true;
      return promise;
    },
  });
  const raw = await rig.socket();
  raw.send(connectPacket());
  await until(() => asked);
  rig.broker.drop('truck');
  resolve({ device: 'dev_truck', device_id: 'truck', project_id: 'prj_1' });
  assert.deepEqual([...(await raw.read(4))], [0x20, 2, 0, 5]);
  assert.equal(await raw.closed, true);
});

test('[B18] the broker stops reading from a connection with 512 KiB unacknowledged, reads from others, and loses nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: Record<string, number> = { truck: 0, other: 0 };
  await using rig = await startRig({
    accept: (message) => {
      seen[message.device_id] = (seen[message.device_id] ?? 0) + 1;
      return message.device_id === 'truck' ? promise : Promise.resolve();
    },
  });
  const raw = await connected(rig);
  const count = 2_000;
  const payload = Buffer.alloc(10_000);
  for (let i = 1; i <= count; i++) raw.socket.write(publishPacket(topicOf('truck', 'can'), i, payload));
  const other = await rig.client('other');
  for (let i = 0; i < 20; i++) await other.publishAsync(topicOf('other', 'can'), 'x', { qos: 1 });
  assert.ok((seen.truck ?? 0) < 100, `${seen.truck} messages of 10 kB were taken in`);
  resolve();
  const answers = await raw.read(count * 4);
  for (let i = 0; i < count; i++) assert.equal(answers.readUInt16BE(i * 4 + 2), i + 1);
  assert.deepEqual(seen, { truck: count, other: 20 });
});

test("[B15] a port in use rejects with Node's error and leaves nothing running", async (t) => {
  stopTimers(t);
  await using rig = await startRig();
  await assert.rejects(startRig({ port: rig.broker.port }), { code: 'EADDRINUSE' });
});

const mosquitto = spawnSync('mosquitto_pub', ['--help']).error === undefined;

test('[B16] candump lines through mosquitto_pub -l arrive one by one', {
  skip: mosquitto ? false : 'mosquitto_pub is not installed',
}, async () => {
  await using rig = await startRig();
  const topic = topicOf('truck', 'can');
  const args = ['-h', '127.0.0.1', '-p', `${rig.broker.port}`, '-u', 'truck', '-P', KEY, '-t', topic, '-q', '1', '-l'];
  const child = spawn('mosquitto_pub', args, { stdio: ['pipe', 'inherit', 'inherit'] });
  const lines = Array.from(
    { length: 500 },
    (_, i) => `(1700000000.${String(i).padStart(6, '0')}) can0 0CF00400#FFFFFF0019FFFFFF`,
  );
  child.stdin.end(`${lines.join('\n')}\n`);
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.deepEqual(
    rig.messages.map(({ payload }) => Buffer.from(payload).toString()),
    lines,
  );
});

test('[B16] mosquitto_sub gets the retained config and reports a wrong key', {
  skip: mosquitto ? false : 'mosquitto_pub is not installed',
}, async () => {
  await using rig = await startRig();
  await rig.broker.publish('truck', 'config', 'settings', true);
  const args = [
    '-h',
    '127.0.0.1',
    '-p',
    `${rig.broker.port}`,
    '-u',
    'truck',
    '-t',
    topicOf('truck', 'config'),
    '-C',
    '1',
  ];
  const run = async (key: string) => {
    const child = spawn('mosquitto_sub', [...args, '-P', key]);
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      out += chunk;
    });
    await once(child, 'close');
    return out.trim();
  };
  assert.equal(await run(KEY), 'settings');
  assert.match(await run('wrong'), /not authorised/i);
});

test('[B17] after kill -9 under load every acknowledged message is in the journal, and only marked repeats are there twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-kill-'));
  const acked = new Set<number>();
  let sent = 0;
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'broker-child.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    const [port] = await once(child.stdout, 'data');
    const clients = await Promise.all(
      ['a', 'b'].map((username) =>
        mqtt.connectAsync(`mqtt://127.0.0.1:${Number(port)}`, {
          username,
          password: KEY,
          protocolVersion: 4,
          reconnectPeriod: 0,
        }),
      ),
    );
    // A killed peer may send a reset.
    for (const client of clients) client.on('error', () => {});
    let stop = false;
    let killing = false;
    const enough = acked.size + 130;
    let inflight = 0;
    while (!stop) {
      const client = clients[sent % 2] as MqttClient;
      const id = ++sent;
      inflight++;
      client.publish(topicOf(sent % 2 === 0 ? 'b' : 'a', 'can'), String(id), { qos: 1 }, (error) => {
        inflight--;
        if (!error) acked.add(id);
        if (killing || acked.size < enough) return;
        killing = true;
        setTimeout(() => {
          stop = true;
          child.kill('SIGKILL');
        }, 30 * round);
      });
      if (inflight >= 100 || id % 50 === 0) await new Promise((done) => setImmediate(done));
      while (inflight >= 100 && !stop) await new Promise((done) => setImmediate(done));
    }
    await closed;
    await Promise.all(clients.map((client) => client.endAsync(true)));
  }
  const journal = await openJournal({
    folder,
    disk: nodeDisk(),
    clock: Date.now,
    monotonic: () => performance.now(),
    random: (n) => randomBytes(n),
    onGroup: () => {},
    onFatal: () => {},
  });
  const found = new Map<number, number>();
  const reader = new RecordReader();
  for await (const group of journal.read(0)) {
    reader.open(group.segment, group.start, group.body);
    while (reader.next()) {
      const id = Number(reader.payload.toString());
      if (!reader.repeat) found.set(id, (found.get(id) ?? 0) + 1);
    }
  }
  const { damaged_bytes } = journal.stats();
  await journal[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  assert.ok(acked.size > 500, `${acked.size} acknowledged`);
  assert.deepEqual(
    [...acked].filter((id) => !found.has(id)),
    [],
  );
  assert.deepEqual(
    [...found].filter(([, times]) => times > 1),
    [],
  );
  assert.equal(damaged_bytes, 0);
});
