/** Walks pages of the office in a pseudo language, and collects texts that were not translated and what does not fit. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { sizesThatStickOut } from './browser.ts';
import { DESK, sharedBrowser } from './shared-browser.ts';
import { untranslated } from './untranslated.ts';

/** Opens the office at an address in a browser that has chosen a language, signed in with the owner's key. */
export async function openIn(http: string, language: string, isIn = true) {
  const localStorage = [
    { name: 'headframe.language', value: language },
    ...(isIn ? [{ name: 'headframe.key', value: OWNER_KEY }] : []),
  ];
  const chromium = await sharedBrowser();
  return chromium.open(http, {
    ...DESK,
    storageState: { cookies: [], origins: [{ origin: new URL(http).origin, localStorage }] },
  });
}

/**
 * Opens a page of the office and waits until it has read its data. With `shows` it waits for such a part of the new page; a part of the
 * page before does not count.
 */
export async function go(page: Page, hash: string, shows?: string): Promise<void> {
  await page.evaluate(
    ([next = '', parts]) => {
      if (parts !== undefined) for (const one of document.querySelectorAll(parts)) one.setAttribute('data-before', '');
      location.hash = next;
    },
    [hash, shows],
  );
  await page
    .locator(shows === undefined ? 'main h1, main h2' : `${shows}:not([data-before])`)
    .first()
    .waitFor();
  // The page of a record has a title before it has its data.
  await page.locator('main .loading').waitFor({ state: 'detached' });
  await page.waitForTimeout(700);
}

/**
 * Lists texts that are cut at the edge of a part of the page, without a mark such as "…". A map shows a part of the site: a machine that
 * has left this part since is cut there.
 */
const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('#office *')]
      .filter((one) => {
        const { overflowX, textOverflow } = getComputedStyle(one);
        const cuts = (overflowX === 'hidden' || overflowX === 'clip') && !one.matches('.map-canvas');
        return cuts && textOverflow === 'clip' && one.clientWidth > 2 && one.scrollWidth > one.clientWidth + 1;
      })
      .map((one) => `cut: ${one.tagName}.${one.className} "${(one.textContent ?? '').slice(0, 60)}"`),
  );

/** Looks at pages; `end` fails if one of them had a text without accents, or something that stuck out or was cut. */
export function walkOf(page: Page) {
  const found: string[] = [];
  return {
    /** Looks at what the page shows now. */
    async look(name: string): Promise<void> {
      await page.waitForTimeout(300);
      found.push(...(await untranslated(page, '#office')).map((text) => `${name}: ${text}`));
      found.push(...(await sizesThatStickOut(page, `office-XA-${name}`)).map((text) => `${name}: ${text}`));
      // The page has the size of a phone now.
      found.push(...(await cutTexts(page)).map((text) => `${name}: ${text}`));
      await page.setViewportSize(DESK.viewport);
    },
    end: () => assert.deepEqual([...new Set(found)], []),
  };
}
