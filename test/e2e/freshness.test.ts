/** The freshness of one value on the page of its machine and on a TV, while the device that sends it really stops. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

/** The age of the value whose row is open. */
const OFFICE = '.number[aria-expanded="true"] .age';
const TV = '.layer.shown .kpi';

/** Records every freshness that the element shows from now on: its classes on the office page, its attribute on a TV. */
const record = (page: Page, selector: string) =>
  page.evaluate((selector) => {
    const all: string[] = [];
    Object.assign(window, { shownFreshness: all });
    setInterval(() => {
      const element = document.querySelector<HTMLElement>(selector);
      const shown = element?.dataset.fresh ?? element?.className.replace('age ', '') ?? 'absent';
      if (all.at(-1) !== shown) all.push(shown);
    }, 50);
  }, selector);

const shownBy = (page: Page) =>
  page.evaluate(() => [...((window as { shownFreshness?: string[] }).shownFreshness ?? [])]);

const turnsTo = (page: Page, freshness: string) =>
  page.waitForFunction(
    (wanted) => (window as { shownFreshness?: string[] }).shownFreshness?.at(-1) === wanted,
    freshness,
  );

test('[U156] a value goes from fresh to ageing to stale and back on the page and on a TV when its device stops and returns', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  const { equipment_id } = machine;
  await client.call('equipment_update', { id: equipment_id, kind: 'haul_truck' });
  const board = await client.call('dashboards_create', {
    name: 'Coolant',
    widgets: [
      {
        type: 'kpi',
        position: { x: 0, y: 0, w: 12, h: 6 },
        title: 'Coolant of HT-01',
        query: { equipment_id, signal: 'engine.coolant_temperature' },
      },
    ],
  });
  const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
  /** Connects as the device, sends one value and goes away. */
  const send = async (value: number) => {
    const device = await connectDevice(gateway.node.mqttPort, machine);
    const point = JSON.stringify({ values: { 'engine.coolant_temperature': value } });
    await device.publishAsync(`v1/devices/${machine.device_id}/telemetry`, point, { qos: 1 });
    await device.endAsync();
  };

  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${gateway.node.http}/#machines/${equipment_id}`);
  await signIn(office.page);
  await using tv = await chromium.open(gateway.node.http + new URL(share.url ?? '').pathname);
  await send(80);
  await office.page.getByRole('button', { name: 'Coolant 80 °C' }).click();
  await tv.page.locator(`${TV} >> text=80`).waitFor();

  await office.page
    .getByText('A value is expected every 1 s (usual for this signal). It is stale after 1 min')
    .waitFor();
  await office.page.getByRole('button', { name: 'Set the expected interval' }).click();
  await office.page.getByLabel('Seconds between two values').fill('3');
  await office.page.getByRole('button', { name: 'Save the interval' }).click();
  await office.page.getByText('Set for HT-01: 3 s').waitFor();
  await office.page.getByText('A value is expected every 3 s (set by a person). It is stale after 30 s').waitFor();
  assert.deepEqual(await sizesThatStickOut(office.page, 'office-interval'), []);
  await office.page.setViewportSize({ width: 1440, height: 1000 });

  await send(81);
  for (const [page, selector, value] of [
    [office.page, OFFICE, 'button:has-text("81 °C")'],
    [tv.page, TV, `${TV} >> text=81`],
  ] as const) {
    await page.locator(value).waitFor();
    await record(page, selector);
  }
  for (const freshness of ['ageing', 'stale'])
    for (const [name, { page }] of Object.entries({ office, tv })) {
      await turnsTo(page, freshness);
      await shot(page, `freshness-${name}-${freshness}`);
    }
  await send(82);
  for (const { page } of [office, tv]) {
    await turnsTo(page, 'fresh');
    assert.deepEqual(await shownBy(page), ['fresh', 'ageing', 'stale', 'fresh']);
  }

  await office.page.getByRole('button', { name: 'Remove' }).click();
  await office.page.getByText('A value is expected every 1 s (usual for this signal)').waitFor();
  // The sign-in page asks without a key first, and gets 401.
  const complaints = [...office.complaints, ...tv.complaints].filter((text) => !/\b401\b/.test(text));
  assert.deepEqual(complaints, []);
});
