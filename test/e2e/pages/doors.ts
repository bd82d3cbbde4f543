/** The pages before the office, and the page for fault reports. The compiler refuses an entry of the office that is missing here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { addMachine, OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import type { Entry } from '#ui/office/base/session.ts';
import { type Look, openLook } from './checks.ts';
import { ALL_VIEWS, LONG_VIEWS, lookAt, WINDOWS } from './office.ts';
import type { Run } from './run.ts';

/** A page before the office: how to open it, and what it then shows. */
interface Door {
  readonly url: string;
  /** What the page shows when it is there. */
  readonly shows: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Entries that other parts look at: the office itself, and head office without a site. */
type Elsewhere = 'in' | 'no-sites';

async function lookAtDoor(run: Run, name: string, door: Door): Promise<void> {
  if (!name.includes(run.only)) return;
  for (const [language, views] of [
    ['en', ALL_VIEWS],
    ['en-XA', LONG_VIEWS],
  ] as const) {
    const localStorage = [{ name: 'headframe.language', value: language }];
    const storageState = { cookies: [], origins: [{ origin: new URL(door.url).origin, localStorage }] };
    // Somebody who is not signed in gets 401 on the first question of the page.
    await using look = await openLook(run.chromium, door.url, { storageState, viewport: WINDOWS.desk }, (response) =>
      [401, 404, 410].includes(response.status()),
    );
    await door.prepare?.(look.page);
    await look.page.locator(door.shows).first().waitFor();
    await report(run, look, `doors: ${name}, ${language}`, views);
  }
}

async function report(run: Run, look: Look, where: string, views: typeof ALL_VIEWS): Promise<void> {
  const known = run.findings.lines().length;
  await lookAt(look, views, run.findings, where);
  const fresh = run.findings.lines().slice(known);
  run.findings.pages++;
  run.say(`${fresh.length === 0 ? 'ok   ' : 'FAULT'} ${where}`);
  for (const line of fresh) run.say(`      ${line}`);
}

const press = (name: string) => (page: Page) => page.locator(name).first().click();

/** Opens each page before the office, and the page behind the QR code of a machine. */
export async function lookAtDoors(run: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-doors-'));
  const ports = { port: '0', 'mqtt-port': '0', 'bucket-port': '0' };
  const unclaimed = await startNode(readConfig({ data: folder, host: '127.0.0.1', log: 'error', ...ports }, {}));
  await using gateway = await startGateway();
  const { client, node } = gateway;
  const { project } = await client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  await using young = await startGateway();
  const user = await client.call('users_create', { name: 'Olaf', role: 'mechanic' });
  const { url: invitation } = await client.call('users_invite', { id: user.id });
  const tablet = await site.call('tablets_create', { name: 'Gate', roles: ['mechanic'] });
  const other = await site.call('tablets_create', { name: 'Lost', roles: ['mechanic'] });
  const { equipment_id } = await addMachine(site, 'HT-03');
  const reports = await site.call('fault_links', { equipment_id });
  const path = (url: string | null) => new URL(url ?? '').pathname;
  const enrol = async (page: Page) => {
    await page.locator('main.card button.big').click();
    await page.locator('.names button').first().waitFor();
  };
  const withKey = async (page: Page) => {
    await page.evaluate((key) => localStorage.setItem('headframe.key', key), OWNER_KEY);
    await page.reload();
  };
  const doors: Readonly<Record<Exclude<Entry['at'], Elsewhere>, readonly Door[]>> = {
    claim: [
      { url: unclaimed.http, shows: 'main.card form' },
      { url: `${unclaimed.http}/#claim`, shows: 'main.card form' },
    ],
    'sign-in': [
      { url: node.http, shows: 'main.card form' },
      {
        url: node.http,
        shows: '.problem',
        prepare: async (page) => {
          await page.locator('main.card input').first().fill('wk_nonsense1_x');
          await page.keyboard.press('Enter');
        },
      },
    ],
    invite: [
      { url: invitation, shows: 'main.card form' },
      { url: `${node.http}/#invite=${'x'.repeat(43)}`, shows: 'main.card' },
    ],
    enrol: [{ url: tablet.url ?? '', shows: 'main.card button.big' }],
    tablet: [],
    'tablet-gone': [],
    project: [
      { url: young.node.http, shows: 'main.card form', prepare: withKey },
      { url: `${young.node.http}/#replace`, shows: 'main.card form', prepare: withKey },
    ],
  };
  for (const [name, all] of Object.entries(doors))
    for (const [i, door] of all.entries()) await lookAtDoor(run, i === 0 ? name : `${name} ${i + 1}`, door);

  // A code enrols one tablet, so these pages are opened once, with one language.
  if ('tablet'.includes(run.only)) {
    await using look = await openLook(run.chromium, tablet.url ?? '', { viewport: WINDOWS['tablet across'] }, (one) =>
      [401].includes(one.status()),
    );
    await enrol(look.page);
    await report(run, look, 'doors: tablet, names', ALL_VIEWS);
    await press('.names button')(look.page);
    await look.page.locator('.pin-pad, main.card').first().waitFor();
    await report(run, look, 'doors: tablet, PIN', ALL_VIEWS);
    await using gone = await openLook(run.chromium, other.url ?? '', { viewport: WINDOWS['tablet across'] }, (one) =>
      [401].includes(one.status()),
    );
    await enrol(gone.page);
    await site.call('tablets_revoke', { id: other.tablet.id });
    await gone.page.getByRole('button', { name: 'Try again' }).waitFor();
    await report(run, gone, 'doors: tablet-gone', ALL_VIEWS);
  }
  const form = `${node.http}${path(reports.url)}`;
  await lookAtDoor(run, 'report', { url: `${form}`, shows: '.choices button' });
  await lookAtDoor(run, 'report, other', {
    url: form,
    shows: '#text',
    prepare: (page) => page.locator('.choices button').last().click(),
  });
  await lookAtDoor(run, 'report, invalid', { url: `${node.http}/report/${'x'.repeat(43)}`, shows: '.problem' });
  for (const page of ['/nothing-here', '/docs', '/tv', '/tv/lite', `/tv/${'x'.repeat(47)}`])
    await lookAtDoor(run, page, { url: node.http + page, shows: 'h1, .pairing, #screen' });
  await unclaimed[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
