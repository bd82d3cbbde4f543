/** Boards on TVs: every kind of tile at 720p, 1080p and 4K, in both themes, in English and with texts that are 35 % longer. */
import type { Page } from 'playwright';
import { axeViolations, misfits } from '#test/e2e/browser.ts';
import { tileBoards, tileSite } from '#test/e2e/tile-site.ts';
import { setScene } from '#test/e2e/wall-scene.ts';
import { startGateway, type TestGateway } from '#test/support/gateway.ts';
import { cutTexts, openLook } from './checks.ts';
import type { Run } from './run.ts';

const SIZES = [
  [1280, 720],
  [1920, 1080],
  [3840, 2160],
] as const;

/** Returns the name of the board that is shown and, if the board has more than one page, the number of its page. */
const placeShown = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? '';
    return `${textOf('header h1')} ${/\d+ \/ \d+/.exec(textOf('footer .page'))?.[0] ?? ''}`.trim();
  });

/** Shows the next page of a board, and returns its place; returns the same place if there is no other page. */
async function turn(page: Page): Promise<string> {
  const before = await placeShown(page);
  await page.keyboard.press('ArrowRight');
  for (let tries = 0; tries < 100; tries++) {
    const now = await placeShown(page);
    if (now !== before) return now;
    await page.waitForTimeout(200);
  }
  return before;
}

/** Looks at each page of each board of a display link. */
async function lookAtLink(run: Run, name: string, url: string, boards: number): Promise<void> {
  for (const language of ['en', 'en-XA'])
    for (const [width, height] of SIZES) {
      if (!name.includes(run.only)) continue;
      const viewport = { width, height };
      await using look = await openLook(run.chromium, `${url}?lang=${language}`, { viewport });
      const { page } = look;
      const seen = new Set<string>();
      for (let place: string | undefined; place === undefined || !seen.has(place); place = await turn(page)) {
        // A board that does not come is a finding, and the walk goes on.
        const isShown = await page
          .waitForFunction(
            () =>
              document.querySelectorAll('.layer').length === 1 &&
              document.querySelector('.layer.shown .cell > section:not(:empty)') !== null,
            undefined,
            { timeout: 30_000 },
          )
          .then(() => true)
          .catch(() => false);
        await look.settle();
        const here = place ?? (await placeShown(page));
        seen.add(here);
        const where = `screens: ${name}, "${here}", ${language}, ${height} lines`;
        if (!isShown) run.findings.add(where, ['the board does not show its tiles']);
        const known = run.findings.lines().length;
        run.findings.add(where, await misfits(page, (height / 1080) * 3.7 * 10.8));
        run.findings.add(
          where,
          (await axeViolations(page)).map((text) => `axe ${text}`),
        );
        run.findings.looks++;
        run.findings.add(where, look.faults());
        run.findings.pages++;
        const fresh = run.findings.lines().slice(known);
        run.say(`${fresh.length === 0 ? 'ok   ' : 'FAULT'} ${where}`);
        for (const line of fresh) run.say(`      ${line}`);
      }
      const names = new Set([...seen].map((place) => place.replace(/ ?\d+ \/ \d+$/, '')));
      if (names.size !== boards)
        run.findings.add(`screens: ${name}`, [`shows ${[...names].join(', ')}; the link has ${boards} boards`]);
    }
}

/** Looks at the page for old TVs, one after the other part of its boards. */
async function lookAtOld(run: Run, name: string, url: string): Promise<void> {
  if (!name.includes(run.only)) return;
  for (const [width, height] of SIZES) {
    await using look = await openLook(run.chromium, url, { viewport: { width, height } });
    await look.settle();
    const where = `screens: ${name}, ${height} lines`;
    run.findings.add(where, await cutTexts(look.page));
    await run.findings.axe(look.page, where);
    run.findings.add(where, look.faults());
    run.findings.pages++;
    run.say(`      ${where}`);
  }
}

async function tiles(run: Run, gateway: TestGateway): Promise<void> {
  const { client, camera } = await tileSite(gateway, run.chromium);
  const playlist = await client.call('playlists_create', { name: 'All tiles' });
  const boards = [];
  for (const board of tileBoards(camera, playlist.id)) boards.push(await client.call('dashboards_create', board));
  await client.call('playlists_update', {
    id: playlist.id,
    items: boards.map(({ id }) => ({ dashboard_id: id, duration_s: 3_600 })),
    takeover: { enabled: false, min_severity: 'critical' },
  });
  const share = await client.call('display_shares', { kind: 'playlist', object_id: playlist.id });
  const path = new URL(share.url ?? '').pathname;
  await lookAtLink(run, 'tiles', gateway.node.http + path, boards.length);
  await lookAtOld(run, 'old TV', gateway.node.http + path.replace(/^\/tv/, '/tv/lite'));
}

export async function lookAtScreens(run: Run): Promise<void> {
  {
    await using gateway = await startGateway();
    await tiles(run, gateway);
  }
  for (const many of [false, true]) {
    await using gateway = await startGateway();
    await using scene = await setScene(gateway, many);
    const machines = many ? 40 : 12;
    await lookAtLink(run, `${machines} machines`, gateway.node.http + scene.wall, 4);
    await lookAtLink(run, `${machines} machines, boards`, gateway.node.http + scene.boards, 4);
  }
}
