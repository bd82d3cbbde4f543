import assert from 'node:assert/strict';
import { promises } from 'node:fs';
import { appendFile, copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches } from '#servers/mqtt/protocol/topics.ts';
import { SESSION_LIMITS, type SessionLimits } from '#servers/mqtt/sessions/session-limits.ts';
import type { LogFiles } from '#servers/mqtt/sessions/session-log.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';
import { until } from '#test/support/until.ts';

type Sessions = Awaited<ReturnType<typeof openSessions>>;

interface Rig extends AsyncDisposable {
  readonly folder: string;
  readonly file: string;
  readonly closed: string[];
  /** The syncs of files and folders and the renames, in order. */
  readonly steps: string[];
  /** Bytes that still fit on the disk. */
  room: number;
  readonly dropped: string[];
  readonly warnings: string[];
  open(limits?: Partial<SessionLimits>): Promise<Sessions>;
}

/** Node's file operations on a disk with so many free bytes. A write that does not fit is written partly and fails. */
function filesOf(disk: { room: number; readonly steps: string[] }): LogFiles {
  return {
    ...promises,
    async rename(from: string, to: string) {
      await promises.rename(from, to);
      disk.steps.push(`renamed to ${basename(to)}`);
    },
    async open(...of: Parameters<typeof promises.open>) {
      const handle = await promises.open(...of);
      return new Proxy(handle, {
        get(target, name) {
          if (name === 'sync') disk.steps.push(`synced ${basename(String(of[0]))}`);
          const method = Reflect.get(target, name);
          if (name !== 'write') return typeof method === 'function' ? method.bind(target) : method;
          return async (bytes: Buffer, at: number, length: number, position: number) => {
            const fits = Math.min(length, disk.room);
            disk.room -= fits;
            if (fits > 0) return target.write(bytes, at, fits, position);
            throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
          };
        },
      });
    },
  } as LogFiles;
}

async function startRig(): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-sessions-'));
  const dropped: string[] = [];
  const warnings: string[] = [];
  const opened: Sessions[] = [];
  const closed: string[] = [];
  const rig: Rig = {
    folder,
    closed,
    steps: [],
    room: Number.POSITIVE_INFINITY,
    file: join(folder, 'sessions.log'),
    dropped,
    warnings,
    async open(limits) {
      const sessions = await openSessions({
        folder,
        limits: { ...SESSION_LIMITS, ...limits },
        maySubscribe: (_, filter) => !filter.startsWith('secret'),
        onDropped: (id, reason) => dropped.push(`${id}: ${reason}`),
        closeConnection: ({ id }) => closed.push(id),
        files: filesOf(rig),
        warn: (message) => warnings.push(message),
      });
      await sessions.setup({ id: `process-${opened.length}` });
      opened.push(sessions);
      return sessions;
    },
    async [Symbol.asyncDispose]() {
      for (const sessions of opened) await sessions.destroy();
      await rm(folder, { recursive: true });
    },
  };
  return rig;
}

const client = { id: 'truck/unit' };
const to = (id: string, qos = 1) => ({ clientId: id, topic: 'x', qos });
let counter = 0;
const message = (text: string, qos = 1) => ({
  cmd: 'publish',
  topic: 'x',
  payload: Buffer.from(text),
  qos,
  retain: false,
  dup: false,
  brokerId: 'b',
  brokerCounter: ++counter,
});
const texts = async (sessions: Sessions, of = client): Promise<string[]> =>
  (await sessions.outgoingStream(of).toArray()).map((one) => (one.cmd === 'pubrel' ? 'pubrel' : String(one.payload)));

const problemsOf = (sessions: Sessions): string[] => sessions.problems().map(({ code }) => code);

/** The state that survives a restart, as values. */
async function content(sessions: Sessions, ids: readonly string[]): Promise<unknown> {
  const each = await Promise.all(
    ids.map(async (id) => ({
      subscriptions: await sessions.subscriptionsByClient({ id }),
      queue: (await sessions.outgoingStream({ id }).toArray()).map((one) => ({ ...one, payload: String(one.payload) })),
      will: (await sessions.getWill({ id }))?.topic,
      received: [1, 2, 3].filter((messageId) => sessions.isReceived({ id }, messageId)),
    })),
  );
  const retained = await sessions.createRetainedStream('#').toArray();
  return { each, retained: retained.map((one) => [one.topic, String(one.payload)]).sort(), bytes: sessions.counters() };
}

