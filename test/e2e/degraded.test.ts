/** Degraded modes in the browser: the notice on a TV, and the problem with its remedy on the health page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { misfits, shot, signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const TOTAL = 100 * 2 ** 30;

test('[U25] a full disk shows a notice on the TV and a remedy in the office, and both disappear when it is over', {
  skip: withoutBrowser,
}, async () => {
  let free = TOTAL / 2;
  await using gateway = await startGateway(undefined, { readDisk: async () => ({ free, total: TOTAL }) });
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  await client.call('devices_telemetry', { id: machine.device, points: [{ values: { 'engine.speed': 1500 } }] });
  const board = await client.call('dashboards_create', {
    name: 'North pit',
    widgets: [{ type: 'status_board', position: { x: 0, y: 0, w: 12, h: 6 } }],
  });
  const { url } = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
  const chromium = await sharedBrowser();
  await using tv = await chromium.open(`${gateway.node.http}${new URL(url ?? '').pathname}`);
  await using office = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 900 } });
  await tv.page.locator('.layer.shown .machine').first().waitFor();
  await signIn(office.page);
  await office.page.getByRole('link', { name: 'Health' }).click();
  await office.page.getByText('Everything works.').waitFor();

  for (const [share, notice, loss, remedy] of [
    [
      0.04,
      'Trends have gaps: disk almost full',
      'The gateway stores no history',
      /stores history again once there is space/,
    ],
    [
      0.01,
      'No new data: disk almost full',
      'The gateway does not accept measurements',
      /Delete files that are not needed/,
    ],
  ] as const) {
    free = share * TOTAL;
    await tv.page.locator(`header >> text=${notice}`).waitFor();
    await office.page.getByText(loss).waitFor();
    await office.page.getByText(remedy).waitFor();
    await tv.page.evaluate(() => document.fonts.ready.then(() => undefined));
    assert.deepEqual(await misfits(tv.page, 10.8 * 3.7), []);
    await shot(tv.page, `degraded-tv-${share}`);
    await shot(office.page, `degraded-office-${share}`);
  }
  free = TOTAL / 2;
  await tv.page.locator('header .notice-line').waitFor({ state: 'detached' });
  await tv.page.locator('header .sub').waitFor();
  await office.page.getByText('Everything works.').waitFor();
  assert.deepEqual(tv.complaints, []);
});
