/** A person reports a breakdown late: the machine is down since the time at which it began. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { shot, withoutBrowser } from './browser.ts';
import { openOffice } from './shared-browser.ts';

test('[U444] a person who reported a breakdown late gives the time at which it began, and every page follows', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'America/Lima' });
  const client = gateway.project(project.id);
  const { id, created_at } = await client.call('equipment_create', { unit_number: 'WL-02' });
  await using office = await openOffice(gateway.node.http, `machines/${id}`);
  const { page } = office;
  await page.getByLabel('Reported status').selectOption({ label: 'Down' });
  await page.getByRole('button', { name: 'It began earlier' }).click();
  const began_ms = Math.floor((Date.parse(created_at) - 5 * 3_600_000) / 60_000) * 60_000;
  // Lima is five hours behind UTC all year.
  const wall = new Date(began_ms - 5 * 3_600_000).toISOString().slice(0, 16);
  await page.getByLabel('Began at (site time)').fill(wall);
  await shot(page, 'office-began-earlier');
  await page.getByRole('button', { name: 'Save the time' }).click();
  await page
    .locator('.aside', { hasText: 'Since' })
    .filter({ hasText: wall.slice(11) })
    .waitFor();
  assert.equal((await client.call('equipment_get', { id })).status_since, new Date(began_ms).toISOString());

  await page.goto(`${gateway.node.http}/#now`);
  await page.getByText(/For 5 h 0\d, since /).waitFor();
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});
