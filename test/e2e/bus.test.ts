/** The bus monitor in the browser, with generated traffic of a machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { traffic } from './bus-traffic.ts';
import { sharedBrowser } from './shared-browser.ts';

test('[U30] the bus monitor shows help without traffic, then units, load, groups and codes, and marks old data', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 1100 } });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('link', { name: 'Bus', exact: true }).click();
  await page.getByText('No devices yet').waitFor();
  const machine = await addMachine(client, 'HT-104');
  await page.reload();
  await page.getByText('No frames yet').waitFor();
  await shot(page, 'bus-empty');

  const mqtt = await connectDevice(gateway.node.mqttPort, machine);
  // The page shows rates for half a minute, so slow test machines need continued traffic.
  let sent_ms = Date.now() - 13_000;
  const goOn = async () => {
    const seconds = Math.min(12, Math.floor((Date.now() - sent_ms) / 1000));
    if (seconds === 0) return false;
    await mqtt.publishAsync(`v1/devices/${machine.device_id}/can`, Buffer.from(traffic(sent_ms, seconds)), { qos: 1 });
    sent_ms += seconds * 1000;
    return true;
  };
  const load = async () => {
    await goOn();
    return Number.parseFloat((await page.locator('.bus .load b').first().textContent()) ?? '');
  };
  await goOn();
  await page.getByRole('rowheader', { name: /Engine.*CMMNS, QSK19, serial 37201455/ }).waitFor();
  await page.getByText('1HGBH41JXMN109186').waitFor();
  await page.getByRole('rowheader', { name: /Transmission/ }).waitFor();
  await page.getByRole('rowheader', { name: 'SPN 110, FMI 16' }).waitFor();
  await page.getByRole('rowheader', { name: 'SPN unknown (9700038A), FMI 3' }).waitFor();
  await page.getByRole('option', { name: '250 kbit/s, estimated' }).waitFor({ state: 'attached' });
  // 220 frames a second of 144 bits.
  await eventually(load, (percent) => percent > 11 && percent < 14);
  await page.getByRole('rowheader', { name: /EEC1 61444/ }).waitFor();
  await shot(page, 'bus-monitor');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'bus-dark');
  await page.getByRole('button', { name: 'Not decoded' }).click();
  await page.getByRole('rowheader', { name: /PropB/ }).waitFor();
  await page.getByRole('rowheader', { name: /EEC1 61444/ }).waitFor({ state: 'detached' });

  await page.getByLabel(/Code format of Transmission, address 3/).selectOption({ label: 'Version 2' });
  // The gateway may get the new setting after the traffic of this second.
  const read = page.getByRole('rowheader', { name: 'SPN 1208, FMI 3' });
  const readAgain = async () => {
    await goOn();
    return read.isVisible();
  };
  await eventually(readAgain, (found) => found);

  await page.getByLabel('Bit rate').first().selectOption({ label: '500 kbit/s' });
  await eventually(load, (percent) => percent < 8);
  const { settings } = await client.call('devices_get', { id: machine.device });
  assert.deepEqual(settings.bus_bit_rates, [{ bus: 0, bit_rate: 500_000 }]);

  // For a machine that was switched off ten minutes ago the page keeps the units and hides the rates.
  const other = await addMachine(client, 'DZ-2');
  const second = await connectDevice(gateway.node.mqttPort, other);
  const topic = `v1/devices/${other.device_id}/can`;
  await second.publishAsync(topic, Buffer.from(traffic(Date.now() - 620_000, 12)), { qos: 1 });
  await page.goto(`${gateway.node.http}/#bus/${other.device}`);
  await page.reload();
  await page.getByText(/No frames for 10 min/).waitFor();
  await page.locator('.age.stale').first().waitFor();
  assert.equal(await page.locator('.bus .load b').first().textContent(), '—');
  await shot(page, 'bus-stale');

  await page.setViewportSize({ width: 820, height: 1180 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${gateway.node.http}/#bus/${machine.device}`);
  await page.getByText('1HGBH41JXMN109186').waitFor();
  await shot(page, 'bus-tablet-light');
  for (const width of [320, 820]) {
    await page.setViewportSize({ width, height: 1180 });
    const over = await sticksOut(page);
    assert.ok(over <= 0, `${over} px stick out at ${width}`);
  }
  await Promise.all([mqtt.endAsync(), second.endAsync()]);
  assert.deepEqual(
    watched.complaints.filter((line) => !line.includes('401')),
    [],
  );
});
