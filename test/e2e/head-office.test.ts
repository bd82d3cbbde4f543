/** A site and head office in the browser: enrolment by page, what both pages say, and what happens without a connection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { addMachine, connectDevice, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { apart, twoEnds } from '#test/sync/ends.ts';
import { axeViolations, shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, openOffice, sharedBrowser } from './shared-browser.ts';

const CLOUD = { HEADFRAME_ROLE: 'cloud' };
const DARK = { ...DESK, colorScheme: 'dark' } as const;
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** Makes a code on the page of head office, and returns it. */
async function makeCode(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name of the site').fill(name);
  await page.getByRole('button', { name: 'Make a code' }).click();
  return page.getByLabel('Code', { exact: true }).inputValue();
}

async function connect(page: Page, address: string, code: string): Promise<void> {
  await page.getByLabel('Address of head office').fill(address);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
}

test('[U180] an admin makes a code at head office and connects a site with it, by page', {
  skip: withoutBrowser,
}, async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  await site.project(project.id).call('equipment_create', { unit_number: 'HT-01' });
  await using office = await openOffice(cloud.node.http, 'head-office');
  const { page } = office;
  await page.getByText('No site is connected yet').waitFor();
  await shot(page, 'head-office-empty');
  await page.getByLabel('The code is valid for').selectOption({ label: '1 week' });
  const code = await makeCode(page, 'Quarry North');
  const { data } = await cloud.client.call('sync_enrolments_list', {});
  const hours = (Date.parse(data[0]?.code_expires_at ?? '') - Date.parse(data[0]?.created_at ?? '')) / 3_600_000;
  assert.equal(Math.round(hours), 168);
  await page.getByText('This page waits for the site').waitFor();
  await shot(page, 'head-office-code');

  await using there = await openOffice(site.node.http, 'head-office', DARK);
  await there.page.getByText('This site works alone. It is not connected to head office.').waitFor();
  assert.deepEqual(await axeViolations(there.page), []);
  await shot(there.page, 'site-link-form');
  await connect(there.page, 'http://example.com', code);
  await there.page.getByText('http:// is possible only for an address of the own network').waitFor();
  await connect(there.page, 'http://127.0.0.1:1', code);
  await there.page.getByText('Nothing answers at this address.').waitFor();
  await connect(there.page, cloud.node.http, 'WRONG-CODE');
  await there.page.getByText('Head office does not know this code.').waitFor();
  await shot(there.page, 'site-link-refused');
  await connect(there.page, cloud.node.http, code);
  await there.page.getByText('This site is connected.').waitFor();
  await there.page.getByText('In step.').waitFor();
  await there.page.getByRole('link', { name: 'Head office: up to date' }).waitFor();
  assert.deepEqual(await axeViolations(there.page), []);
  assert.deepEqual(await sizesThatStickOut(there.page, 'site-link'), []);

  // Head office had no project before. The page continues with that of the site.
  await page.getByRole('link', { name: 'Sites', exact: true }).click();
  await page.getByRole('rowheader', { name: /Quarry North/ }).waitFor();
  await page.getByRole('cell', { name: 'No problem' }).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'head-office-fleet'), []);
  await page.setViewportSize(DESK.viewport);
  const again = await makeCode(page, 'Quarry South');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Withdraw the code for Quarry South' }).click();
  await page.getByText('Not used yet').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Open Quarry North' }).click();
  await page.getByText('HT-01').first().waitFor();
  const pages = await page.getByRole('navigation').getByRole('link').allInnerTexts();
  for (const hidden of ['Connect', 'DBC files']) assert.ok(!pages.includes(hidden), `${hidden} in ${pages}`);

  await there.page.getByRole('button', { name: 'Disconnect from head office' }).click();
  await there.page.getByRole('button', { name: 'Disconnect now' }).click();
  await there.page.getByText('This site is disconnected.').waitFor();
  await connect(there.page, cloud.node.http, again);
  await there.page.getByText('Head office has withdrawn this code.').waitFor();
  await connect(there.page, cloud.node.http, code);
  await there.page.getByText('This code was used already').waitFor();
  // A browser without a session asks who is signed in before it shows the page for the key.
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U181] without a connection both ends say since when, and call it no error', {
  skip: withoutBrowser,
}, async () => {
  const cloud = await startGateway(undefined, {}, CLOUD);
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  await until(async () => (await site.client.call('sync_status', {})).state === 'in_step', 'the site is in step');
  await using there = await openOffice(site.node.http, 'head-office');
  await there.page.getByText('In step.').waitFor();
  await there.page.getByRole('button', { name: 'Compare now' }).click();
  await there.page.getByText('Head office has everything that this site made and holds.').waitFor();
  await cloud[Symbol.asyncDispose]();
  await site.project(project.id).call('equipment_create', { unit_number: 'HT-02' });
  await until(async () => (await site.client.call('sync_status', {})).state === 'offline', 'the site is offline');
  await there.page.getByText('There is no connection to head office').waitFor();
  await there.page.getByRole('rowheader', { name: 'Tickets, records and boards' }).waitFor();
  await there.page.getByRole('link', { name: /Head office: no connection, knew all at \d\d:\d\d/ }).waitFor();
  assert.equal(await there.page.locator('.problem, .ends.to-see').count(), 0, 'no connection is no problem');
  assert.deepEqual(await axeViolations(there.page), []);
  await shot(there.page, 'site-link-offline');
  assert.deepEqual(await sizesThatStickOut(there.page, 'site-link-offline'), []);
});

