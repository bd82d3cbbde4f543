/** The numbers of alerts agree on a TV, on an old TV and in the office, also if alerts share a row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';
import { shot, withoutBrowser } from './browser.ts';
import { openOffice, sharedBrowser } from './shared-browser.ts';

test('[U446] a row says how many alerts it joins, and the rows add up to the number in the heading', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'UTC' });
  const client = gateway.project(project.id);
  for (const [name, value, severity] of [
    ['Coolant too hot', 107, 'critical'],
    ['Coolant warm', 100, 'warning'],
  ] as const)
    await client.call('alert_rules_create', { signal: 'engine.coolant_temperature', op: 'gte', name, value, severity });
  for (const [unit, degrees] of [
    ['HT-01', 110],
    ['HT-02', 102],
  ] as const) {
    const machine = await addMachine(client, unit);
    await createClient({ base_url: gateway.node.http, key: machine.key }).call('devices_telemetry', {
      id: machine.device,
      points: [{ observed_at: new Date().toISOString(), values: { 'engine.coolant_temperature': degrees } }],
    });
  }
  const alerts = await eventually(
    async () => (await client.call('alerts_list', { state: 'active' })).data,
    ({ length }) => length === 3,
  );
  const board = await client.call('dashboards_create', {
    name: 'Alerts',
    widgets: [{ type: 'alert_feed', position: { x: 0, y: 0, w: 12, h: 6 } }],
  });
  const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
  const path = new URL(share.url ?? '').pathname;
  const chromium = await sharedBrowser();
  await using tv = await chromium.open(gateway.node.http + path, { viewport: { width: 1920, height: 1080 } });
  await tv.page.locator('.alerts .label >> text=3 of 3 not acknowledged').waitFor();
  const rows = async () =>
    (await tv.page.locator('.alerts li .detail').allTextContents()).map((row) => row.split(' · ')[0]);
  assert.deepEqual(await rows(), ['2 alerts', 'Coolant 102 °C']);
  await shot(tv.page, 'tv-alert-rows');
  await using old = await chromium.open(gateway.node.http + path.replace('/tv/', '/tv/lite/'));
  await old.page.locator('.small', { hasText: /^2 alerts · Coolant 110 °C/ }).waitFor();

  // A row is not dimmed as long as one of its alerts is not acknowledged.
  const hot = alerts.find(({ rule_name }) => rule_name === 'Coolant too hot');
  await client.call('alerts_acknowledge', { id: hot?.id ?? '' });
  await tv.page.locator('.alerts .label >> text=2 of 3 not acknowledged').waitFor();
  assert.equal(await tv.page.locator('.alerts li.seen').count(), 0);
  const warm = alerts.find(
    ({ rule_name, machine_id }) => rule_name === 'Coolant warm' && machine_id === hot?.machine_id,
  );
  await client.call('alerts_acknowledge', { id: warm?.id ?? '' });
  await tv.page.locator('.alerts .label >> text=1 of 3 not acknowledged').waitFor();
  await tv.page.locator('.alerts li.seen >> text=2 alerts').waitFor();

  await using office = await openOffice(gateway.node.http, 'alerts');
  await office.page.getByText('Active now: 3').waitFor();
  await office.page.locator('.aside', { hasText: '1 not acknowledged' }).waitFor();
});
