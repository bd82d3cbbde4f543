/**
 * Does in a real Chromium what a new user of head office does: starts a head office and a site beside it, claims both, connects the site by
 * page, pairs a TV of the site, renames a machine at head office, and sees the new name on the TV. Prints the steps (fields filled in and
 * buttons pressed) and the seconds that the programs needed, and writes pictures: `npm run proof:head-office FOLDER`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright';
import { startBrowser } from './browser.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const pictures = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'headframe-head-office-'));
mkdirSync(pictures, { recursive: true });
const PASSPHRASE = 'seven quiet haul roads';

let steps = 0;
let shown = 0;
let all = 0;
const table: string[] = [];
async function part(name: string, work: () => Promise<void>): Promise<void> {
  steps = 0;
  const began = performance.now();
  await work();
  all += steps;
  table.push(`| ${name} | ${steps} | ${((performance.now() - began) / 1_000).toFixed(1)} |`);
}
const press = async (page: Page, name: string | RegExp) => {
  steps++;
  await page.getByRole('button', { name, exact: typeof name === 'string' }).click();
};
const fill = async (page: Page, label: string, text: string) => {
  steps++;
  await page.getByLabel(label, { exact: true }).fill(text);
};
const go = async (page: Page, name: string | RegExp) => {
  steps++;
  await page.getByRole('link', { name, exact: typeof name === 'string' }).click();
};
const picture = (page: Page, name: string) =>
  page.screenshot({ path: join(pictures, `${String(++shown).padStart(2, '0')}-${name}.png`) });

interface Started {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly base: string;
  readonly code: string;
}

/** Runs `headframe start` as a person types it, with a data folder and free ports. */
async function start(...flags: string[]): Promise<Started> {
  steps++;
  const folder = mkdtempSync(join(tmpdir(), 'headframe-head-office-data-'));
  const ports = ['--host', '127.0.0.1', '--port', '0', '--mqtt-port', '0', '--bucket-port', '0'];
  const child = spawn(process.execPath, [CLI, 'start', ...flags, ...ports, '--log', 'error', '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as { event?: string; urls?: string[]; claim_code?: string };
    if (ready.event !== 'ready') continue;
    const base = String(ready.urls?.[0]).replace(/\/$/, '');
    return { child, folder, base, code: String(ready.claim_code) };
  }
  throw new Error('headframe start ended without a ready line');
}

async function claim(page: Page, code: string, name: string): Promise<void> {
  await fill(page, 'Claim code', code);
  await fill(page, 'Your name', name);
  await fill(page, 'Passphrase', PASSPHRASE);
  await fill(page, 'Passphrase again', PASSPHRASE);
  await press(page, 'Claim');
}

const began = performance.now();
const started: Started[] = [];
await using chromium = await startBrowser();
const desk = { colorScheme: 'light', viewport: { width: 1440, height: 900 } } as const;
try {
  await part('start head office and claim it', async () => {
    started.push(await start('--role', 'cloud'));
  });
  const [cloud] = started as [Started];
  await using office = await chromium.open(cloud.base, desk);
  await part('claim head office', async () => {
    await claim(office.page, cloud.code, 'Maria');
    await office.page.getByText('No site is connected yet').waitFor();
    await picture(office.page, 'head-office');
  });
  await part('start a site', async () => {
    started.push(await start());
  });
  const site = started[1] as Started;
  await using there = await chromium.open(site.base, desk);
  await part('claim the site, add a machine', async () => {
    await claim(there.page, site.code, 'Olaf');
    await fill(there.page, 'Site name', 'Quarry North');
    await press(there.page, 'Create site');
    await press(there.page, 'Add a machine');
    await fill(there.page, 'Unit number', 'HT-01');
    await press(there.page, 'Save machine');
    await there.page.getByRole('heading', { name: 'HT-01', exact: true }).waitFor();
  });
  await using tv = await chromium.open(`${site.base}/tv`);
  await part('pair a TV of the site', async () => {
    steps++; // Opens the page on the TV.
    await go(there.page, 'Screens');
    const shownCode = await tv.page.locator('.pairing .code').textContent();
    await fill(there.page, 'Code on the TV', (shownCode ?? '').replace(/\s/g, ''));
    await press(there.page, 'Pair');
    await tv.page.getByText('HT-01').first().waitFor();
    await picture(tv.page, 'tv-before');
  });
  await part('make a code at head office', async () => {
    await fill(office.page, 'Name of the site', 'Quarry North');
    await press(office.page, 'Make a code');
    await picture(office.page, 'code');
  });
  await part('connect the site', async () => {
    const code = await office.page.getByLabel('Code', { exact: true }).inputValue();
    const address = await office.page.getByLabel('Address', { exact: true }).inputValue();
    await go(there.page, 'Head office');
    await fill(there.page, 'Address of head office', address);
    await fill(there.page, 'Code', code);
    await press(there.page, 'Connect');
    await there.page.getByText('In step.').waitFor();
    await picture(there.page, 'connected');
  });
  await part('rename the machine at head office', async () => {
    await go(office.page, 'Machines');
    await press(office.page, 'HT-01');
    await picture(office.page, 'machine');
    await press(office.page, 'Rename');
    await fill(office.page, 'Unit number', 'HT-99');
    await press(office.page, 'Save the name');
  });
  await part('see the name on the TV of the site', async () => {
    await tv.page.getByText('HT-99').first().waitFor();
    await picture(tv.page, 'tv-after');
    await go(office.page, 'Sites');
    await office.page.getByRole('rowheader', { name: /Quarry North/ }).waitFor();
    await picture(office.page, 'sites');
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(
    `| part | steps | seconds |\n|---|---|---|\n${table.join('\n')}\n| all | ${all} | ${seconds} |\n\nPictures: ${pictures}\n`,
  );
  for (const { complaints } of [office, there, tv])
    if (complaints.length > 0) process.stdout.write(`${complaints.join('\n')}\n`);
} finally {
  for (const { child, folder } of started) {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}
