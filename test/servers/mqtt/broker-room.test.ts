import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import { connected, packet, publishPacket, startRig, topicOf, until } from './broker-rig.ts';

/** A gateway whose space the test sets: without space, `can` and `telemetry` are not taken. */
function scarce() {
  const taken: string[] = [];
  const state = { room: false, tries: 0 };
  return {
    state,
    taken,
    options: {
      accept: ({ topic, payload }: IngestMessage) => {
        state.tries++;
        if (!state.room && (topic === 'can' || topic === 'telemetry')) return Promise.reject(new NotTaken('no room'));
        taken.push(`${topic} ${Buffer.from(payload)}`);
        return Promise.resolve();
      },
      accepting: () => state.room,
      limits: { holdMs: 20 },
    },
  };
}

test('[B21] a message that is not taken for lack of space gets no acknowledgement; its connection stays open for pings and events', async () => {
  const { options, taken, state } = scarce();
  await using rig = await startRig(options);
  const raw = await connected(rig);
  raw.send(publishPacket(topicOf('truck', 'can'), 1, Buffer.from('a')));
  raw.send(publishPacket(topicOf('truck', 'telemetry'), 2, Buffer.from('b')));
  raw.send(publishPacket(topicOf('truck', 'events'), 3, Buffer.from('alarm')));
  assert.deepEqual([...(await raw.read(4))], [0x40, 2, 0, 3]);
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
  assert.deepEqual(taken, ['events alarm']);
  // After a message that was not taken, later ones are not passed to accept: they would be out of order.
  const { tries } = state;
  raw.send(publishPacket(topicOf('truck', 'can'), 4, Buffer.from('c')));
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
  assert.equal(state.tries, tries);
  const { deferred_connections, not_taken_total } = rig.broker.counters();
  assert.deepEqual([deferred_connections, not_taken_total], [1, 3]);
});

test('[B21] when messages are taken again the broker closes the connection, and the client resends unacknowledged messages', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const { options, taken, state } = scarce();
  await using rig = await startRig(options);
  const client = await rig.client('truck', { clientId: 'unit', clean: false, reconnectPeriod: 10 });
  const sent = Promise.all(
    ['a', 'b', 'c'].map((text) => client.publishAsync(topicOf('truck', 'can'), text, { qos: text === 'c' ? 2 : 1 })),
  );
  await until(() => rig.broker.counters().deferred_connections === 1);
  for (let second = 0; second < 3; second++) {
    context.mock.timers.tick(1_000);
    await connected(rig, 'other', `c${second}`);
  }
  assert.deepEqual([taken, client.connected, rig.broker.counters().connections], [[], true, 4]);
  state.room = true;
  let answered = false;
  void sent.then(() => {
    answered = true;
  });
  await until(() => {
    context.mock.timers.tick(1_000);
    return answered;
  }, 'the client sends again, and all is answered');
  assert.deepEqual(taken, ['can a', 'can b', 'can c']);
  assert.equal(rig.broker.counters().deferred_connections, 0);
});

test('[B21] the broker keeps reading from a sender whose messages are not taken, and holds none of them', async () => {
  const { options } = scarce();
  await using rig = await startRig(options);
  const raw = await connected(rig);
  const payload = Buffer.alloc(200 * 1024);
  for (let i = 1; i <= 40; i++) raw.send(publishPacket(topicOf('truck', 'can'), i, payload));
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
});

test('[B21] a connection whose untaken messages are all QoS 0 stays open', async () => {
  const { options, state } = scarce();
  await using rig = await startRig(options);
  const raw = await connected(rig);
  raw.send(publishPacket(topicOf('truck', 'can'), 0, Buffer.from('a'), 0x30));
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
  state.room = true;
  assert.deepEqual([rig.broker.counters().deferred_connections, rig.broker.counters().not_taken_total], [0, 1]);
});

