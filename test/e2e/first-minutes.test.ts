/** The first steps on the office page: add a machine, connect its logger, retire a machine, read trouble codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const frame = (id: string, data: string) => `(${(Date.now() / 1000).toFixed(6)}) can0 ${id}#${data}`;

async function office(size = { width: 1440, height: 900 }) {
  await using parts = new AsyncDisposableStack();
  const gateway = parts.use(await startGateway());
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const chromium = await sharedBrowser();
  const watched = parts.use(await chromium.open(gateway.node.http, { viewport: size }));
  const { page } = watched;
  await signIn(page);
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  const held = parts.move();
  return { gateway, client, page, watched, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

test('[U90] [U374] a new machine leads to its logger, its key and its first value on one page', {
  skip: withoutBrowser,
}, async () => {
  await using site = await office();
  const { page, client, gateway } = site;
  await page.getByRole('button', { name: 'Add a machine' }).click();
  await page.getByLabel('Unit number').fill('HT-01');
  await page.getByLabel('Kind').fill('Haul truck ');
  await page.evaluate(() => {
    const look = () => document.body.toggleAttribute('data-denied', /No machines yet/.test(document.body.textContent));
    new MutationObserver(() => document.body.hasAttribute('data-denied') || look()).observe(document.body, {
      subtree: true,
      childList: true,
    });
  });
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Connect a logger to HT-01' }).waitFor();
  await page.getByText('Haul truck', { exact: true }).waitFor();
  const [machine] = (await client.call('equipment_list', {})).data;
  assert.equal(machine?.kind, 'haul_truck');
  assert.equal(await page.locator('body[data-denied]').count(), 0, 'the page did not deny the machine while it read');

  await page.getByLabel('Serial number').fill('SN-1');
  await page.getByRole('button', { name: 'Provision', exact: true }).click();
  const key = await page.getByLabel('Device key').inputValue();
  await page.getByRole('button', { name: 'Copy Device key' }).click();
  await page.getByRole('button', { name: 'Copied Device key' }).waitFor();
  // Paste the clipboard to read it.
  await page.getByRole('button', { name: 'Add a machine' }).click();
  await page.getByLabel('Name', { exact: true }).click();
  await page.keyboard.press('ControlOrMeta+v');
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), key);
  await page.getByRole('button', { name: 'Close' }).first().click();

  const chain = page.getByRole('region', { name: 'Data path' });
  await chain.getByText('Data stops at this step: Connection.').waitFor();
  const device_id = await page.getByLabel('User name and client ID').inputValue();
  const command = await page.getByLabel('Send one test frame').inputValue();
  assert.ok(command.includes(key) && command.includes(`v1/devices/${device_id}/can`));
  assert.equal(await page.getByLabel('MQTT topic').inputValue(), `v1/devices/${device_id}/can`);
  // The hint about the address of this computer stands only beside such an address.
  const isLocal = command.includes(new URL(page.url()).hostname);
  assert.equal((await page.getByText(/You opened this page as/).count()) > 0, isLocal);
  const mqtt = await connectDevice(gateway.node.mqttPort, { device_id, key });
  await chain.getByText('Data stops at this step: Topic.').waitFor();
  await mqtt.publishAsync(`v1/devices/${device_id}/can`, /-m '([^']+)'/.exec(command)?.[1] ?? '', { qos: 1 });
  await chain.getByText('Everything works').waitFor();
  await page.getByRole('button', { name: /Engine speed/ }).waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'first-minutes'), []);
  await mqtt.endAsync();
});

test('[U91] the device page shows the step where data stops, and no text contradicts it', {
  skip: withoutBrowser,
}, async () => {
  await using site = await office();
  const { page, client, gateway } = site;
  const [wrong, junk] = [await addMachine(client, 'HT-2'), await addMachine(client, 'HT-3')];
  await assert.rejects(connectDevice(gateway.node.mqttPort, { ...wrong, key: `${wrong.key.slice(0, -4)}AAAA` }));
  const mqtt = await connectDevice(gateway.node.mqttPort, junk);
  await mqtt.publishAsync(`v1/devices/${junk.device_id}/can`, 'temp=21;rpm=900', { qos: 1 });

  await page.getByRole('row', { name: /HT-2.*Login refused/ }).waitFor();
  await page.getByRole('row', { name: /HT-3.*Unreadable data/ }).waitFor();
  await page.getByRole('button', { name: 'HT-3' }).click();
  const detail = page.getByRole('region', { name: 'HT-3' });
  await detail.getByText(/The gateway cannot decode what the device sends/).waitFor();
  assert.doesNotMatch((await page.textContent('main')) ?? '', /not transmitting yet/i);
  await detail.getByRole('link', { name: 'Show all steps of the device' }).click();
  await page.getByText('Data stops at this step: Frames.').waitFor();
  assert.doesNotMatch((await page.textContent('main')) ?? '', /has not sent data yet/i);
  assert.deepEqual(await sizesThatStickOut(page, 'device-broken'), []);

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText('The gateway works.').waitFor();
  assert.doesNotMatch((await page.textContent('main')) ?? '', /Everything works/);
  await page.getByRole('link', { name: wrong.device_id }).first().click();
  await page.getByText('Data stops at this step: Key.').waitFor();
  await page.getByText(/Put the key of this device into it/).waitFor();
  await mqtt.endAsync();
});

test('[U92] retiring a machine needs a confirmation, and it returns as available with a reason', {
  skip: withoutBrowser,
}, async () => {
  await using site = await office();
  const { page, client } = site;
  const { id } = await client.call('equipment_create', { unit_number: 'HT-7' });
  const status = async () => (await client.call('equipment_get', { id })).status;
  await page.getByRole('button', { name: 'HT-7' }).click();
  const detail = page.getByRole('region', { name: 'HT-7', exact: true });
  await detail.getByLabel('Reported status').waitFor();
  assert.deepEqual(await detail.getByLabel('Reported status').locator('option').allTextContents(), [
    'Available',
    'In use',
    'Service',
    'Down',
  ]);
  await detail.getByRole('button', { name: 'Retire' }).click();
  const question = page.getByRole('alertdialog', { name: 'Retire HT-7?' });
  await question.getByText(/disappears from all boards/).waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await status(), 'available');
  await detail.getByRole('button', { name: 'Retire' }).click();
  await question.getByRole('button', { name: 'Retire HT-7' }).click();
  const back = page.getByRole('region', { name: 'Bring HT-7 back' });
  await back.getByRole('button', { name: 'Bring HT-7 back' }).waitFor();
  assert.equal(await status(), 'decommissioned');
  assert.equal(await detail.getByLabel('Reported status').count(), 0, 'a retired machine offers no status');
  await back.getByLabel('Reason').fill('sold back to us');
  await back.getByRole('button', { name: 'Bring HT-7 back' }).click();
  await detail.getByLabel('Reported status').waitFor();
  assert.equal(await status(), 'available');
  const [event] = (await client.call('equipment_events', { id })).data;
  assert.deepEqual(event?.data, { from: 'decommissioned', to: 'available', reason: 'sold back to us' });
});

test('[U93] trouble codes show their meaning, and on a phone the selected machine scrolls into view', {
  skip: withoutBrowser,
}, async () => {
  await using site = await office({ width: 390, height: 844 });
  const { page, client, gateway } = site;
  const machine = await addMachine(client, 'HT-1');
  for (let i = 2; i < 20; i++) await client.call('equipment_create', { unit_number: `HT-${i}` });
  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  await mqtt.publishAsync(`v1/devices/${machine.device_id}/can`, frame('18FECA00', '10FF640012010000'), { qos: 1 });
  await page.locator('table').getByRole('button', { name: 'HT-1', exact: true }).click();
  const detail = page.getByRole('region', { name: 'HT-1', exact: true });
  await detail.getByText('Engine oil pressure 1: too low').waitFor();
  const inView = () =>
    page.waitForFunction(() => {
      const top = document.querySelector('.detail-panel h2')?.getBoundingClientRect().top ?? -1;
      return top >= 0 && top < innerHeight / 3;
    });
  await inView();
  // A link to the machine, as on alerts and tickets, does the same.
  await page.goto(`${gateway.node.http}/#machines/${machine.equipment_id}`);
  await page.reload();
  await detail.getByText('Engine oil pressure 1: too low').waitFor();
  await inView();
  // On a wide page the panel is beside the list, and the machines in trouble may fill a low window.
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.reload();
  await detail.getByText('Engine oil pressure 1: too low').waitFor();
  await inView();
  await detail.getByRole('button', { name: 'Close' }).click();
  await page.waitForFunction(() => document.querySelector('.detail-panel') === null);
  await mqtt.endAsync();
});
