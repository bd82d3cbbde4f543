/** Cleared alerts that people mark as read and take off the list, with the markers of the preference of the site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const DESK = { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } as const;

test('[U403] people mark cleared alerts as read and take them off the list, for everybody at the site', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const rule = await site.call('alert_rules_create', {
    name: 'Coolant too hot',
    signal: 'engine.coolant_temperature',
    op: 'gt',
    value: 105,
    severity: 'critical',
  });
  for (const name of ['HT-01', 'HT-02']) {
    const machine = await addMachine(site, name);
    const mqtt = await connectDevice(gateway.node.mqttPort, machine);
    const values = { 'engine.coolant_temperature': 109 };
    await mqtt.publishAsync(`v1/devices/${machine.device_id}/telemetry`, JSON.stringify({ values }), { qos: 1 });
    await mqtt.endAsync();
  }
  const cleared = async () => (await site.call('alerts_list', { state: 'cleared' })).data;
  await until(async () => (await site.call('alerts_list', { state: 'active' })).data.length === 2, 'two alerts');
  await site.call('alert_rules_update', { id: rule.id, enabled: false }, { if_match: rule.revision });
  await until(async () => (await cleared()).length === 2, 'both are cleared');

  const regionOf = (page: Page) => page.getByRole('region', { name: 'Cleared' });
  await using office = await chromium.open(`${gateway.node.http}/#alerts`, DESK);
  const { page } = office;
  await signIn(page);
  const list = regionOf(page);
  await list.getByText('Not read yet').nth(1).waitFor();
  await shot(page, 'alerts-unread');
  assert.deepEqual(await axeViolations(page), []);

  // Without an answer of the gateway nothing is marked, and the page says so.
  await page.route('**/api/v1/preferences/**', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await list.getByRole('button', { name: 'Mark 2 alerts as read' }).click();
  await list.getByText('Not marked: the gateway does not answer.').waitFor();
  assert.equal(await list.getByText('Not read yet').count(), 2);
  await page.unroute('**/api/v1/preferences/**');
  await list.getByRole('button', { name: 'Mark 2 alerts as read' }).click();
  await until(async () => (await list.getByText('Not read yet').count()) === 0, 'both are read');
  const [first, second] = await cleared();
  const { read } = (await site.call('preferences_get', { id: project.id })).notifications;
  assert.deepEqual(Object.keys(read).sort(), [first?.id, second?.id].sort());

  // One goes off the list, stays readable, and is off the list of others too.
  const card = list.getByRole('listitem').filter({ hasText: 'HT-01' });
  await card.getByRole('button', { name: 'Remove from the list' }).focus();
  await page.keyboard.press('Enter');
  await card.waitFor({ state: 'detached' });
  assert.equal(await list.getByRole('listitem').count(), 1);
  assert.equal((await cleared()).length, 2);
  await list.getByRole('button', { name: 'Show 1 removed' }).click();
  await card.getByText('Removed from the list', { exact: true }).waitFor();
  await shot(page, 'alerts-removed');
  assert.deepEqual(await axeViolations(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await sticksOut(page), 0);

  const { secret } = await gateway.client.call('keys_create', { name: 'Office', role: 'viewer' });
  await using other = await chromium.open(`${gateway.node.http}/#alerts`, DESK);
  await signIn(other.page, secret);
  const theirs = regionOf(other.page);
  await theirs.getByText('HT-02').first().waitFor();
  await theirs.getByRole('button', { name: 'Show 1 removed' }).waitFor();
  assert.equal(await theirs.getByText('HT-01').count(), 0);
  assert.equal(await theirs.getByText('Not read yet').count(), 0);
  assert.equal(await theirs.getByRole('button', { name: /Mark|Remove/ }).count(), 0);
});
