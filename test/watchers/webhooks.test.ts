import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import type { OperationError } from '#contract/base/errors.ts';
import type { Input } from '#contract/operations.ts';
import { openSealer } from '#gateway/sealer.ts';
import { eventually, lastingPort } from '#test/support/gateway.ts';
import { as, openRig, type Rig } from '#test/support/handler-rig.ts';
import { post } from '#watchers/webhook-request.ts';
import { followFailing, startWebhooks, type WebhookOptions } from '#watchers/webhooks.ts';

const code = (wanted: string) => (error: OperationError) => error.code === wanted;

interface Call {
  readonly path: string;
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An endpoint's server: it records requests and responds as the test sets. */
class Receiver {
  readonly calls: Call[] = [];
  answer: (response: ServerResponse, call: Call) => void = (response) => void response.writeHead(204).end();
  #server: Server | undefined;
  port = 0;

  async open(): Promise<void> {
    // While it is closed, connections are refused.
    if (this.port === 0) this.port = await lastingPort();
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const call = {
        path: request.url ?? '',
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        body,
      };
      this.calls.push(call);
      this.answer(response, call);
    });
    await new Promise<void>((done) => this.#server?.listen(this.port, '127.0.0.1', done));
  }

  async close(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function receive(): Promise<Receiver> {
  const receiver = new Receiver();
  await receiver.open();
  return receiver;
}

/** Webhooks on a test rig, with a clock that the test sets. `hook.test` resolves to this computer. */
async function hooksOf(rig: Rig, more: Partial<WebhookOptions> = {}, log: string[] = []) {
  const webhooks = await startWebhooks({
    store: rig.store,
    sealer: openSealer(rig.folder),
    clock: rig.clock,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    log: (level, message, data) => void log.push(`${level} ${message} ${JSON.stringify(data ?? {})}`),
    tickMs: null,
    ...more,
    request: { resolve: async () => ['127.0.0.1'], permits: () => true, ...more.request },
  });
  const failing = await followFailing(rig.store);
  return {
    async [Symbol.asyncDispose]() {
      failing[Symbol.dispose]();
      await webhooks[Symbol.asyncDispose]();
    },
    problems: () => failing.problems(),
    /** Ticks until a tick changes nothing. */
    async settle() {
      for (let i = 0; i < 4; i++) await webhooks.tick();
    },
    async pass(seconds: number) {
      rig.now += seconds * 1000;
      await this.settle();
    },
  };
}

async function endpoint(rig: Rig, port: number, more: Partial<Input<'webhook_endpoints_create'>> = {}) {
  const url = `http://hook.test:${port}/in?token=abc`;
  return rig.call('webhook_endpoints_create', { url, kinds: ['fuel.added'], allow_private: true, ...more });
}

const machine = async (rig: Rig) => (await rig.call('equipment_create', { unit_number: `HT-${rig.now}` })).id;
const fuel = (rig: Rig, id: string, litres: number) =>
  rig.call('equipment_append_event', { id, type: 'fuel.added', data: { litres } });
const litres = (receiver: Receiver) => receiver.calls.map(({ body }) => JSON.parse(body).data.data.litres);
const states = async (rig: Rig, id: string) =>
  (await rig.call('webhook_deliveries_list', { id, order: 'asc' })).data.map(({ state, tries }) => `${state} ${tries}`);

test('[A190] a requested event is posted once, signed according to Standard Webhooks', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  const id = await machine(rig);
  await fuel(rig, id, 1);
  const { endpoint: made, secret } = await endpoint(rig, receiver.port);
  await fuel(rig, id, 2);
  await rig.call('equipment_append_event', { id, type: 'note' });
  await hooks.settle();
  assert.deepEqual(litres(receiver), [2]);
  const [call] = receiver.calls;
  assert.ok(call);
  assert.equal(call.path, '/in?token=abc');
  assert.equal(call.headers.host, `hook.test:${receiver.port}`);
  const { type, data } = JSON.parse(call.body);
  assert.deepEqual([type, data.subject, data.object], ['fuel.added', { object: 'equipment', id }, 'event']);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  assert.equal(key.length, 32);
  const signed = `${call.id}.${call.headers['webhook-timestamp']}.${call.body}`;
  assert.equal(call.headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  assert.ok(Math.abs(Number(call.headers['webhook-timestamp']) * 1000 - rig.now) < 60_000);
  const { delivery } = await rig.call('webhook_endpoints_get', { id: made.id });
  assert.deepEqual([delivery.pending, delivery.delivered_total, delivery.last_error], [0, 1, null]);
  assert.deepEqual(await states(rig, made.id), ['delivered 1']);
});

test('[A875] the event of a machine says its rank, one sentence and the owner at the time of sending; other events do not', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig, { attention: rig.attention });
  await endpoint(rig, receiver.port, { kinds: ['fuel.added', 'created'] });
  const id = await machine(rig);
  await rig.call('repair_tickets_create', { equipment_id: id, title: 'Brakes bad', safety_critical: true });
  await fuel(rig, id, 1);
  await rig.call('equipment_take', { id }, as('mechanic', { name: 'Ana Ruiz' }));
  await fuel(rig, id, 2);
  await rig.call('devices_create', { device_id: 'logger' });
  await hooks.settle();
  const bodies = receiver.calls.map(({ body }) => JSON.parse(body));
  const of = (litres: number) => bodies.find(({ data }) => data.data.litres === litres)?.attention;
  const { sentence, owner, grade, place, in_trouble, equipment_id } = of(2);
  assert.deepEqual(
    { sentence, owner, grade, place, in_trouble, equipment_id },
    { sentence: 'Brakes bad', owner: 'Ana Ruiz is on it', grade: 'act', place: 1, in_trouble: 1, equipment_id: id },
  );
  const devices = bodies.filter(({ data }) => data.subject.object === 'device');
  assert.ok(devices.length > 0 && devices.every((body) => !('attention' in body)));
});