test('[U182] the page of conflicts shows both values, who gave them and when; one tap chooses, and one undoes', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await twoEnds();
  const { site, cloud, here, there } = ends;
  const { id } = await here.call('equipment_create', { unit_number: 'HT-14', name: 'Old name' });
  const place = await here.call('locations_create', { name: 'North pit' });
  await site.inStep();
  await until(
    async () => (await there.call('equipment_get', { id })).name === 'Old name',
    'head office has the machine',
  );
  await apart(
    ends,
    () => here.call('equipment_update', { id, name: 'North truck', location_id: place.id }),
    () => there.call('equipment_update', { id, name: 'Truck 14' }),
  );
  await using office = await openOffice(`http://127.0.0.1:${cloud.port}`, 'conflicts');
  const { page } = office;
  await page.getByText('Machine HT-14: Name').waitFor();
  await page.getByRole('link', { name: 'Conflicts 1 to decide' }).waitFor();
  const value = (text: string) => page.locator('.conflict-values > li').filter({ hasText: text });
  assert.match((await value('North truck').textContent()) ?? '', /, at Quarry North, /);
  assert.match((await value('Truck 14').textContent()) ?? '', /, at head office, .*Shown now/s);
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'conflicts'), []);
  await page.setViewportSize(DESK.viewport);
  await page.getByRole('button', { name: 'Use this North truck, HT-14' }).click();
  await page.getByText('Nothing to decide').waitFor();
  const named = (name: string) =>
    until(async () => (await here.call('equipment_get', { id })).name === name, `the site shows ${name}`);
  await named('North truck');
  await page.getByText('Not chosen: Truck 14').waitFor();
  await shot(page, 'conflicts-decided');
  await using phone = await openOffice(`http://127.0.0.1:${site.port}`, 'conflicts', PHONE);
  await phone.page.getByText('Nothing to decide').waitFor();
  await phone.page.getByRole('button', { name: /Undo/ }).click();
  await phone.page.getByText('This choice was undone').waitFor();
  await named('Truck 14');
  await shot(phone.page, 'conflicts-undone-phone');
});

