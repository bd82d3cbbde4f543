/** The editor of a plan in the browser: each list, names that swap, what must be corrected, and a plan of 5,000 machines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { startGateway } from '#test/support/gateway.ts';
import { axeViolations, shot, sizesThatStickOut, sticksOut, withoutBrowser } from './browser.ts';
import { cutTexts, smallTargets, tabFaults } from './pages/checks.ts';
import { DESK, openOffice } from './shared-browser.ts';

const TEXT = `Harrow Hill Quarry, limestone. Two pits, North Pit and East Pit.
HT-01 and HT-02 are Cat 777G haul trucks and run in North Pit. EX-01 is a Komatsu PC1250 excavator in East Pit.
Maybe DZ-9 is a Cat D9 dozer. We sold LD-9.
Day shift 06:00 to 18:00, night shift 18:00 to 06:00. Crew A works day shift, crew B works night shift.
Operators of crew A: Ana Ruiz (EX-01), Tom Field. Mechanic: Lena Moss.
Everybody sang.
Screens:
- canteen: machine status and open repair tickets`;

/** Opens the plan of a text. */
async function openPlan(http: string, text: string, dark = false) {
  const office = await openOffice(http, 'setup', { ...DESK, colorScheme: dark ? 'dark' : 'light' });
  const { page } = office;
  await page.getByLabel('Describe the site, or paste its lists').fill(text);
  await page.getByRole('button', { name: 'Read the description' }).click();
  await page.getByRole('heading', { name: 'Check the plan' }).waitFor();
  return office;
}

/** A field with exactly this label. */
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
/** The row of a field. */
const rowOf = (page: Page, label: string) => page.locator('tr').filter({ has: field(page, label) });

