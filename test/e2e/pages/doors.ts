/** The pages before the office, and the page for fault reports. The compiler refuses an entry of the office that is missing here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { addMachine, OWNER_KEY, startGateway, type TestGateway } from '#test/support/gateway.ts';
import type { Entry } from '#ui/office/base/session.ts';
import { type Look, openLook } from './checks.ts';
import { ALL_VIEWS, LONG_VIEWS, lookAt, signedIn, WINDOWS } from './office.ts';
import type { Run } from './run.ts';

/** A page before the office: how to open it, and what it then shows. */
interface Door {
  readonly url: string;
  /** What the page shows when it is there. */
  readonly shows: string;
  readonly prepare?: (page: Page) => Promise<void>;
  /** A screen without controls, which loads itself again and again. */
  readonly isScreen?: boolean;
}

/**
 * Entries that need no line in the table below: the office itself and head office without a site have parts of their own, two need a
 * gateway of their own, and the page of a tablet follows its enrolment.
 */
type Elsewhere = 'in' | 'no-sites' | 'claim' | 'project' | 'tablet';

async function lookAtDoor(run: Run, name: string, door: Door): Promise<void> {
  if (!name.includes(run.only)) return;
  for (const [language, views] of [
    ['en', ALL_VIEWS],
    ['en-XA', LONG_VIEWS],
  ] as const) {
    const storageState = signedIn({ http: new URL(door.url).origin, key: null, language });
    // Somebody who is not signed in gets 401 on the first question of the page.
    await using look = await openLook(run.chromium, door.url, { storageState, viewport: WINDOWS.desk }, (response) =>
      [401, 403, 404, 410].includes(response.status()),
    );
    await door.prepare?.(look.page);
    await look.page.locator(door.shows).first().waitFor();
    const isLooked = (check: string) => door.isScreen !== true || check !== 'tab';
    const seen = views.map((view) => ({ ...view, checks: view.checks.filter(isLooked) }));
    await report(run, look, `doors: ${name}, ${language}`, seen);
  }
}

async function report(run: Run, look: Look, where: string, views: typeof ALL_VIEWS): Promise<void> {
  const known = run.findings.lines().length;
  // A page that fails is a finding, and the walk goes on.
  await lookAt(look, views, run.findings, where).catch((error: unknown) =>
    run.findings.add(where, [`the look failed: ${String(error).split('\n')[0]}`]),
  );
  const fresh = run.findings.lines().slice(known);
  run.findings.pages++;
  run.say(`${fresh.length === 0 ? 'ok   ' : 'FAULT'} ${where}`);
  for (const line of fresh) run.say(`      ${line}`);
}

const withKey = async (page: Page) => {
  await page.evaluate((key) => localStorage.setItem('headframe.key', key), OWNER_KEY);
  await page.reload();
};

