/** The office in a language, for tests that walk its pages. */
import type { Page } from 'playwright';
import { OWNER_KEY, type TestGateway } from '#test/support/gateway.ts';
import { sharedBrowser } from './shared-browser.ts';

/** Opens the office in a browser that has chosen a language. */
export async function openIn(gateway: TestGateway, language: string, isIn = true) {
  const { http } = gateway.node;
  const localStorage = [
    { name: 'headframe.language', value: language },
    ...(isIn ? [{ name: 'headframe.key', value: OWNER_KEY }] : []),
  ];
  const chromium = await sharedBrowser();
  return chromium.open(http, {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    storageState: { cookies: [], origins: [{ origin: http, localStorage }] },
  });
}

/** Opens a page of the office and waits until it has read its data. */
export async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
  }, hash);
  await page.locator('main h1, main h2').first().waitFor();
  await page.waitForTimeout(700);
}
