/**
 * The visual baseline: pictures of pages with fixed data at a fixed time, at half size. `--update` writes them to test/e2e/baseline;
 * `--compare` takes them again and reports each one that differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { setScene, TROUBLE } from '#test/e2e/wall-scene.ts';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { openLook } from './checks.ts';
import { goTo, signedIn, WINDOWS } from './office.ts';
import type { Run } from './run.ts';

const FOLDER = join(import.meta.dirname, '..', 'baseline');
/** A Tuesday morning in the middle of a shift in Perth, by UTC. */
const BEGIN_MS = Date.parse('2026-03-10T01:00:00Z');
/** When the pictures are taken: the records are then between 10 and 11 minutes old, however long the computer needed to make them. */
const TAKEN_MS = BEGIN_MS + 11 * 60_000 - 5_000;
/** A pixel differs if one of its colours differs by more than this, of 255. A font that is drawn a little differently stays below it. */
const COLOUR_STEP = 64;
/** The share of pixels that may differ, for example in an edge. */
const MOST_DIFFERENT = 0.002;

/** Sets the clock of this process, in which the gateway runs. It goes on at `rate` of the real speed. */
function setClock(from_ms: number, rate: number): void {
  const began = performance.now();
  Date.now = () => Math.round(from_ms + (performance.now() - began) * rate);
}

/** Returns the picture of the page at half size, as WebP. */
async function smallPicture(tool: Page, png: Buffer): Promise<string> {
  return tool.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const full = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(Math.round(full.width / 2), Math.round(full.height / 2));
    const drawing = canvas.getContext('2d');
    if (drawing === null) throw new Error('the browser does not draw');
    drawing.imageSmoothingQuality = 'high';
    drawing.drawImage(full, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (one) => String.fromCharCode(one)).join(''));
  }, png.toString('base64'));
}

/** Returns the share of the pixels that differ between two pictures; 1 if their sizes differ. */
function difference(tool: Page, one: string, other: string): Promise<number> {
  return tool.evaluate(
    async ([first, second, step]) => {
      const pixels = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/webp' }));
        const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        if (drawing === null) throw new Error('the browser does not draw');
        drawing.drawImage(bitmap, 0, 0);
        return drawing.getImageData(0, 0, bitmap.width, bitmap.height);
      };
      const [a, b] = [await pixels(first), await pixels(second)];
      if (a.width !== b.width || a.height !== b.height) return 1;
      let count = 0;
      for (let i = 0; i < a.data.length; i += 4) {
        const by = (k: number) => Math.abs((a.data[i + k] ?? 0) - (b.data[i + k] ?? 0));
        if (Math.max(by(0), by(1), by(2)) > step) count++;
      }
      return count / (a.data.length / 4);
    },
    [one, other, COLOUR_STEP] as const,
  );
}

/** What a picture leaves out, because it is random: ids, codes and the name of this computer. */
const RANDOM = ['.mono', 'code', '.code', '.qr', 'svg.code', 'canvas', 'input[readonly]'];

/** Keeps a picture, or compares it with the one that is kept. */
async function take(run: Run, tool: Page, page: Page, name: string): Promise<void> {
  if (!name.includes(run.only)) return;
  const mask = RANDOM.map((part) => page.locator(part));
  const png = await page.screenshot({ mask, maskColor: '#808080', animations: 'disabled', caret: 'hide' });
  const picture = await smallPicture(tool, png);
  const file = join(FOLDER, `${name}.webp`);
  run.findings.pages++;
  if (run.pictures === 'update') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, Buffer.from(picture, 'base64'));
    run.say(`kept  picture ${name}`);
    return;
  }
  const kept = existsSync(file) ? readFileSync(file).toString('base64') : null;
  const differs = kept === null ? 1 : await difference(tool, kept, picture);
  if (differs > MOST_DIFFERENT) {
    const percent = (differs * 100).toFixed(2);
    run.findings.add(`pictures: ${name}`, [
      kept === null ? `${name} has no picture` : `${name} differs in ${percent} % of its pixels`,
    ]);
    writeFileSync(join(run.differs, `${name}.webp`), Buffer.from(picture, 'base64'));
  }
  run.say(`${differs > MOST_DIFFERENT ? 'FAULT' : 'ok   '} picture ${name} (${(differs * 100).toFixed(3)} %)`);
}

