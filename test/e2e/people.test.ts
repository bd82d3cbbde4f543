/** The people pages in the browser: paste forty rows, search, edit, add to the log, export CSV. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const HEAD = 'Number\tFirst name\tLast name\tCrew\tPhone\tCertificates';
const line = (i: number) =>
  `${1000 + i}\tWorker\tNo${i}\t${'ABC'[i % 3]}\t+351 912 345 ${100 + i}\tBlasting 2027-01-31; First aid`;

test('[U51] pasted rows create each person once after a lost answer; a person can be edited, logged, deactivated and exported', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const there = await client.call('operators_create', { name: 'Old Hand', employee_number: '1003' });
  await client.call('operators_update', {
    id: there.id,
    certifications: [{ code: 'Crane', expires_on: '2020-01-31' }],
  });
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#people`, {
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    colorScheme: 'dark',
  });
  const { page } = watched;
  const everyone = async () => (await client.call('operators_list', { limit: 200 })).data;
  await signIn(page);
  await page.getByText('Expired: Crane, expired 2020-01-31').waitFor();
  await shot(page, 'people-list');

  // The page reports a repeated number before it sends anything; the gateway reports a person that exists already.
  await page.getByRole('button', { name: 'Paste several' }).click();
  const lines = [HEAD, ...Array.from({ length: 40 }, (_, i) => line(i + 1)), line(7).replace('No7', 'Again')];
  await page.getByLabel(/Copy the rows/).fill(lines.join('\n'));
  await page.getByText('Row 8 has the same number').waitFor();
  await page.getByText('40 ready, 1 to correct').waitFor();
  await shot(page, 'people-preview');
  assert.equal((await everyone()).length, 1, 'the preview creates nobody');

  // The connection fails after half of the rows; the row without an answer is sent again and creates one person.
  let sent = 0;
  const url = '**/api/v1/operators';
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    if (++sent !== 20) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Add 40' }).click();
  await page.getByText(/Nobody is added twice/).waitFor();
  await shot(page, 'people-lost');
  await page.unroute(url);
  await page.getByRole('button', { name: 'Add 21' }).click();
  await page.getByText('39 added, 1 exists already, 1 to correct').waitFor();
  await shot(page, 'people-pasted');
  const all = await everyone();
  assert.equal(all.length, 40);
  const seventh = all.find(({ name }) => name === 'Worker No7');
  assert.deepEqual(
    [seventh?.employee_number, seventh?.crew, seventh?.certifications.map(({ code }) => code)],
    ['1007', 'B', ['Blasting', 'First aid']],
  );

  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel(/Find by name/).fill('1007');
  await page.getByText('1 operator.').waitFor();
  await page.getByRole('button', { name: 'Worker No7' }).click();
  const person = page.getByRole('region', { name: 'Worker No7' });
  await person.getByRole('button', { name: 'Edit', exact: true }).click();
  await person.getByLabel('Crew or shift').fill('Night');
  // Another person saves meanwhile: the form reports it and keeps the edit.
  await client.call('operators_update', { id: seventh?.id ?? '', phone: '+351 900 000 000' });
  await person.getByRole('button', { name: 'Save' }).click();
  await person.getByText('Not saved: another person changed phone').waitFor();
  await shot(page, 'people-met');
  await person.getByRole('button', { name: 'Save' }).click();
  await person.getByText('+351 900 000 000').waitFor();
  await person.getByLabel('Text').fill('Knows the north ramp');
  await person.getByRole('button', { name: 'Add to log' }).click();
  await person.getByText('Knows the north ramp').waitFor();
  await person.getByRole('button', { name: 'Make inactive' }).click();
  await person.getByText('Active to Inactive').waitFor();
  await shot(page, 'people-person');
  const after = await client.call('operators_get', { id: seventh?.id ?? '' });
  assert.deepEqual([after.crew, after.phone, after.status], ['Night', '+351 900 000 000', 'inactive']);

  await page.getByLabel(/Find by name/).fill('');
  await page.getByText('40 operators.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /as CSV/ }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'operators.csv');
  const csv = await readFile(await download.path(), 'utf8');
  assert.equal(csv.trim().split('\r\n').length, 41);

  await page.getByRole('link', { name: 'Mechanics' }).click();
  await page.getByText('No mechanics yet').waitFor();
  await page.getByRole('button', { name: 'Add a mechanic' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Rui');
  await page.getByLabel('Trades').fill('diesel, hydraulics');
  await page.getByRole('button', { name: 'Save mechanic' }).click();
  await page.getByRole('region', { name: 'Rui' }).getByText('diesel, hydraulics').waitFor();
  await page.getByRole('link', { name: 'Operators' }).click();
  await page.getByText('40 operators.').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'people'), []);
  assert.deepEqual(
    watched.complaints.filter((text) => !/40[019]|412|ERR_FAILED/.test(text)),
    [],
  );
});
