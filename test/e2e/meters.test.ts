/** The meters on the page of a machine: segments, review, and the reading of a person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';
import { signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

test('[U105] a reset meter asks for a review; a person enters the reading, and all numbers of the page agree', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const start = Date.now() - 300_000;
  const points = [9000, 9000.05, 12, 12.05, 12.1].map((value, i) => ({
    observed_at: new Date(start + i * 60_000).toISOString(),
    values: { 'engine.hours': value, 'engine.speed': 900 },
  }));
  const sent = await fetch(`${gateway.node.http}/api/v1/devices/${machine.device}/telemetry`, {
    method: 'POST',
    headers: { authorization: `Bearer ${machine.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ points }),
  });
  assert.equal(sent.status, 202, await sent.text());
  const id = machine.equipment_id;
  await eventually(
    () => client.call('equipment_get', { id }),
    ({ engine_hours }) => engine_hours === 9000.15,
  );

  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines/${id}`, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
  });
  const { page } = watched;
  await signIn(page);
  const meters = page.getByRole('region', { name: 'Meters' });
  await meters.getByText(/Engine hours 9\D?000\.[12] h/).waitFor();
  await meters.getByText(/Needs review\. The meter fell/).waitFor();
  await meters.getByRole('button', { name: '2 segments' }).click();
  await meters.getByText('the source began again at a lower number').waitFor();
  await meters.scrollIntoViewIfNeeded();
  assert.deepEqual(await sizesThatStickOut(page, 'office-meters'), []);

  await page.setViewportSize({ width: 1440, height: 900 });
  await meters.getByRole('button', { name: 'Enter the reading' }).click();
  await meters.getByLabel('Reading in h').fill('9.002,5');
  await meters.getByLabel('Reason').fill('control unit replaced');
  await meters.getByRole('button', { name: 'Save the reading' }).click();
  await meters.getByText('The reading is not a number: 9.002,5').waitFor();
  await meters.getByLabel('Reading in h').fill('9002,5');
  await meters.scrollIntoViewIfNeeded();
  assert.deepEqual(await sizesThatStickOut(page, 'office-meters-form'), []);
  await meters.getByRole('button', { name: 'Save the reading' }).click();
  await meters.getByText(/Engine hours 9\D?002\.5 h/).waitFor();
  await meters.getByText(/: control unit replaced$/).waitFor();
  assert.equal(await meters.getByText('Needs review').count(), 0);

  await page.getByRole('button', { name: /Engine hours .*9\D?002\.5 h/ }).click();
  await page.getByText(/adds the offset \+8990\.40 h; the section Meters says why/).waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  assert.deepEqual(await sizesThatStickOut(page, 'office-meters-light'), []);
  assert.equal((await client.call('equipment_get', { id })).engine_hours, 9002.5);
});
