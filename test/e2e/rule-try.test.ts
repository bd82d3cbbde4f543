/** The form of alert rules in the browser: a change, a geofence, a service, and the trial of a rule on recorded values. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addMachine, eventually, startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const RING: [number, number][] = [
  [24.9, 60.2],
  [24.91, 60.2],
  [24.91, 60.21],
  [24.9, 60.21],
  [24.9, 60.2],
];

test('[U61] a person tries a rule before saving it, and sees when it would have raised alerts', {
  skip: withoutBrowser,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-try-'));
  try {
    await using gateway = await startGateway(folder);
    const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
    const client = gateway.project(project.id);
    await client.call('locations_create', { name: 'Blast zone', geofence: { type: 'Polygon', coordinates: [RING] } });
    const hot = await addMachine(client, 'HT-14');
    await addMachine(client, 'HT-15');
    const plan = { name: 'Engine oil', equipment_id: hot.equipment_id, every_hours: 250 };
    await client.call('maintenance_plans_create', plan);
    const start = Date.now() - 30 * 3_600_000;
    for (let hour = 0; hour < 12; hour++) {
      const points = Array.from({ length: 1_800 }, (_, i) => ({
        ts: start + hour * 3_600_000 + i * 1_000,
        values: { 'engine.coolant_temperature': hour % 4 === 1 && i > 900 && i < 1_300 ? 108 : 88 },
      }));
      await client.call('devices_telemetry', { id: hot.device, points });
    }
    await eventually(
      () => client.call('equipment_get', { id: hot.equipment_id }),
      (machine) => machine.coolant_temperature_c === 88,
    );
    const chromium = await sharedBrowser();
    for (const [width, height] of [
      [1440, 1000],
      [390, 844],
    ] as const) {
      const screen = { viewport: { width, height }, hasTouch: width < 500 };
      await using watched = await chromium.open(`${gateway.node.http}/#alerts/rules/new`, screen);
      const { page } = watched;
      await signIn(page);
      await page.getByLabel('Limit', { exact: true }).fill('105');
      await page.getByRole('button', { name: 'Try this rule on the last 7 days' }).click();
      await page.getByText('The rule would have raised 3 alerts on 1 of 2 machines.').waitFor();
      assert.equal(await page.locator('.trial-line .raised').count(), 3);
      await page.getByText('108 °C').first().waitFor();
      assert.ok((await sticksOut(page)) <= 0);
      await page.locator('.trials').scrollIntoViewIfNeeded();
      await shot(page, `rule-try-${width}`);
      await page.getByLabel('A fast change').check();
      await page.getByLabel('By at least').fill('10');
      await page
        .getByText(/Coolant rises by 10 °C or more within 1 min/)
        .first()
        .waitFor();
      await page.getByLabel('A geofence').check();
      await page.getByLabel('The place').selectOption({ label: 'Blast zone' });
      await page
        .getByText(/a machine enters Blast zone/)
        .first()
        .waitFor();
      await shot(page, `rule-fence-${width}`);
      await page.getByLabel('A service that is due').check();
      await page.getByLabel('Maintenance plan').selectOption({ label: 'Engine oil' });
      await page.getByLabel('Or at most left').first().fill('50');
      await page
        .getByText(/the service Engine oil is due or has at most 50 h left/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Try this rule on the last 7 days' }).click();
      await page.getByText('Engine oil on HT-14 was not tried: history has no engine hours of this time.').waitFor();
      assert.ok((await sticksOut(page)) <= 0);
      await shot(page, `rule-service-${width}`);
      await page.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
