/** Chromium as people have it, watched: what it prints, what a policy refuses, what sticks out. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { buildUi, uiIsStale } from '#ui/build.ts';

const EXECUTABLE = process.env.HEADFRAME_CHROMIUM ?? '/usr/bin/chromium';

/** The reason to skip, or false. */
export const withoutBrowser: string | false = (() => {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
    return false;
  } catch {
    return `${EXECUTABLE} is not installed`;
  }
})();

/** A wait for the page ends with what it waited for; this is for a machine that is slow. */
const PATIENCE_MS = 120_000;

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

/** Starts a browser over freshly built pages. */
export async function startBrowser(more: readonly string[] = []): Promise<TestBrowser> {
  if (await uiIsStale()) await buildUi();
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: [...QUIET, ...more],
    timeout: PATIENCE_MS,
  });
  return {
    browser,
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, ...options });
      context.setDefaultTimeout(PATIENCE_MS);
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

/** Keeps a picture when HEADFRAME_SHOTS names a folder, for people to look at. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.HEADFRAME_SHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** How far the page goes beyond the right edge, in pixels. */
export function sticksOut(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** What sticks out sideways on a desktop, a tablet and a phone, a sentence each; keeps a picture of all three. */
export async function sizesThatStickOut(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [size, width, height] of [
    ['desktop', 1440, 900],
    ['tablet', 1024, 768],
    ['phone', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    const wide = await sticksOut(page);
    if (wide > 0) found.push(`${wide} px stick out on a ${size}`);
    await shot(page, `${name}-${size}`);
  }
  return found;
}

/** What sticks out of its box, is below the floor of type, or makes the page scroll. `floor` in pixels. */
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
      if (Number.parseFloat(getComputedStyle(element).fontSize) < least - 0.1) out.push(`too small: ${name}`);
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) out.push(`cut off: ${name}`);
      const tile = element.closest<HTMLElement>('.machine, .panel, header, footer')?.getBoundingClientRect();
      if (tile !== undefined && (box.right > tile.right + 1 || box.bottom > tile.bottom + 1))
        out.push(`out of its tile: ${name}`);
    }
    return out;
  }, floor);
}
