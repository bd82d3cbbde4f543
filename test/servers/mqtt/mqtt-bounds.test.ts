/** The limits of gateway/servers/mqtt/SPEC.md, and what happens at each. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createAdmission } from '#servers/mqtt/admission.ts';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';
import {
  connected,
  connectPacket,
  KEY,
  packet,
  publishPacket,
  type Raw,
  resumed,
  startRig,
  subscribePacket,
  text,
  topicOf,
  until,
} from './broker-rig.ts';

const between = { publish: () => true, subscribe: () => true };

test('[B10] a client without a complete CONNECT after five seconds is disconnected', async () => {
  await using rig = await startRig();
  const silent = await rig.socket();
  const dripping = await rig.socket();
  const bytes = connectPacket();
  let at = 0;
  const drip = setInterval(() => {
    if (at < bytes.length - 1) dripping.send(bytes.subarray(at, ++at));
  }, 300);
  assert.equal(await silent.closed, true);
  assert.equal(await dripping.closed, true);
  clearInterval(drip);
  await until(() => rig.broker.counters().connections === 0);
});

test('[B10] sockets and unauthenticated sockets are bounded, and one address gets three quarters of either', async () => {
  await using rig = await startRig({ limits: { unauthenticated: 8, sockets: 16 } });
  const strangers = await Promise.all(Array.from({ length: 6 }, () => rig.socket()));
  const seventh = await rig.socket();
  assert.equal(await seventh.closed, true);
  assert.deepEqual(rig.refused.at(-1)?.[1], 'too many connections of this address');
  // An authenticated socket no longer counts as unauthenticated.
  for (const [i, raw] of strangers.entries()) raw.send(connectPacket('truck', `c${i}`));
  for (const raw of strangers) await raw.read(4);
  const more = await Promise.all(Array.from({ length: 6 }, () => rig.socket()));
  for (const [i, raw] of more.entries()) raw.send(connectPacket('other', `c${i}`));
  for (const raw of more) await raw.read(4);
  assert.equal(rig.broker.counters().connections, 12);
  const thirteenth = await rig.socket();
  assert.equal(await thirteenth.closed, true);
  assert.equal(rig.broker.counters().refused_connections_total, 2);
  more[0]?.socket.destroy();
  await until(() => rig.broker.counters().connections === 11);
  await connected(rig, 'third');
});

test('[B10] admission counts an IPv6 network as one address and frees closed sockets', () => {
  const admission = createAdmission({ unauthenticated: 8, sockets: 8 });
  for (let i = 0; i < 6; i++) assert.equal(admission.admit(`2001:db8:1:2:${i}::1`), undefined);
  assert.match(admission.admit('2001:db8:1:2:9::1') ?? '', /of this address/);
  assert.equal(admission.admit('::ffff:10.0.0.1'), undefined);
  assert.equal(admission.admit('10.0.0.2'), undefined);
  assert.equal(admission.admit('10.0.0.3'), 'too many connections');
  for (let i = 0; i < 6; i++) admission.release(`2001:db8:1:2:${i}::1`, false);
  assert.equal(admission.admit('2001:db8:1:2:9::1'), undefined);
});

test('[B10] a topic has at most twelve levels', async () => {
  await using rig = await startRig();
  const deep = (levels: number): string => Array.from({ length: levels }, (_, i) => `l${i}`).join('/');
  const raw = await connected(rig);
  raw.send(subscribePacket(deep(12), 1));
  assert.deepEqual([...(await raw.read(5))], [0x90, 3, 0, 1, 0x80]);
  raw.send(publishPacket(deep(40), 7, Buffer.from('x')));
  assert.deepEqual([...(await raw.read(4))], [0x40, 2, 0, 7]);
  raw.send(subscribePacket(deep(13), 1));
  assert.equal(await raw.closed, true);
  const other = await connected(rig);
  other.send(publishPacket(deep(13), 7, Buffer.from('x'), 0x34));
  assert.equal(await other.closed, true);
});

test('[B9] a packet over 256 KiB other than PUBLISH ends the connection and is not held', async () => {
  await using rig = await startRig();
  const raw = await connected(rig);
  // A SUBSCRIBE of 100 MB of which only the first bytes arrive.
  raw.send(Buffer.from([0x82, 0x80, 0x80, 0x80, 0x30]), Buffer.alloc(1_000));
  assert.equal(await raw.closed, true);
  assert.equal(rig.broker.counters().malformed_total, 1);
});

test('[B10] one QoS 2 message more than the limit of unreleased ones ends the connection', async () => {
  for (const resume of [false, true]) {
    await using rig = await startRig({ limits: { received: 3 } });
    const raw: Raw = resume ? (await resumed(rig)).raw : await connected(rig);
    const send = (id: number): void => raw.send(publishPacket(topicOf('truck', 'can'), id, Buffer.from(`${id}`), 0x34));
    for (let id = 1; id <= 3; id++) send(id);
    assert.equal((await raw.read(12)).length, 12);
    raw.send(packet(0x62, [0, 2]));
    assert.deepEqual([...(await raw.read(4))], [0x70, 2, 0, 2]);
    send(4);
    assert.deepEqual([...(await raw.read(4))], [0x50, 2, 0, 4]);
    send(5);
    assert.equal(await raw.closed, true);
  }
});

test('[B6] one subscription more than the limit ends the connection and keeps the others', async () => {
  await using rig = await startRig({ access: between, limits: { subscriptions: 2 } });
  const { raw } = await resumed(rig);
  for (const topic of ['a', 'b']) {
    raw.send(subscribePacket(topic, 1));
    assert.deepEqual([...(await raw.read(5))], [0x90, 3, 0, 1, 1]);
  }
  raw.send(subscribePacket('c', 1));
  assert.equal(await raw.closed, true);
  const { raw: again, present } = await resumed(rig);
  assert.equal(present, 1);
  again.send(publishPacket('a', 9, Buffer.from('m')));
  const heard = await again.read(4 + publishPacket('a', 1, Buffer.from('m')).length);
  assert.equal(heard.includes(Buffer.from('m')), true);
});

test('[B6] of 10,000 messages for a disconnected client the limit is queued and the rest counted; senders continue', async () => {
  await using rig = await startRig({ access: between });
  const { raw: absent } = await resumed(rig, 'absent');
  absent.send(subscribePacket('news', 2));
  await absent.read(5);
  absent.socket.destroy();
  await until(() => rig.sessions.includes('-truck'));
  const sender = await connected(rig, 'sender');
  const before = process.memoryUsage().rss;
  for (let id = 1; id <= 10_000; id++) {
    // Half of them have QoS 0, which is never queued.
    sender.send(publishPacket('news', id, Buffer.alloc(1_000, id), id % 2 === 0 ? 0x30 : 0x32));
    if (id % 500 === 0) assert.equal((await sender.read(250 * 4)).length, 1_000);
  }
  const { queued, dropped_total, bytes } = rig.broker.counters();
  assert.deepEqual({ queued, dropped_total }, { queued: 100, dropped_total: 4_900 });
  assert.ok(bytes < 200_000, `${bytes} bytes`);
  assert.ok(process.memoryUsage().rss - before < 200e6);
  assert.ok(rig.refused.some(([, reason]) => reason.includes('the queue is full')));
  const { raw: back } = await resumed(rig, 'absent');
  const first = await back.read(publishPacket('news', 1, Buffer.alloc(1_000)).length);
  assert.equal(first.at(-1), 1, 'the oldest is there');
});

test('[B6] 10,000 retained messages are kept, within the byte limit', async () => {
  await using rig = await startRig({ access: between, limits: { retained: 10_000, totalBytes: 8 << 20 } });
  const sender = await connected(rig, 'sender');
  for (let id = 1; id <= 10_000; id++) {
    sender.send(publishPacket(`r/${id}`, id, Buffer.from('x'), 0x33));
    if (id % 500 === 0) assert.equal((await sender.read(500 * 4)).length, 2_000);
  }
  assert.equal(rig.broker.counters().retained, 10_000);
  sender.send(publishPacket('r/one-more', 1, Buffer.from('x'), 0x33));
  assert.equal(await sender.closed, true);
  const other = await connected(rig, 'sender');
  let taken = 0;
  for (let answered = 4; answered === 4; taken++) {
    other.send(publishPacket(`r/${taken + 1}`, 3, Buffer.alloc(200_000), 0x33));
    answered = (await other.read(4)).length;
  }
  assert.ok(taken > 1 && taken < 42, `${taken} taken`);
  assert.ok(rig.broker.counters().bytes <= 8 << 20);
});

test('[B14] the last will of a device with a revoked key is not published, also not by the next process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
  try {
    await using rig = await startRig({ folder });
    const raw = await rig.socket();
    const will = [text(topicOf('truck', 'status')), text('{"status":"offline"}')];
    raw.send(packet(0x10, text('MQTT'), [4, 0xc6, 0, 60], text('c'), ...will, text('truck'), text(KEY)));
    assert.deepEqual([...(await raw.read(4))], [0x20, 2, 0, 0]);
    rig.broker.drop('truck');
    assert.equal(await raw.closed, true);
    await until(() => rig.sessions.includes('-truck'));
    assert.deepEqual(rig.messages, []);
    const nothing = (): void => {};
    await rig.broker[Symbol.asyncDispose]();
    const sessions = await openSessions({
      folder,
      limits: SESSION_LIMITS,
      maySubscribe: () => true,
      onDropped: nothing,
      closeConnection: nothing,
      warn: nothing,
    });
    assert.deepEqual(await sessions.streamWill().toArray(), []);
    await sessions.destroy();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('[B10] without file handles new connections fail, open ones continue, and later new ones succeed', {
  skip: process.platform === 'win32' && 'no limit of handles to set',
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-broker-'));
  const script = join(import.meta.dirname, 'broker-child.ts');
  const child = spawn('sh', ['-c', 'ulimit -n 60 && exec "$0" "$@"', process.execPath, script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const port = Number(line);
    const open = async (name: string) => {
      const socket = dial(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(connectPacket(name));
      const greeted = await new Promise<boolean>((done) => {
        socket.once('data', () => done(true));
        socket.once('close', () => done(false));
      });
      return { socket, greeted };
    };
    const { socket: early, greeted } = await open('early');
    assert.equal(greeted, true);
    const say = async (): Promise<void> => {
      early.write(publishPacket(topicOf('early', 'can'), 7, Buffer.from('still here')));
      const [answer] = await once(early, 'data');
      assert.deepEqual([...(answer as Buffer)], [0x40, 2, 0, 7]);
    };
    // The journal has opened its file by now.
    await say();
    const crowd = await Promise.all(Array.from({ length: 120 }, (_, i) => open(`crowd-${i}`)));
    assert.ok(
      crowd.some((one) => !one.greeted),
      'some found no handle',
    );
    await say();
    for (const { socket } of crowd) socket.destroy();
    let late = await open('late');
    await until(async () => {
      if (!late.greeted) late = await open('late');
      return late.greeted;
    }, 'a handle is free again');
    early.destroy();
    late.socket.destroy();
  } finally {
    child.kill();
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  }
});
