/** The page Now and the list of machines, in the order and with the numbers of the wall. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import { axeViolations, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

const LOOKS = ['dark', 'light'] as const;

/** Checks a page in dark and light: nothing sticks out on a desktop, a tablet and a phone, and axe finds nothing. Keeps pictures. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="tv-${colorScheme}"]`).waitFor();
    assert.deepEqual(await sizesThatStickOut(page, `${name}-${colorScheme}`), [], `${name}, ${colorScheme}`);
    assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.deepEqual(await axeViolations(page), [], `${name}, ${colorScheme}`);
  }
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(OWNER_KEY);
  await page.keyboard.press('Enter');
}

test('[U96] the page Now has the order, the sentences and the counts of the wall, and the list of machines has the same order', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  await using wall = await chromium.open(gateway.node.http + scene.wall);
  const counts = wall.page.locator('header .counts');
  await counts.filter({ hasText: /^Act now: 4Look soon: 3Fine: 5$/ }).waitFor();
  await using office = await chromium.open(`${gateway.node.http}/#now`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  await page
    .locator('.now-counts')
    .filter({ hasText: /^Act now: 4Look soon: 3Fine: 5$/ })
    .waitFor();
  const [hero] = await page.locator('.troubles .says .link').allTextContents();
  assert.equal(hero, await wall.page.textContent('.layer.shown .trouble.urgent h2'));
  const row = page.locator('.troubles .machine-trouble', { hasText: TROUBLE.safety });
  await row.getByText('Service brake fails on the ramp, still running').waitFor();
  await row.getByRole('button', { name: 'I take it', exact: true }).click();
  await row.getByText(/is on it/).waitFor();
  await wall.page
    .locator(`.layer.shown .trouble:has(h2:text-is("${TROUBLE.safety}")) .owner >> text=/is on it/`)
    .waitFor();
  assert.equal(await page.locator('.now-rest li').count(), 5);
  await looksRight(page, 'now');

  const troubles = await page.locator('.troubles .says .link').allTextContents();
  await page.getByRole('link', { name: 'Machines', exact: true }).click();
  await page.locator('tbody tr').nth(11).waitFor();
  const units = await page.locator('tbody th .link').allTextContents();
  assert.deepEqual(units.slice(0, troubles.length), troubles);
  assert.equal(await page.locator('tbody .needs').count(), troubles.length);
  await page
    .locator('tbody tr', { hasText: TROUBLE.silent })
    .locator('.needs', { hasText: 'No data. Nobody on it yet.' })
    .waitFor();
  await page.locator('.now-rest').waitFor({ state: 'detached' });
  assert.deepEqual(
    office.complaints.filter((text) => !text.includes('401')),
    [],
  );
});
