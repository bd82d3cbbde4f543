/** Acknowledgements of clients: each message needs one kind of acknowledgement; another kind breaks the protocol. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpectedAcks } from '#servers/mqtt/protocol/expected-acks.ts';
import { PACKET } from '#servers/mqtt/protocol/packet-check.ts';
import {
  connected,
  packet,
  publishPacket,
  type Raw,
  type Rig,
  resumed,
  startRig,
  stopTimers,
  subscribePacket,
  until,
} from './broker-rig.ts';

const access = { publish: (_: unknown, topic: string) => !topic.startsWith('$'), subscribe: () => true };
const PUBACK = 0x40;
const PUBREC = 0x50;
const PUBREL = 0x62;
const PUBCOMP = 0x70;

const ways = ['clean session', 'session', 'retained', 'after a reconnect'] as const;

/** Connects a client that has received a message of this QoS; returns it with the packet id. */
async function received(
  rig: Rig,
  way: (typeof ways)[number],
  qos: 1 | 2,
  n: number,
): Promise<{ raw: Raw; id: number }> {
  const topic = `t/${n}`;
  const sender = await connected(rig, 'sender', `s${n}`);
  const bytes = publishPacket(topic, 1, Buffer.from('m'), 0x30 | (qos << 1) | (way === 'retained' ? 1 : 0));
  const send = async () => {
    sender.send(bytes);
    await sender.read(4);
    if (qos === 2) {
      sender.send(packet(PUBREL, [0, 1]));
      await sender.read(4);
    }
  };
  const client = `c${n}`;
  let raw = way === 'clean session' ? await connected(rig, 'truck', client) : (await resumed(rig, client)).raw;
  if (way === 'retained') await send();
  raw.send(subscribePacket(topic, 2));
  assert.equal((await raw.read(5))[0], 0x90);
  if (way === 'after a reconnect') {
    raw.socket.destroy();
    await until(() => rig.sessions.at(-1) === '-truck');
  }
  if (way !== 'retained') await send();
  if (way === 'after a reconnect') ({ raw } = await resumed(rig, client));
  const heard = await raw.read(bytes.length);
  assert.equal((heard[0] as number) & 6, qos << 1);
  return { raw, id: heard.readUInt16BE(heard.length - 3) };
}

test('[B12] an acknowledgement of the wrong kind ends the connection and is counted; the correct one is accepted', async (t) => {
  stopTimers(t);
  await using rig = await startRig({ access });
  const cases: [qos: 1 | 2, wrong: number, why: RegExp][] = [
    [1, PUBREC, /^PUBREC instead of PUBACK$/],
    [1, PUBCOMP, /^PUBCOMP instead of PUBACK$/],
    [2, PUBACK, /^PUBACK instead of PUBREC$/],
    [2, PUBCOMP, /^PUBCOMP instead of PUBREC$/],
  ];
  let n = 0;
  for (const way of ways)
    for (const [qos, wrong, why] of cases) {
      const { raw, id } = await received(rig, way, qos, n++);
      raw.send(packet(wrong, [id >> 8, id & 255]));
      assert.equal(await raw.closed, true, `${way}, QoS ${qos}`);
      assert.match(rig.refused.at(-1)?.[1] ?? '', why, way);
      assert.equal(rig.broker.counters().malformed_total, n, way);
    }
});

test('[B12] a PUBACK to a released QoS 2 message ends the connection; PUBREC may be repeated', async (t) => {
  stopTimers(t);
  await using rig = await startRig({ access });
  for (const [n, way] of ways.entries()) {
    const { raw, id } = await received(rig, way, 2, n);
    const ids = [id >> 8, id & 255];
    for (let i = 0; i < 2; i++) {
      raw.send(packet(PUBREC, ids));
      assert.deepEqual([...(await raw.read(4))], [PUBREL, 2, ...ids], way);
    }
    raw.send(packet(PUBACK, ids));
    assert.equal(await raw.closed, true, way);
    assert.equal(rig.broker.counters().malformed_total, n + 1);
  }
});

test('[B12] correct acknowledgements, and those of unknown ids, leave the connection open', async (t) => {
  stopTimers(t);
  await using rig = await startRig({ access });
  let n = 0;
  for (const way of ways)
    for (const qos of [1, 2] as const) {
      const { raw, id } = await received(rig, way, qos, n++);
      const ids = [id >> 8, id & 255];
      if (qos === 1) raw.send(packet(PUBACK, ids));
      else {
        raw.send(packet(PUBREC, ids));
        assert.deepEqual([...(await raw.read(4))], [PUBREL, 2, ...ids], way);
        raw.send(packet(PUBCOMP, ids));
      }
      for (const kind of [PUBACK, PUBCOMP]) raw.send(packet(kind, [0xee, n]));
      raw.send(packet(0xc0));
      assert.deepEqual([...(await raw.read(2))], [0xd0, 0], way);
    }
  assert.equal(rig.broker.counters().malformed_total, 0);
});

test('[B12] expected acknowledgements are remembered for 1,000 messages of a connection', () => {
  const sent = new ExpectedAcks();
  for (let id = 1; id <= 1_001; id++) sent.add(id, 1);
  assert.deepEqual([sent.get(1), sent.get(2), sent.get(1_001)], [undefined, PACKET.puback, PACKET.puback]);
  sent.acknowledge(PACKET.puback, 2);
  assert.equal(sent.get(2), undefined);
});
