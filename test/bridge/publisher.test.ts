import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPublisher } from '#bridge/publisher.ts';
import { decodeCanPayload } from '#codec/can-payload.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { IngestMessage } from '#contract/fleet/ingest.ts';
import { startBroker } from '#servers/mqtt/broker.ts';
import type { Broker } from '#servers/mqtt/broker-types.ts';
import { eventually, lastingPort } from '#test/support/gateway.ts';

const DEVICE = { device: 'dev_1', device_id: 'logger-1', project_id: 'prj_1' };
const KEY = 'the key';

interface Gate {
  /** Numbers of the batches taken, in order. */
  readonly taken: number[];
  /** Messages that wait for their acknowledgement. */
  waiting: number;
  /** Acknowledges everything from now on. */
  open(): void;
  accept(message: IngestMessage): Promise<void>;
}

/** Takes messages and acknowledges them when opened. */
function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  const batch = new FrameBatch();
  const self: Gate = {
    taken: [],
    waiting: 0,
    open: resolve,
    async accept({ payload }) {
      batch.clear();
      assert.equal(decodeCanPayload(payload, 0, batch).error, null);
      self.taken.push(batch.id[0] as number);
      self.waiting++;
      await promise;
      self.waiting--;
    },
  };
  return self;
}

function broker(at: Gate, port = 0): Promise<Broker> {
  return startBroker({
    host: '127.0.0.1',
    port,
    authenticate: async (user, key) =>
      user === DEVICE.device_id && Buffer.from(key).toString() === KEY ? DEVICE : undefined,
    accept: (message) => at.accept(message),
    connected() {},
    disconnected() {},
    refused() {},
    loginRefused() {},
    clock: Date.now,
    log() {},
  });
}

/** A batch whose identifier is its number. */
function numbered(n: number): FrameBatch {
  const batch = new FrameBatch(2);
  for (let k = 0; k < 2; k++) batch.push(1e15 + n, 0, n, FRAME.extended, Uint8Array.of(k), 0, 1);
  return batch;
}

const options = (server: Broker) => ({
  url: `mqtt://127.0.0.1:${server.port}`,
  device_id: DEVICE.device_id,
  key: KEY,
  reconnectMs: 50,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test('every batch arrives, in order, and is acknowledged; an empty one is nothing', async () => {
  const at = gate();
  at.open();
  await using server = await broker(at);
  await using publisher = await openPublisher(options(server));
  publisher.publish(new FrameBatch());
  const batch = new FrameBatch(2);
  for (let n = 0; n < 100; n++) {
    batch.clear();
    batch.push(1e15, 0, n, FRAME.extended, Uint8Array.of(1), 0, 1);
    publisher.publish(batch);
  }
  await publisher.drained();
  assert.deepEqual(at.taken, range(0, 100));
  const { messages, frames, acked, dropped_messages } = publisher.counters;
  assert.deepEqual([messages, frames, acked, dropped_messages], [100, 100, 100, 0]);
});

test('a number goes with its message', async () => {
  const at = gate();
  at.open();
  const numbers: (number | null)[] = [];
  const accept = (message: IngestMessage) => {
    numbers.push(decodeCanPayload(message.payload, 0, new FrameBatch()).seq);
    return at.accept(message);
  };
  await using server = await broker({ ...at, accept });
  await using publisher = await openPublisher(options(server));
  publisher.publish(numbered(0), 7);
  publisher.publish(numbered(1), 2 ** 40);
  publisher.publish(numbered(2));
  await publisher.drained();
  assert.deepEqual(numbers, [7, 2 ** 40, null]);
});

test('no more messages are under way than the bound; the rest waits', async () => {
  const at = gate();
  await using server = await broker(at);
  await using publisher = await openPublisher({ ...options(server), maxInFlight: 4 });
  for (const n of range(0, 20)) publisher.publish(numbered(n));
  await eventually(
    async () => at.waiting,
    (waiting) => waiting === 4,
  );
  assert.equal(publisher.counters.acked, 0);
  at.open();
  await publisher.drained();
  assert.deepEqual(at.taken, range(0, 20));
});

test('when the bound of waiting bytes is reached the oldest gives way, and every loss is counted', async () => {
  const at = gate();
  await using server = await broker(at);
  await using publisher = await openPublisher({ ...options(server), maxInFlight: 1, maxWaitingBytes: 200 });
  for (const n of range(0, 50)) publisher.publish(numbered(n));
  at.open();
  await publisher.drained();
  const { messages, acked, dropped_messages, dropped_frames } = publisher.counters;
  assert.equal(messages, 50);
  assert.ok(dropped_messages > 0);
  assert.equal(acked + dropped_messages, 50);
  assert.equal(dropped_frames, 2 * dropped_messages);
  assert.equal(at.taken.length, acked);
  assert.equal(at.taken.at(-1), 49, 'the newest is kept');
});

test('what waits for a broker that went away is sent when it is back; nothing is lost', async () => {
  const before = gate();
  before.open();
  const port = await lastingPort();
  const server = await broker(before, port);
  await using publisher = await openPublisher(options(server));
  publisher.publish(numbered(0));
  await publisher.drained();
  await server[Symbol.asyncDispose]();
  for (const n of range(1, 30)) publisher.publish(numbered(n));
  const after = gate();
  after.open();
  await using _again = await broker(after, port);
  await publisher.drained();
  assert.deepEqual([...new Set([...before.taken, ...after.taken])], range(0, 30));
  assert.equal(publisher.counters.acked, 30);
  assert.equal(publisher.counters.connections, 2);
});

test('a broker that goes away again while what was under way is sent again loses nothing', async () => {
  const port = await lastingPort();
  const none = gate();
  const first = await broker(none, port);
  await using publisher = await openPublisher({ ...options(first), maxInFlight: 4 });
  for (const n of range(0, 10)) publisher.publish(numbered(n));
  await eventually(
    async () => none.waiting,
    (waiting) => waiting === 4,
  );
  await first[Symbol.asyncDispose]();
  // The first that comes again is answered, the next is not.
  const one = gate();
  let came = 0;
  const second = await broker(
    { ...one, accept: (message) => (came++ === 0 ? Promise.resolve() : one.accept(message)) },
    port,
  );
  await eventually(
    async () => one.waiting,
    (waiting) => waiting === 1,
  );
  assert.equal(publisher.counters.acked, 1);
  await second[Symbol.asyncDispose]();
  const all = gate();
  all.open();
  await using _third = await broker(all, port);
  await publisher.drained();
  const { acked, dropped_messages } = publisher.counters;
  assert.deepEqual([acked, dropped_messages], [10, 0]);
  assert.deepEqual(all.taken, range(1, 10));
});

test('a wrong key and an absent broker are told at once', async () => {
  const at = gate();
  const server = await broker(at);
  await assert.rejects(openPublisher({ ...options(server), key: 'another' }), /not authorized|identifier/i);
  await server[Symbol.asyncDispose]();
  await assert.rejects(openPublisher(options(server)), /ECONNREFUSED/);
});

test('closing without a broker gives up what waits, and says so', async () => {
  const at = gate();
  const server = await broker(at);
  const publisher = await openPublisher(options(server));
  await server[Symbol.asyncDispose]();
  for (const n of range(0, 5)) publisher.publish(numbered(n));
  await publisher[Symbol.asyncDispose]();
  publisher.publish(numbered(5));
  const { messages, acked, dropped_messages, dropped_frames } = publisher.counters;
  assert.deepEqual([messages, acked, dropped_messages, dropped_frames], [6, 0, 6, 12]);
});
