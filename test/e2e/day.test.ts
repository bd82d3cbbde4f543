/** The summary of the day on the page Now, and as a tile that a person adds to a board. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { axeViolations, misfits, shot, signIn, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { openOffice, sharedBrowser } from './shared-browser.ts';
import { setScene } from './wall-scene.ts';

test('[U405] the page Now tells today and yesterday in sentences that lead to the pages of their numbers', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using _scene = await setScene(gateway);
  await using office = await chromium.open(`${gateway.node.http}/#now`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  const today = page.getByRole('region', { name: 'Today' });
  await today.getByText(/^Repairs reported: 2, fixed: 0\. Open now: 2\.$/).waitFor();
  await today.getByText('Fuel used is not known: no machine sent its meter.').waitFor();
  await today.getByText(/^Down now: 1 \(WL-02\)\./).waitFor();
  await page.getByRole('region', { name: 'Yesterday' }).getByText('The gateway did not know this site').waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="tv-${colorScheme}"]`).waitFor();
    assert.deepEqual(await sizesThatStickOut(page, `day-${colorScheme}`), []);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('.now-days').scrollIntoViewIfNeeded();
    await shot(page, `day-${colorScheme}`);
    assert.deepEqual(await axeViolations(page), []);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.now-days').evaluate((one) => one.scrollIntoView());
  await shot(page, 'day-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await today.getByRole('link', { name: /^Oldest open repair: .* 0 days old\.$/ }).click();
  await page.waitForURL(/#tickets\/.+/);
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});

test('[S186] [U405] a person adds the tile of a day; a wall shows it in its language, dark and light, and so does an old TV', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const { client } = scene;
  const board = await client.call('dashboards_create', { name: 'Die Woche', widgets: [] });
  {
    await using office = await openOffice(gateway.node.http, `screens/boards/${board.id}`);
    const { page } = office;
    await page.getByRole('button', { name: /^Add a tile/ }).click();
    await page.getByRole('button', { name: /^Summary of the day/ }).click();
    await page.locator('.tile-box').waitFor();
    await page.getByLabel('Day', { exact: true }).selectOption({ label: 'Yesterday' });
    await page.getByText('The gateway did not know this site on that day.').waitFor();
    await shot(page, 'day-editor');
    await page.getByLabel('Day', { exact: true }).selectOption({ label: 'Today' });
    await page.getByText(/Repairs reported: 2, fixed: 0\. Open now: 2\./).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').first().waitFor();
    assert.deepEqual(await axeViolations(page), []);
  }
  const { widgets } = await client.call('dashboards_get', { id: board.id });
  assert.deepEqual(
    widgets.map(({ type, params }) => [type, params.day]),
    [['day', 'today']],
  );

  const project = (await client.call('projects_list', {})).data[0]?.id ?? '';
  await client.call('projects_update', { id: project, language: 'de' });
  for (const theme of ['tv-dark', 'tv-light'] as const) {
    const made = await client.call('dashboards_create', {
      name: 'Die Woche',
      theme,
      widgets: [
        { type: 'day', position: { x: 0, y: 0, w: 7, h: 6 }, params: { day: 'today' } },
        { type: 'day', position: { x: 7, y: 0, w: 5, h: 3 } },
      ],
    });
    const share = await client.call('display_shares', { kind: 'dashboard', object_id: made.id });
    const path = new URL(share.url ?? '').pathname;
    await using watched = await chromium.open(gateway.node.http + path, { viewport: { width: 1920, height: 1080 } });
    const { page } = watched;
    await page
      .locator('.layer.shown .words', { hasText: 'Reparaturen gemeldet: 2, behoben: 0. Jetzt offen: 2.' })
      .first()
      .waitFor();
    await page
      .locator('.layer.shown h2', { hasText: /^Heute · bis \d\d:\d\d$/ })
      .first()
      .waitFor();
    await page.locator('.layer.shown .words', { hasText: 'Älteste offene Reparatur: ' }).waitFor();
    const [whole, small] = await page.locator('.layer.shown .words').all();
    assert.ok(whole !== undefined && small !== undefined);
    assert.equal((await whole.textContent())?.match(/^• /gm)?.length, 7);
    // What does not fit is counted, not cut.
    const text = (await small.textContent()) ?? '';
    const more = /\nund (\d+) weitere$/.exec(text)?.[1];
    assert.equal(Number(more) + (text.match(/^• /gm)?.length ?? 0), 7, text);
    for (const one of [whole, small]) {
      const over = await one.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
      assert.ok(over <= 1, `${over} px are cut`);
    }
    assert.deepEqual(await misfits(page, 3.7 * 10.8), []);
    await shot(page, `day-${theme}-de`);
    assert.deepEqual(watched.complaints, []);
    await using old = await chromium.open(gateway.node.http + path.replace('/tv/', '/tv/lite/'), {
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 720 },
    });
    await old.page.getByText('Reparaturen gemeldet: 2, behoben: 0. Jetzt offen: 2.').waitFor();
    await old.page.getByText(/^bis \d\d:\d\d$/).waitFor();
    await shot(old.page, `day-lite-${theme}`);
    assert.deepEqual(old.complaints, []);
  }
});
