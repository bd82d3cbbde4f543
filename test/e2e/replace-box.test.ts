/** A box that broke is replaced by page: a code at head office, a new box that takes it, and what it says of what did not come back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { End, twoEnds } from '#test/sync/ends.ts';
import { axeViolations, shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, openOffice } from './shared-browser.ts';

const urlOf = ({ port }: End): string => `http://127.0.0.1:${port}`;

test('[U220] [U241] a new box takes the place of one that broke, by page, and says what did not come back', {
  skip: withoutBrowser,
}, async () => {
  await using ends = await twoEnds();
  const { cloud, site, here, there } = ends;
  await addMachine(here, 'HT-1');
  await until(async () => (await there.call('equipment_list', {})).data.length === 1, 'head office has the machine');
  await site.inStep();
  await site.kill();
  await using office = await openOffice(urlOf(cloud), 'head-office');
  await office.page.getByRole('button', { name: 'Replace the box of Quarry North' }).click();
  await office.page.getByText('This box replaces one that broke').waitFor();
  const code = await office.page.getByLabel('Code', { exact: true }).inputValue();
  await office.page.getByText('for a box that replaces the one of this site').waitFor();
  assert.deepEqual(await axeViolations(office.page), []);
  await shot(office.page, 'replace-box-code');

  await using box = await new End({}).start();
  await using mine = await openOffice(urlOf(box), '', DESK);
  const { page } = mine;
  await page.getByRole('link', { name: 'This box replaces one that broke' }).click();
  await page.getByLabel('Address of head office').fill(urlOf(cloud));
  await page.getByLabel('Code', { exact: true }).fill(code);
  assert.deepEqual(await axeViolations(page), []);
  await shot(page, 'replace-box-form');
  await page.getByRole('button', { name: 'Take its place' }).click();
  await page.getByText('HT-1').first().waitFor({ timeout: 120_000 });
  await office.page.getByText('The new box has the place of the old one').waitFor();
  await page.goto(`${urlOf(box)}/#head-office`);
  await page.getByText('What did not come back').waitFor();
  await page.getByText('1 device has no key at this box').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await shot(page, 'replace-box-done');
  assert.deepEqual(await sizesThatStickOut(page, 'replace-box'), []);
});
