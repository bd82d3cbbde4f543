/** Languages on screens: walks the wall in pseudo languages, and finds texts that were not translated or do not fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';
import { startCutProxy } from '#test/support/cut-proxy.ts';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { misfits, shot, sticksOut, type TestBrowser, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { overheat, tileBoards, tileSite } from './tile-site.ts';
import { setScene } from './wall-scene.ts';

/** Units and codes, which are the same in every language. */
const SAME =
  /\b(RT-\w+-\w+|rpm|km|kPa|psi|min|mph|gal|mi|ft|km\/h|L\/h|SPN|FMI|HT|EX|WL|DZ|WT|GR|LD|CAT|CA|QR|UTC|MB|MHz|Headframe|Engine oil pressure 1)\b/g;
/** Texts that people typed, and machines got their names from. */
const PEOPLE = [
  'North Pit',
  'Pit 3',
  'Haul road',
  'Crusher feed',
  'Crusher',
  'Scan me',
  'https://example.org/m',
  'Blasting at 14:00 today. Clear the pit by 13:45.',
];
/** A text of a person in a script of its own, so that a test can tell it from a text of the page. */
const TITLE = 'Название';

/** Returns each text on the page with a word that has no accent, so that it was not translated. */
function untranslated(page: Page, root: string): Promise<string[]> {
  return page.evaluate(
    ([selector, same, people]) => {
      const found = new Set<string>();
      const look = (text: string, where: string) => {
        let left = text;
        for (const one of people as string[]) left = left.replaceAll(one, '');
        // The build id of the page has letters and digits.
        left = left.replace(/\b[\da-f]{12}\b/, '').replace(new RegExp(same as string, 'g'), '');
        if (left.split(/[^\p{L}]+/u).some((word) => /^[A-Za-z]{2,}$/.test(word))) found.add(`${where}: ${text.trim()}`);
      };
      for (const element of document.querySelectorAll<HTMLElement>(`${selector}, ${selector} *`)) {
        if (element.closest('.layer:not(.shown), script, style, .mono, .code') !== null) continue;
        for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
          const value = element.getAttribute(name);
          if (value !== null) look(value, name);
        }
        for (const node of element.childNodes) if (node.nodeType === 3) look(node.textContent ?? '', element.className);
      }
      return [...found];
    },
    [root, SAME.source, PEOPLE] as const,
  );
}

/** Gives tickets and rules titles that are no English. */
async function renamePeoplesTexts(client: Client): Promise<void> {
  for (const { id } of (await client.call('repair_tickets_list', {})).data)
    await client.call('repair_tickets_update', { id, title: TITLE });
  for (const { id, revision } of (await client.call('alert_rules_list', {})).data)
    await client.call('alert_rules_update', { id, name: TITLE }, { if_match: revision });
}

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
    await page.locator('.choices button').first().waitFor();
    await look(page, 'XA');
    await page.locator('.choices button').last().click();
    await look(page, 'XA-other');
    await page.locator('#text').fill(TITLE);
    await page.locator('#reporter').fill(TITLE);
    await page.locator('button.send').click();
    await page.locator('[role="status"] h2').waitFor();
    await look(page, 'XA-thanks');
    await page.goto(`${gateway.node.http}/report/${'x'.repeat(43)}?lang=en-XA`);
    await page.locator('.problem').waitFor();
    await look(page, 'XA-invalid');
  }
  assert.deepEqual(found, []);
  for (const [locale, heading] of [
    ['pt-BR', 'Avisar uma falha'],
    ['en-GB', 'Report a fault'],
    ['nb-NO', 'Störung melden'],
  ] as const) {
    await using watched = await chromium.open(url, { ...phone, locale });
    await watched.page.locator(`.what:text-is("${heading}")`).waitFor();
    await shot(watched.page, `languages-report-${locale}`);
  }
});