test('every acknowledged change survives the end of the process, at every step of a message', async () => {
  await using rig = await startRig();
  const first = await rig.open();
  await first.addSubscriptions(client, [{ topic: 'x', qos: 2 }]);
  await first.storeRetained({ topic: 'config', payload: Buffer.from('kept'), qos: 1, retain: true });
  for (const text of ['a', 'b', 'c']) await first.outgoingEnqueueCombi([to(client.id, 2)], message(text, 2));
  const [a, b] = await first.outgoingStream(client).toArray();
  await first.outgoingUpdate(client, Object.assign(a ?? {}, { messageId: 7 }));
  await first.outgoingUpdate(client, { cmd: 'pubrel', messageId: 7 });
  await first.outgoingUpdate(client, Object.assign(b ?? {}, { messageId: 8 }));
  await first.incomingStorePacket(client, { messageId: 3, topic: 'up', payload: Buffer.from('p'), qos: 2 });
  await first.putWill(client, { topic: 'status', payload: Buffer.from('gone'), qos: 1 });

  const second = await rig.open();
  assert.deepEqual(await texts(second), ['pubrel', 'b', 'c']);
  assert.equal(second.isReceived(client, 3), true);
  assert.equal((await second.getWill(client))?.brokerId, 'process-0');
  assert.equal(String((await second.createRetainedStream('config').toArray())[0]?.payload), 'kept');
  assert.deepEqual(
    (await second.subscriptionsByTopic('x')).map((one) => one.clientId),
    [client.id],
  );
  assert.deepEqual(second.attach(client), { present: true, nextId: 9 });
});

test('[MQTT-3.3.1-1] only messages that an earlier connection has sent carry DUP', async () => {
  await using rig = await startRig();
  const sessions = await rig.open();
  await sessions.outgoingEnqueue(to(client.id), message('a'));
  const sendTo = async (connection: { id: string }, messageId: number) => {
    const [packet] = await sessions.outgoingStream(connection).toArray();
    const sent = { ...packet, messageId };
    await sessions.outgoingUpdate(connection, sent);
    return sent.dup;
  };
  const one = { ...client };
  assert.equal(await sendTo(one, 5), false);
  assert.equal(await sendTo(one, 5), false);
  assert.equal(await sendTo({ ...client }, 5), true);
});

test('[MQTT-2.3.1-2] a connection starts with packet ids that no queued message uses', async () => {
  await using rig = await startRig();
  const sessions = await rig.open();
  assert.equal(sessions.attach(client).nextId, 1);
  const give = async (ids: readonly number[]): Promise<void> => {
    for (const messageId of ids) {
      const packet = message('m', 2);
      await sessions.outgoingEnqueue(to(client.id, 2), packet);
      await sessions.outgoingUpdate(client, { ...packet, messageId });
    }
  };
  await give([7, 25, 24]);
  assert.equal(sessions.attach({ ...client }).nextId, 26);
  await give([65_535]);
  assert.equal(sessions.attach({ ...client }).nextId, 26);
  await give([40_000]);
  assert.equal(sessions.attach({ ...client }).nextId, 26);
  await give([100]);
  assert.equal(sessions.attach({ ...client }).nextId, 101);
  await give([20_000]);
  assert.equal(sessions.attach({ ...client }).nextId, 40_001);
});

test('an acknowledgement that does not fit the QoS removes nothing', async () => {
  await using rig = await startRig();
  const sessions = await rig.open();
  await sessions.outgoingEnqueue(to(client.id, 2), message('a', 2));
  const [packet] = await sessions.outgoingStream(client).toArray();
  await sessions.outgoingUpdate(client, { ...packet, messageId: 5 });
  await sessions.outgoingClearMessageId(client, { cmd: 'puback', messageId: 5 });
  await sessions.outgoingClearMessageId(client, { cmd: 'pubcomp', messageId: 5 });
  await sessions.outgoingClearMessageId(client, { cmd: 'pubcomp' });
  assert.deepEqual(await texts(sessions), ['a']);
  await sessions.outgoingUpdate(client, { cmd: 'pubrel', messageId: 5 });
  await sessions.outgoingClearMessageId(client, { cmd: 'pubcomp', messageId: 5 });
  assert.deepEqual(await texts(sessions), []);
});