/** Takes or compares all pictures. */
export async function lookAtPictures(run: Run): Promise<void> {
  const realNow = Date.now;
  setClock(BEGIN_MS, 1);
  try {
    await using gateway = await startGateway();
    await using scene = await setScene(gateway);
    const { client } = scene;
    const id = (unit: string) => scene.machines.get(unit)?.equipment_id ?? '';
    await client.call('operators_create', { name: 'Ana Ruiz', crew: 'A', status: 'active' });
    await client.call('mechanics_create', { name: 'Ben Carter', trades: ['diesel'] });
    await client.call('inspection_checklists_add_defaults', {});
    await client.call('maintenance_plans_create', { name: 'Oil', equipment_id: id('HT-01'), every_hours: 250 });
    const [ticket] = (await client.call('repair_tickets_list', { order: 'asc' })).data;
    const [playlist] = (await client.call('playlists_list', { order: 'asc' })).data;
    const report = await client.call('fault_links', { equipment_id: id('HT-03') });
    // From now on the clock nearly stands still, so that no age changes while the pictures are taken.
    setClock(TAKEN_MS, 0.0005);
    await scene.beat([30, 20, 10, 0]);
    const { http } = gateway.node;
    const tool = await run.chromium.open('about:blank', {});
    await using _ = tool;
    const storageState = signedIn({ http, key: OWNER_KEY });
    const fixed = async (url: string, viewport: { width: number; height: number }, theme: 'light' | 'dark') => {
      const look = await openLook(run.chromium, 'about:blank', {
        ...{ viewport, storageState, colorScheme: theme, timezoneId: 'Australia/Perth', locale: 'en-GB' },
      });
      await look.page.clock.setFixedTime(TAKEN_MS);
      await look.page.goto(url);
      return look;
    };
    for (const [window, theme] of [
      ['desk', 'light'],
      ['desk', 'dark'],
      ['phone', 'light'],
      ['tablet upright', 'dark'],
    ] as const) {
      await using look = await fixed(http, WINDOWS[window], theme);
      await look.page.locator('nav.pages').waitFor();
      for (const [name, hash, where] of [
        ['machine', `machines/${id(TROUBLE.critical)}`, 'phone light'],
        ['story', `story/${id(TROUBLE.critical)}`, 'all'],
        ['silent', `story/${id(TROUBLE.silent)}/shift/engine.speed`, 'desk light'],
        ['tickets', 'tickets', 'desk light'],
        ['ticket', `tickets/${ticket?.id}`, 'all'],
        ['new-ticket', 'tickets/new', 'phone light'],
        ['shifts', 'shifts', 'desk light'],
        ['inspect', `inspections/new/${id('HT-01')}`, 'phone light'],
        ['maintenance', 'maintenance', 'desk dark'],
        ['people', 'people', 'desk light'],
        ['devices', 'devices', 'desk light'],
        ['screens', 'screens', 'desk light'],
        ['new-board', 'screens/new', 'desk dark'],
        ['playlist', `screens/playlists/${playlist?.id}`, 'desk light'],
        ['site', 'site', 'desk light'],
        ['setup', 'setup', 'desk light'],
        ['agent', 'agent', 'desk light'],
        ['head-office', 'head-office', 'desk light'],
        ['users', 'users', 'desk light'],
        ['tablets', 'tablets', 'desk light'],
        ['outbox', 'outbox', 'phone light'],
      ] as const) {
        if (where !== 'all' && where !== `${window} ${theme}`) continue;
        await goTo(look.page, hash);
        await look.settle();
        await look.page.waitForTimeout(500);
        await take(run, tool.page, look.page, `${name}-${window.replace(' ', '-')}-${theme}`);
      }
    }
    const phone = new URL(report.url ?? '').pathname;
    {
      await using look = await fixed(http + phone, WINDOWS.phone, 'light');
      await look.page.locator('.not-ok').waitFor();
      await look.settle();
      await take(run, tool.page, look.page, 'report-phone-light');
    }
    // The wall and the lists on a TV are not here: which of two machines that get in trouble in the same moment is first is not fixed.
    for (const size of [
      { width: 1920, height: 1080 },
      { width: 1280, height: 720 },
    ]) {
      await using look = await fixed(http + scene.boards, size, 'dark');
      await look.page.locator('.layer.shown .cell > section:not(:empty)').first().waitFor();
      await look.settle();
      await look.page.waitForTimeout(1_000);
      await take(run, tool.page, look.page, `tv-map-${size.height}`);
    }
  } finally {
    Date.now = realNow;
  }
}
