/** What people see when the gateway does without something: the office page in sentences, the wall in a few words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { misfits, shot, startBrowser, withoutBrowser } from './browser.ts';

const TOTAL = 100 * 2 ** 30;

test('[U25] a wall says in its header what it suffers from, the office says what to do, and both fall silent again', {
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
  await using chromium = await startBrowser();
  await using wall = await chromium.open(`${gateway.node.http}${new URL(url ?? '').pathname}`);
  await using office = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 900 } });
  await wall.page.locator('.layer.shown .machine').first().waitFor();
  await office.page.getByLabel('Key').fill(OWNER_KEY);
  await office.page.keyboard.press('Enter');
  await office.page.getByRole('link', { name: 'Health' }).click();
  await office.page.getByText('Everything works.').waitFor();

  for (const [share, said, given, remedy] of [
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
    await wall.page.locator(`header >> text=${said}`).waitFor();
    await office.page.getByText(given).waitFor();
    await office.page.getByText(remedy).waitFor();
    await wall.page.evaluate(() => document.fonts.ready.then(() => undefined));
    assert.deepEqual(await misfits(wall.page, 10.8 * 3.7), []);
    await shot(wall.page, `degraded-tv-${share}`);
    await shot(office.page, `degraded-office-${share}`);
  }
  free = TOTAL / 2;
  await wall.page.locator('header .notice-line').waitFor({ state: 'detached' });
  await wall.page.locator('header .sub').waitFor();
  await office.page.getByText('Everything works.').waitFor();
  assert.deepEqual(wall.complaints, []);
});
