/** The navigation of the office: beside the page, and as a bar with a button. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

/** Opens the office with a key. */
async function enter(page: Page, key: string): Promise<void> {
  await signIn(page, key);
  await page.getByRole('navigation').waitFor();
}

const linksOf = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();

test('[U46] a wide page shows all pages in groups, a narrow page the first of them until a person opens the others', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  await using office = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await enter(page, OWNER_KEY);
  const all = await linksOf(page);
  assert.ok(all.length > 15, all.join());
  assert.equal(await page.getByRole('button', { name: 'More', exact: true }).isVisible(), false);
  const main = await page.locator('main').boundingBox();
  const nav = await page.getByRole('navigation').boundingBox();
  assert.ok(
    main !== null && nav !== null && nav.x + nav.width <= main.x && nav.y + nav.height <= 900,
    'beside the page',
  );

  for (const [width, count] of [
    [1280, 12],
    [1024, 9],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await until(async () => (await linksOf(page)).length === count, `${count} pages at ${width} px`);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await until(async () => (await linksOf(page)).length === 5, 'only the first group');
  assert.deepEqual(await linksOf(page), ['Now', 'Machines', 'Map', 'Alerts', 'Repairs']);
  const more = page.getByRole('button', { name: 'More', exact: true });
  await more.focus();
  await page.keyboard.press('Enter');
  const less = page.getByRole('button', { name: 'Less', exact: true });
  await less.waitFor();
  assert.deepEqual(await linksOf(page), all);
  await page.keyboard.press('Escape');
  await more.waitFor();
  assert.equal(await more.evaluate((one) => one === document.activeElement), true, 'the focus stays at the button');

  await more.click();
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
  await more.waitFor();
  assert.equal((await linksOf(page)).length, 5, 'a chosen page closes the others');
});

test('[U250] on a phone the navigation has one line, and the list of machines cuts off no value', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  await gateway.project(project.id).call('equipment_create', { unit_number: 'HT-01' });
  await using office = await chromium.open(`${gateway.node.http}/#machines`, { viewport: { width: 360, height: 740 } });
  const { page } = office;
  await enter(page, OWNER_KEY);
  const row = page.getByRole('row').filter({ hasText: 'HT-01' });
  await row.waitFor();
  const tops = await page
    .getByRole('navigation', { name: 'Pages' })
    .evaluate((bar) =>
      [...bar.querySelectorAll('a, button')].flatMap((one) =>
        one.checkVisibility() ? [one.getBoundingClientRect().top] : [],
      ),
    );
  assert.deepEqual([tops.length, new Set(tops).size], [6, 1]);
  const values = await row.locator('td').all();
  assert.equal(values.length, 7);
  for (const value of values) {
    const box = await value.boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, (await value.textContent()) ?? '');
  }
});

test('[U363] the page of a record that does not exist has a title, says so, and leads back; a page that is not here says where it is', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const project_ids = [project.id];
  const { secret } = await gateway.client.call('keys_create', { name: 'Ana', role: 'admin', project_ids });
  await using office = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await enter(page, secret ?? '');
  for (const [place, back] of [
    ['story/eq_none', 'All machines'],
    ['tickets/tkt_none', 'All tickets'],
    ['inspections/ins_none', 'All inspections'],
    ['inspections/new/eq_none', 'All inspections'],
    ['shifts/rep_none', 'All shifts'],
    ['devices/dev_none', 'All devices'],
    ['dbc/dbc_none', 'All DBC files'],
    ['alerts/eq_none', 'All machines'],
    ['maintenance/eq_none', 'All machines'],
    ['tickets/machine/eq_none', 'All machines'],
    ['alerts/rules/rul_none', 'Alert rules'],
  ] as const) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, place);
    await page.locator('main').getByRole('link', { name: back }).waitFor();
    await page.locator('main :is(.problem, .link-state)').first().waitFor();
    assert.equal(await page.locator('main h1').count(), 1, place);
    await page.locator('main :is(.problem, .link-state.waiting)').first().waitFor();
    assert.equal(await page.locator('main .loading').count(), 0, `${place} says that it is loading`);
    assert.deepEqual(await axeViolations(page), [], place);
  }
  for (const [place, title] of [
    ['all-machines', 'Not on this gateway'],
    ['encryption', 'Not for your role'],
  ] as const) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, place);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  await page.getByText('Only people of all sites see this page.').waitFor();
  const names = await linksOf(page);
  assert.ok(names.includes('Users') && !names.includes('Encryption'), names.join());
  // The gateway answers 404 for a record that does not exist; it refuses nothing.
  assert.deepEqual(
    office.complaints.filter((text) => text.includes('403')),
    [],
  );
});

test('[U361] an unknown part of a page opens the page, and the navigation marks the page that is open', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  await using office = await chromium.open(`${gateway.node.http}/#screens/playlists`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = office;
  await enter(page, OWNER_KEY);
  for (const [hash, title] of [
    ['screens/playlists', 'Screens'],
    ['devices/', 'Devices'],
    ['nonsense/now', 'Machines'],
  ] as const) {
    await page.evaluate((next) => {
      location.hash = next;
    }, hash);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    assert.equal(await page.locator('nav.pages [aria-current="page"]').textContent(), title, hash);
  }
});

test('[U363] a part of a page whose code does not come has no title of its own', { skip: withoutBrowser }, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  await using office = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await enter(page, OWNER_KEY);
  await page.getByRole('heading', { level: 1, name: 'Machines' }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('This page could not be loaded.').waitFor();
  assert.deepEqual(await page.locator('main h1').allInnerTexts(), ['Machines']);
});
