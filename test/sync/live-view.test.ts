/** Live values of a site at head office while somebody there looks at them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Client, createClient } from '#contract/client.ts';
import { LiveViews } from '#sync/hints/live-views.ts';
import { createTransport } from '#sync/transport.ts';
import { HINT_HEADER, REPORT_HEADER } from '#sync/wire/frame.ts';
import { temporaryStore } from '#test/store/kit.ts';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { noPostgres, startPostgres } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { enrolWireSite, readSamples, WireSite } from '#test/support/wire-site.ts';
import { ASK_MS, End, enrol, twoEnds } from './ends.ts';
import { startOffices } from './offices.ts';

const EVERY_MS = 250;
/** A machine of the site whose device sends a value all the time. */
async function busy(site: End, here: Client) {
  const machine = await addMachine(here, 'HT-01');
  const device = await connectDevice(site.mqtt, machine);
  let sent = 0;
  const timer = setInterval(() => {
    const values = { 'engine.speed': 700 + (++sent % 900) };
    // The site may end first.
    device
      .publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 })
      .catch(() => {});
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await device.endAsync(true);
    },
  };
}

/** Waits until head office had more states of the machine than it gets in two minutes without a live view. */
async function arriveOften(there: Client, look: () => Promise<unknown>): Promise<void> {
  const seen = new Set<string>();
  await until(
    async () => {
      await look();
      const at = (await there.call('equipment_list', {})).data[0]?.last_live_data_at;
      if (at != null) seen.add(at);
      return seen.size >= 6;
    },
    'many states of the machine arrive',
    4 * EVERY_MS,
  );
}

test('[Y152] a site sends live values each 2 s while somebody at head office looks', async () => {
  await using ends = await twoEnds();
  const { cloud, site, here, there, project } = ends;
  await using _machine = await busy(site, here);
  await until(async () => (await there.call('equipment_list', {})).data.length === 1, 'head office has the machine');
  const look = async () => (await cloud.client().call('sync_status', { live: project })).live;
  const states: string[] = [];
  await until(
    async () => {
      const live = await look();
      if (live !== null && states.at(-1) !== live.state) states.push(live.state);
      return live?.since != null && live.values_at !== null;
    },
    'the site sends live values',
    ASK_MS,
  );
  assert.equal(states.at(-1), 'live');
  await arriveOften(there, look);
});

test('[Y152] a view that nobody asks for again ends after 60 s, and the gateway is told how long it goes on', async () => {
  await using t = await temporaryStore();
  const { store } = t;
  const clock = { ms: 1_800_000_000_000 };
  using views = new LiveViews({ store, clock: () => clock.ms });
  const left = () => [views.left(['prj_a']), views.tell(['prj_a', 'prj_b']).get('prj_a')];
  assert.deepEqual(left(), [0, undefined]);
  views.ask('prj_a');
  assert.deepEqual(left(), [60_000, 60]);
  clock.ms += 59_000;
  assert.deepEqual(left(), [1_000, 1]);
  views.ask('prj_a');
  assert.deepEqual(left(), [60_000, 60]);
  clock.ms += 60_000;
  assert.deepEqual(left(), [0, undefined]);
  await views.close();
});

test('[Y154] a live view works if the page asks another process of head office than the site', {
  skip: noPostgres,
}, async () => {
  await using server = await startPostgres();
  await using offices = await startOffices(server);
  const { one, other } = offices;
  await using site = await new End({}).start();
  const project = await enrol(one, site, `http://127.0.0.1:${one.port}`);
  await site.inStep();
  await using _machine = await busy(site, site.client(project));
  const there = other.client(project);
  await until(
    async () => (await there.call('equipment_list', {})).data.length === 1,
    'both processes have the machine',
  );
  const look = async () => (await other.client().call('sync_status', { live: project })).live;
  await until(async () => (await look())?.state === 'live', 'the site sends live values', ASK_MS);
  await arriveOften(there, look);
});

