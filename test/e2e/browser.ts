/** Chromium for tests, with checks for console errors, policy violations and layout overflow. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { OWNER_KEY } from '#test/support/gateway.ts';
import { buildUi, uiIsStale } from '#ui/build.ts';

/** The headless shell of Chromium needs a third less processor time than Chromium, because it has no user interface. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const EXECUTABLE = process.env.HEADFRAME_CHROMIUM ?? BROWSERS.find(existsSync) ?? '/usr/bin/chromium';

/** The reason to skip, or false. */
export const withoutBrowser: string | false = (() => {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
    return false;
  } catch {
    return `${EXECUTABLE} is not installed`;
  }
})();

/** The timeout of every wait for the page; long, because test machines may be slow. */
const TIMEOUT_MS = 120_000;

const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings on the console, uncaught errors and refusals by the content policy. */
  readonly complaints: string[];
}

export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser;
  open(url: string, options?: BrowserContextOptions): Promise<Watched>;
}

/** Builds the pages if needed and starts a browser. */
export async function startBrowser(more: readonly string[] = []): Promise<TestBrowser> {
  if (await uiIsStale()) await buildUi();
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: [...QUIET, ...more],
    timeout: TIMEOUT_MS,
  });
  return {
    browser,
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, ...options });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(url);
      return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Signs in on the page of the office with a key. */
export async function signIn(page: Page, key = OWNER_KEY): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
}

/** Saves a screenshot in the folder that HEADFRAME_SHOTS names. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.HEADFRAME_SHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** The overflow of the page at its right edge, in pixels. After the window has changed, charts get their new width with the next frame. */
export function sticksOut(page: Page): Promise<number> {
  return page.evaluate(async (most_ms) => {
    // A call of the page has no timeout, and a browser that draws nothing never calls back.
    const late = new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`Chromium drew no frame in ${most_ms} ms.`)), most_ms);
    });
    for (let frame = 0; frame < 2; frame++) await Promise.race([new Promise(requestAnimationFrame), late]);
    return document.documentElement.scrollWidth - innerWidth;
  }, TIMEOUT_MS / 4);
}

/** The sizes at which the pages of the office are looked at, in pixels. */
export const SIZES = [
  ['desktop', 1440, 900],
  ['tablet', 1024, 768],
  ['phone', 390, 844],
] as const;

/** Lists the sizes (desktop, tablet, phone) at which the page overflows sideways; saves a screenshot of each. */
export async function sizesThatStickOut(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    const wide = await sticksOut(page);
    if (wide > 0) found.push(`${wide} px stick out on a ${size}`);
    await shot(page, `${name}-${size}`);
  }
  return found;
}

/** Lists elements of a wall that overflow or have text smaller than `floor` pixels, and reports a page that scrolls. */
export function misfits(page: Page, floor: number): Promise<string[]> {
  return page.evaluate((least) => {
    const out: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) out.push('the page scrolls');
    for (const element of document.querySelectorAll<HTMLElement>('.tv *, .pairing *')) {
      if (element.closest('.watermark, .layer:not(.shown), .canvas') !== null) continue;
      const box = element.getBoundingClientRect();
      if (box.width === 0) continue;
      const name = `${element.tagName}.${element.className} "${(element.textContent ?? '').slice(0, 40)}"`;
      if (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1)
        out.push(`off the screen: ${name}`);
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && (node.textContent ?? '').trim() !== '');
      if (!own) continue;
      // A status board, the rows of a shift and a list beside a map have smaller texts for people who walk up to them.
      const floor = element.closest('.status-board, .ribbons, .map-list') === null ? least : (least * 2.6) / 3.7;
      if (Number.parseFloat(getComputedStyle(element).fontSize) < floor - 0.1) out.push(`too small: ${name}`);
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) out.push(`cut off: ${name}`);
      const tile = element.closest<HTMLElement>('.machine, .trouble, .panel, header, footer')?.getBoundingClientRect();
      if (tile !== undefined && (box.right > tile.right + 1 || box.bottom > tile.bottom + 1))
        out.push(`out of its tile: ${name}`);
    }
    return out;
  }, floor);
}

/** Runs axe (rules of WCAG 2.2 AA and best practice) on the page. Returns each violation with its first element. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run(document, { runOnly: tags });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.length} x ${nodes[0]?.html.slice(0, 160)}`);
  });
}
