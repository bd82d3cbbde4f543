/** The pages for old TVs in the browser, with and without scripts. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Client, createClient } from '#contract/client.ts';
import { addMachine, lastingPort, OWNER_KEY, startAtPort, startGateway } from '#test/support/gateway.ts';
import { shot, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { at, overheat, tileBoards, tileSite } from './tile-site.ts';

/** Returns the address of a share on a page for old TVs. */
const liteOf = (url: string | null): string => new URL(url ?? '').pathname.replace('/tv/', '/tv/lite/');

/** Makes a board with one text for each word, and returns the address of its share. */
async function shareOfTexts(client: Client, texts: readonly string[]): Promise<string> {
  const board = await client.call('dashboards_create', {
    name: 'Notes',
    widgets: texts.map((text, y) => ({ type: 'text' as const, position: at(0, y, 12, 1), params: { text } })),
  });
  const items = [{ dashboard_id: board.id, duration_s: 16 }];
  const playlist = await client.call('playlists_create', { name: 'Notes', items });
  return liteOf((await client.call('display_shares', { kind: 'playlist', object_id: playlist.id })).url);
}

test('[U191] an old TV shows every kind of tile as one part of its own, dark and light', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, camera, machines } = await tileSite(gateway, chromium);
  await overheat(gateway.node.http, client, machines);
  const playlist = await client.call('playlists_create', { name: 'All' });
  const widgets = [
    ...tileBoards(camera, playlist.id).flatMap((board) => board.widgets),
    { type: 'status_board' as const, position: at(0, 0, 12, 6) },
    { type: 'kpi' as const, position: at(0, 0, 3, 2), query: { signal: 'fuel.level' as const } },
    { type: 'timeseries' as const, position: at(0, 0, 6, 4), query: { signal: 'engine.load' as const } },
    { type: 'text' as const, position: at(0, 0, 3, 2), params: { text: 'Blasting at 14:00' } },
  ];
  const expected: Readonly<Record<string, RegExp>> = {
    status_board: /HT-01.*Coolant.*Running/is,
    machine_list: /(HT|EX|DZ|WT)-0/,
    bar: /(HT|EX|DZ|WT)-0/,
    map: /North Pit/,
    ticket_board: /Brake accumulator leaks.*Flagged/s,
    alert_feed: /Coolant too hot/,
    shift_progress: /shift|left/i,
    day: /The summary is being made|Alerts raised: \d|The gateway did not know this site/,
    camera: /Crusher feed/,
    kpi: /%/,
    timeseries: /load|No data in this period/i,
    text: /Blasting at 14:00/,
    qr: /./,
  };
  for (const [i, widget] of widgets.entries()) {
    const theme = i % 2 === 0 ? ('tv-dark' as const) : ('tv-light' as const);
    const board = await client.call('dashboards_create', {
      name: `Part ${i}`,
      theme,
      widgets: [{ ...widget, position: at(0, 0, 12, 6) }],
    });
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
    await using watched = await chromium.open(gateway.node.http + liteOf(share.url), {
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 720 },
    });
    const { page } = watched;
    const text = (await page.textContent('#screen')) ?? '';
    assert.match(text, expected[widget.type] ?? /^$/, widget.type);
    assert.ok(await page.locator('.late').isHidden());
    await shot(page, `lite-${i}-${widget.type}`);
    assert.deepEqual(watched.complaints, [], widget.type);
  }
});

test('[U191] [U192] without scripts an old TV loads the next part by itself; with scripts it keeps its picture, says that it is old while the gateway is off, and recovers', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-lite-'));
  const port = await lastingPort();
  const start = () => startAtPort(folder, port);
  let node = await start();
  try {
    const owner = createClient({ base_url: node.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'North Pit' });
    const client = createClient({ base_url: node.http, key: OWNER_KEY, project_id: project.id });
    await addMachine(client, 'HT-01');
    const address = node.http + (await shareOfTexts(client, ['First note', 'Second note']));
    {
      await using plain = await chromium.open(address, { javaScriptEnabled: false });
      const first = (await plain.page.textContent('.words')) ?? '';
      const other = first === 'First note' ? 'Second note' : 'First note';
      await plain.page.locator(`.words:text-is("${other}")`).waitFor();
      assert.deepEqual(plain.complaints, []);
    }
    await using watched = await chromium.open(address);
    const { page } = watched;
    await page.evaluate(() => document.querySelector('.page')?.classList.add('first-picture'));
    await page.locator('.page:not(.first-picture) .words').waitFor();
    assert.deepEqual(watched.complaints, [], 'nothing on the console, nothing refused by the policy');

    await node[Symbol.asyncDispose]();
    const refused = page.waitForEvent('requestfailed');
    await refused;
    // Ends the wait of 30 s that the style gives each picture.
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish();
    });
    await page.locator('.late >> text=Not live since').waitFor();
    await page.locator('.words').waitFor();
    await shot(page, 'lite-late');

    node = await start();
    await page.waitForFunction(() => {
      const late = document.querySelector('.late');
      return late !== null && getComputedStyle(late).visibility === 'hidden';
    });
  } finally {
    await node[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('[U193] an old TV pairs with a code, and pairs again when it was unpaired', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const board = await client.call('dashboards_create', {
    name: 'Notes',
    widgets: [{ type: 'text', position: at(0, 0, 12, 6), params: { text: 'Paired' } }],
  });
  await using watched = await chromium.open(`${gateway.node.http}/tv/lite`, { javaScriptEnabled: false });
  const { page } = watched;
  const code = (await page.textContent('.code')) ?? '';
  await shot(page, 'lite-pairing');
  await client.call('display_pairings_approve', { user_code: code, kind: 'dashboard', object_id: board.id });
  await page.locator('.words:text-is("Paired")').waitFor();
  const [display] = (await client.call('displays_list', {})).data;
  assert.equal(display?.state, 'live');
  await client.call('displays_unpair', { id: display?.id ?? '' });
  await page.locator('.code').waitFor();
  assert.notEqual(await page.textContent('.code'), code);
});

test('[U194] a browser that is too old for the TV page opens the page for old TVs with the same link', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const lite = await shareOfTexts(gateway.project(project.id), ['Hello']);
  const context = await chromium.browser.newContext();
  // What a Chromium before version 85 lacks.
  await context.addInitScript(() => Reflect.deleteProperty(String.prototype, 'replaceAll'));
  const page = await context.newPage();
  await page.goto(gateway.node.http + lite.replace('/lite', ''));
  await page.waitForURL((url) => url.pathname === lite);
  await page.locator('.words:text-is("Hello")').waitFor();
  await context.close();
});
