/** The live stream of the office page: which lists the page reads with the stream and without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SILENCE_MS } from '#contract/site/live.ts';
import { addMachine, connectDevice, startGateway, type TestGateway } from '#test/support/gateway.ts';
import { signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A frame with total engine hours: SPN 247, 0.05 h per bit. */
const hours = (value: number) => {
  const raw = Buffer.alloc(4);
  raw.writeUInt32LE(value * 20);
  const now = (Date.now() / 1_000).toFixed(6);
  return `(${now}) can0 18FEE500#${raw.toString('hex').toUpperCase()}FFFFFFFF`;
};

async function openMachines(url: string, blocked: boolean) {
  const chromium = await sharedBrowser();
  const watched = await chromium.open(url);
  const { page } = watched;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  if (blocked) await page.route('**/api/v1/project-live', (route) => route.abort());
  await signIn(page);
  await page.getByRole('button', { name: 'HT-01' }).waitFor();
  return {
    page,
    lists: () => asked.filter((one) => one === 'GET /api/v1/equipment').length,
    streams: () => asked.filter((one) => one === 'GET /api/v1/project-live').length,
    [Symbol.asyncDispose]: () => watched[Symbol.asyncDispose](),
  };
}

async function site(gateway: TestGateway) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const machine = await addMachine(gateway.project(project.id), 'HT-01');
  const device = await connectDevice(gateway.node.mqttPort, machine);
  const send = (value: number) => device.publishAsync(`v1/devices/${machine.device_id}/can`, hours(value), { qos: 1 });
  return { project, machine, send, end: () => device.endAsync() };
}

test('[U81] the machine list updates from one stream without reading the list again', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project, send, end } = await site(gateway);
  await using office = await openMachines(gateway.node.http, false);
  for (const value of [1_000, 1_001, 1_002]) {
    await send(value);
    await office.page.getByRole('cell', { name: new RegExp(`^1.?00${value - 1_000}\\.`) }).waitFor();
  }
  await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-02' });
  await office.page.getByRole('button', { name: 'HT-02' }).waitFor();
  // One read before the stream's first snapshot, and one for the machine that was created.
  assert.ok(office.lists() <= 2, `${office.lists()} reads of the list`);
  assert.equal(office.streams(), 1);
  await end();
});

test('[U81] without a stream the machine list polls', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  const { send, end } = await site(gateway);
  await using office = await openMachines(gateway.node.http, true);
  for (const value of [1_000, 1_001]) {
    await send(value);
    await office.page.getByRole('cell', { name: new RegExp(`^1.?00${value - 1_000}\\.`) }).waitFor();
  }
  assert.ok(office.lists() >= 2);
  await end();
});

test('[U81] a page without changes stays live while the stream is open, and says since when it is not', {
  skip: withoutBrowser,
}, async () => {
  await using parts = new AsyncDisposableStack();
  const gateway = parts.use(await startGateway());
  await gateway.client.call('projects_create', { name: 'North Pit' });
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#alerts`);
  const { page } = watched;
  await signIn(page);
  const state = page.locator('.link-state');
  await state.getByText('Live', { exact: true }).waitFor();
  await setTimeout(SILENCE_MS + 2_000);
  assert.equal((await state.textContent())?.trim(), 'Live', 'the page has read nothing for longer than SILENCE_MS');
  await parts.disposeAsync();
  await state.getByText(/Not live since \d\d:\d\d:\d\d, retrying\./).waitFor();
});
