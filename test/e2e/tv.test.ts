/** The TV page in the browser with a real gateway. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Client, createClient } from '#contract/client.ts';
import {
  addMachine,
  eventually,
  lastingPort,
  OWNER_KEY,
  startAtPort,
  startGateway,
  type TestGateway,
  type TestMachine,
} from '#test/support/gateway.ts';
import { textWidth } from '#ui/text/measure.ts';
import { misfits, shot, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A site with machines and the boards that a new project starts with. */
async function site(gateway: TestGateway, units: readonly string[]) {
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit', timezone: 'Europe/Berlin' });
  const client = gateway.project(project.id);
  const machines: TestMachine[] = [];
  for (const unit of units) machines.push(await addMachine(client, unit));
  return { client, machines, share: await shareOf(client) };
}

async function shareOf(client: Client): Promise<string> {
  const { data } = await client.call('playlists_list', { limit: 1, order: 'asc' });
  const share = await client.call('display_shares', { kind: 'playlist', object_id: data[0]?.id ?? '' });
  return new URL(share.url ?? '').pathname;
}

/** Sends values as the device of the machine does over HTTP. */
async function report(base: string, machine: TestMachine, values: Record<string, number>): Promise<void> {
  const device = createClient({ base_url: base, key: machine.key });
  await device.call('devices_telemetry', { id: machine.device, points: [{ values }] });
}

const tile = (unit: string) => `.layer.shown .machine:has(h2:text-is("${unit}"))`;

test('the TV shows a value that a machine sends, and its changes', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { machines, share } = await site(gateway, ['HT-01', 'HT-02']);
  const [first] = machines;
  assert.ok(first);
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http + share);
  const { page } = watched;
  await page.locator(`${tile('HT-02')} >> text=No data yet`).waitFor();
  await report(gateway.node.http, first, { 'engine.speed': 1500, 'engine.fuel_rate': 41.2 });
  await page.locator(`${tile('HT-01')} >> text=41.2 L/h`).waitFor();
  await report(gateway.node.http, first, { 'engine.speed': 1500, 'engine.fuel_rate': 55.5 });
  await page.locator(`${tile('HT-01')} >> text=55.5 L/h`).waitFor();
  await shot(page, 'tv-fresh');
  assert.doesNotMatch((await page.textContent('body')) ?? '', /connected/i);
  assert.deepEqual(watched.complaints, [], '[U21] nothing on the console, nothing refused by the policy');
});

test('[U9] no board overflows, scrolls or has text below the floor, at three sizes and three scales with long names', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const units = ['HT-01', 'EX-1', 'CAT-797F-000123', 'WASSERWAGEN 4', 'LD-7', 'DZ-2', 'X'];
  const { client, machines, share } = await site(gateway, units);
  for (const [i, machine] of machines.entries())
    if (i !== 1)
      await report(gateway.node.http, machine, { 'engine.speed': 1500, 'engine.fuel_rate': 1234.5, 'fuel.level': 9 });
  const { data } = await client.call('equipment_list', { limit: 200 });
  for (const [unit, status] of [
    ['LD-7', 'down'],
    ['DZ-2', 'maintenance'],
  ] as const) {
    const one = data.find((machine) => machine.unit_number === unit);
    await client.call('equipment_update', { id: one?.id ?? '', status });
  }
  const chromium = await sharedBrowser();
  for (const [width, height, scale] of [
    [1280, 720, 1],
    [1920, 1080, 1],
    [3840, 2160, 1],
    [1920, 1080, 1.25],
    [1366, 768, 0.75],
  ] as const) {
    await using watched = await chromium.open(`${gateway.node.http}${share}?scale=${scale}`, {
      viewport: { width, height },
    });
    const { page } = watched;
    await page.locator('.layer.shown .machine').first().waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    for (let board = 0; board < 4; board += 1) {
      const floor = (height / 100) * scale * 3.7;
      assert.deepEqual(await misfits(page, floor), [], `board ${board} at ${width} x ${height}, scale ${scale}`);
      await shot(page, `tv-${width}-${scale}-${board}`);
      const name = await page.textContent('header h1');
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((before) => document.querySelector('header h1')?.textContent !== before, name);
      await page.waitForFunction(() => document.querySelectorAll('.layer').length === 1);
    }
    assert.deepEqual(watched.complaints, []);
  }
});

