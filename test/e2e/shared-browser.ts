/** One browser for all tests of a file, because the start of a browser takes half a second of processor time. Each page has its own storage. */
import { after } from 'node:test';
import { startBrowser, type TestBrowser } from './browser.ts';

let last: Promise<TestBrowser> | undefined;

after(async () => {
  await (await last)?.[Symbol.asyncDispose]();
});

/** Returns the browser of this file; starts one if there is none, or if it has ended. */
export async function sharedBrowser(): Promise<TestBrowser> {
  if (last === undefined || !(await last).browser.isConnected()) last = startBrowser();
  return last;
}