test('[A875] a ranking that cannot be read holds no webhook back', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  const attention = { read: () => Promise.reject(new Error('the disk is full')) };
  await using hooks = await hooksOf(rig, { attention });
  await endpoint(rig, receiver.port);
  await fuel(rig, await machine(rig), 1);
  await hooks.settle();
  assert.deepEqual(litres(receiver), [1]);
  assert.ok(!('attention' in JSON.parse(receiver.calls[0]?.body ?? '{}')));
});

test('[A191] a failing server is tried eight times with one webhook-id and growing pauses; then the delivery is dead', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  receiver.answer = (response) => void response.writeHead(500).end('broken');
  const { endpoint: made } = await endpoint(rig, receiver.port);
  const id = await machine(rig);
  await fuel(rig, id, 1);
  await hooks.settle();
  assert.equal(receiver.calls.length, 1);
  await hooks.pass(2);
  assert.equal(receiver.calls.length, 1);
  for (const wait of [7, 40, 150, 750, 2_200, 8_700]) await hooks.pass(wait);
  assert.equal(receiver.calls.length, 7);
  assert.deepEqual(await states(rig, made.id), ['pending 7']);
  assert.equal(hooks.problems()[0]?.code, 'webhooks_failing');
  await hooks.pass(26_000);
  assert.equal(receiver.calls.length, 8);
  assert.equal(new Set(receiver.calls.map((call) => call.id)).size, 1);
  assert.deepEqual(await states(rig, made.id), ['dead 8']);
  const dead = await rig.call('webhook_deliveries_list', { id: made.id, state: 'dead' });
  assert.deepEqual([dead.data[0]?.last_status, dead.data[0]?.last_error], [500, 'it answered 500']);
  await hooks.pass(100_000);
  assert.equal(receiver.calls.length, 8);
  receiver.answer = (response) => void response.writeHead(200).end();
  await rig.call('webhook_deliveries_redeliver', { id: made.id, delivery_id: dead.data[0]?.id ?? '' });
  await hooks.settle();
  assert.deepEqual(await states(rig, made.id), ['delivered 1']);
  assert.equal(receiver.calls[8]?.id, receiver.calls[0]?.id);
  const { delivery } = await rig.call('webhook_endpoints_get', { id: made.id });
  assert.deepEqual([delivery.pending, delivery.dead_total, delivery.delivered_total, delivery.failures], [0, 1, 1, 0]);
  assert.deepEqual(hooks.problems(), []);
});