test('a full session drops a message, counts and reports it; other sessions get it', async () => {
  await using rig = await startRig();
  const sessions = await rig.open({ messages: 3, bytes: 5_000 });
  for (let i = 0; i < 5; i++) await sessions.outgoingEnqueue(to('truck/few'), message(`${i}`));
  assert.deepEqual(await texts(sessions, { id: 'truck/few' }), ['0', '1', '2']);
  for (let i = 0; i < 3; i++) await sessions.outgoingEnqueue(to('truck/big'), message('x'.repeat(2_000)));
  assert.equal((await texts(sessions, { id: 'truck/big' })).length, 2);
  await sessions.outgoingEnqueueCombi([to('truck/few'), to('truck/other')], message('both'));
  assert.deepEqual(await texts(sessions, { id: 'truck/other' }), ['both']);
  assert.equal(sessions.counters().dropped_total, 4);
  assert.deepEqual(rig.dropped, [
    ...Array(2).fill('truck/few: the queue is full'),
    'truck/big: the queue is full',
    'truck/few: the queue is full',
  ]);
});

test('publishing fails above the byte limit of all sessions and retained messages', async () => {
  await using rig = await startRig();
  const sessions = await rig.open({ totalBytes: 3_000, retained: 2 });
  await sessions.outgoingEnqueue(to(client.id), message('x'.repeat(2_000)));
  await assert.rejects(
    sessions.outgoingEnqueue(to('other/a'), message('x'.repeat(2_000))),
    /limit of queued and retained bytes/,
  );
  await assert.rejects(
    sessions.storeRetained({ topic: 'a', payload: Buffer.alloc(1_000) }),
    /limit of queued and retained bytes/,
  );
  for (const topic of ['a', 'b']) await sessions.storeRetained({ topic, payload: Buffer.from('x') });
  await assert.rejects(sessions.storeRetained({ topic: 'c', payload: Buffer.from('x') }), /too many retained/);
  await sessions.storeRetained({ topic: 'a', payload: Buffer.alloc(0) });
  await sessions.storeRetained({ topic: 'c', payload: Buffer.from('x') });
  await sessions.cleanSubscriptions(client);
  await sessions.outgoingEnqueue(to('other/a'), message('x'.repeat(2_000)));
});

