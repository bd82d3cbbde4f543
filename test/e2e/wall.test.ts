/** A site with many problems on a TV and in the office preview. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { createClient } from '#contract/client.ts';
import { eventually, lastingPort, OWNER_KEY, startAtPort, startGateway } from '#test/support/gateway.ts';
import { uiBuildId } from '#ui/build.ts';
import { misfits, shot, signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

const DIST = new URL('../../ui/dist/', import.meta.url).pathname;

/** Turns to the next page of the playlist. */
async function turn(page: Page): Promise<void> {
  const before = await page.textContent('footer .page');
  await page.keyboard.press('ArrowRight');
  const count = (text: string | null | undefined) => /page \d+/.exec(text ?? '')?.[0] ?? '';
  await page.waitForFunction(
    (was) => /page \d+/.exec(document.querySelector('footer .page')?.textContent ?? '')?.[0] !== was,
    count(before),
  );
  await page.waitForFunction(() => document.querySelectorAll('.layer').length === 1);
}

/** Turns until a board is shown. */
async function turnTo(page: Page, title: string): Promise<void> {
  for (let i = 0; i < 12 && (await page.textContent('header h1')) !== title; i += 1) await turn(page);
  await page.locator(`header h1:text-is("${title}")`).waitFor();
}

const shown = '.layer.shown';
const tile = (unit: string) => `${shown} .machine:has(h2:text-is("${unit}"))`;
const trouble = (unit: string) => `${shown} .trouble:has(h2:text-is("${unit}"))`;

test('[U31] [U392] tile, list, map and footer show each machine by its most urgent reason', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  await using wall = await chromium.open(gateway.node.http + scene.wall);
  const { page } = wall;
  const grade = (unit: string) => page.locator(tile(unit)).getAttribute('data-grade');
  await page.locator(`${trouble(TROUBLE.safety)}.urgent >> text=Most urgent`).waitFor();
  await page.locator(`${shown} .others >> text=${TROUBLE.silent}`).waitFor();
  for (const [unit, expected] of [
    [TROUBLE.safety, 'act'],
    [TROUBLE.critical, 'act'],
    [TROUBLE.stopLamp, 'act'],
    [TROUBLE.down, 'act'],
    [TROUBLE.warning, 'look'],
    [TROUBLE.silent, 'look'],
    ['HT-01', null],
  ] as const)
    assert.equal(await grade(unit), expected, unit);
  assert.equal(await page.locator(`${shown} .machine.first`).count(), 1, 'one machine is the most urgent');
  assert.match((await page.textContent('header .counts')) ?? '', /^Act now: 4Look soon: 3Fine: 5$/);
  assert.match((await page.textContent(trouble(TROUBLE.safety))) ?? '', /Service brake fails.*still ?running.*Nobody/);
  assert.match((await page.textContent(trouble(TROUBLE.critical))) ?? '', /Coolant.*110 °C/);
  await page.locator(`${trouble(TROUBLE.critical)} .name .mark-critical`).waitFor();
  await page.locator(`${tile(TROUBLE.warning)} .mark-warning`).waitFor();
  assert.equal(await page.textContent('footer .quiet'), '11 of 12 machines reporting');
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);
  await shot(page, 'wall-fleet');

  await turnTo(page, 'Trends');
  assert.match((await page.textContent('footer .worst')) ?? '', /^LD-07 /);
  assert.ok((await page.locator('footer .alert').count()) >= 1, 'the most urgent line leaves room for others');
  assert.match(
    (await page.textContent('footer .more')) ?? '',
    /^\d(–\d)? of 7$/,
    'their places in the order of urgency',
  );
  await page.locator(`${shown} .kpi[aria-label^="Hottest coolant: 110"] .note >> text=${TROUBLE.critical}`).waitFor();
  await page.locator(`${shown} .trend .end b >> text=${TROUBLE.critical}`).waitFor();
  await page.locator(`${shown} >> text=/each point: mean of \\d+ s/`).first().waitFor();
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);

  await turnTo(page, 'Alerts and repairs');
  const rows = () =>
    page.locator(`${shown} .alerts li`).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  await eventually(rows, (all) => all.length === 3);
  const [first = '', second = '', third = ''] = await rows();
  assert.ok(first.startsWith('critical') && second.startsWith('critical'), `${first} ${second}`);
  assert.match(third, /^warning: HT-04, Coolant warm/);
  const lamp = [first, second].find((row) => row.includes(TROUBLE.stopLamp)) ?? '';
  assert.match(lamp, /Red stop lamp, 2 alerts · Engine oil pressure 1: far too low/);
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);

  await turnTo(page, 'This shift');
  await page.locator(`${shown} .kpi[aria-label^="Work in known time: "]`).waitFor();
  assert.doesNotMatch((await page.textContent(`${shown} .shift`)) ?? '', / over,/);
  assert.ok((await page.locator(`${shown} .shift .tick`).count()) >= 3);
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);

  await using more = await chromium.open(gateway.node.http + scene.boards);
  const { page: other } = more;
  await other.locator(`${shown} .spot.first b:text-is("${TROUBLE.safety}")`).waitFor();
  await other.locator(`${shown} .spot[data-grade="act"][aria-label^="${TROUBLE.critical}"] .mark-critical`).waitFor();
  await turnTo(other, 'All machines');
  const order = await other.locator(`${shown} .list ul .row b`).allTextContents();
  assert.deepEqual([order[0], order[3]], [TROUBLE.safety, TROUBLE.down]);
  // Two critical alerts: the older one comes first, and either may be the older one.
  assert.deepEqual(order.slice(1, 3).sort(), [TROUBLE.critical, TROUBLE.stopLamp].sort());
  assert.equal(await other.locator(`${shown} .list .row.first b`).textContent(), TROUBLE.safety);
  assert.deepEqual([...wall.complaints, ...more.complaints], []);
});

