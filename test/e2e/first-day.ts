/**
 * Does in a real Chromium what a new user does: claims the gateway, invites a mechanic, enrols a shared tablet, signs in by PIN, loses the
 * passphrase of the owner and gets back in. Prints the steps (fields filled in and buttons pressed) and the seconds that the gateway and the
 * browser needed, and writes pictures: `npm run proof:first-day FOLDER`. Exits with 1 if a person had to paste a key.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright';
import { headframe } from '#test/support/command.ts';
import { startBrowser } from './browser.ts';

const CLI = join(import.meta.dirname, '..', '..', 'gateway', 'commands', 'cli.ts');
const pictures = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'headframe-first-day-'));
mkdirSync(pictures, { recursive: true });
const data = mkdtempSync(join(tmpdir(), 'headframe-first-day-data-'));
const ports = ['--port', '0', '--mqtt-port', '0', '--bucket-port', '0', '--log', 'error', '--data', data];
const child = spawn(process.execPath, [CLI, 'start', ...ports], { stdio: ['ignore', 'pipe', 'inherit'] });
const lines: Record<string, unknown>[] = [];
createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
const lineOf = async (event: string) => {
  for (;;) {
    const found = lines.find((line) => line.event === event);
    if (found !== undefined) return found;
    await once(child.stdout, 'data');
  }
};
const ready = await lineOf('ready');
const base = String((ready.urls as string[])[0]).replace(/\/$/, '');

let steps = 0;
let shown = 0;
const press = async (page: Page, name: string | RegExp) => {
  steps++;
  await page.getByRole('button', { name, exact: typeof name === 'string' }).click();
};
const fill = async (page: Page, label: string, text: string) => {
  steps++;
  await page.getByLabel(label, { exact: true }).fill(text);
};
const go = async (page: Page, name: string) => {
  steps++;
  await page.getByRole('link', { name, exact: true }).click();
};
const picture = (page: Page, name: string) =>
  page.screenshot({ path: join(pictures, `${String(++shown).padStart(2, '0')}-${name}.png`) });
const table: string[] = [];
async function part(name: string, work: () => Promise<void>): Promise<void> {
  steps = 0;
  const began = performance.now();
  await work();
  table.push(`| ${name} | ${steps} | ${((performance.now() - began) / 1_000).toFixed(1)} |`);
}
const typePin = async (page: Page, pin: string) => {
  for (const digit of pin) await press(page, digit);
};

await using chromium = await startBrowser();
const light = { colorScheme: 'light' } as const;
await using office = await chromium.open(base, { ...light, viewport: { width: 1440, height: 900 } });
const { page } = office;
await part('claim the gateway and create the site', async () => {
  await page.getByLabel('Claim code').waitFor();
  await page.getByText('easier to remember').waitFor();
  await picture(page, 'claim');
  await fill(page, 'Claim code', String(ready.claim_code));
  await fill(page, 'Your name', 'Maria');
  await fill(page, 'Passphrase', 'seven quiet haul roads');
  await fill(page, 'Passphrase again', 'seven quiet haul roads');
  await press(page, 'Claim');
  await fill(page, 'Site name', 'North Quarry');
  await picture(page, 'site');
  await press(page, 'Create site');
  await page.getByText('No machines yet').waitFor();
});
let link = '';
await part('invite a mechanic', async () => {
  await go(page, 'Users');
  await fill(page, 'Name', 'Olaf');
  steps++;
  await page.getByLabel('Role').first().selectOption('mechanic');
  await press(page, 'Add and invite');
  link = await page.getByLabel('Link').inputValue();
  await picture(page, 'invitation');
  await press(page, 'Done');
});
await using phone = await chromium.open(link, { ...light, viewport: { width: 390, height: 844 }, hasTouch: true });
await part('the mechanic accepts on a phone, with a PIN', async () => {
  steps++; // Scans the QR code.
  await phone.page.getByText('Hello Olaf').waitFor();
  await fill(phone.page, 'Passphrase', 'four yellow gravel trucks');
  await fill(phone.page, 'Passphrase again', 'four yellow gravel trucks');
  await fill(phone.page, 'PIN for shared tablets (optional)', '730164');
  await picture(phone.page, 'phone-accept');
  await press(phone.page, 'Save and sign in');
  await phone.page.getByText('No machines yet').waitFor();
  await picture(phone.page, 'phone-in');
});
await part('enrol a shared tablet', async () => {
  await go(page, 'Tablets');
  await fill(page, 'Name', 'Workshop');
  await picture(page, 'tablets');
  await press(page, 'Add and show the QR code');
  link = await page.getByLabel('Link').inputValue();
  await picture(page, 'tablet-code');
});
await using tablet = await chromium.open(link, { ...light, viewport: { width: 1024, height: 768 }, hasTouch: true });
await part('the tablet scans the code', async () => {
  steps++; // Scans the QR code.
  await press(tablet.page, 'Enrol this tablet');
  await tablet.page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await picture(tablet.page, 'tablet-who');
});
await part('the mechanic signs in with the PIN', async () => {
  await press(tablet.page, /Olaf/);
  await picture(tablet.page, 'tablet-pin');
  await typePin(tablet.page, '730164');
  await tablet.page.getByText('No machines yet').waitFor();
  await picture(tablet.page, 'tablet-in');
});
await part('the owner lost the passphrase and gets back in', async () => {
  await press(page, /Sign out/);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await picture(page, 'sign-in');
  steps++; // Types the command on the computer of the gateway.
  const { stdout } = await headframe(['claim-code', '--data', data]);
  const code = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(String(stdout))?.[0] ?? '';
  await go(page, 'enter the code');
  await fill(page, 'Claim code', code);
  await fill(page, 'Your name', 'Maria');
  await fill(page, 'Passphrase', 'nine slow grey graders');
  await fill(page, 'Passphrase again', 'nine slow grey graders');
  await picture(page, 'back-in');
  await press(page, 'Save and sign in');
  await page.getByText('No machines yet').waitFor();
});
const stored = await Promise.all(
  [page, phone.page, tablet.page].map((one) =>
    one.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ),
);
const keys = stored.filter((text) => /(wk|pat|ses|tab)_/.test(text));
process.stdout.write(
  `| part | steps | seconds |\n|---|---|---|\n${table.join('\n')}\n\n${keys.length} keys pasted or stored. Pictures: ${pictures}\n`,
);
for (const one of [office, phone, tablet])
  if (one.complaints.length > 0) process.stdout.write(`${one.complaints.join('\n')}\n`);
child.kill('SIGTERM');
await once(child, 'exit');
rmSync(data, { recursive: true, force: true });
process.exitCode = keys.length === 0 ? 0 : 1;