test('[U183] a board, an alert and the history of a site at head office show the values of the site', {
  skip: withoutBrowser,
}, async () => {
  await using cloud = await startGateway(undefined, {}, CLOUD);
  await using site = await startGateway();
  const { project } = await site.client.call('projects_create', { name: 'Quarry North', timezone: 'UTC' });
  const here = site.project(project.id);
  const there = cloud.project(project.id);
  const machine = await addMachine(here, 'HT-01');
  const { equipment_id } = machine;
  const query = { equipment_id, signal: 'engine.coolant_temperature' };
  const position = { x: 0, y: 0, w: 12, h: 6 };
  const widgets = [{ type: 'kpi' as const, position, title: 'Coolant of HT-01', query }];
  const board = await here.call('dashboards_create', { name: 'Coolant', widgets });
  await here.call('alert_rules_create', {
    ...{ name: 'Coolant is hot', signal: 'engine.coolant_temperature', op: 'gt', value: 105, severity: 'critical' },
    scope: { equipment_ids: [equipment_id] },
  });
  const device = await connectDevice(site.node.mqttPort, machine);
  const send = (value: number) =>
    device.publishAsync(
      `v1/devices/${machine.device_id}/telemetry`,
      JSON.stringify({ values: { 'engine.coolant_temperature': value } }),
      { qos: 1 },
    );
  await send(80);
  const { code } = await cloud.client.call('sync_enrolments_create', { name: 'Quarry North' });
  await site.client.call('sync_link_set', { cloud_url: cloud.node.http, code });
  await until(async () => {
    const { data } = await cloud.client.call('projects_list', {});
    return data.length === 1 && (await there.call('dashboards_list', {})).data.some(({ id }) => id === board.id);
  }, 'the board is at head office');
  const share = await there.call('display_shares', { kind: 'dashboard', object_id: board.id });
  const chromium = await sharedBrowser();
  await using tv = await chromium.open(cloud.node.http + new URL(share.url ?? '').pathname);
  await tv.page.locator('.layer.shown .kpi >> text=80').waitFor();
  await send(112);
  await tv.page.locator('.layer.shown .kpi >> text=112').waitFor();
  await shot(tv.page, 'head-office-tv');
  await using office = await openOffice(cloud.node.http, 'alerts');
  const { page } = office;
  await page.getByText('Coolant is hot').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /Acknowledge/ }).count(), 0, 'only the site acknowledges');
  await shot(page, 'head-office-alerts');
  await page.goto(`${cloud.node.http}/#machines/${equipment_id}`);
  await page.getByRole('button', { name: /^Coolant 112/ }).click();
  await page.locator('.history-chart').first().waitFor();
  await shot(page, 'head-office-machine');
  assert.deepEqual(await axeViolations(page), []);
  await device.endAsync();
  const refused = [...office.complaints, ...tv.complaints].filter((text) => !text.includes('401'));
  assert.deepEqual(refused, [], 'no page asks head office for what it does not serve');
});

test('[U186] a person carries changes between a site and head office with files, by page', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await twoEnds();
  await ends.here.call('equipment_create', { unit_number: 'HT-01' });
  await using there = await openOffice(`http://127.0.0.1:${ends.site.port}`, 'head-office');
  await using office = await openOffice(`http://127.0.0.1:${ends.cloud.port}`, 'head-office', DARK);
  const [siteBox, officeBox] = [there.page, office.page].map((page) =>
    page.getByRole('region', { name: 'Files on a USB stick' }),
  ) as [ReturnType<Page['getByRole']>, ReturnType<Page['getByRole']>];

  const up = there.page.waitForEvent('download');
  await siteBox.getByRole('button', { name: 'Write a file for head office' }).click();
  await siteBox.getByText('On its way').or(siteBox.getByText('Arrived')).first().waitFor();
  await officeBox.getByLabel('File of the other end').setInputFiles(await (await up).path());
  await officeBox.getByText('Everything was taken.').first().waitFor();
  const down = office.page.waitForEvent('download');
  await officeBox.getByRole('button', { name: 'Write a file for the site' }).click();
  const answer = await (await down).path();
  await siteBox.getByLabel('File of the other end').setInputFiles(answer);
  await siteBox.getByText('Everything was taken.').first().waitFor();
  // The same file at the wrong end.
  await officeBox.getByLabel('File of the other end').setInputFiles(answer);
  await officeBox.getByText('This bundle was made at head office').waitFor();
  for (const [page, name] of [
    [there.page, 'site-courier'],
    [office.page, 'head-office-courier'],
  ] as const) {
    assert.deepEqual(await axeViolations(page), []);
    await page.getByRole('heading', { name: 'Without a connection' }).scrollIntoViewIfNeeded();
    await shot(page, name);
    assert.deepEqual(await sizesThatStickOut(page, name), []);
    await page.setViewportSize(PHONE.viewport);
    await page.getByRole('heading', { name: 'Without a connection' }).scrollIntoViewIfNeeded();
    await shot(page, `${name}-phone`);
  }
});