test('above the session limit of a device the session that was unconnected longest ends, never a connected one', async () => {
  await using rig = await startRig();
  const sessions = await rig.open({ perOwner: 2 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => ({ id: `truck/${id}` })) as [
    typeof client,
    typeof client,
    typeof client,
    typeof client,
  ];
  sessions.attach(a);
  await sessions.hourPassed();
  sessions.attach(b);
  sessions.detach(b);
  sessions.attach({ id: 'other/a' });
  sessions.attach(c);
  assert.deepEqual(rig.dropped, ['truck/b: too many sessions']);
  sessions.attach(d);
  assert.equal(sessions.counters().sessions, 4, 'those that are connected stay');
  for (const one of [a, c, d]) sessions.detach(one);
  const again = await rig.open({ perOwner: 2 });
  assert.equal(again.counters().sessions, 4);
});

test('messages and sessions age by hours of running, across restarts, independent of the clock', async () => {
  await using rig = await startRig();
  const limits = { messageHours: 2, sessionHours: 5 };
  const first = await rig.open(limits);
  first.attach(client);
  first.detach(client);
  await first.hourPassed();
  await first.outgoingEnqueue(to(client.id), message('old'));
  for (let i = 0; i < 2; i++) await first.hourPassed();
  assert.deepEqual(await texts(first), ['old']);
  const second = await rig.open(limits);
  await second.hourPassed();
  assert.deepEqual(await texts(second), []);
  await second.hourPassed();
  assert.equal(second.counters().sessions, 1);
  await second.hourPassed();
  assert.equal(second.counters().sessions, 0);
  assert.deepEqual(
    rig.dropped.map((one) => one.replace(/ for .*/, '')),
    ['truck/unit: messages were queued', 'truck/unit: no connection'],
  );
});

test('[B6] the age of a session starts at its last connection, also after a crash', async () => {
  for (const leaves of [true, false]) {
    await using rig = await startRig();
    const limits = { sessionHours: 5 };
    const first = await rig.open(limits);
    first.attach(client);
    for (let i = 0; i < 4; i++) await first.hourPassed();
    if (leaves) first.detach(client);
    await first.outgoingEnqueue(to(client.id), message('waits'));
    const second = await rig.open(limits);
    for (let i = 0; i < 5; i++) await second.hourPassed();
    assert.deepEqual(await texts(second), ['waits']);
    await second.hourPassed();
    assert.equal(second.counters().sessions, 0);
  }
});

test('[MQTT-3.3.1-10] an empty retained message for a topic without one writes nothing', async () => {
  await using rig = await startRig();
  const sessions = await rig.open();
  const retain = async (topic: string, text: string): Promise<number> => {
    await sessions.storeRetained({ topic, payload: Buffer.from(text), qos: 1 });
    return (await stat(rig.file)).size;
  };
  const size = await retain('a', 'kept');
  assert.equal(await retain('b', ''), size);
  assert.ok((await retain('a', '')) > size);
});

test('a refused subscription is not stored with a granted one of the same packet', async () => {
  await using rig = await startRig();
  const sessions = await rig.open();
  await sessions.addSubscriptions(client, [
    { topic: 'mine', qos: 1 },
    { topic: 'secret/#', qos: 1 },
  ]);
  assert.deepEqual(
    (await sessions.subscriptionsByClient(client)).map((one) => one.topic),
    ['mine'],
  );
  assert.deepEqual(await sessions.subscriptionsByTopic('secret/x'), []);
});

test('a truncated file is read up to its last complete group, reported, and continued', async () => {
  await using rig = await startRig();
  const first = await rig.open();
  const ends: number[] = [];
  for (const text of ['a', 'b', 'c']) {
    await first.outgoingEnqueue(to(client.id), message(text));
    ends.push((await stat(rig.file)).size);
  }
  const whole = await readFile(rig.file);
  const [, second, third] = ends as [number, number, number];
  for (const cut of [second, second + 1, second + 9, third - 1]) {
    await writeFile(rig.file, whole);
    await truncate(rig.file, cut);
    rig.warnings.length = 0;
    const again = await rig.open();
    assert.deepEqual(await texts(again), ['a', 'b'], `cut at ${cut}`);
    assert.equal(rig.warnings.length, cut === second ? 0 : 1);
    await again.outgoingEnqueue(to(client.id), message('new'));
    assert.deepEqual(await texts(await rig.open()), ['a', 'b', 'new']);
  }
  await writeFile(rig.file, whole);
  await appendFile(rig.file, Buffer.alloc(5_000));
  assert.deepEqual(await texts(await rig.open()), ['a', 'b', 'c']);
  await writeFile(rig.file, 'HFMQTT3\nof a later version');
  await assert.rejects(rig.open(), /is not a log of MQTT sessions/);
});

test('[B23] corrupt groups in the middle of the log are skipped, counted, reported and kept in a copy; the rest is read', async () => {
  await using rig = await startRig();
  const first = await rig.open();
  const ends: number[] = [];
  for (const text of ['a', 'b', 'c', 'd']) {
    await first.outgoingEnqueue(to(client.id), message(text));
    ends.push((await stat(rig.file)).size);
  }
  const whole = await readFile(rig.file);
  const [one, two, three] = ends as [number, number, number, number];
  const rot = async (...places: number[]): Promise<Sessions> => {
    const damaged = Buffer.from(whole);
    for (const at of places) damaged[at] = (damaged[at] as number) ^ 1;
    await writeFile(rig.file, damaged);
    rig.warnings.length = 0;
    const again = await rig.open();
    assert.equal(rig.warnings.length, 1);
    assert.deepEqual(await readFile(`${rig.file}.damaged`), damaged);
    return again;
  };
  for (const at of [one, one + 4, one + 9, one + 13, one + 30, two - 1]) {
    const again = await rot(at);
    assert.deepEqual(await texts(again), ['a', 'c', 'd'], `byte ${at}`);
    assert.equal(again.counters().damaged_bytes, two - one);
    assert.deepEqual(problemsOf(again), ['mqtt_sessions_damaged']);
    await again.outgoingEnqueue(to(client.id), message('new'));
    const healed = await rig.open();
    assert.deepEqual(await texts(healed), ['a', 'c', 'd', 'new']);
    assert.equal(healed.counters().damaged_bytes, 0);
    assert.deepEqual(problemsOf(healed), []);
  }
  assert.deepEqual(await texts(await rot(one + 5, two + 5)), ['a', 'd']);
  assert.deepEqual(await texts(await rot(one + 5, three - 1)), ['a', 'd']);
  // The file header: one intact salt is enough. With a damaged magic nothing is read, and the gateway starts.
  for (const at of [8, 12]) {
    await writeFile(rig.file, whole.with(at, (whole[at] as number) ^ 1));
    assert.deepEqual(await texts(await rig.open()), ['a', 'b', 'c', 'd']);
  }
  assert.deepEqual(await texts(await rot(0)), []);
});

test('[B23] a payload that contains log groups is never read as a group', async () => {
  await using rig = await startRig();
  const first = await rig.open();
  await first.outgoingEnqueue(to(client.id), message('a'));
  const forged = (await readFile(rig.file)).subarray(16);
  const other = await startRig();
  await using elsewhere = other;
  const sessions = await elsewhere.open();
  const { size } = await stat(elsewhere.file);
  await sessions.outgoingEnqueue(to(client.id), { ...message('x'), payload: Buffer.concat([forged, forged]) });
  await sessions.outgoingEnqueue(to(client.id), message('b'));
  const bytes = await readFile(elsewhere.file);
  bytes[size] = 0;
  await writeFile(elsewhere.file, bytes);
  assert.deepEqual(await texts(await elsewhere.open()), ['b']);
});

test('[B23] on a full disk nothing unstored is acknowledged, and writing resumes by itself when there is space', async () => {
  for (const room of [0, 20]) {
    await using rig = await startRig();
    const sessions = await rig.open();
    await sessions.outgoingEnqueue(to(client.id), message('kept'));
    await sessions.incomingStorePacket(client, { messageId: 9 });
    rig.room = room;
    await assert.rejects(sessions.outgoingEnqueue(to(client.id), message('refused')), /ENOSPC/);
    await assert.rejects(sessions.addSubscriptions(client, [{ topic: 't', qos: 1 }]), /ENOSPC/);
    await using elsewhere = await startRig();
    await copyFile(rig.file, elsewhere.file);
    assert.deepEqual(await texts(await elsewhere.open()), ['kept'], 'a process that ended now');
    // The deletion is not on disk, so PUBCOMP must not be sent: the connection is closed.
    await assert.rejects(sessions.incomingDelPacket(client, { messageId: 9 }), /ENOSPC/);
    assert.deepEqual(rig.closed, [client.id]);
    assert.ok(rig.warnings.includes('MQTT sessions cannot be written'));
    assert.deepEqual(problemsOf(sessions), ['mqtt_sessions_not_stored']);
    rig.room = Number.POSITIVE_INFINITY;
    await until(() => rig.warnings.includes('MQTT sessions are on disk again'));
    assert.deepEqual(problemsOf(sessions), []);
    await sessions.outgoingEnqueue(to(client.id), message('after'));
    const again = await rig.open();
    assert.deepEqual(await texts(again), ['kept', 'refused', 'after']);
    assert.equal(again.isReceived(client, 9), false);
  }
});

test('[B23] sessions open on a full disk with a log that ends in the middle of a group', async () => {
  await using rig = await startRig();
  const first = await rig.open();
  await first.outgoingEnqueue(to(client.id), message('a'));
  const { size } = await stat(rig.file);
  await first.outgoingEnqueue(to(client.id), message('b'));
  await truncate(rig.file, size + 7);
  rig.room = 0;
  const again = await rig.open();
  assert.deepEqual(await texts(again), ['a']);
  await assert.rejects(again.outgoingEnqueue(to(client.id), message('no')), /ENOSPC/);
  rig.room = Number.POSITIVE_INFINITY;
  await until(() => rig.warnings.includes('MQTT sessions are on disk again'));
  assert.deepEqual(await texts(await rig.open()), ['a', 'no']);
});

test('an intact log is not rewritten at start', async () => {
  await using rig = await startRig();
  const first = await rig.open();
  await first.outgoingEnqueue(to(client.id), message('a'));
  const whole = await readFile(rig.file);
  assert.deepEqual(await texts(await rig.open()), ['a']);
  assert.deepEqual(await readFile(rig.file), whole);
});

test('[B23] a rewritten log is synced before it is renamed, and its folder after', {
  skip: process.platform === 'win32' && 'Windows syncs no folders',
}, async () => {
  await using rig = await startRig();
  await rig.open();
  assert.deepEqual(rig.steps, ['synced sessions.log.new', 'renamed to sessions.log', `synced ${basename(rig.folder)}`]);
});

test('the log is rewritten when it is much larger than its content', async () => {
  await using rig = await startRig();
  const sessions = await rig.open();
  await sessions.storeRetained({ topic: 'keep', payload: Buffer.from('me') });
  for (let i = 0; i < 60; i++) await sessions.storeRetained({ topic: 'a', payload: Buffer.alloc(100_000, i), qos: 1 });
  assert.ok((await stat(rig.file)).size < 5_000_000);
  const again = await rig.open();
  const kept = await again.createRetainedStream('#').toArray();
  assert.deepEqual(
    kept.map((one) => [one.topic, one.payload?.length, one.payload?.at(-1)]),
    [
      ['a', 100_000, 59],
      ['keep', 2, 101],
    ],
  );
});

test('after any sequence of calls the log restores the state in memory', async () => {
  const ids = ['p/a', 'p/b', 'q/a'];
  const id = fc.constantFrom(...ids);
  const messageId = fc.integer({ min: 1, max: 3 });
  const qos = fc.integer({ min: 0, max: 2 });
  const step = fc.oneof(
    fc.record({ do: fc.constant('subscribe'), id, qos }),
    fc.record({ do: fc.constant('unsubscribe'), id }),
    fc.record({ do: fc.constant('enqueue'), id, qos }),
    fc.record({ do: fc.constant('send'), id, messageId }),
    fc.record({ do: fc.constant('rel'), id, messageId }),
    fc.record({ do: fc.constant('ack'), id, messageId }),
    fc.record({ do: fc.constant('receive'), id, messageId }),
    fc.record({ do: fc.constant('complete'), id, messageId }),
    fc.record({ do: fc.constant('retain'), messageId }),
    fc.record({ do: fc.constant('will'), id }),
    fc.record({ do: fc.constant('no will'), id }),
    fc.record({ do: fc.constant('clean'), id }),
    fc.record({ do: fc.constant('hour') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await using rig = await startRig();
      const sessions = await rig.open({ messages: 4, messageHours: 3, sessionHours: 6 });
      for (const one of steps) {
        const of = { id: 'id' in one ? one.id : '' };
        const mid = 'messageId' in one ? one.messageId : 0;
        const level = 'qos' in one ? one.qos : 0;
        const first = (await sessions.outgoingStream(of).toArray())[0];
        const run = async (): Promise<unknown> => {
          switch (one.do) {
            case 'subscribe':
              return sessions.addSubscriptions(of, [
                { topic: 'x/#', qos: level },
                { topic: 'x', qos: 1 },
              ]);
            case 'unsubscribe':
              return sessions.removeSubscriptions(of, ['x']);
            case 'enqueue':
              return sessions.outgoingEnqueueCombi(await sessions.subscriptionsByTopic('x'), message('m', level));
            case 'send':
              return first && sessions.outgoingUpdate(of, { ...first, messageId: mid });
            case 'rel':
              return sessions.outgoingUpdate(of, { cmd: 'pubrel', messageId: mid });
            case 'ack':
              return sessions.outgoingClearMessageId(of, { messageId: mid });
            case 'receive':
              return sessions.incomingStorePacket(of, { messageId: mid, payload: Buffer.from('p') });
            case 'complete':
              return sessions.incomingDelPacket(of, { messageId: mid });
            case 'retain':
              return sessions.storeRetained({ topic: 'r', payload: Buffer.alloc(mid - 1) });
            case 'will':
              return sessions.putWill(of, { topic: 'w', payload: Buffer.from('w') });
            case 'no will':
              return sessions.delWill(of);
            case 'clean':
              return sessions.cleanSubscriptions(of);
            default:
              return sessions.hourPassed();
          }
        };
        await run().catch(() => {});
      }
      const before = await content(sessions, ids);
      await sessions.destroy();
      const after = await content(await rig.open(), ids);
      const { dropped_total: _, ended_total: __, ...counted } = (before as { bytes: Record<string, number> }).bytes;
      assert.deepEqual(
        { ...(after as object), bytes: { ...counted } },
        { ...(before as object), bytes: { ...counted } },
      );
      assert.equal((after as { bytes: { queued: number } }).bytes.queued, counted.queued);
      assert.equal((after as { bytes: { bytes: number } }).bytes.bytes, counted.bytes);
    }),
    { numRuns: 60 },
  );
});

test('[MQTT-4.7] filters match as the standard requires, also empty levels', () => {
  const table: [string, string, boolean][] = [
    ['test/topic/+', 'test/topic/', true],
    ['+/+', '/finance', true],
    ['/+', '/finance', true],
    ['+', '/finance', false],
    ['sport/tennis/#', 'sport/tennis', true],
    ['sport/+', 'sport', false],
    ['sport/+', 'sport/', true],
    ['#', 'a/b/c', true],
    ['#', '$SYS/x', false],
    ['+/x', '$SYS/x', false],
    ['$SYS/#', '$SYS/x', true],
    ['a/b', 'a/b/c', false],
    ['a/+/c', 'a/b/d', false],
  ];
  for (const [filter, topic, expected] of table) assert.equal(matches(filter, topic), expected, `${filter} ${topic}`);
});