test('[U34] each of forty machines is on exactly one page while machines change, and has a name on the map', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway, true);
  await using wall = await chromium.open(gateway.node.http + scene.boards);
  const { page } = wall;
  await page.locator(`${shown} .spot i`).first().waitFor();
  assert.deepEqual(await misfits(page, 1080 * 0.037), []);
  const marks = await page.locator(`${shown} .spot i`).evaluateAll((all) =>
    all.map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2, least: width * 0.9 };
    }),
  );
  assert.equal(marks.length, 40);
  for (const [i, a] of marks.entries())
    for (const b of marks.slice(i + 1)) assert.ok(Math.hypot(a.x - b.x, a.y - b.y) >= a.least, 'a mark covers another');
  const rest = page.locator(`${shown} .map .rest`);
  const words = `${await page.textContent(`${shown} .map`)} ${await rest.getAttribute('title')}`;
  assert.doesNotMatch((await rest.textContent()) ?? '', /more/);
  const missing = [...scene.machines.keys()].filter((unit) => !words.includes(unit));
  assert.deepEqual(missing, [], 'machines without a name');
  assert.doesNotMatch(words, /unnamed/);

  for (const title of ['Every machine', 'All machines'] as const) {
    await turnTo(page, title);
    const seen: string[] = [];
    // Another machine breaks down before each turn; sorted by urgency it would move to the first page.
    for (let i = 0; (await page.textContent('header h1')) === title; i += 1) {
      seen.push(...(await page.locator(`${shown} .machine h2, ${shown} .list ul .row b`).allTextContents()));
      const unit = `HT-${30 - i - (title === 'Every machine' ? 0 : 6)}`;
      const id = scene.machines.get(unit)?.equipment_id ?? '';
      await scene.client.call('equipment_update', { id, status: 'down' });
      await eventually(
        () => page.locator('footer').evaluate((footer) => /\d of (\d+)/.exec(footer.textContent ?? '')?.[1] ?? ''),
        (text) => text !== '',
      );
      await turn(page);
    }
    assert.deepEqual(seen.toSorted(), [...scene.machines.keys()].sort(), title);
  }
  assert.deepEqual(wall.complaints, []);
});

test('[U35] the office preview shows the TV page with header and footer, without office styles', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const look = (root: string) => (page: Page) =>
    page.locator(`${root} .machine:has(h2:text-is("EX-01"))`).evaluate((element) => {
      const of = (selector: string) => {
        const style = getComputedStyle(element.querySelector(selector) ?? element);
        return [style.display, style.padding, style.backgroundColor, style.fontWeight, style.borderRadius];
      };
      return ['h2', '.state', '.state span', '.detail', '.mark'].map(of);
    });
  await using wall = await chromium.open(gateway.node.http + scene.wall);
  await wall.page.locator(`${tile('EX-01')} .state`).waitFor();
  const expected = await look(shown)(wall.page);

  await using office = await chromium.open(gateway.node.http, {
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
  });
  const { page } = office;
  await signIn(page);
  await page.getByRole('link', { name: 'Screens' }).click();
  await page.getByRole('button', { name: 'Preview' }).first().click();
  await page.locator('.preview header h1:text-is("Fleet now")').waitFor();
  await page.locator('.preview .urgent h2:text-is("LD-07")').waitFor();
  await page.locator('.preview .machine.first h2:text-is("LD-07")').waitFor();
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  assert.deepEqual(await look('.preview')(page), expected);
  await page.locator('.preview').scrollIntoViewIfNeeded();
  await shot(page, 'wall-preview');
  await page.getByRole('button', { name: 'Alerts and repairs' }).click();
  await page.locator('.preview .alerts li').first().waitFor();
  await page.getByRole('button', { name: 'Close preview' }).click();
  await page.locator('.preview').waitFor({ state: 'detached' });
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[U36] a refused link shows another text than a gateway that does not answer', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  for (const path of ['/tv/short', '/tv/%zz', `/tv/dsp_${'A'.repeat(43)}`]) {
    await using wall = await chromium.open(gateway.node.http + path);
    const { page } = wall;
    await page.locator('text=This link is not valid').waitFor();
    await page.waitForURL('**/tv');
    await page.locator('.code').waitFor();
  }
  await using slash = await chromium.open(`${gateway.node.http}/TV/`);
  await slash.page.locator('.code').waitFor();
});