test('[Y153] head office says why a live view is not possible, and asks a person before it uses bytes that are counted', async () => {
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const look = async (more: object = {}) =>
    (await cloud.client.call('sync_status', { live: project.id, ...more })).live;
  assert.equal(await look(), null, 'head office does not know this project');
  assert.equal((await cloud.client.call('sync_status', {})).live, null);
  await site.client.call('sync_budget_set', { bytes_per_month: 1e9 });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  const becomes = (state: string, more: object = {}) =>
    until(async () => (await look(more))?.state === state, `the live view is ${state}`);
  await becomes('ask');
  await becomes('live', { live_counted: true });
  await site.client.call('sync_budget_set', { metered: true });
  await becomes('metered');
  assert.match(
    (await look())?.sentence ?? '',
    /^Live view is not possible: the link of this site costs money by the byte/,
  );
  const { secret } = await cloud.client.call('keys_create', { name: 'None', role: 'viewer', project_ids: [] });
  await assert.rejects(
    createClient({ base_url: cloud.node.http, key: secret }).call('sync_status', { live: project.id }),
    { code: 'project_not_found' },
  );
});

test('[Y153] head office says that a site of an earlier version cannot send live values', async () => {
  const samples = await readSamples();
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  const of = { url: cloud.node.http, address: '127.0.0.1' };
  // This site does not say that it can.
  using old = new WireSite(await enrolWireSite(cloud.client, of, 'Quarry South'));
  old.commit([{ ...samples.project, id: old.project }]);
  await old.drain();
  const { live } = await cloud.client.call('sync_status', { live: old.project });
  assert.equal(live?.state, 'version');
  assert.match(live?.sentence ?? '', /the version of this site cannot/);
});

test('[Y155] a gateway sends later fields of its report in a header, and head office leaves out what it does not know', async () => {
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  const site = await enrolWireSite(cloud.client, { url: cloud.node.http, address: '127.0.0.1' }, 'Quarry South');
  const newer = { authorization: `Bearer ${site.credential}`, [REPORT_HEADER]: 'live=sometimes&live_s=5&colour=red' };
  const { status } = await fetch(`${cloud.node.http}/api/v1/sync/hints?waiting=3`, { headers: newer });
  assert.equal(status, 204);
  const asked: IncomingMessage[] = [];
  const office = createServer((request, response) => {
    asked.push(request);
    response.writeHead(204, { [HINT_HEADER]: 'a' }).end();
  });
  await once(office.listen(0, '127.0.0.1'), 'listening');
  const { port } = office.address() as AddressInfo;
  using transport = createTransport({ url: `http://127.0.0.1:${port}`, credential: 'c', proxies: {}, version: '9' });
  const report = { version: '9', waiting: 3, live: 'free', live_s: 5 } as const;
  assert.equal((await transport.hint('b', report, AbortSignal.timeout(60_000))).state, 'a');
  assert.equal(asked[0]?.url, '/api/v1/sync/hints?version=9&waiting=3&after=b');
  assert.equal(asked[0]?.headers[REPORT_HEADER], 'live=free&live_s=5');
  office.close();
});

test('[Y78] head office that starts again leaves the live state of machines to their sites', async () => {
  await using ends = await twoEnds();
  const { cloud, site, here, there } = ends;
  const machine = await addMachine(here, 'HT-01');
  const send = async (hours: number) => {
    const device = await connectDevice(site.mqtt, machine);
    const values = { 'engine.hours': hours, 'engine.speed': 1500 };
    await device.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
    await device.endAsync();
  };
  const hours = async () => (await there.call('equipment_list', {})).data[0]?.engine_hours;
  await send(4511);
  await until(async () => (await hours()) === 4511, 'head office has the hours', ASK_MS);
  const live = async () => {
    const [{ last_live_data_at, live_status, engine_hours } = {}] = (await there.call('equipment_list', {})).data;
    return { last_live_data_at, live_status, engine_hours };
  };
  const before = await live();
  await site.kill();
  await cloud.kill();
  await cloud.start();
  assert.deepEqual(await live(), before);
  await site.start();
  await send(4512);
  await until(async () => (await hours()) === 4512, 'head office takes newer values', ASK_MS);
  const [gateway] = (await cloud.client().call('sync_status', {})).gateways;
  assert.equal(gateway?.not_taken, 0);
  assert.equal((await site.status()).projects[0]?.not_taken ?? 0, 0);
});
