/** A shared tablet: a real browser whose profile lasts, and a gateway in a process of its own. Both are killed with SIGKILL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { type Client, createClient } from '#contract/client.ts';
import { buildUi, uiIsStale } from '#ui/build.ts';
import { lastingPort, OWNER_KEY } from './gateway.ts';
import { until } from './until.ts';

const PIN = '730164';
const PERSON = 'Olaf Berg';
const CHROMIUM = process.env.HEADFRAME_CHROMIUM ?? '/usr/bin/chromium';
const DAY_MS = 86_400_000;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

export interface TabletRig extends AsyncDisposable {
  readonly base: string;
  /** A client of the project, with the key of the owner. */
  readonly client: Client;
  /** Two tickets of one machine. */
  readonly tickets: readonly string[];
  readonly machine: string;
  /** Starts the gateway; its clock is that many days ahead. */
  startGateway(daysAhead?: number): Promise<void>;
  killGateway(): Promise<void>;
  /** Starts the browser with the same profile, and opens the office page, which needs the gateway. */
  startBrowser(): Promise<Page>;
  killBrowser(): Promise<void>;
  /** Signs Olaf Berg in with the PIN, and opens a page. */
  signIn(page: Page, hash: string): Promise<void>;
  /** Gives Olaf Berg a new PIN, which ends his session and his passes. He signs in with it and chooses his own. */
  resetPin(page: Page): Promise<void>;
}

/** Kills a process and its children, and waits for its end. */
async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  process.kill(-child.pid, 'SIGKILL');
  await gone;
}

