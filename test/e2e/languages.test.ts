/** Languages on screens: walks the wall in pseudo languages, and finds texts that were not translated or do not fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { misfits, shot, sticksOut, type TestBrowser, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { overheat, tileBoards, tileSite } from './tile-site.ts';
import { renamePeoplesTexts, TITLE, untranslated } from './untranslated.ts';
import { setScene } from './wall-scene.ts';

/** A site with boards of all kinds of tiles. Returns the address of the screen and the titles of its boards. */
async function boardsOf(gateway: Awaited<ReturnType<typeof startGateway>>, chromium: TestBrowser, language: string) {
  const { client, project, machines, camera } = await tileSite(gateway, chromium);
  await client.call('projects_update', { id: project.id, language });
  const playlist = await client.call('playlists_create', { name: TITLE });
  const boards = tileBoards(camera, playlist.id).map(({ widgets, ...board }, i) => ({
    ...board,
    name: `${TITLE} ${i}`,
    widgets: widgets.map((widget) => ({ ...widget, ...(widget.title && { title: TITLE }) })),
  }));
  const made = [];
  for (const board of boards) made.push(await client.call('dashboards_create', board));
  const items = made.map(({ id }) => ({ dashboard_id: id, duration_s: 3_600 }));
  await client.call('playlists_update', {
    id: playlist.id,
    items,
    takeover: { enabled: false, min_severity: 'critical' },
  });
  await renamePeoplesTexts(client);
  await overheat(gateway.node.http, client, machines);
  const share = await client.call('display_shares', { kind: 'playlist', object_id: playlist.id });
  const tiles = boards.flatMap(({ widgets }) => widgets);
  return { client, url: gateway.node.http + new URL(share.url ?? '').pathname, made, tiles };
}

/** Waits until the board with this title is shown whole. */
async function whole(page: Page, title: string, tiles: number): Promise<void> {
  await page.locator(`header h1:text-is("${title}")`).waitFor();
  await page.waitForFunction(
    (wanted) =>
      document.querySelectorAll('.layer').length === 1 &&
      document.querySelectorAll('.layer.shown .cell > section:not(:empty)').length === wanted,
    tiles,
  );
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

const FLOOR = 3.7 * 10.8;

test('[U283] every kind of tile is translated, and 35 % longer texts fit, on a TV and on an old TV', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { client, url, made, tiles } = await boardsOf(gateway, chromium, 'en-XA');
  const found: string[] = [];
  await using watched = await chromium.open(url);
  const { page } = watched;
  for (const [i, { widgets, name }] of made.entries()) {
    await whole(page, name, widgets.length);
    await page.waitForTimeout(200);
    found.push(...(await untranslated(page, '.tv')));
    found.push(...(await misfits(page, FLOOR)).map((text) => `board ${i}: ${text}`));
    await shot(page, `languages-XA-${i}`);
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('i');
  await page.locator('.info').waitFor();
  found.push(...(await untranslated(page, '.info')));
  assert.deepEqual(watched.complaints, []);

  // An old TV shows one tile after the other, so give each tile a board of its own.
  for (const [i, tile] of tiles.entries()) {
    const board = await client.call('dashboards_create', {
      name: TITLE,
      widgets: [{ ...tile, position: { x: 0, y: 0, w: 12, h: 6 } }],
    });
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
    const address = gateway.node.http + new URL(share.url ?? '').pathname.replace(/^\/tv/, '/tv/lite');
    await using old = await chromium.open(address, {
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 720 },
    });
    found.push(...(await untranslated(old.page, '#screen')).map((text) => `old TV, ${tile.type}: ${text}`));
    await shot(old.page, `languages-XA-lite-${i}-${tile.type}`);
  }
  assert.deepEqual([...new Set(found)], []);
});

