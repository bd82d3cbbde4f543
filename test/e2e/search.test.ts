/** The search of the office, by keyboard and by pointer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

test('[U195] Ctrl+K finds a machine, a repair and a page, and Enter opens it', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-07');
  await addMachine(client, 'EX-1');
  const ticket = await client.call('repair_tickets_create', {
    equipment_id: machine.equipment_id,
    title: 'Brake accumulator leaks',
  });
  for (const [name, viewport] of [
    ['desk', { width: 1440, height: 900 }],
    ['phone', { width: 390, height: 844 }],
  ] as const) {
    await using office = await chromium.open(gateway.node.http, { viewport });
    const { page } = office;
    await signIn(page);
    await page.getByRole('navigation').waitFor();
    // Before the sign-in the page asks who it is, and the browser reports the answer 401.
    office.complaints.length = 0;
    const field = page.getByRole('combobox', { name: 'Search' });
    const at = () => new URL(page.url()).hash;

    await page.keyboard.press('Control+k');
    await field.fill('ht7');
    await page.getByRole('option', { name: /HT-07.*Machine/s }).waitFor();
    await page.getByRole('status').getByText('results').or(page.getByText('1 result')).first().waitFor();
    await shot(page, `search-${name}`);
    assert.equal(await sticksOut(page), 0, name);
    assert.deepEqual(await axeViolations(page), [], name);
    await page.keyboard.press('Enter');
    await until(() => at() === `#machines/${machine.equipment_id}`, 'the machine is open');
    assert.equal(await field.count(), 0, 'the search has closed');

    await page.getByRole('button', { name: 'Search' }).click();
    await field.fill('leak');
    await page.getByRole('option', { name: /Brake accumulator leaks/ }).click();
    await until(() => at() === `#tickets/${ticket.id}`, 'the repair is open');

    await page.keyboard.press('Control+k');
    await field.fill('ma');
    const map = page.getByRole('option', { name: /^Map/ });
    await map.waitFor();
    for (let i = 0; i < 12 && (await map.getAttribute('aria-selected')) !== 'true'; i++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(() => at() === '#map', 'the page is open');

    await page.keyboard.press('Control+k');
    await field.fill('nothing like this');
    await page.getByText('Nothing has "nothing like this" in its name or number.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    assert.equal(at(), '#map');
    assert.deepEqual(office.complaints, []);
  }
});
