/** The pages of head office over all sites: machines, open repairs and active alerts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, sharedBrowser } from './shared-browser.ts';

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

test('[U196] head office shows machines in trouble, open repairs and alerts of all sites, how old they are, and opens them', {
  skip: withoutBrowser,
}, async () => {
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  await using site = await startGateway();
  const north = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const south = await cloud.client.call('projects_create', { name: 'Spare machines', timezone: 'UTC' });
  const here = site.project(north.project.id);
  const machine = await addMachine(here, 'HT-01');
  const { equipment_id } = machine;
  await here.call('equipment_create', { unit_number: 'EX-05' });
  await cloud.project(south.project.id).call('equipment_create', { unit_number: 'HT-77' });
  await here.call('repair_tickets_create', { equipment_id, title: 'Brake fades', safety_critical: true });
  await here.call('alert_rules_create', { name: 'Fast', signal: 'vehicle.speed', op: 'gt', value: 10 });
  const device = await connectDevice(site.node.mqttPort, machine);
  await device.publishAsync(
    `v1/devices/${machine.device_id}/telemetry`,
    JSON.stringify({ values: { 'engine.hours': 4511.5, 'engine.speed': 1500, 'vehicle.speed': 12 } }),
    { qos: 1 },
  );
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  await until(async () => {
    const { data } = await cloud.client.call('fleet_equipment_list', { in_trouble: true });
    return data[0]?.engine_hours === 4511.5;
  }, 'head office has the hours of the machine');

  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${cloud.node.http}/#all-machines`, DESK);
  const { page } = office;
  await signIn(page);
  const troubled = page.getByRole('table', { name: 'Machines in trouble' });
  const all = page.getByRole('table', { name: 'All machines' });
  await troubled.getByRole('rowheader', { name: /HT-01.*Brake fades/s }).waitFor();
  assert.match((await troubled.textContent()) ?? '', /Quarry NorthHeard .* ago.*4,511\.5/s);
  await all.getByText('Made at head office').waitFor();
  assert.equal(await all.locator('tbody tr').count(), 3);
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'all-machines'), []);
  await page.setViewportSize(DESK.viewport);
  await page.getByLabel('Unit number or name').fill('ht-7');
  await page.getByText('No machine of this list is in trouble, as its site was last heard.').waitFor();
  await until(async () => (await all.locator('tbody tr').count()) === 1, 'only the machine that was searched');
  await page.getByLabel('Unit number or name').fill('');
  await page.getByRole('combobox', { name: 'Site' }).last().selectOption({ label: 'Quarry North' });
  await until(async () => (await all.locator('tbody tr').count()) === 2, 'only the machines of the site');

  await page.getByRole('link', { name: 'Repairs of all sites' }).click();
  const repair = page.getByRole('row', { name: /Brake fades/ });
  await repair.getByText('Safety critical').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'all-repairs'), []);

  await page.setViewportSize(DESK.viewport);
  await page.getByRole('link', { name: 'Alerts of all sites' }).click();
  await page
    .getByRole('row', { name: /Speed 12/ })
    .getByText('Quarry North')
    .waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'all-alerts'), []);
  await page.setViewportSize(DESK.viewport);
  await page.getByRole('link', { name: 'Repairs of all sites' }).click();

  await using phone = await chromium.open(`${cloud.node.http}/#all-machines`, PHONE);
  await signIn(phone.page);
  await phone.page.getByRole('table', { name: 'Machines in trouble' }).waitFor();
  await shot(phone.page, 'all-machines-phone-dark');

  // A row opens the machine in its own site, which is not the one that is chosen at the top.
  await page.setViewportSize(DESK.viewport);
  await repair.getByRole('button', { name: 'Brake fades' }).click();
  await page.getByRole('heading', { name: /Brake fades/ }).waitFor();
  assert.equal(await page.locator('header select').inputValue(), north.project.id);
  await device.endAsync();
});

test('[U256] rows after "Show more" are read again like the first ones, and rows after 1,000 say how old they are', {
  skip: withoutBrowser,
}, async () => {
  await using cloud = await startGateway(undefined, {}, { HEADFRAME_ROLE: 'cloud' });
  const { project } = await cloud.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const here = cloud.project(project.id);
  const { id: equipment_id } = await here.call('equipment_create', { unit_number: 'HT-01' });
  const ids: string[] = [];
  for (let i = 1; i <= 1_060; i++)
    ids.push((await here.call('repair_tickets_create', { equipment_id, title: `Repair ${i}.` })).id);
  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${cloud.node.http}/#all-repairs`, DESK);
  const { page } = office;
  await signIn(page);
  const rows = page.locator('tbody tr');
  const has = (count: number, last: number) =>
    until(async () => {
      const all = await rows.count();
      return all === count && (await rows.last().textContent())?.includes(`Repair ${last}.`) === true;
    }, `${count} rows, the last one is ${last}`);
  const more = page.getByRole('button', { name: 'Show more repairs' });
  await has(50, 50);
  await more.click();
  await has(100, 100);
  // A row of the first page ends, and one of the second page gets a new priority: it is now the first.
  const [third = '', seventieth = ''] = [ids[2], ids[69]];
  await here.call('repair_tickets_update', { id: third, status: 'canceled' });
  await here.call('repair_tickets_update', { id: seventieth, priority: 'critical' });
  await has(100, 101);
  assert.match((await rows.first().textContent()) ?? '', /Repair 70\./);
  assert.equal(await page.getByText('Repair 3.', { exact: true }).count(), 0);
  // A row of the second page ends.
  await here.call('repair_tickets_update', { id: ids[79] ?? '', status: 'canceled' });
  await has(100, 102);
  for (let pages = 3; pages <= 20; pages++) {
    await more.click();
    await has(50 * pages, 50 * pages + 2);
  }
  assert.equal(await page.getByRole('note').count(), 0);
  await more.click();
  await has(1_050, 1_052);
  const note = page.getByRole('note').filter({ hasText: 'The last 50 rows are as they were' });
  assert.match((await note.textContent()) ?? '', /reads only the first 1000 rows again/);
  // The note is true: of these two rows only the first one goes.
  await here.call('repair_tickets_update', { id: ids[1_049] ?? '', status: 'canceled' });
  await here.call('repair_tickets_update', { id: ids[199] ?? '', status: 'canceled' });
  await until(async () => (await page.getByText('Repair 200.', { exact: true }).count()) === 0, 'the row is gone');
  assert.equal(await page.getByText('Repair 1050.', { exact: true }).count(), 1);
  // Another site is another list.
  await page.getByRole('combobox', { name: 'Site' }).last().selectOption({ label: 'Quarry North' });
  await has(50, 50);
  assert.equal(await page.getByRole('note').count(), 0);
});
