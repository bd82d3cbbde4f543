/** The outbox of a tablet: kept without the gateway, killed with the browser, sent once, and what needs a person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { addNote, notesOf, openTabletRig, statesOf } from '#test/support/tablet-rig.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, sticksOut, withoutBrowser } from './browser.ts';

const SIZES = [
  ['tablet', 1024, 768],
  ['phone', 390, 844],
] as const;

/** Takes a picture in both sizes and themes, and returns what sticks out or breaks a rule of accessibility. */
async function look(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await shot(page, `outbox-${name}-${size}-${colorScheme}`);
    }
    if ((await sticksOut(page)) > 0) found.push(`${name} ${size} sticks out`);
  }
  return [...found, ...(await axeViolations(page))];
}

test('[U265] [U266] [U267] [U271] [U272] [U273] [U275] notes outlive kills of gateway and browser and are sent once; a conflict shows both values', {
  skip: withoutBrowser,
}, async () => {
  await using rig = await openTabletRig();
  const [ticket = ''] = rig.tickets;
  let page = await rig.startBrowser();
  await rig.signIn(page, `#tickets/${ticket}`);
  await page.getByLabel('Note', { exact: true }).waitFor();
  await rig.killGateway();
  for (const text of ['one', 'two', 'three']) await addNote(page, text);
  await page.getByRole('button', { name: 'Start work' }).click();
  await page.getByText('4 changes to send').waitFor();
  // The next step builds on the one that is not sent.
  await page.getByRole('button', { name: 'Mark as fixed' }).waitFor();
  await page.evaluate(`location.hash = '#outbox'`);
  await page.getByRole('heading', { name: 'To send' }).waitFor();
  assert.deepEqual(await look(page, 'waiting'), []);
  await rig.killBrowser();

  await rig.startGateway();
  // Meanwhile somebody in the office starts the work, and puts it on hold.
  const started = await rig.client.call('repair_tickets_update', { id: ticket, status: 'in_progress' });
  const held = { id: ticket, status: 'on_hold', hold_reason: 'parts' } as const;
  await rig.client.call('repair_tickets_update', held, { if_match: started.revision });
  page = await rig.startBrowser();
  await page.getByText('Who are you?').waitFor();
  await page.getByText('1 change needs the person who wrote it').waitFor();
  assert.deepEqual(await look(page, 'screen'), []);
  assert.deepEqual(await notesOf(rig, ticket), ['one', 'two', 'three']);
  const events = (await rig.client.call('repair_tickets_events', { id: ticket, type: 'comment' })).data;
  assert.ok(events.every(({ actor }) => actor.name === 'Olaf Berg'));

  await rig.signIn(page, '#outbox');
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  await page.getByText('Changed meanwhile').waitFor();
  // The tablet alone could send it, and not read what is there now; the person can.
  await page.getByRole('button', { name: 'Write it anyway' }).waitFor();
  const row = page.getByRole('row', { name: /Status/ });
  // The conflict came while nobody was signed in. The page reads what is there now.
  await row.getByText('On hold').waitFor();
  assert.deepEqual(await row.getByRole('cell').allTextContents(), ['Flagged', 'In progress', 'On hold']);
  assert.deepEqual(await look(page, 'conflict'), []);
  await page.getByRole('button', { name: 'Write it anyway' }).click();
  await until(async () => (await statesOf(page)).every((state) => state === 'sent'), 'all is sent', 100);
  const now = await rig.client.call('repair_tickets_get', { id: ticket });
  assert.equal(now.status, 'in_progress');
  await page.getByText('Needs you').waitFor({ state: 'detached' });
  assert.deepEqual(await look(page, 'sent'), []);
});

test('[U270] [H105] a write whose pass ended with a new PIN is refused, and its person writes it with a button', {
  skip: withoutBrowser,
}, async () => {
  await using rig = await openTabletRig();
  const [ticket = ''] = rig.tickets;
  const page = await rig.startBrowser();
  await rig.signIn(page, `#tickets/${ticket}`);
  await addNote(page, 'with the first PIN');
  await rig.killGateway();
  await addNote(page, 'without the gateway');
  await page.getByText('1 change to send').waitFor();
  // The tablet stays out of reach until the PIN is new.
  await page.context().setOffline(true);
  await rig.startGateway();
  await page.route('**/repair-tickets/*/events', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.context().setOffline(false);
  await rig.resetPin(page);
  await page.unroute('**/repair-tickets/*/events');
  await page.evaluate(`location.hash = '#outbox'`);
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  await page.getByText('If it is still right, write it now.').waitFor();
  assert.deepEqual(await look(page, 'ended-pass'), []);
  assert.deepEqual(await notesOf(rig, ticket), ['with the first PIN']);
  await page.getByRole('button', { name: 'Write it now' }).click();
  await until(async () => (await statesOf(page)).every((state) => state === 'sent'), 'the note is sent', 50);
  assert.deepEqual(await notesOf(rig, ticket), ['with the first PIN', 'without the gateway']);
});
