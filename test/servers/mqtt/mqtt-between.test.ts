/** Messages between clients, which `access` allows, and what the standard requires of them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  connected,
  KEY,
  packet,
  publishPacket,
  type Rig,
  startRig,
  subscribePacket,
  text,
  topicOf,
} from './broker-rig.ts';

const access = { publish: (_: unknown, topic: string) => !topic.startsWith('$'), subscribe: () => true };
const start = (): Promise<Rig> => startRig({ access });

test('[B20] a client gets its own QoS 2 message after its PUBREC', async () => {
  await using rig = await start();
  const raw = await connected(rig);
  raw.send(subscribePacket('x', 2));
  await raw.read(5);
  for (let id = 1; id <= 50; id++) {
    raw.send(publishPacket('x', id + 100, Buffer.from('m'), 0x34));
    assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, id + 100]);
    const heard = await raw.read(publishPacket('x', 1, Buffer.from('m'), 0x34).length);
    assert.deepEqual([heard[0], heard.at(-1)], [0x34, 'm'.charCodeAt(0)]);
    raw.send(packet(0x62, [0, id + 100]));
    assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, id + 100]);
  }
});

test('[B20] a subscription in the same segment after a retained message delivers that message once', async () => {
  await using rig = await start();
  for (let round = 0; round < 20; round++) {
    const raw = await connected(rig, 'truck', `c${round}`);
    const topic = `r/${round}`;
    raw.send(
      publishPacket(topic, 0, Buffer.from('kept'), 0x31),
      publishPacket(topic, 7, Buffer.from('newer'), 0x33),
      subscribePacket(topic, 0),
      packet(0xc0),
    );
    assert.deepEqual([...(await raw.read(4))], [0x40, 2, 0, 7]);
    const rest: number[] = [];
    const heard = publishPacket(topic, 0, Buffer.from('newer'), 0x31);
    rest.push(...(await raw.read(5 + heard.length + 2)));
    // PINGRESP may come before the retained message; no message may come twice.
    const bytes = Buffer.from(rest);
    assert.equal(bytes.indexOf(heard), bytes.lastIndexOf(heard));
    assert.notEqual(bytes.indexOf(heard), -1);
    assert.equal(bytes.indexOf('kept'), -1);
    raw.send(packet(0xa2, [0, 2], text(topic)));
    assert.deepEqual([...(await raw.read(4))], [0xb0, 2, 0, 2]);
  }
});

test('[B20] retained messages are delivered in the order of their topics', async () => {
  await using rig = await start();
  const raw = await connected(rig);
  for (const topic of ['a/b/c', 'a', 'b', 'a/b']) raw.send(publishPacket(topic, 1, Buffer.from('m'), 0x33));
  await raw.read(16);
  raw.send(subscribePacket('#', 0));
  await raw.read(5);
  const expected = Buffer.concat(
    ['a', 'a/b', 'a/b/c', 'b'].map((topic) => publishPacket(topic, 0, Buffer.from('m'), 0x31)),
  );
  assert.deepEqual(await raw.read(expected.length), expected);
});

test('[B12] an acknowledged QoS 2 message may be repeated once on a connection; the second repeat ends it', async () => {
  await using rig = await startRig();
  const raw = await connected(rig);
  const again = publishPacket(topicOf('truck', 'can'), 9, Buffer.from('x'), 0x3c);
  for (let round = 0; round < 3; round++) {
    for (let times = 0; times < 2; times++) {
      raw.send(again);
      assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
    }
    raw.send(packet(0x62, [0, 9]));
    assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 9]);
  }
  for (let times = 0; times < 3; times++) raw.send(again);
  assert.equal(await raw.closed, true);
  assert.equal(rig.messages.length, 4);
  assert.equal(rig.broker.counters().malformed_total, 1);
});

test('[B11] MQTT 3.1: reserved bits are ignored, and a repeated PUBREL may carry DUP', async () => {
  await using rig = await startRig();
  const raw = await rig.socket();
  raw.send(packet(0x14, text('MQIsdp'), [3, 0xc3, 0, 60], text('c'), text('truck'), text(KEY)));
  assert.deepEqual([...(await raw.read(4))], [0x20, 2, 0, 0]);
  raw.send(packet(0x8a, [0, 1], text(topicOf('truck', 'commands')), [1]));
  assert.deepEqual([...(await raw.read(5))], [0x90, 3, 0, 1, 1]);
  raw.send(publishPacket(topicOf('truck', 'can'), 9, Buffer.from('x'), 0x34));
  assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 9]);
  raw.send(packet(0x62, [0, 9]));
  assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 9]);
  raw.send(packet(0x6a, [0, 9]));
  assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 9]);
});

test('[B24] a command that waits for the disk is delivered although a time message follows at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
  try {
    await using rig = await startRig({ folder });
    const raw = await connected(rig);
    for (const [topic, qos] of [
      ['commands', 1],
      ['time', 0],
    ] as const) {
      raw.send(subscribePacket(topicOf('truck', topic), qos));
      await raw.read(5);
    }
    // The messages that the subscription causes.
    let seen = '';
    while (!seen.includes('"ms"')) seen += (await raw.read(1)).toString('latin1');
    for (let round = 10; round < 30; round++) {
      const sent = [
        rig.broker.publish('truck', 'commands', `c${round}`),
        rig.broker.publish('truck', 'time', `t${round}`),
      ];
      while (!seen.includes(`t${round}`)) seen += (await raw.read(1)).toString('latin1');
      assert.ok(seen.indexOf(`c${round}`) > 0, `command ${round} came`);
      assert.ok(seen.indexOf(`c${round}`) < seen.indexOf(`t${round}`), 'and first');
      await Promise.all(sent);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