test('[B22] at the limit new sockets are refused and open sockets stay', async () => {
  await using rig = await startRig();
  const raw = await connected(rig);
  rig.broker.limitSockets(1);
  const late = connect(rig.broker.port, '127.0.0.1');
  late.on('error', () => {});
  await once(late, 'close');
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
  rig.broker.limitSockets(100);
  await connected(rig, 'truck', 'c2');
});

test('[B22] the connections of a device share one allowance, which is smaller while the device dominates', async (t) => {
  // The clock stands, so that a slow machine does not change how much a device sent in the last second.
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const { promise, resolve } = Promise.withResolvers<void>();
  let answers = true;
  const waiting = { truck: 0, drill: 0 };
  await using rig = await startRig({
    accept: ({ device_id, payload }) => {
      if (answers) return Promise.resolve();
      waiting[device_id as 'truck' | 'drill'] += payload.length;
      return promise;
    },
  });
  const payload = Buffer.alloc(1_000);
  /** Sends 1 MB over each of the connections; resolves when the broker reads no more. */
  const flood = async (device: 'truck' | 'drill', connections: number) => {
    const raws = [];
    for (let i = 0; i < connections; i++) raws.push(await connected(rig, device, `${device}${i}`));
    for (const raw of raws)
      for (let n = 1; n <= 1_000; n++) raw.send(publishPacket(topicOf(device, 'telemetry'), n, payload));
    let before = -1;
    while (before !== waiting[device]) {
      before = waiting[device];
      for (let i = 0; i < 5; i++) await connected(rig, device, 'idle').then((raw) => raw.socket.destroy());
    }
    return { raws, read: waiting[device] };
  };
  const before = await connected(rig, 'drill', 'before');
  for (let n = 1; n <= 300; n++) before.send(publishPacket(topicOf('drill', 'telemetry'), n, payload));
  assert.equal((await before.read(1_200)).length, 1_200);
  answers = false;
  const alone = await flood('truck', 2);
  assert.ok(alone.read > 300_000 && alone.read < 600_000, `${alone.read} bytes of a device that sends like the other`);
  answers = true;
  const quiet = await connected(rig, 'lamp', 'quiet');
  quiet.send(publishPacket(topicOf('lamp', 'telemetry'), 1, payload));
  assert.equal((await quiet.read(4)).length, 4);
  // The drill sends one portion, which begins a new window of 100 ms.
  now += 150;
  before.send(publishPacket(topicOf('drill', 'telemetry'), 301, payload));
  assert.equal((await before.read(4)).length, 4);
  answers = false;
  const beside = await flood('drill', 4);
  assert.ok(beside.read > 8_000 && beside.read < 30_000, `${beside.read} bytes of a device that dominates`);
  resolve();
  for (const raw of [...alone.raws, ...beside.raws]) assert.equal((await raw.read(4_000)).length, 4_000);
});

test('[B22] above the limit of all connections each connection gets a small allowance', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  await using rig = await startRig({
    accept: ({ payload }) => {
      waiting += payload.length;
      return promise;
    },
  });
  const payload = Buffer.alloc(30 * 1024);
  const raws = [];
  for (let i = 0; i < 600; i++) {
    const raw = await connected(rig, `unit${i}`);
    raws.push(raw);
    for (let n = 1; n <= 5; n++) raw.send(publishPacket(topicOf(`unit${i}`, 'can'), n, payload));
  }
  await until(() => waiting > 24 << 20);
  let before = -1;
  while (before !== waiting) {
    before = waiting;
    // When a new client is served, the broker has read from the others as far as it will.
    for (let i = 0; i < 5; i++) await connected(rig, 'idle', `idle${i}`);
  }
  // The connections send 88 MiB. After 32 MiB, the broker reads one message from each of the others: about 44 MiB.
  assert.ok(waiting < 48 << 20, `${waiting} bytes wait`);
  resolve();
  for (const raw of raws) assert.equal((await raw.read(20)).length, 20);
});
