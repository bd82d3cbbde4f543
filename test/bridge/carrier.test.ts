import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCarrier } from '#bridge/carrier.ts';
import { openSpool } from '#bridge/spool.ts';
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import { startBroker } from '#servers/mqtt/broker.ts';
import { eventually } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const DEVICE = { device: 'dev_1', device_id: 'logger-1', project_id: 'prj_1' };

/** A broker whose journal is in the hand of a test, and a carrier with `waiting` messages for it. */
async function rig(
  accept: (message: IngestMessage) => Promise<void>,
  waiting: number,
  key = 'the key',
  stuckMs = 120_000,
) {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-carrier-'));
  const parts = new AsyncDisposableStack();
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const broker = parts.use(
    await startBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async (_, password) => (Buffer.from(password).toString() === 'the key' ? DEVICE : undefined),
      accept,
      connected() {},
      disconnected() {},
      refused() {},
      loginRefused() {},
      clock: Date.now,
      log() {},
    }),
  );
  const spool = parts.use(openSpool({ folder, log() {} }));
  const add = (count: number) => {
    for (let i = 0; i < count; i++) {
      const payload = Buffer.from(String(spool.nextNumber));
      spool.append({ kind: 'can', payload, frames: 1, first_us: 0, last_us: 0 });
    }
  };
  add(waiting);
  const heard = { times: 0, configs: [] as unknown[] };
  const carrier = parts.use(
    startCarrier({
      url: `mqtt://127.0.0.1:${broker.port}`,
      device_id: DEVICE.device_id,
      key,
      spool,
      stuckMs,
      status: () => ({ status: 'online' }),
      onConnected() {},
      onConfig: (config) => heard.configs.push(config),
      onTime: () => heard.times++,
      log() {},
    }),
  );
  return { broker, spool, carrier, heard, add, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
}
/** Numbers of the messages on `can`. */
function journal() {
  const taken: number[] = [];
  return {
    taken,
    take({ topic, payload }: IngestMessage) {
      if (topic === 'can') taken.push(Number(Buffer.from(payload).toString()));
    },
  };
}
const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const empty = ({ spool }: Awaited<ReturnType<typeof rig>>) =>
  eventually(
    async () => spool.waiting.messages,
    (n) => n === 0,
  );

test('[F90] what waits goes in order, sixteen under way at most, and is acknowledged in the spool', async () => {
  const { taken, take } = journal();
  const { promise: open, resolve } = Promise.withResolvers<void>();
  let most = 0;
  await using at = await rig(async (message) => {
    take(message);
    if (message.topic !== 'can') return;
    await open;
  }, 100);
  await eventually(
    async () => {
      most = Math.max(most, taken.length);
      return taken.length;
    },
    (n) => n === 16,
  );
  // What the carrier hears and answers meanwhile brings no more of it.
  for (let round = 1; round <= 5; round++) {
    await at.broker.publish(DEVICE.device_id, 'config', JSON.stringify({ round }));
    await until(() => at.heard.configs.length >= round);
  }
  assert.equal(taken.length, 16);
  assert.equal(at.spool.waiting.messages, 100);
  resolve();
  await empty(at);
  assert.deepEqual(taken, range(100));
  assert.equal(at.carrier.report().acked, 100);
});

test('[F93] a connection over which nothing is acknowledged is begun anew, and everything is sent again', async () => {
  const { taken, take } = journal();
  let answers = false;
  await using at = await rig(
    (message) => {
      take(message);
      // Not taken for want of room: no answer comes, and the connection stays.
      return answers || message.topic !== 'can' ? Promise.resolve() : Promise.reject(new NotTaken('no room'));
    },
    5,
    'the key',
    1_000,
  );
  await eventually(
    async () => at.carrier.report().connects,
    (connects) => connects >= 2,
  );
  assert.equal(at.carrier.report().acked, 0);
  answers = true;
  await empty(at);
  assert.deepEqual([...new Set(taken)], range(5));
});

test('[F90] a wrong key is told, what waits stays, and the gateway is asked again', async () => {
  const { taken, take } = journal();
  await using at = await rig(async (message) => take(message), 3, 'another key');
  const { detail } = await eventually(
    async () => at.carrier.report(),
    ({ state }) => state === 'refused',
  );
  assert.match(detail ?? '', /refuses the device logger-1/);
  assert.equal(at.spool.waiting.messages, 3);
  assert.deepEqual(taken, []);
});

test('[F95] the settings of the device and the word of the gateway come through', async () => {
  await using at = await rig(async () => {}, 0);
  await at.broker.publish(DEVICE.device_id, 'config', '{"bus_requests":{"armed":false}}', true);
  await eventually(
    async () => at.heard,
    ({ times, configs }) => times > 0 && configs.length > 0,
  );
  assert.deepEqual(at.heard.configs[0], { bus_requests: { armed: false } });
});
