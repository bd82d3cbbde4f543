/** What a page with live values says at head office. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import { twoEnds } from '#test/sync/ends.ts';
import { axeViolations, shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, openOffice } from './shared-browser.ts';

test('[Y153] a page with live values at head office asks before it uses counted bytes, says since when values are live, and why not', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await twoEnds();
  const { site, cloud, here } = ends;
  await here.call('equipment_create', { unit_number: 'HT-14' });
  // Nobody asks for live values before head office knows the budget: such a view would go on for a minute.
  const link = async () => (await cloud.client().call('sync_status', {})).gateways[0]?.link;
  for (const metered of [true, false]) {
    await site.client().call('sync_budget_set', { bytes_per_month: 1e9, metered });
    await until(
      async () => (await link()) === (metered ? 'metered' : 'free'),
      'head office knows the budget of the link',
    );
  }
  const http = `http://127.0.0.1:${cloud.port}`;
  await using office = await openOffice(http, 'machines');
  const { page } = office;
  const note = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
  await note('The bytes of this link are counted. A live view uses some of them.').waitFor();
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'live-ask'), []);
  await page.setViewportSize(DESK.viewport);
  await shot(page, 'live-ask');
  await page.getByRole('button', { name: 'Show live values' }).click();
  await note(/Live since .*\d\d:\d\d/).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await sizesThatStickOut(page, 'live-view'), []);
  await page.setViewportSize(DESK.viewport);
  await shot(page, 'live-view');
  await site.client().call('sync_budget_set', { metered: true });
  await note('Live view is not possible: the link of this site costs money by the byte').waitFor();
  await shot(page, 'live-metered');
  // A page without live values asks for none.
  await page.goto(`${http}/#tickets`);
  await note('Live view').waitFor({ state: 'detached' });
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});
