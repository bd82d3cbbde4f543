/** One browser for all tests of a file, because the start of a browser takes half a second of processor time. Each page has its own storage. */
import { after } from 'node:test';
import type { BrowserContextOptions } from 'playwright';
import { signIn, startBrowser, type TestBrowser, type Watched } from './browser.ts';

/** A desk: a light page of 1440 x 900 pixels. */
export const DESK = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const;

let last: Promise<TestBrowser> | undefined;

after(async () => {
  await (await last)?.[Symbol.asyncDispose]();
});

/** Returns the browser of this file; starts one if there is none, or if it has ended. */
export async function sharedBrowser(): Promise<TestBrowser> {
  if (last === undefined || !(await last).browser.isConnected()) last = startBrowser();
  return last;
}

/** Opens a page of the office at `http`, signed in with the owner's key. */
export async function openOffice(http: string, page: string, options: BrowserContextOptions = DESK): Promise<Watched> {
  const chromium = await sharedBrowser();
  const office = await chromium.open(`${http}/#${page}`, options);
  await signIn(office.page);
  return office;
}