/** Starts the gateway, makes a machine with tickets, and enrols the tablet. */
export async function openTabletRig(): Promise<TabletRig> {
  if (await uiIsStale()) await buildUi();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-tablet-'));
  const profile = mkdtempSync(join(tmpdir(), 'headframe-profile-'));
  const port = await lastingPort();
  const base = `http://127.0.0.1:${port}`;
  const owner = createClient({ base_url: base, key: OWNER_KEY });
  let gateway: ChildProcess | undefined;
  let browser: ChildProcess | undefined;
  let link: Browser | undefined;

  async function startGateway(daysAhead = 0): Promise<void> {
    const ahead = `const now = Date.now; Date.now = () => now() + ${daysAhead * DAY_MS};`;
    const child = new URL('gateway-child.ts', import.meta.url).pathname;
    gateway = spawn(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(ahead)}`, child, folder],
      {
        env: { ...process.env, HEADFRAME_PORT: String(port) },
        stdio: ['ignore', 'ignore', 'inherit'],
        detached: true,
      },
    );
    const alive = () =>
      owner.call('health_get', {}).then(
        () => true,
        () => false,
      );
    await until(alive, 'the gateway answers', 50);
  }

  async function startBrowser(): Promise<Page> {
    const file = join(profile, 'DevToolsActivePort');
    rmSync(file, { force: true });
    const flags = [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
    browser = spawn(CHROMIUM, flags, { stdio: 'ignore', detached: true });
    let debugging = '';
    await until(
      () => {
        try {
          debugging = readFileSync(file, 'utf8').split('\n')[0] ?? '';
        } catch {
          return false;
        }
        return debugging !== '';
      },
      'the browser has a port for its control',
      50,
    );
    link = await chromium.connectOverCDP(`http://127.0.0.1:${debugging}`);
    const [context] = link.contexts();
    if (context === undefined) throw new Error('the browser has no context');
    context.setDefaultTimeout(60_000);
    const page = context.pages()[0] ?? (await context.newPage());
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.goto(base);
    return page;
  }

  async function killBrowser(): Promise<void> {
    await kill(browser);
    await link?.close().catch(() => undefined);
    browser = undefined;
  }

  async function signIn(page: Page, hash: string): Promise<void> {
    await page
      .getByRole('button', { name: PERSON })
      .or(page.getByText(PERSON, { exact: true }))
      .first()
      .waitFor();
    const name = page.getByRole('button', { name: PERSON });
    if ((await name.count()) > 0) {
      await name.click();
      await page.getByText('Enter your PIN').waitFor();
      await page.keyboard.type(PIN);
      await page.getByRole('button', { name: 'Switch person' }).waitFor();
    }
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  }

  await startGateway();
  const { project } = await owner.call('projects_create', { name: 'North Pit' });
  const client = createClient({ base_url: base, key: OWNER_KEY, project_id: project.id });
  const machine = (await client.call('equipment_create', { unit_number: 'HT-03' })).id;
  const tickets: string[] = [];
  for (const title of ['Hydraulic leak', 'Worn tyre'])
    tickets.push((await client.call('repair_tickets_create', { title, equipment_id: machine })).id);
  const person = await owner.call('users_create', { name: PERSON, role: 'mechanic' });
  const { pin } = await owner.call('users_pin_reset', { id: person.id });
  const { url } = await client.call('tablets_create', { name: 'Workshop', roles: ['mechanic'] });
  const page = await startBrowser();
  await page.goto(`${base}/${url.slice(url.indexOf('#'))}`);
  await page.reload();
  await page.getByRole('button', { name: 'Enrol this tablet' }).click();
  await choosePin(page, pin);
  // A browser writes new cookies to its disk within half a minute, or when it ends. A kill before would undo the enrolment.
  const ended = new Promise((done) => browser?.once('exit', done));
  const control = await (link as Browser | undefined)?.newBrowserCDPSession();
  await control?.send('Browser.close').catch(() => undefined);
  await ended;

  return {
    base,
    client,
    tickets,
    machine,
    startGateway,
    killGateway: () => kill(gateway),
    startBrowser,
    killBrowser,
    signIn,
    async resetPin(page) {
      const { pin } = await owner.call('users_pin_reset', { id: person.id });
      await page.reload();
      await choosePin(page, pin);
    },
    async [Symbol.asyncDispose]() {
      await killBrowser();
      await kill(gateway);
      for (const path of [folder, profile]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Signs Olaf Berg in with a PIN that an admin gave him, and chooses his own. */
async function choosePin(page: Page, given: string): Promise<void> {
  await page.getByRole('button', { name: PERSON }).click();
  await page.getByText('Enter your PIN').waitFor();
  await page.keyboard.type(given);
  await page.getByText('Choose your own PIN').waitFor();
  await page.keyboard.type(PIN);
  await page.getByText('Enter your new PIN again').waitFor();
  await page.keyboard.type(PIN);
  await page.getByRole('button', { name: 'Switch person' }).waitFor();
}

/** Adds a note to the ticket whose page is open. Resolves when the page says that it has the note. */
export async function addNote(page: Page, text: string): Promise<void> {
  const note = page.getByLabel('Note', { exact: true });
  await note.fill(text);
  await page.getByRole('button', { name: 'Add note' }).click();
  await until(async () => (await note.inputValue()) === '', 'the page has the note', 10);
}

/** Texts of the notes of a ticket at the gateway, in the order in which it got them. */
export async function notesOf(rig: TabletRig, id: string): Promise<string[]> {
  const found: { sequence: number | null; text: string }[] = [];
  for (let cursor: string | undefined; ; ) {
    const input = { id, type: 'comment', limit: 200, ...(cursor !== undefined && { cursor }) };
    const { data, next_cursor } = await rig.client.call('repair_tickets_events', input);
    for (const { sequence, data: said } of data) found.push({ sequence, text: String(said.text) });
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return found.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)).map(({ text }) => text);
}

/** What the browser says about its outbox, from its own store. */
export function statesOf(page: Page): Promise<string[]> {
  return page.evaluate(`new Promise((done, failed) => {
    const opening = indexedDB.open('headframe-outbox');
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const read = opening.result.transaction('items').objectStore('items').getAll();
      read.onsuccess = () => {
        opening.result.close();
        done(read.result.map(({ state }) => state));
      };
    };
  })`);
}