/** Chooses in a field whose choices are made when it gets the focus. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await field(page, label).focus();
  await field(page, label).selectOption({ label: text });
}

test('[U436] [U437] [U440] a person corrects each list of a plan, swaps names and adds objects, and the site is as the page showed it', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Harrow' });
  const client = gateway.project(project.id);
  await using office = await openPlan(gateway.node.http, TEXT, true);
  const { page } = office;
  assert.deepEqual(await sizesThatStickOut(page, 'plan-lists'), []);
  await page.setViewportSize(DESK.viewport);

  // The two pits swap their names, and so do a truck and the excavator.
  await field(page, 'Name of North Pit').fill('Pit 1');
  assert.equal(await field(page, 'Place of HT-01').locator('option:checked').textContent(), 'Pit 1');
  await field(page, 'Name of East Pit').fill('North Pit');
  await field(page, 'Name of Pit 1').fill('East Pit');
  await field(page, 'Unit number of EX-01').fill('HT-9');
  await field(page, 'Unit number of HT-01').fill('EX-01');
  await field(page, 'Unit number of HT-9').fill('HT-01');
  await choose(page, 'North Pit lies in', 'Harrow Hill Quarry');
  await choose(page, 'Kind of North Pit', 'Stockpile');
  assert.deepEqual(
    (await field(page, 'East Pit lies in').locator('option').allTextContents()).includes('East Pit'),
    false,
  );

  await choose(page, 'Machine of Tom Field', 'HT-02');
  await field(page, 'Crew of Tom Field').fill('Crew B');
  await field(page, 'Name of Lena Moss').fill('Lena Mossman');
  await field(page, 'Name of night shift').fill('late shift');
  await field(page, 'Day shift ends').fill('16:00');
  await field(page, 'late shift starts').fill('16:00');
  await field(page, 'Where the screen hangs: canteen').fill('East Pit');
  await rowOf(page, 'Where the screen hangs: East Pit').getByLabel('fuel levels').check();
  await page.getByLabel(/^Text of LD-9/).fill('LD-9 was sold in May.');

  // A proposed machine has the same fields, and a change ticks it.
  assert.equal(await page.getByLabel('Add DZ-9').isChecked(), false);
  await choose(page, 'Place of DZ-9', 'North Pit');
  assert.equal(await page.getByLabel('Add DZ-9').isChecked(), true);

  await page.getByRole('button', { name: 'Add a place' }).click();
  await page.keyboard.type('Workshop');
  await choose(page, 'Kind of Workshop', 'Workshop');
  await page.getByRole('button', { name: 'Add a machine' }).click();
  await page.keyboard.type('WT-1');
  await choose(page, 'Kind of WT-1', 'Water truck');
  await choose(page, 'Place of WT-1', 'Workshop');
  await page.getByRole('button', { name: 'Add an operator' }).click();
  await page.keyboard.type('Ben Hall');
  await choose(page, 'Machine of Ben Hall', 'WT-1');
  await page.getByRole('button', { name: 'Add a mechanic' }).click();
  await page.keyboard.type('Eva Stone');
  await page.getByRole('button', { name: 'Add a screen' }).click();
  await page.keyboard.type('Workshop');
  await rowOf(page, 'Where the screen hangs: Workshop').getByLabel('active alerts').check();
  await page.getByRole('button', { name: 'Add a text to remember' }).click();
  await page.keyboard.type('The gate closes at 22:00.');
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const [i, list] of ['Machines', 'Places', 'Operators', 'Shifts', 'Screens'].entries()) {
    await page.getByRole('heading', { name: new RegExp(`^${list} `) }).evaluate((one) => one.scrollIntoView());
    await shot(page, `plan-dark-${i}-${list}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('heading', { name: /^Operators / }).evaluate((one) => one.scrollIntoView());
  await shot(page, 'plan-light-operators');
  assert.deepEqual(await axeViolations(page), []);

  await page.getByRole('button', { name: /^Make \d+ objects$/ }).click();
  await page.getByText(/^Made 5 machines/).waitFor();
  const places = (await client.call('locations_list', {})).data;
  const nameOf = (id: string | null | undefined) => places.find((one) => one.id === id)?.name ?? null;
  const operators = (await client.call('operators_list', {})).data;
  const machines = (await client.call('equipment_list', {})).data.map((one) => [
    one.unit_number,
    one.kind,
    nameOf(one.location_id),
    operators.find(({ id }) => id === one.operator_id)?.name ?? null,
  ]);
  assert.deepEqual(machines.toSorted(), [
    ['DZ-9', 'dozer', 'North Pit', null],
    ['EX-01', 'haul_truck', 'East Pit', null],
    ['HT-01', 'excavator', 'North Pit', 'Ana Ruiz'],
    ['HT-02', 'haul_truck', 'East Pit', 'Tom Field'],
    ['WT-1', 'water_truck', 'Workshop', 'Ben Hall'],
  ]);
  assert.deepEqual(places.map((one) => [one.name, one.kind, nameOf(one.parent_id)]).toSorted(), [
    ['East Pit', 'pit', 'Harrow Hill Quarry'],
    ['Harrow Hill Quarry', 'site', null],
    ['North Pit', 'stockpile', 'Harrow Hill Quarry'],
    ['Workshop', 'workshop', null],
  ]);
  assert.deepEqual(operators.map(({ name, crew }) => [name, crew]).toSorted(), [
    ['Ana Ruiz', 'Crew A'],
    ['Ben Hall', null],
    ['Tom Field', 'Crew B'],
  ]);
  const mechanics = (await client.call('mechanics_list', {})).data.map(({ name }) => name);
  assert.deepEqual(mechanics.toSorted(), ['Eva Stone', 'Lena Mossman']);
  const { shift_pattern } = await client.call('projects_get', { id: project.id });
  assert.deepEqual(shift_pattern, [
    { name: 'Day shift', starts: '06:00', ends: '16:00' },
    { name: 'late shift', starts: '16:00', ends: '06:00' },
  ]);
  const facts = (await client.call('learnings_list', {})).data.map(({ fact }) => fact);
  assert.deepEqual(facts.toSorted(), ['LD-9 was sold in May.', 'The gate closes at 22:00.']);
  const boards = (await client.call('dashboards_list', {})).data.map(({ name }) => name);
  assert.ok(boards.includes('East Pit: machine status, open repairs, fuel'), boards.join('\n'));
  assert.ok(boards.includes('Workshop: alerts'));
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U437] [U439] [U441] what must be corrected stands at its field, and a person corrects it with the keyboard alone', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Harrow' });
  const client = gateway.project(project.id);
  await using office = await openPlan(gateway.node.http, TEXT);
  const { page } = office;
  const wrong = () => page.locator('.plan-wrong').allTextContents();
  await field(page, 'Unit number of HT-02').fill('ht-01');
  await field(page, 'Name of East Pit').fill('');
  await field(page, 'Day shift ends').fill('06:00');
  for (const topic of ['machine status', 'open repairs'])
    await rowOf(page, 'Where the screen hangs: canteen').getByLabel(topic).uncheck();
  assert.deepEqual(await wrong(), [
    'Another machine has this number.',
    'Another machine has this number.',
    'Enter a name.',
    'The shift begins and ends at the same time. Enter a shift of 24 hours as two shifts.',
    'Choose what the screen shows.',
  ]);
  assert.equal(await field(page, 'Unit number of ht-01').getAttribute('aria-invalid'), 'true');
  await shot(page, 'plan-wrong-machines');
  await page.getByRole('button', { name: 'Correct 5 fields' }).scrollIntoViewIfNeeded();
  await shot(page, 'plan-wrong-end');
  assert.deepEqual(await axeViolations(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await sticksOut(page), 0);
  for (const title of ['Places', 'Shifts', 'Screens']) {
    await page.getByRole('heading', { name: new RegExp(`^${title} `) }).evaluate((one) => one.scrollIntoView());
    await shot(page, `plan-wrong-phone-${title}`);
  }
  assert.deepEqual(await axeViolations(page), []);
  assert.deepEqual(await cutTexts(page), []);
  assert.deepEqual(await smallTargets(page), []);
  assert.deepEqual(await tabFaults(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await axeViolations(page), []);
  await page.setViewportSize(DESK.viewport);

  // The button makes nothing, and moves to the first field; from here on, only keys are used.
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);
  const go = async (n: number) => {
    await page.getByRole('button', { name: `Correct ${n} field` }).focus();
    await page.keyboard.press('Enter');
  };
  const type = async (text: string) => {
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
  };
  await go(5);
  await page.locator('[aria-label="Unit number of HT-01"]:focus').waitFor();
  await type('HT-03');
  assert.equal(await focused(), 'Unit number of HT-03');
  await go(3);
  await page.locator('[aria-label="Name of row without a name"]:focus').waitFor();
  await type('East Pit');
  await go(2);
  await page.locator('[aria-label="Day shift ends"]:focus').waitFor();
  await page.keyboard.type('0600PM');
  assert.equal(await field(page, 'Day shift ends').inputValue(), '18:00');
  await go(1);
  await page.locator('.plan-many:focus').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.deepEqual(await wrong(), []);
  assert.equal((await client.call('equipment_list', {})).data.length, 0);

  // A choice works with the keys, and with a press of the pointer, although its choices are made only then.
  const chosen = (label: string) => field(page, label).locator('option:checked').textContent();
  await field(page, 'Place of EX-01').focus();
  assert.equal(await chosen('Place of EX-01'), 'East Pit');
  await page.keyboard.press('ArrowUp');
  assert.equal(await chosen('Place of EX-01'), 'North Pit');
  await page.keyboard.press('Tab');
  assert.equal(await chosen('Place of EX-01'), 'North Pit');
  await field(page, 'Machine of Tom Field').click();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await chosen('Machine of Tom Field'), 'HT-03');

  // A place that is left out: what names it is made without it, the row says so, and the tick brings it back.
  await field(page, 'Keep North Pit').focus();
  await page.keyboard.press('Space');
  const truck = rowOf(page, 'Place of HT-03');
  assert.match((await truck.textContent()) ?? '', /North Pit is left out\./);
  assert.equal(await field(page, 'Place of HT-03').inputValue(), '');
  await shot(page, 'plan-left-out-dark');
  await page.keyboard.press('Space');
  assert.equal(await field(page, 'Place of HT-03').locator('option:checked').textContent(), 'North Pit');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: /^Make \d+ objects$/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^Made 3 machines/).waitFor();
  const machines = (await client.call('equipment_list', {})).data;
  assert.equal(machines.find(({ unit_number }) => unit_number === 'HT-03')?.location_id, null);
});

test('[U438] each of 5,000 machines can be found and corrected, and typing shows each letter at once', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'Harrow' });
  await using office = await openOffice(gateway.node.http, 'setup');
  const { page } = office;
  const rows = Array.from({ length: 4_999 }, (_, i) => `DT-${i + 1};dozer;Z${(i % 40) + 1}`);
  const buffer = Buffer.from(['Unit;Type;Location', ...rows].join('\n'));
  await page.getByLabel('Add files').setInputFiles([{ name: 'fleet.csv', mimeType: 'text/csv', buffer }]);
  await page.getByText('fleet.csv, ').waitFor();
  // A file has at most 4,999 machines and the row of its titles.
  await page.getByLabel('Describe the site, or paste its lists').fill('DZ-1 is a Cat D9 dozer.');
  await page.getByRole('button', { name: 'Read the description' }).click();
  await page.getByRole('heading', { name: 'Machines (5000)' }).waitFor();
  await page.getByText('1 to 100 of 5000').first().waitFor();
  await page.getByRole('button', { name: 'Rows after' }).first().click();
  await page.getByText('101 to 200 of 5000').first().waitFor();
  await field(page, 'Unit number of DT-101').fill('T-101');
  await page.getByLabel('Find by unit number').fill('dt-4999');
  await field(page, 'Unit number of DT-4999').fill('DT-101');
  await page.getByLabel('Find by unit number').fill('');
  await page.getByText('1 to 100 of 5000').first().waitFor();
  await shot(page, 'plan-5000');

  await field(page, 'Unit number of DT-7').press('End');
  await page.keyboard.type('x5');
  assert.equal(await page.locator(':focus').inputValue(), 'DT-7x5');

  // A number that another page has twice: the button opens the page of the machine.
  await field(page, 'Unit number of DT-8').fill('DT-4050');
  await page.getByRole('button', { name: 'DT-4050: Another machine has this number.' }).last().click();
  await page.getByText('4001 to 4100 of 5000').first().waitFor();
  await page.locator('[aria-label="Unit number of DT-4050"]:focus').waitFor();
});