test('[A191] one event that a server rejects does not delay the others; status 410 makes it dead at once', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  receiver.answer = (response, { body }) =>
    void response.writeHead(body.includes('"litres":1}') ? 500 : body.includes('"litres":3}') ? 410 : 200).end();
  const { endpoint: made } = await endpoint(rig, receiver.port);
  const id = await machine(rig);
  for (const amount of [1, 2, 3, 4]) await fuel(rig, id, amount);
  await hooks.settle();
  for (let i = 0; i < 6; i++) await hooks.pass(60);
  assert.deepEqual((await states(rig, made.id)).slice(1), ['delivered 1', 'dead 1', 'delivered 1']);
});

test('[A192] while the link is down nothing counts as a try, and everything is sent when it is back', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  const { endpoint: made } = await endpoint(rig, receiver.port);
  await receiver.close();
  const id = await machine(rig);
  for (let hour = 0; hour < 40; hour++) {
    if (hour < 5) await fuel(rig, id, hour);
    await hooks.pass(3_600);
  }
  assert.deepEqual(new Set(await states(rig, made.id)), new Set(['pending 0']));
  const { delivery } = await rig.call('webhook_endpoints_get', { id: made.id });
  assert.equal(delivery.pending, 5);
  assert.match(delivery.last_error ?? '', /ECONNREFUSED/);
  await receiver.open();
  await hooks.pass(400);
  assert.deepEqual(litres(receiver), [0, 1, 2, 3, 4]);
});

test('[A192] a request to a hanging server times out, and a name that does not resolve is not a try', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig, { request: { answerMs: 2_000 } });
  receiver.answer = () => undefined;
  const { endpoint: hanging } = await endpoint(rig, receiver.port);
  const id = await machine(rig);
  await fuel(rig, id, 1);
  await hooks.settle();
  const [one] = (await rig.call('webhook_deliveries_list', { id: hanging.id })).data;
  assert.deepEqual([one?.state, one?.tries, one?.last_error], ['pending', 1, 'no answer in time']);
  await using lost = await hooksOf(rig, {
    request: { resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'EAI_AGAIN' })) },
  });
  await lost.pass(60);
  const [two] = (await rig.call('webhook_deliveries_list', { id: hanging.id })).data;
  assert.deepEqual([two?.tries, two?.last_error], [1, 'EAI_AGAIN']);
});

test('[A193] redirects are not followed, Retry-After is respected, and long responses are cut off', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using elsewhere = await receive();
  await using hooks = await hooksOf(rig);
  const location = `http://hook.test:${elsewhere.port}/`;
  receiver.answer = (response) => void response.writeHead(307, { location }).end();
  const { endpoint: made } = await endpoint(rig, receiver.port);
  const id = await machine(rig);
  await fuel(rig, id, 1);
  await hooks.settle();
  const [one] = (await rig.call('webhook_deliveries_list', { id: made.id })).data;
  assert.deepEqual([one?.last_status, elsewhere.calls.length], [307, 0]);
  receiver.answer = (response) => void response.writeHead(503, { 'retry-after': '1800' }).end();
  await hooks.pass(10);
  await hooks.pass(1_700);
  assert.equal(receiver.calls.length, 2);
  let cut = false;
  receiver.answer = (response) => {
    response.writeHead(200);
    response
      .on('error', () => undefined)
      .on('close', () => {
        cut = !response.writableFinished;
      });
    const more = () => void (!response.destroyed && response.write(Buffer.alloc(65_536), () => setImmediate(more)));
    more();
  };
  await hooks.pass(400);
  assert.deepEqual(await states(rig, made.id), ['delivered 3']);
  await eventually(
    async () => cut,
    (off) => off,
  );
});