test('[U2] when the gateway stops the TV shows since when it is not live; when it returns the TV recovers without a reload', {
  skip: withoutBrowser,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headframe-tv-'));
  try {
    const start = (port: string) => startAtPort(folder, port);
    const chromium = await sharedBrowser();
    let node = await start(String(await lastingPort()));
    try {
      const base = node.http;
      const owner = createClient({ base_url: base, key: OWNER_KEY });
      const { project } = await owner.call('projects_create', { name: 'North Pit' });
      const client = createClient({ base_url: base, key: OWNER_KEY, project_id: project.id });
      const machine = await addMachine(client, 'HT-01');
      await report(base, machine, { 'engine.speed': 1500, 'engine.fuel_rate': 41.2 });
      const share = await shareOf(client);
      await using watched = await chromium.open(base + share);
      const { page } = watched;
      await page.locator(`${tile('HT-01')} >> text=41.2 L/h`).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('footer >> text=/held/').waitFor();
      await page.evaluate(() => Object.assign(window, { sameDocument: true }));

      await node[Symbol.asyncDispose]();
      await page.locator('.band >> text=/Not live since \\d\\d:\\d\\d/').waitFor();
      await page.locator('header >> text=/not live, /').waitFor();
      await page.locator('header .mark-lost').waitFor();
      await page.locator(`${tile('HT-01')} >> text=HT-01`).waitFor();
      const time = await page.textContent('header time');
      assert.match(time ?? '', /^\d\d:\d\d$/);
      const fresh = await page.locator(tile('HT-01')).getAttribute('data-fresh');
      assert.notEqual(fresh, 'fresh');
      await shot(page, 'tv-gateway-gone');

      node = await start(new URL(base).port);
      await page.locator('header >> text=/live \\d+ s ago/').waitFor();
      await report(base, machine, { 'engine.speed': 1500, 'engine.fuel_rate': 60.1 });
      await page.locator(`${tile('HT-01')} >> text=60.1 L/h`).waitFor();
      assert.equal(await page.evaluate(() => 'sameDocument' in window), true, '[U17] no reload');
      await shot(page, 'tv-gateway-back');
    } finally {
      await node[Symbol.asyncDispose]();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[U19] a start without the gateway shows the stored snapshot as not live', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  const { machines, share } = await site(gateway, ['HT-01']);
  const [machine] = machines;
  assert.ok(machine);
  await report(gateway.node.http, machine, { 'engine.speed': 1500, 'engine.fuel_rate': 41.2 });
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http + share);
  const { page } = watched;
  await page.locator(`${tile('HT-01')} >> text=HT-01`).waitFor();
  const kept = () =>
    page.evaluate(async () => {
      // Opening the database before the page creates it would create an empty one.
      const there = await indexedDB.databases();
      if (!there.some((one) => one.name === 'headframe-tv')) return false;
      return await new Promise<boolean>((resolve) => {
        const open = indexedDB.open('headframe-tv', 1);
        open.onsuccess = () => {
          const read = open.result.transaction('last').objectStore('last').count();
          read.onsuccess = () => {
            open.result.close();
            resolve(read.result === 1);
          };
        };
      });
    });
  await eventually(kept, (is) => is);
  await page.route('**/live', (route) => route.abort());
  await page.reload();
  await page.locator(`${tile('HT-01')} >> text=HT-01`).waitFor();
  await page.locator('.band >> text=/Not live since/').waitFor();
  await shot(page, 'tv-offline-start');
});

test('[U18] a revoked share shows a notice and opens the pairing page', { skip: withoutBrowser }, async () => {
  await using gateway = await startGateway();
  const { client, share } = await site(gateway, ['HT-01']);
  const { data } = await client.call('playlists_list', { limit: 1 });
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http + share);
  const { page } = watched;
  await page.locator('.layer.shown .machine').first().waitFor();
  await client.call('display_shares', { kind: 'playlist', object_id: data[0]?.id ?? '', action: 'revoke' });
  await page.locator('text=This screen is no longer shared').waitFor();
  await page.waitForURL('**/tv');
  await page.locator('.code').waitFor();
});

test('[U20] an unpaired screen shows a code and plays after the office approves it', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { client } = await site(gateway, ['HT-01']);
  const { data } = await client.call('playlists_list', { limit: 1 });
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(`${gateway.node.http}/tv`);
  const { page } = watched;
  await page.locator('.qr').waitFor();
  const code = (await page.textContent('.code')) ?? '';
  assert.match(code, /^[0-9A-Z]{3}-[0-9A-Z]{3}$/);
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);
  const mark = await page
    .locator('.pairing [role="status"]')
    .evaluate((one) => getComputedStyle(one, '::before').content);
  assert.equal(mark, 'none', 'the line below the code has no mark of a machine in trouble');
  await shot(page, 'tv-pairing');
  await client.call('display_pairings_approve', { user_code: code, kind: 'playlist', object_id: data[0]?.id ?? '' });
  await page.waitForURL('**/tv/scr_*');
  await page.locator('.layer.shown .machine').first().waitFor();
  assert.deepEqual(watched.complaints, []);
});

test('[U9] the table of letter widths matches the drawn font', {
  skip: withoutBrowser,
}, async () => {
  await using gateway = await startGateway();
  const { share } = await site(gateway, ['HT-01']);
  const chromium = await sharedBrowser();
  await using watched = await chromium.open(gateway.node.http + share);
  const { page } = watched;
  await page.locator('.layer.shown .machine').first().waitFor();
  const texts = [
    'Running',
    'Idle 31m',
    '1\u2009234.5 L/h · 12 s',
    'HT-03 coolant 109 °C',
    'WASSERWAGEN 4',
    'last 41.2 L/h · 3 min',
  ];
  for (const weight of [400, 600, 700] as const) {
    const drawn = await page.evaluate(
      async ({ texts, weight }) => {
        await document.fonts.load(`${weight} 100px Inter`);
        return texts.map((text) => {
          const span = document.createElement('span');
          Object.assign(span.style, { position: 'absolute', whiteSpace: 'pre', font: `${weight} 100px Inter` });
          // The font shorthand resets digits to proportional width.
          span.style.fontFeatureSettings = '"tnum"';
          span.textContent = text;
          document.body.append(span);
          const { width } = span.getBoundingClientRect();
          span.remove();
          return width / 100;
        });
      },
      { texts, weight },
    );
    texts.forEach((text, i) => {
      const counted = textWidth(text, 1, weight);
      const real = drawn[i] ?? 0;
      assert.ok(counted >= real * 0.985 && counted <= real * 1.06, `${text} at ${weight}: ${counted} for ${real}`);
    });
  }
});
