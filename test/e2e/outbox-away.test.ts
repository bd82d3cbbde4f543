/** The outbox in a browser without the gateway: what is kept, what goes on, what is sent once, and what never overwrites another person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page, Route } from 'playwright';
import type { Client } from '#contract/client.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { statesOf } from '#test/support/tablet-rig.ts';
import { until } from '#test/support/until.ts';
import { shot, signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const skip = withoutBrowser;
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };

interface Site {
  readonly gateway: TestGateway;
  readonly client: Client;
  readonly machine: string;
  ticket(title: string): Promise<string>;
}

async function makeSite(gateway: TestGateway): Promise<Site> {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = (await client.call('equipment_create', { unit_number: 'HT-03' })).id;
  const ticket = async (title: string) =>
    (await client.call('repair_tickets_create', { title, equipment_id: machine })).id;
  return { gateway, client, machine, ticket };
}

async function openTicket(page: Page, id: string): Promise<void> {
  await page.evaluate(`location.hash = '#tickets/${id}'`);
  await page.getByLabel('Note', { exact: true }).waitFor();
}

const noteOf = (page: Page) => page.getByLabel('Note', { exact: true });

async function addNote(page: Page, text: string): Promise<void> {
  await noteOf(page).fill(text);
  await page.getByRole('button', { name: 'Add note' }).click();
  await until(async () => (await noteOf(page).inputValue()) === '', 'the page has the note', 50);
}

const notesOf = async ({ client }: Site, id: string): Promise<string[]> =>
  (await client.call('repair_tickets_events', { id, type: 'comment', limit: 200 })).data
    .map(({ data }) => String(data.text))
    .sort();

const allSent = (page: Page) =>
  until(async () => (await statesOf(page)).every((state) => state === 'sent'), 'everything is sent', 100);

test('[U265] a person who is away for longer than the pass is new goes on writing, and nothing is lost', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const id = await site.ticket('Leak');
  const chromium = await sharedBrowser();
  await using office = await chromium.open('about:blank');
  const { page } = office;
  await page.clock.install();
  await page.goto(gateway.node.http);
  await signIn(page);
  await openTicket(page, id);
  await addNote(page, 'with the gateway');
  await page.context().setOffline(true);
  await page.clock.fastForward(11 * 60_000);
  for (const text of ['one', 'two', 'three']) await addNote(page, text);
  await page.clock.fastForward(30 * 60_000);
  for (const text of ['four', 'five']) await addNote(page, text);
  await page.getByText('5 changes to send').waitFor();
  await page.context().setOffline(false);
  await allSent(page);
  assert.deepEqual(await notesOf(site, id), ['five', 'four', 'one', 'three', 'two', 'with the gateway']);
});

test('[U277] a record that the gateway cannot take does not hold up another one', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const broken = await site.ticket('Leak');
  const sound = await site.ticket('Tyre');
  const chromium = await sharedBrowser();
  await using office = await chromium.open(gateway.node.http);
  const { page } = office;
  await signIn(page);
  await openTicket(page, broken);
  const events = `**/api/v1/repair-tickets/${broken}/events`;
  const error = { code: 'internal_error', message: 'The gateway could not do this.', details: [] };
  let asked = 0;
  const refuse = (route: Route) => {
    if (route.request().method() !== 'POST') return route.continue();
    asked++;
    return route.fulfill({ status: 500, json: { object: 'error', error } });
  };
  await page.route(events, refuse);
  await addNote(page, 'first');
  await addNote(page, 'second');
  await openTicket(page, sound);
  await addNote(page, 'third');
  await until(async () => (await notesOf(site, sound)).length === 1, 'the other record is sent', 100);
  assert.deepEqual(await notesOf(site, broken), []);
  await until(() => asked >= 3, 'the gateway is asked again', 100);
  await page.evaluate(`location.hash = '#outbox'`);
  await page.getByText('The gateway could not do this.').first().waitFor();
  await page.unroute(events);
  await allSent(page);
  assert.deepEqual(await notesOf(site, broken), ['first', 'second']);
});

/** Does something, and then puts back what the tab kept before, as if the browser was killed before it could clear the form. Reloads. */
async function killBeforeClear(page: Page, act: () => Promise<void>): Promise<void> {
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  await act();
  await page.evaluate((all) => {
    for (const [name, value] of Object.entries(JSON.parse(all) as Record<string, string>))
      sessionStorage.setItem(name, value);
  }, kept);
  await page.reload();
  await noteOf(page).waitFor();
}

test('[U266] a kill after a write is stored and before its form is empty makes no second write', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const id = await site.ticket('Leak');
  const chromium = await sharedBrowser();
  await using office = await chromium.open(gateway.node.http);
  const { page } = office;
  await signIn(page);
  await openTicket(page, id);
  await noteOf(page).fill('Hose');
  const send = page.getByRole('button', { name: 'Add note' });
  await killBeforeClear(page, async () => {
    await send.click();
    await until(async () => (await noteOf(page).inputValue()) === '', 'the page has the note', 50);
  });
  assert.equal(await noteOf(page).inputValue(), 'Hose');
  await send.click();
  await until(async () => (await noteOf(page).inputValue()) === '', 'the page has the note', 50);
  await allSent(page);
  assert.deepEqual(await notesOf(site, id), ['Hose']);

  const work = async () => (await site.client.call('repair_tickets_get', { id })).labor.map(({ minutes }) => minutes);
  await page.getByText('Add work').click();
  await page.getByRole('radio', { name: '30 min' }).check();
  await killBeforeClear(page, async () => {
    await page.getByRole('button', { name: 'Save work' }).click();
    await page.getByRole('radio', { name: '30 min' }).waitFor({ state: 'hidden' });
  });
  await page.getByRole('button', { name: 'Save work' }).click();
  await page.getByRole('radio', { name: '30 min' }).waitFor({ state: 'hidden' });
  await allSent(page);
  assert.deepEqual(await work(), [30]);
});

test('[U278] other content under the id of a write that was tried is not dropped in silence', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const id = await site.ticket('Leak');
  const chromium = await sharedBrowser();
  await using office = await chromium.open(gateway.node.http);
  const { page } = office;
  await signIn(page);
  await openTicket(page, id);
  await noteOf(page).fill('Hose');
  const send = page.getByRole('button', { name: 'Add note' });
  await killBeforeClear(page, async () => {
    await send.click();
    await until(async () => (await noteOf(page).inputValue()) === '', 'the page has the note', 50);
    await allSent(page);
  });
  await noteOf(page).fill('Hose and clamp');
  await send.click();
  await page.getByText('This form was saved before with other content').waitFor();
  assert.equal(await noteOf(page).inputValue(), 'Hose and clamp');
  await send.click();
  await until(async () => (await notesOf(site, id)).length === 2, 'the second press is a new note', 50);
  assert.deepEqual(await notesOf(site, id), ['Hose', 'Hose and clamp']);
});

test('[U276] kept work never overwrites what another person wrote, and other unsaved text stays', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const id = await site.ticket('Leak');
  const chromium = await sharedBrowser();
  await using office = await chromium.open(gateway.node.http);
  const { page } = office;
  await signIn(page);
  await openTicket(page, id);
  await page.getByLabel('Description').fill('A long text about the leak');
  // The changes of the ticket do not arrive, but the page still reads.
  const changes = `**/api/v1/repair-tickets/${id}`;
  await page.route(changes, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()));
  const addWork = async (minutes: string) => {
    if (!(await page.getByRole('radio', { name: minutes }).isVisible())) await page.getByText('Add work').click();
    await page.getByRole('radio', { name: minutes }).check();
    await page.getByRole('button', { name: 'Save work' }).click();
    await page.getByRole('button', { name: `Remove ${minutes}` }).waitFor();
    await page.getByRole('button', { name: 'Save work' }).waitFor({ state: 'hidden' });
  };
  await addWork('15 min');
  assert.equal(await page.getByLabel('Description').inputValue(), 'A long text about the leak');
  const labor = [{ id: 'b'.repeat(32), mechanic_id: null, minutes: 60, note: 'By Ada' }];
  const { revision } = await site.client.call('repair_tickets_update', { id, labor });
  // The page reads the newer revision before it sends anything.
  await page.waitForResponse(async (response) => {
    if (!response.url().endsWith(id) || response.request().method() !== 'GET') return false;
    return ((await response.json()) as { revision: number }).revision === revision;
  });
  await addWork('30 min');
  await page.unroute(changes);
  await page.evaluate(`location.hash = '#outbox'`);
  const keep = page.getByRole('button', { name: 'Keep what is there now' });
  await keep.waitFor();
  await page.getByText('minutes 60, note By Ada').waitFor();
  await shot(page, 'outbox-work-conflict');
  await keep.click();
  // The second change is based on the first one, so the person decides about it too.
  await page.getByText('minutes 15; minutes 30').first().waitFor();
  await keep.click();
  await until(async () => (await statesOf(page)).length === 0, 'nothing waits', 100);
  const now = await site.client.call('repair_tickets_get', { id });
  assert.deepEqual(
    now.labor.map(({ minutes }) => minutes),
    [60],
  );
  await openTicket(page, id);
  assert.equal(await page.getByLabel('Description').inputValue(), 'A long text about the leak');
});

test('[U276] a second change of a form without the gateway does not undo the first one', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const id = await site.ticket('Leak');
  const chromium = await sharedBrowser();
  await using office = await chromium.open(gateway.node.http);
  const { page } = office;
  await signIn(page);
  await openTicket(page, id);
  await addNote(page, 'with the gateway');
  await page.context().setOffline(true);
  const save = async (label: string, text: string) => {
    await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: 'Save changes' }).click();
    // The form goes on from what the browser keeps.
    await page.getByText('Undo changes').waitFor({ state: 'hidden' });
    assert.equal(await page.getByLabel(label).inputValue(), text);
  };
  await save('Cause', 'hose burst');
  await save('What was done', 'new hose');
  await page.context().setOffline(false);
  await allSent(page);
  const { failure } = await site.client.call('repair_tickets_get', { id });
  assert.deepEqual([failure.cause, failure.remedy], ['hose burst', 'new hose']);
});

test('[U273] a late write says that its time is not known if the clock of the device jumped', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const id = await site.ticket('Leak');
  const chromium = await sharedBrowser();
  await using office = await chromium.open('about:blank');
  const { page } = office;
  await page.clock.install();
  await page.goto(gateway.node.http);
  await signIn(page);
  await openTicket(page, id);
  await addNote(page, 'with the gateway');
  await page.context().setOffline(true);
  // Somebody sets the clock 700 days ahead before the person writes, and 700 days more after that.
  await page.clock.fastForward(700 * 86_400_000);
  await addNote(page, 'without the gateway');
  await page.clock.fastForward(700 * 86_400_000);
  await page.context().setOffline(false);
  await allSent(page);
  const { data } = await site.client.call('repair_tickets_events', { id, type: 'comment', limit: 10 });
  assert.deepEqual(
    data.map((event) => [event.data.text, event.data.time_not_known ?? false]),
    [
      ['without the gateway', true],
      ['with the gateway', false],
    ],
  );
  await page.getByText(/received .*, written before/).waitFor();
});

async function linkOf({ client, machine }: Site, action: 'read-or-create' | 'rotate' = 'read-or-create') {
  const { url } = await client.call('fault_links', { equipment_id: machine, action });
  return `/report/${url?.split('/report/')[1] ?? ''}`;
}

const chip = (page: Page) => page.getByRole('button', { name: 'Brakes or steering' });
const stops = (page: Page) => page.getByRole('button', { name: /^No, stop it/ });

/** Opens the form behind "Not OK", with the name of the person if the phone does not know it. */
async function openForm(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Not OK/ }).click();
  const name = page.getByLabel('Your name');
  await name.or(chip(page)).first().waitFor();
  if (!(await name.isVisible())) return;
  await name.fill('Ana Ruiz');
  await page.getByRole('button', { name: 'Go on' }).click();
}

async function fillReport(page: Page, text: string, stopped = false): Promise<void> {
  await openForm(page);
  await chip(page).click();
  await (stopped ? stops(page) : page.getByRole('button', { name: /^Yes, look at it soon/ })).click();
  await page.getByRole('button', { name: 'Add words' }).click();
  await page.getByLabel('Your words').fill(text);
  await page.locator('button.send').click();
}

test('[U274] [U385] a refused report stays visible with every QR code, until the person deletes it', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const old = await linkOf(site);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open(`${gateway.node.http}${old}`, PHONE);
  const { page } = phone;
  await page.getByRole('button', { name: /^Not OK/ }).waitFor();
  await page.context().setOffline(true);
  await fillReport(page, 'The brake is weak', true);
  await page.getByText('Saved on this phone').waitFor();
  assert.equal(await page.locator('.kept .stop').textContent(), 'The machine cannot work');
  const fresh = await linkOf(site, 'rotate');
  await page.context().setOffline(false);
  // The page behind the old code has no form any more.
  await page.goto(`${gateway.node.http}${old}`);
  await page.getByText('The gateway did not take this report').waitFor();
  await page.getByText('The brake is weak').waitFor();
  assert.equal(await page.locator('section .stop').textContent(), 'The machine cannot work');
  await shot(page, 'report-refused-old-code');
  await page.goto(`${gateway.node.http}${fresh}`);
  await page.getByText('The brake is weak').waitFor();
  await page.getByRole('button', { name: /^Not OK/ }).waitFor();
  await shot(page, 'report-refused-new-code');
  await page.getByRole('button', { name: 'Delete it here' }).click();
  await page.getByText('The brake is weak').waitFor({ state: 'detached' });
});

/** A phone whose browser stores nothing: a private window of some browsers, or a full disk. */
async function withoutStorage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, 'indexedDB', {
      get: () => {
        throw new DOMException('The user denied permission to access the database.', 'SecurityError');
      },
    });
  });
}

test('[U387] [U371] without storage, what a person adds after a lost answer is not lost', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const link = await linkOf(site);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open('about:blank', PHONE);
  const { page } = phone;
  await withoutStorage(page);
  await page.goto(`${gateway.node.http}${link}`);
  let posts = 0;
  await page.route('**/api/v1/fault-reports/*', async (route) => {
    if (route.request().method() !== 'POST' || posts++ > 0) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await fillReport(page, 'The brake is weak');
  await page.getByText('The gateway does not answer').waitFor();
  // The browser ends the page and opens it again. The gateway may still have the first report.
  await page.reload();
  await stops(page).click();
  assert.equal(await stops(page).getAttribute('aria-pressed'), 'true');
  await page.locator('button.send').click();
  await page.getByText('Thank you. The workshop has your report.').waitFor();
  assert.equal(await page.locator('.kept .stop').textContent(), 'The machine cannot work');
  const { data } = await site.client.call('repair_tickets_list', {});
  assert.deepEqual(
    data.map(({ priority }) => priority),
    ['critical'],
  );
});

test('[U279] a phone that stores nothing reports a fault directly, and only once', { skip }, async () => {
  await using gateway = await startGateway();
  const site = await makeSite(gateway);
  const link = await linkOf(site);
  const chromium = await sharedBrowser();
  await using phone = await chromium.open('about:blank', PHONE);
  const { page } = phone;
  await withoutStorage(page);
  await page.goto(`${gateway.node.http}${link}`);
  let lost = 0;
  // The gateway takes the report, and its answer is lost.
  await page.route('**/api/v1/fault-reports/*', async (route) => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await fillReport(page, 'The brake is weak');
  await page.getByText('The gateway does not answer').waitFor();
  await page.locator('button.send').click();
  await page.getByText('Thank you. The workshop has your report.').waitFor();
  await page.getByText(/^ticket RT-/).waitFor();
  assert.equal((await site.client.call('repair_tickets_list', {})).data.length, 1);
});

/** Runs `act` with a store of the outbox, which has the name `store` in it. */
const inStore = (page: Page, name: string, act: string): Promise<unknown> =>
  page.evaluate(`new Promise((done, failed) => {
    const opening = indexedDB.open('headframe-outbox');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(${JSON.stringify(name)}, 'readwrite');
      const store = transaction.objectStore(${JSON.stringify(name)});
      const request = ${act};
      transaction.oncomplete = () => {
        opening.result.close();
        done(request.result);
      };
    };
  })`);

test('[U268] an inspection never goes without its photo in silence', { skip }, async () => {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  await client.call('equipment_create', { unit_number: 'HT-01', kind: 'haul_truck' });
  const chromium = await sharedBrowser();
  await using office = await chromium.open(`${gateway.node.http}/#inspections`);
  const { page } = office;
  await signIn(page);
  await page.getByRole('button', { name: 'Add default checklists' }).click();
  await page.getByText('Haul truck, before the shift').waitFor();
  await page.getByRole('link', { name: 'HT-01' }).click();
  const items = page.locator('.inspect-item');
  await items.first().waitFor();
  for (const one of await items.all()) await one.getByRole('button', { name: 'OK', exact: true }).click();
  const photo = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.getContext('2d')?.fillRect(0, 0, 100, 100);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
    return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))];
  });
  await page.context().setOffline(true);
  const file = { name: 'brake.png', mimeType: 'image/png', buffer: Buffer.from(photo) };
  await items.first().locator('input[type=file]').setInputFiles(file);
  await page.getByText('1 photo is stored on this device').waitFor();
  await page.context().setOffline(false);
  await allSent(page);
  // The list of sent writes does not name the photo any more.
  await inStore(page, 'items', 'store.clear()');
  const ids = await inStore(page, 'notes', "store.get('photo ids')");
  await inStore(page, 'notes', "store.delete('photo ids')");
  const send = page.getByRole('button', { name: 'Send the inspection' });
  await send.click();
  await page.getByText('This device does not have a photo of this inspection any more').waitFor();
  assert.equal((await client.call('inspections_list', {})).data.length, 0);
  await inStore(page, 'notes', `store.put(${JSON.stringify(ids)}, 'photo ids')`);
  await send.click();
  await page.waitForURL(/#inspections\/in/);
  await page.getByRole('img', { name: 'File 1' }).waitFor();
});