test('[A193] a response that switches protocols is not a delivery, and the next one is sent', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  receiver.answer = (response) => void response.writeHead(101, { connection: 'Upgrade', upgrade: 'x' }).end();
  const { endpoint: made } = await endpoint(rig, receiver.port);
  await fuel(rig, await machine(rig), 1);
  await hooks.settle();
  const [one] = (await rig.call('webhook_deliveries_list', { id: made.id })).data;
  assert.deepEqual([one?.state, one?.tries, one?.last_status], ['pending', 1, 101]);
  receiver.answer = (response) => void response.writeHead(204).end();
  await hooks.pass(10);
  assert.deepEqual(await states(rig, made.id), ['delivered 2']);
});

test("[A194] the gateway's own addresses are refused in every spelling", async () => {
  await using receiver = await receive();
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  const spelled = own.map((one) => (one.includes(':') ? one.toUpperCase().replace('::', ':0::') : `::ffff:${one}`));
  for (const address of [...own, ...spelled]) {
    const message = { url: `http://hook.test:${receiver.port}/`, allow_private: true, headers: {}, body: '{}' };
    const options = { signal: new AbortController().signal, resolve: async () => [address] };
    assert.deepEqual(await post(message, options), { kind: 'failed', error: 'the address is not allowed' }, address);
  }
  assert.equal(receiver.calls.length, 0);
});

test('[A194] a name is resolved for each request, and the request goes to the checked address', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  let resolved = 0;
  const resolve = async () => [['127.0.0.1'], ['169.254.169.254'], ['::1']][resolved++ % 3] as string[];
  const { permits: _, ...request } = { permits: undefined, resolve };
  const webhooks = await startWebhooks({
    store: rig.store,
    sealer: openSealer(rig.folder),
    clock: rig.clock,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    log: () => undefined,
    tickMs: null,
    request,
  });
  await using _hooks = webhooks;
  const { endpoint: made } = await endpoint(rig, receiver.port);
  await fuel(rig, await machine(rig), 1);
  for (const wait of [0, 10, 60]) {
    rig.now += wait * 1000;
    for (let i = 0; i < 3; i++) await webhooks.tick();
  }
  const [one] = (await rig.call('webhook_deliveries_list', { id: made.id })).data;
  assert.deepEqual([one?.tries, one?.last_error], [3, 'the address is not allowed']);
  assert.deepEqual([resolved, receiver.calls.length], [3, 0]);
});

test('[A194] forbidden addresses are refused, and only an owner may allow private addresses', async () => {
  await using rig = await openRig();
  const create = (url: string, more = {}, options = {}) =>
    rig.call('webhook_endpoints_create', { url, ...more }, options);
  const never = [
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://a.localhost/',
    'https://localhost./',
    'https://user:secret@example.com/',
    'https://example.com/#x',
    'http://8.8.8.8/',
  ];
  for (const url of never)
    for (const allow_private of [false, true])
      await assert.rejects(create(url, { allow_private }), code('parameter_invalid'), url);
  for (const url of ['ftp://example.com/', 'javascript:alert(1)', 'file:///etc/passwd', 'x'])
    await assert.rejects(create(url), code('parameter_invalid'), url);
  for (const url of ['http://example.com/', 'http://10.0.0.1/', 'https://192.168.1.5/'])
    await assert.rejects(create(url), code('parameter_invalid'), url);
  const lan = { allow_private: true };
  await assert.rejects(create('http://10.0.0.1/', lan, as('admin')), code('permission_denied'));
  await assert.rejects(create('https://example.com/', {}, as('supervisor')), code('permission_denied'));
  const { endpoint: made } = await create('http://10.0.0.1/', lan);
  await assert.rejects(
    rig.call('webhook_endpoints_update', { id: made.id, url: 'http://10.0.0.2/' }, as('admin')),
    code('permission_denied'),
  );
  await rig.call('webhook_endpoints_update', { id: made.id, description: 'pager' }, as('admin'));
  await create('https://example.com/', {}, as('admin'));
});

test('[A195] above the limit of pending deliveries the oldest are removed and counted', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig, { maxPending: 3 });
  const { endpoint: made } = await endpoint(rig, receiver.port);
  await receiver.close();
  const id = await machine(rig);
  for (const amount of [1, 2, 3, 4, 5]) {
    await fuel(rig, id, amount);
    await hooks.settle();
  }
  const { delivery } = await rig.call('webhook_endpoints_get', { id: made.id });
  assert.deepEqual([delivery.pending, delivery.dropped_total], [3, 2]);
  await receiver.open();
  await hooks.pass(400);
  assert.deepEqual(litres(receiver), [3, 4, 5]);
});

