/** The page of a setup in the browser: the plan beside its words, corrections, a proposal that a person confirms, and the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xlsx } from '#test/reading/made-files.ts';
import { startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const TEXT = `Harrow Hill Quarry, limestone. Two pits, North Pit and East Pit.
HT-01 to HT-04 are Cat 777G haul trucks and run in North Pit. Two Komatsu PC1250 excavators, EX-01 in North Pit and EX-02 in East Pit.
Two Volvo L180H wheel loaders have no numbers. The screener is a Powerscreen of size 1400.
Day shift 07:00 to 15:00, late shift 15:00 to 23:00. Operators: Ana Ruiz (EX-01), Tom Field. Mechanic: Lena Moss.
Everybody sang.
Screens:
- canteen: machine status and open repair tickets`;

test('[U190] a person reads a description, corrects the plan and confirms a proposal, and only the corrected plan is made', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Harrow' });
  const client = gateway.project(project.id);
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines`, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
  });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('link', { name: 'describe the site in words' }).click();
  await page.getByLabel('Describe the site, or paste its lists').fill(TEXT);
  await shot(page, 'setup-text');
  await page.getByRole('button', { name: 'Read the description' }).click();
  await page.getByRole('heading', { name: 'Machines (8)' }).waitFor();
  await page.getByText('Everybody sang.').last().waitFor();
  assert.equal((await client.call('equipment_list', {})).data.length, 0, 'the plan makes nothing');
  assert.deepEqual(await sizesThatStickOut(page, 'setup-plan'), []);
  await page.setViewportSize({ width: 1440, height: 900 });

  // The row that has the focus shows its words in the text.
  await page.getByLabel('Unit number of EX-01').focus();
  assert.match((await page.locator('mark.chosen').allTextContents()).join(' '), /EX-01/);
  await shot(page, 'setup-plan-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await shot(page, 'setup-plan-light');
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'setup-plan-phone');
  const doubtful = page.getByRole('heading', { name: 'Not certain (1)' });
  await doubtful.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 500);
  await shot(page, 'setup-proposal-phone');
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByLabel('Unit number of WL-01').fill('LD-7');
  await page.getByLabel('Keep WL-02').uncheck();
  await doubtful.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 500);
  await shot(page, 'setup-proposal-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'setup-proposal-dark');
  // A proposal is not ticked. Typing its number ticks it.
  const tick = page.getByLabel(/^Add /);
  assert.equal(await tick.isChecked(), false);
  await page.getByLabel('Unit number of SC-01').fill('SCR-1');
  assert.equal(await tick.isChecked(), true);
  await page.getByLabel('Keep Tom Field').uncheck();
  await page.getByRole('button', { name: /^Make \d+ objects$/ }).click();
  await page.getByText(/^Made 8 machines/).waitFor();
  await shot(page, 'setup-made');
  const units = (await client.call('equipment_list', { limit: 200 })).data.map(({ unit_number }) => unit_number);
  assert.deepEqual(units.toSorted(), ['EX-01', 'EX-02', 'HT-01', 'HT-02', 'HT-03', 'HT-04', 'LD-7', 'SCR-1']);
  const people = (await client.call('operators_list', {})).data.map(({ name }) => name);
  assert.deepEqual(people, ['Ana Ruiz']);
  // The sign-in page asks for the session before the key is known.
  assert.deepEqual(
    watched.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U190] [Q30] a person adds files, sees the row of each machine, and takes a PDF that Chromium printed', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Harrow' });
  const client = gateway.project(project.id);
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/#machines`, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
  });
  const { page } = watched;
  await signIn(page);
  const printer = await page.context().newPage();
  await printer.setContent(
    '<style>td, th { padding: 4px 8px }</style><h1>Harrow Hill Quarry</h1><table><tr><th>Unit</th><th>Type</th><th>Make</th><th>Year</th></tr><tr><td>WL-5</td><td>wheel loader</td><td></td><td>2018</td></tr></table>',
  );
  const printed = await printer.pdf();
  await printer.close();
  await page.getByRole('link', { name: 'describe the site in words' }).click();
  const rows = [
    ['Unit', 'Type', 'Make', 'Model', 'Location'],
    ['HT-01', 'Haul truck', 'Caterpillar', '777G', 'North Pit'],
    ['HT-02', 'Haul truck', 'Caterpillar', '777G', 'North Pit'],
  ];
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
  await page
    .getByLabel('Add files')
    .setInputFiles([
      file('fleet.xlsx', xlsx([{ name: 'Fleet', rows }])),
      file('plan.pdf', printed),
      file('old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])),
    ]);
  await page.getByText('fleet.xlsx, ').waitFor();
  assert.deepEqual(await sizesThatStickOut(page, 'setup-files'), []);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Read the description' }).click();
  await page.getByRole('heading', { name: 'Machines (3)' }).waitFor();
  await page.getByText(/old\.xls: The file has a password, or is of an old kind/).waitFor();
  await page.getByLabel('Unit number of HT-02').focus();
  await page.getByText('fleet.xlsx, sheet Fleet, row 3').waitFor();
  assert.match((await page.locator('mark.chosen').allTextContents()).join(' '), /HT-02; Haul truck/);
  await page.getByLabel('Unit number of WL-5').focus();
  await page.getByText('plan.pdf, page 1, line 3').waitFor();
  assert.equal(await page.getByLabel('Make of WL-5').inputValue(), '', 'an empty cell moves nothing');
  await shot(page, 'setup-files-plan');
  await page.getByRole('button', { name: /^Make \d+ objects$/ }).click();
  await page.getByText(/^Made 3 machines/).waitFor();
  const { evidence } = await client.call('projects_setup_status', { project_id: project.id });
  assert.ok(evidence.some(({ source }) => source === 'fleet.xlsx, sheet Fleet, row 2'));
});
