/** The history of a value on the page of a machine. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { addMachine, connectDevice, eventually, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const MINUTE_MS = 60_000;

test('[U94] a value opens its history with extremes and gaps, which a person zooms and saves as CSV', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  // Two hours of one value a minute, with a peak of 109 °C and without data for half an hour.
  const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 120 * MINUTE_MS;
  const minutes = Array.from({ length: 120 }, (_, i) => i).filter((i) => i < 60 || i >= 90);
  const points = minutes.map((i) => ({
    observed_at: new Date(start + i * MINUTE_MS).toISOString(),
    values: { 'engine.coolant_temperature': i === 100 ? 109 : 80 + (i % 5) },
  }));
  const sent = await fetch(`${gateway.node.http}/api/v1/devices/${machine.device}/telemetry`, {
    method: 'POST',
    headers: { authorization: `Bearer ${machine.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ points }),
  });
  assert.equal(sent.status, 202, await sent.text());

  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines/${machine.equipment_id}`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('button', { name: /Coolant temperature|Coolant/ }).click();
  const chart = page.getByRole('img', { name: /80 to 109 °C/ });
  await chart.waitFor();
  await page.getByText(/^Highest 109 °C at .*, lowest 80 °C at /).waitFor();
  await page.getByText(/^\d gaps? without data, .* \(hatched\)\.$/).waitFor();
  await shot(page, 'office-history');

  await page.getByRole('button', { name: '1 h', exact: true }).click();
  await page.getByText(/^Highest 109 °C/).waitFor();
  const box = await chart.boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width * 0.55, box.y + 50);
  await page
    .getByText(/°C$|highest/)
    .first()
    .waitFor();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.95, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Show the whole range' }).waitFor();
  await shot(page, 'office-history-zoom');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as CSV' }).click(),
  ]);
  const rows = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.match(rows[0] ?? '', /^(time,value|step_start,min,max,mean,last,samples)$/);
  assert.ok(rows.length > 5 && rows.length < 60, `${rows.length} rows of a part of an hour`);
  await page.getByRole('button', { name: 'Show the whole range' }).click();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText(/^Highest 109 °C/).waitFor();
  assert.ok((await sticksOut(page)) <= 0);
  await shot(page, 'office-history-phone');
});

test('[U100] a value shows the raw frame behind it and the steps from its bytes to the value', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const device = await connectDevice(gateway.node.mqttPort, machine);
  const seconds = Date.now() / 1000 - 5;
  const frame = `(${seconds.toFixed(6)}) can0 18FEEE00#78FFFFFFFFFFFFFF`;
  await device.publishAsync(`v1/devices/${machine.device_id}/can`, frame, { qos: 1 });
  await eventually(
    () => client.call('equipment_get', { id: machine.equipment_id }),
    ({ coolant_temperature_c }) => coolant_temperature_c === 80,
  );
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines/${machine.equipment_id}`, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
  });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('button', { name: /Coolant/ }).click();
  await page.getByRole('button', { name: 'Why this number?' }).click();
  await page.getByText('78 FF FF FF FF FF FF FF').waitFor();
  await page.getByText(/That is the raw number 120\./).waitFor();
  await page.getByText('120 × 1 - 40 = 80 °C.').waitFor();
  await shot(page, 'office-lineage-dark');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await sticksOut(page)) <= 0);
  await page.getByRole('button', { name: 'Why this number?' }).scrollIntoViewIfNeeded();
  await shot(page, 'office-lineage-phone');
  await device.endAsync();
});