test('[A195] a delivery is dead after seven days, and only the newest finished deliveries are kept', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig, { maxKept: 2 });
  const { endpoint: made } = await endpoint(rig, receiver.port);
  await receiver.close();
  const id = await machine(rig);
  await fuel(rig, id, 0);
  await hooks.settle();
  await hooks.pass(8 * 86_400);
  await hooks.pass(600);
  assert.deepEqual(await states(rig, made.id), ['dead 0']);
  await receiver.open();
  for (const amount of [1, 2, 3, 4]) await fuel(rig, id, amount);
  await hooks.pass(400);
  await hooks.pass(61);
  assert.deepEqual(await states(rig, made.id), ['dead 0', 'delivered 1', 'delivered 1']);
});

test('[A196] a restart sends pending deliveries and queues no event twice', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  const id = await machine(rig);
  const { endpoint: made } = await endpoint(rig, receiver.port);
  receiver.answer = (response) => void response.writeHead(500).end();
  {
    await using hooks = await hooksOf(rig);
    await fuel(rig, id, 1);
    await hooks.settle();
  }
  await fuel(rig, id, 2);
  receiver.calls.length = 0;
  receiver.answer = (response) => void response.writeHead(200).end();
  {
    await using hooks = await hooksOf(rig);
    await hooks.pass(60);
  }
  assert.deepEqual(litres(receiver), [1, 2]);
  await using hooks = await hooksOf(rig);
  await hooks.pass(60);
  assert.deepEqual(await states(rig, made.id), ['delivered 2', 'delivered 1']);
});

test('[A196] events that the store refused to queue are queued when it accepts writes', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  let refusing = true;
  const told: string[] = [];
  const commit: Rig['store']['commit'] = (writes) =>
    refusing ? Promise.reject(new Error('the disk is full')) : rig.store.commit(writes);
  await using hooks = await hooksOf(rig, { store: { ...rig.store, commit } }, told);
  await endpoint(rig, receiver.port);
  const id = await machine(rig);
  await fuel(rig, id, 1);
  await hooks.settle();
  assert.deepEqual([receiver.calls.length, told.length], [0, 1]);
  refusing = false;
  await hooks.settle();
  assert.deepEqual(litres(receiver), [1]);
});

test('[A196] an endpoint gets events from its creation on while it is enabled, independent of other endpoints', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  const id = await machine(rig);
  for (let i = 0; i < 30; i++) await fuel(rig, id, 1_000 + i);
  const { endpoint: first } = await endpoint(rig, receiver.port);
  await using hooks = await hooksOf(rig);
  await fuel(rig, id, 1);
  await hooks.settle();
  await endpoint(rig, receiver.port, { kinds: ['*'] });
  await fuel(rig, id, 2);
  await hooks.settle();
  assert.deepEqual(litres(receiver).sort(), [1, 2, 2]);
  await rig.call('webhook_endpoints_update', { id: first.id, enabled: false });
  await fuel(rig, id, 3);
  await hooks.settle();
  await rig.call('webhook_endpoints_update', { id: first.id, enabled: true });
  await hooks.settle();
  assert.deepEqual(
    litres(receiver).filter((amount) => amount === 3),
    [3],
  );
  await rig.call('webhook_endpoints_delete', { id: first.id });
  await hooks.settle();
  await assert.rejects(rig.call('webhook_deliveries_list', { id: first.id }), code('not_found'));
  const left = await rig.store.view(rig.project).find('local', { object: 'webhook_delivery', limit: 100 });
  assert.ok(left.every(({ data }) => data.endpoint_id !== first.id));
});

test('[A196] a disabled endpoint gets only events from after it is enabled again, also when it is the only one', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  const id = await machine(rig);
  const { endpoint: made } = await endpoint(rig, receiver.port);
  const turn = async (enabled: boolean) => {
    await rig.call('webhook_endpoints_update', { id: made.id, enabled });
    await hooks.settle();
  };
  await fuel(rig, id, 1);
  await hooks.settle();
  await turn(false);
  await fuel(rig, id, 2);
  await hooks.settle();
  await turn(true);
  await fuel(rig, id, 3);
  await hooks.settle();
  await turn(false);
  await turn(true);
  assert.deepEqual(litres(receiver), [1, 3]);
});

