import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type IngestMessage, NotTaken } from '#contract/ingest.ts';
import { connected, packet, publishPacket, startRig, topicOf, until } from './broker-rig.ts';

/** A gateway whose room is in the hand of a test: without any, `can` and `telemetry` are not taken. */
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

test('[B21] what is not taken for want of room gets no answer; its connection stays, with pings and events', async () => {
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
  // Behind what it owes nothing of the kind is tried: it would be out of its order.
  const { tries } = state;
  raw.send(publishPacket(topicOf('truck', 'can'), 4, Buffer.from('c')));
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
  assert.equal(state.tries, tries);
  const { owing, not_taken_total } = rig.broker.counters();
  assert.deepEqual([owing, not_taken_total], [1, 3]);
});

test('[B21] when there is room again the connection ends, and a client sends again what was not answered', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const { options, taken, state } = scarce();
  await using rig = await startRig(options);
  const client = await rig.client('truck', { clientId: 'unit', clean: false, reconnectPeriod: 10 });
  const sent = Promise.all(
    ['a', 'b', 'c'].map((text) => client.publishAsync(topicOf('truck', 'can'), text, { qos: text === 'c' ? 2 : 1 })),
  );
  await until(() => rig.broker.counters().owing === 1);
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
  assert.equal(rig.broker.counters().owing, 0);
});

test('[B21] nothing of what is not taken is held: a sender far beyond its bounds costs nothing and is read on', async () => {
  const { options } = scarce();
  await using rig = await startRig(options);
  const raw = await connected(rig);
  const payload = Buffer.alloc(200 * 1024);
  for (let i = 1; i <= 40; i++) raw.send(publishPacket(topicOf('truck', 'can'), i, payload));
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
});

test('[B21] a connection that owes only messages of QoS 0 is left alone', async () => {
  const { options, state } = scarce();
  await using rig = await startRig(options);
  const raw = await connected(rig);
  raw.send(publishPacket(topicOf('truck', 'can'), 0, Buffer.from('a'), 0x30));
  raw.send(packet(0xc0));
  assert.deepEqual([...(await raw.read(2))], [0xd0, 0]);
  state.room = true;
  assert.deepEqual([rig.broker.counters().owing, rig.broker.counters().not_taken_total], [0, 1]);
});

test('[B22] new sockets are refused at the limit, open ones stay', async () => {
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

test('[B22] over the bound of all connections each is read from only a little', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  await using rig = await startRig({
    accept: ({ payload }) => {
      waiting += payload.length;
      return promise;
    },
  });
  const payload = Buffer.alloc(120 * 1024);
  const raws = [];
  for (let i = 0; i < 80; i++) {
    const raw = await connected(rig, `unit${i}`);
    raws.push(raw);
    for (let n = 1; n <= 5; n++) raw.send(publishPacket(topicOf(`unit${i}`, 'can'), n, payload));
  }
  await until(() => waiting > 24 << 20);
  let before = -1;
  while (before !== waiting) {
    before = waiting;
    // A new client is served after all that the others had sent by then was read as far as it will be.
    for (let i = 0; i < 5; i++) await connected(rig, 'idle', `idle${i}`);
  }
  // Without the bound it would be all of them, 46 MiB: 32 MiB, and what each connection had read when that was reached.
  assert.ok(waiting < 42 << 20, `${waiting} bytes wait`);
  resolve();
  for (const raw of raws) assert.equal((await raw.read(20)).length, 20);
});