/** The pages of a gateway that nobody has claimed. */
async function claim(run: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-doors-'));
  const ports = { port: '0', 'mqtt-port': '0', 'bucket-port': '0' };
  const node = await startNode(readConfig({ data: folder, host: '127.0.0.1', log: 'error', ...ports }, {}));
  const { http } = node;
  await lookAtDoor(run, 'claim', { url: http, shows: 'main.card form' });
  await lookAtDoor(run, 'claim 2', { url: `${http}/#claim`, shows: 'main.card form' });
  await node[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

/** The pages of a gateway without a project. */
async function project(run: Run): Promise<void> {
  await using young = await startGateway();
  const { http } = young.node;
  await lookAtDoor(run, 'project', { url: http, shows: 'main.card form', prepare: withKey });
  await lookAtDoor(run, 'project 2', { url: `${http}/#replace`, shows: 'main.card form', prepare: withKey });
}

async function signIn(run: Run, { node }: TestGateway): Promise<void> {
  await lookAtDoor(run, 'sign-in', { url: node.http, shows: 'main.card form' });
  await lookAtDoor(run, 'sign-in 2', {
    url: node.http,
    shows: '.problem',
    prepare: async (page) => {
      await page.locator('main.card input').first().fill('wk_nonsense1_x');
      await page.keyboard.press('Enter');
    },
  });
}

async function invite(run: Run, { client, node }: TestGateway): Promise<void> {
  const user = await client.call('users_create', { name: 'Olaf', role: 'mechanic' });
  const { url } = await client.call('users_invite', { id: user.id });
  await lookAtDoor(run, 'invite', { url, shows: 'main.card form' });
  await lookAtDoor(run, 'invite 2', { url: `${node.http}/#invite=${'x'.repeat(43)}`, shows: 'main.card' });
}

const enrolOn = async (page: Page) => {
  await page.locator('main.card button.big').click();
  await page.locator('.names button').first().waitFor();
};
/** Opens the link of a tablet. A code enrols one tablet, so its pages are looked at in one language. */
const tabletAt = (run: Run, url: string) =>
  openLook(run.chromium, url, { viewport: WINDOWS['tablet across'] }, (one) => one.status() === 401);

async function enrol(run: Run, { client }: TestGateway, site: Client): Promise<void> {
  const user = await client.call('users_create', { name: 'Ada', role: 'mechanic' });
  await client.call('users_pin_reset', { id: user.id });
  const { url } = await site.call('tablets_create', { name: 'Gate', roles: ['mechanic'] });
  await lookAtDoor(run, 'enrol', { url: url ?? '', shows: 'main.card button.big' });
  if (!'tablet'.includes(run.only)) return;
  await using look = await tabletAt(run, url ?? '');
  await enrolOn(look.page);
  await report(run, look, 'doors: tablet, names', ALL_VIEWS);
  await look.page.locator('.names button').first().click();
  await look.page.getByRole('button', { name: '1', exact: true }).waitFor();
  await report(run, look, 'doors: tablet, PIN', ALL_VIEWS);
}

async function tabletGone(run: Run, site: Client): Promise<void> {
  if (!'tablet-gone'.includes(run.only)) return;
  const { url, tablet } = await site.call('tablets_create', { name: 'Lost', roles: ['mechanic'] });
  await using gone = await tabletAt(run, url ?? '');
  await enrolOn(gone.page);
  await site.call('tablets_revoke', { id: tablet.id });
  await gone.page.getByRole('button', { name: 'Try again' }).waitFor();
  await report(run, gone, 'doors: tablet-gone', ALL_VIEWS);
}

/** The page behind the QR code of a machine, and pages that are not of the office. */
async function others(run: Run, { node }: TestGateway, site: Client): Promise<void> {
  const { equipment_id } = await addMachine(site, 'HT-03');
  const link = await site.call('fault_links', { equipment_id });
  const url = node.http + new URL(link.url ?? '').pathname;
  await lookAtDoor(run, 'report', { url, shows: '.not-ok' });
  await lookAtDoor(run, 'report, name', { url: `${url}#name`, shows: '#reporter' });
  await lookAtDoor(run, 'report, other', {
    url,
    shows: '#text',
    prepare: async (page) => {
      await page.locator('.not-ok').click();
      await page.locator('#reporter').fill('Olaf');
      await page.locator('button.send').click();
      await page.locator('.choices button').last().click();
    },
  });
  await lookAtDoor(run, 'report, invalid', { url: `${node.http}/report/${'x'.repeat(43)}`, shows: '.problem' });
  for (const path of ['/nothing-here', '/docs', '/tv', '/tv/lite', `/tv/dsp_${'x'.repeat(43)}`])
    await lookAtDoor(run, path, {
      url: node.http + path,
      shows: 'body > :visible, #screen :visible',
      isScreen: path.startsWith('/tv'),
    });
}

/** Opens each page before the office, and the pages that are not of the office. */
export async function lookAtDoors(run: Run): Promise<void> {
  await claim(run);
  await project(run);
  await using gateway = await startGateway();
  const made = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(made.project.id);
  const doors: Readonly<Record<Exclude<Entry['at'], Elsewhere>, () => Promise<void>>> = {
    'sign-in': () => signIn(run, gateway),
    invite: () => invite(run, gateway),
    enrol: () => enrol(run, gateway, site),
    'tablet-gone': () => tabletGone(run, site),
  };
  for (const look of Object.values(doors)) await look();
  await others(run, gateway, site);
}