test('[A197] alerts are sent only when the webhook action of their rule was executed', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  await using hooks = await hooksOf(rig);
  await endpoint(rig, receiver.port, { kinds: ['alert.*'] });
  const told = (status: string, reason: string | null) => ({
    rule_id: `rul_${status}_${reason}`,
    actions: [{ action: 'webhook', status, reason }],
  });
  const view = rig.store.view(rig.project);
  for (const [i, data] of [
    told('executed', null),
    told('skipped', 'unpaired_machine'),
    { rule_id: 'none', actions: [] },
  ].entries())
    await view.commit([
      {
        collection: 'events',
        id: `evt_${i}`,
        object: 'event',
        data: {
          type: 'alert.raised',
          subject: { object: 'device', id: 'dev_1' },
          occurred_at: new Date(rig.now).toISOString(),
          source: 'headframe',
          source_event_id: null,
          actor: { type: 'service', id: null, name: null },
          data,
          context: { run_id: null, device_id: null, media: [] },
        },
      },
    ]);
  await hooks.settle();
  assert.deepEqual(
    receiver.calls.map(({ body }) => JSON.parse(body).data.data.rule_id),
    ['rul_executed_null'],
  );
});

test('[A198] a secret is shown only at its creation; after a rotation both secrets sign for a day', async () => {
  await using rig = await openRig();
  await using receiver = await receive();
  const log: string[] = [];
  await using hooks = await hooksOf(rig, {}, log);
  const { endpoint: made, secret: before } = await endpoint(rig, receiver.port);
  const { secret } = await rig.call('webhook_endpoints_rotate_secret', { id: made.id });
  assert.notEqual(secret, before);
  const id = await machine(rig);
  receiver.answer = (response) => void response.writeHead(500).end();
  await fuel(rig, id, 1);
  await hooks.settle();
  const signatures = () => String(receiver.calls.at(-1)?.headers['webhook-signature']).split(' ');
  assert.equal(signatures().length, 2);
  await hooks.pass(90_000);
  assert.equal(signatures().length, 1);
  const kept = await rig.store.view(rig.project).find('local', { object: 'webhook_endpoint', limit: 10 });
  const audit = await rig.call('audit_list', {});
  const shown = await rig.call('webhook_endpoints_list', {});
  const everything = JSON.stringify([kept, audit, shown, log, receiver.calls]);
  for (const one of [before, secret]) assert.ok(!everything.includes(one.slice('whsec_'.length)));
  assert.ok(!JSON.stringify([audit, log]).includes('token=abc'));
  assert.deepEqual(
    (await rig.call('audit_list', { subject: made.id, order: 'asc' })).data.map(({ type }) => type),
    ['created', 'secret_rotated'],
  );
});

test('[A1] endpoints and deliveries of another project are not found, and a project has at most twenty endpoints', async () => {
  await using rig = await openRig();
  const { endpoint: made } = await endpoint(rig, 9);
  const foreign = { project: rig.other };
  for (const call of [
    rig.call('webhook_endpoints_get', { id: made.id }, foreign),
    rig.call('webhook_endpoints_update', { id: made.id, enabled: false }, foreign),
    rig.call('webhook_endpoints_rotate_secret', { id: made.id }, foreign),
    rig.call('webhook_endpoints_delete', { id: made.id }, foreign),
    rig.call('webhook_deliveries_list', { id: made.id }, foreign),
    rig.call('webhook_deliveries_redeliver', { id: made.id, delivery_id: 'whd_1' }, foreign),
    rig.call('webhook_deliveries_redeliver', { id: made.id, delivery_id: 'whd_1' }),
  ])
    await assert.rejects(call, code('not_found'));
  for (let i = 1; i < 20; i++) await endpoint(rig, 9);
  await assert.rejects(endpoint(rig, 9), code('limit_reached'));
});