for (const many of [false, true])
  test(`[U283] a wall of ${many ? 40 : 12} machines in trouble is translated and fits, live and without the gateway`, {
    skip: withoutBrowser,
  }, async () => {
    const chromium = await sharedBrowser();
    await using gateway = await startGateway();
    await using scene = await setScene(gateway, many);
    const { client } = scene;
    await renamePeoplesTexts(client);
    const board = await client.call('dashboards_create', {
      name: TITLE,
      widgets: [{ type: 'status_board', position: { x: 0, y: 0, w: 12, h: 6 } }],
    });
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: board.id });
    await using wire = await startCutProxy(Number(new URL(gateway.node.http).port), 1);
    const url = `http://127.0.0.1:${wire.port}${new URL(share.url ?? '').pathname}`;
    for (const [language, name] of [
      ['en-XA', 'XA'],
      ['de', 'de'],
      ['es', 'es'],
      ['fr', 'fr'],
      ['pt', 'pt'],
      ['en-XB', 'XB'],
    ] as const) {
      await using watched = await chromium.open(`${url}?lang=${language}`);
      const { page } = watched;
      const found: string[] = [];
      const look = async (when: string) => {
        if (language === 'en-XA') found.push(...(await untranslated(page, '.tv')));
        found.push(...(await misfits(page, FLOOR)).map((text) => `${when}: ${text}`));
        await shot(page, `languages-${name}-${many ? 40 : 12}-${when}`);
      };
      await page.locator('.layer.shown .trouble').first().waitFor();
      await page.waitForTimeout(500);
      await look('live');
      assert.equal(await page.evaluate(() => document.documentElement.dir), language === 'en-XB' ? 'rtl' : 'ltr');
      if (language === 'en-XA' || language === 'de') {
        wire.cut();
        await page.locator('.tv[data-live="no"]').waitFor();
        await page.waitForTimeout(300);
        await look('lost');
        wire.open();
      }
      assert.deepEqual(found, [], language);
    }
  });

test('[U285] the page for reports is translated and fits a phone; it takes the language of the browser, or else of the site', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: TITLE, language: 'de-CH' });
  const client = gateway.project(project.id);
  const { equipment_id } = await addMachine(client, 'HT-03');
  const link = await client.call('fault_links', { equipment_id });
  const url = gateway.node.http + new URL(link.url ?? '').pathname;
  const phone = { viewport: { width: 390, height: 844 } };
  const found: string[] = [];
  const look = async (page: Page, name: string) => {
    found.push(...(await untranslated(page, '#report')));
    const wide = await sticksOut(page);
    if (wide > 0) found.push(`${name}: ${wide} px stick out`);
    await shot(page, `languages-report-${name}`);
  };
  {
    await using watched = await chromium.open(`${url}?lang=en-XA`, phone);
    const { page } = watched;
    await page.locator('.not-ok').waitFor();
    await look(page, 'XA');
    await page.locator('.ok').click();
    await look(page, 'XA-name');
    await page.locator('#reporter').fill(TITLE);
    await page.locator('button.send').click();
    await page.locator('[role="status"] h1').waitFor();
    await look(page, 'XA-ok');
    await page.locator('button.done').click();
    await page.locator('.not-ok').click();
    await page.locator('.choices button').last().click();
    await look(page, 'XA-other');
    await page.locator('#text').fill(TITLE);
    await page.locator('.picks button').first().click();
    await look(page, 'XA-filled');
    await page.locator('button.send').click();
    await page.locator('[role="status"] h1').waitFor();
    await look(page, 'XA-thanks');
    await page.goto(`${gateway.node.http}/report/${'x'.repeat(43)}?lang=en-XA`);
    await page.locator('.problem').waitFor();
    await look(page, 'XA-invalid');
  }
  assert.deepEqual(found, []);
  for (const [locale, heading] of [
    ['pt-BR', 'Não está OK'],
    ['en-GB', 'Not OK'],
    ['nb-NO', 'Nicht OK'],
  ] as const) {
    await using watched = await chromium.open(url, { ...phone, locale });
    await watched.page.locator(`.not-ok:has-text("${heading}")`).waitFor();
    await shot(watched.page, `languages-report-${locale}`);
  }
});
