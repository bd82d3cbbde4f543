/** Walks all pages of the office with texts that are 35 % longer, as in other languages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { startGateway } from '#test/support/gateway.ts';
import { SIZES, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

/** Makes each text on the page 35 % longer, and returns the controls whose text does not fit into them. */
function lengthen(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const node of texts) {
      const text = node.data.trim();
      // Numbers, times and unit numbers are the same in every language. A text that the page kept is long already.
      if (
        !/[a-z]{3}/.test(text) ||
        text.includes('ëxtra') ||
        node.parentElement?.closest('script, style, .mono, code, textarea') != null
      )
        continue;
      const more = Math.ceil(text.length * 0.35);
      node.data = `${node.data.trimEnd()}${' ëxtra'.repeat(Math.ceil(more / 6)).slice(0, more)} `;
    }
    const cut: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('main button, main a.button, header a, main th')) {
      const box = element.getBoundingClientRect();
      if (
        box.width > 0 &&
        element.scrollWidth > element.clientWidth + 1 &&
        getComputedStyle(element).display !== 'inline'
      )
        cut.push(`${element.tagName} "${element.textContent?.slice(0, 40)}"`);
    }
    return cut;
  });
}

test('[U45] no page of the office overflows when its texts are 35 % longer', { skip: withoutBrowser }, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const machine = scene.machines.get(TROUBLE.critical);
  await using office = await chromium.open(gateway.node.http, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor();
  const names = await page.locator('nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
  const pages = [
    ...names,
    `#machines/${machine?.equipment_id}`,
    `#story/${machine?.equipment_id}`,
    `#devices/${machine?.device}`,
    '#alerts/rules/new',
    '#tickets/new',
  ];
  const found: string[] = [];
  for (const hash of pages)
    for (const [size, width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${gateway.node.http}/${hash}`);
      await page.locator('main h1, main h2').first().waitFor();
      await page.waitForFunction(() => document.querySelector('main')?.textContent !== 'Loading');
      const cut = await lengthen(page);
      const wide = await sticksOut(page);
      if (wide > 0) found.push(`${hash} on a ${size}: ${wide} px stick out`);
      found.push(...cut.map((text) => `${hash} on a ${size}: ${text} is cut`));
    }
  assert.deepEqual(found, []);
});
