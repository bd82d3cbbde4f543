/** People in the office: forty pasted from a spreadsheet, each line with its outcome, found, changed, written about, taken along as CSV. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { shot, sizesThatStickOut, startBrowser, withoutBrowser } from './browser.ts';

const HEAD = 'Number\tFirst name\tLast name\tCrew\tPhone\tCertificates';
const line = (i: number) =>
  `${1000 + i}\tWorker\tNo${i}\t${'ABC'[i % 3]}\t+351 912 345 ${100 + i}\tBlasting 2027-01-31; First aid`;

test('[U51] forty people come from a spreadsheet, nobody twice; one is changed, written about, made inactive; the list goes along as CSV', {
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
  await using chromium = await startBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#people`, {
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    colorScheme: 'dark',
  });
  const { page } = watched;
  const everyone = async () => (await client.call('operators_list', { limit: 200 })).data;
  await page.getByLabel('Key', { exact: true }).fill(OWNER_KEY);
  await page.keyboard.press('Enter');
  await page.getByText('Expired: Crane, expired 2020-01-31').waitFor();
  await shot(page, 'people-list');

  // A number twice is told before anything is sent; somebody who is there already is told by the gateway.
  await page.getByRole('button', { name: 'Paste several' }).click();
  const lines = [HEAD, ...Array.from({ length: 40 }, (_, i) => line(i + 1)), line(7).replace('No7', 'Again')];
  await page.getByLabel(/Copy the lines/).fill(lines.join('\n'));
  await page.getByText('Line 8 has the same number').waitFor();
  await page.getByText('40 ready, 1 to mend').waitFor();
  await shot(page, 'people-preview');
  assert.equal((await everyone()).length, 1, 'looking adds nobody');

  // The line is cut after half of them; what was not answered is sent again and done once.
  let sent = 0;
  const url = '**/api/v1/operators';
  await page.route(url, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    if (++sent !== 20) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Add 40' }).click();
  await page.getByText(/nobody is added twice/).waitFor();
  await shot(page, 'people-lost');
  await page.unroute(url);
  await page.getByRole('button', { name: 'Add 21' }).click();
  await page.getByText('39 added, 1 was there already, 1 to mend').waitFor();
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
  await person.getByRole('button', { name: 'Change', exact: true }).click();
  await person.getByLabel('Crew or shift').fill('Night');
  // Somebody else writes meanwhile: nothing is lost, and it is said.
  await client.call('operators_update', { id: seventh?.id ?? '', phone: '+351 900 000 000' });
  await person.getByRole('button', { name: 'Save' }).click();
  await person.getByText('Somebody else changed phone meanwhile').waitFor();
  await shot(page, 'people-met');
  await person.getByRole('button', { name: 'Save' }).click();
  await person.getByText('+351 900 000 000').waitFor();
  await person.getByLabel('In words').fill('Knows the north ramp');
  await person.getByRole('button', { name: 'Write it down' }).click();
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
    page.getByRole('button', { name: /as a spreadsheet/ }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'operators.csv');
  const csv = await readFile(await download.path(), 'utf8');
  assert.equal(csv.trim().split('\r\n').length, 41);

  await page.getByRole('link', { name: 'Mechanics' }).click();
  await page.getByText('No mechanics yet').waitFor();
  await page.getByRole('button', { name: 'Add a mechanic' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Rui');
  await page.getByLabel('Trades').fill('diesel, hydraulics');
  await page.getByRole('button', { name: 'Add the mechanic' }).click();
  await page.getByRole('region', { name: 'Rui' }).getByText('diesel, hydraulics').waitFor();
  await page.getByRole('link', { name: 'Operators' }).click();
  await page.getByText('40 operators.').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'people'), []);
  assert.deepEqual(
    watched.complaints.filter((text) => !/40[019]|412|ERR_FAILED/.test(text)),
    [],
  );
});