test('[U36] a gateway without boards shows another text than a gateway that does not answer', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await gateway.client.call('projects_create', { name: 'North Pit' });
  await using wall = await chromium.open('about:blank');
  const { page } = wall;
  await page.route('**/live', (route) => route.fulfill({ status: 503, body: '' }));
  await page.goto(`${gateway.node.http}/tv/dsp_${'A'.repeat(43)}`);
  await page.locator('text=The gateway answers, but has no boards yet').waitFor();
  await page.unroute('**/live');
  await page.route('**/live', (route) => route.abort());
  await page.locator('text=Waiting for the gateway').waitFor();
});

/** Copies the built pages with other file names and another build id, like another version. */
async function otherBuild(folder: string): Promise<string> {
  cpSync(DIST, folder, { recursive: true });
  const before = (await uiBuildId(folder)) ?? '';
  const build = before.replace(/./g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16));
  const assets = readdirSync(join(folder, 'assets')).filter((name) => /\.(js|css)$/.test(name));
  const renamed = (name: string) => name.replace(/-.{8}(\.\w+)$/, '-NEXTNEXT$1');
  const written = (text: string) =>
    assets.reduce((all, name) => all.replaceAll(name, renamed(name)), text).replaceAll(before, build);
  for (const page of ['tv.html', 'index.html', 'build.json'])
    writeFileSync(join(folder, page), written(readFileSync(join(folder, page), 'utf8')));
  for (const name of assets) {
    const path = join(folder, 'assets', name);
    writeFileSync(path, written(readFileSync(path, 'utf8')));
    renameSync(path, join(folder, 'assets', renamed(name)));
  }
  return build;
}

test('[U37] a TV shows its boards after an upgrade with other file names, while it runs and with a cached page', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'headframe-upgrade-'));
  const next = join(folder, 'dist');
  const build = await otherBuild(next);
  const port = String(await lastingPort());
  const start = (pages?: string) => startAtPort(join(folder, 'data'), port, pages === undefined ? {} : { pages });
  let node = await start();
  try {
    const owner = createClient({ base_url: node.http, key: OWNER_KEY });
    const { project } = await owner.call('projects_create', { name: 'North Pit' });
    const client = createClient({ base_url: node.http, key: OWNER_KEY, project_id: project.id });
    await client.call('equipment_create', { unit_number: 'HT-01' });
    const { data } = await client.call('playlists_list', { limit: 1, order: 'asc' });
    const share = await client.call('display_shares', { kind: 'playlist', object_id: data[0]?.id ?? '' });
    const url = node.http + new URL(share.url ?? '').pathname;
    const scriptOf = (page: Page) =>
      page.evaluate(() => document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '');
    const board = (page: Page) => page.locator('.layer.shown .machine h2:text-is("HT-01")').waitFor();

    await using running = await chromium.open(url);
    await board(running.page);
    assert.doesNotMatch(await scriptOf(running.page), /NEXTNEXT/);
    // The second TV has the page and its files in its cache and is off during the upgrade.
    await using off = await chromium.open(url);
    await board(off.page);
    await off.page.goto('about:blank');
    // The third TV has only the page in its cache.
    await using bare = await chromium.open('about:blank');
    const kept = readFileSync(join(DIST, 'tv.html'), 'utf8');

    await node[Symbol.asyncDispose]();
    node = await start(next);

    const renewed = async (page: Page) => {
      await eventually(
        async () => scriptOf(page).catch(() => ''),
        (script) => /NEXTNEXT/.test(script),
      );
      await board(page);
      await page.locator('header >> text=/live \\d+ s ago/').waitFor();
    };
    // The running TV loads the new page at the next boundary.
    await running.page.keyboard.press('ArrowRight');
    await renewed(running.page);
    // The browser may use its cached page for a day.
    await off.page.goto(url);
    await renewed(off.page);
    let fromCache = true;
    await bare.page.route(url, async (route) => {
      // A reload gets the page from the gateway.
      if (fromCache && route.request().isNavigationRequest()) {
        fromCache = false;
        await route.fulfill({ contentType: 'text/html', body: kept });
      } else await route.continue();
    });
    await bare.page.goto(url);
    await renewed(bare.page);
    await bare.page.keyboard.press('i');
    await bare.page.locator(`.info >> text=${build}`).waitFor();
  } finally {
    await node[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
