/** The TV page in the kiosk mode of a real Chromium on a real X server, with nobody at the keyboard. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright';
import { withoutBrowser } from '#test/e2e/browser.ts';
import { startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';

const skip = withoutBrowser || (spawnSync('Xvfb', ['-help']).error === undefined ? false : 'Xvfb is not installed');

/** Starts an X server on a free display; returns the name of the display. */
async function startX(server: (child: ChildProcess) => void): Promise<string> {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1920x1080x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  server(child);
  const [line] = await new Promise<Buffer[]>((resolve) =>
    child.stdio[3]?.once('data', (data: Buffer) => resolve([data])),
  );
  return `:${String(line).trim()}`;
}

test('[X23] the TV page fills the screen in kiosk mode, without a bar, a scroll bar or a question', {
  skip,
}, async () => {
  await using gateway = await startGateway();
  const profile = mkdtempSync(join(tmpdir(), 'headframe-kiosk-'));
  const started: ChildProcess[] = [];
  try {
    const display = await startX((child) => started.push(child));
    const args = [
      '--kiosk',
      // Without a window manager nobody answers the request for the full screen.
      '--window-position=0,0',
      '--window-size=1920,1080',
      '--no-sandbox',
      '--no-first-run',
      '--disable-gpu',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
    ];
    started.push(
      spawn('/usr/bin/chromium', [...args, `${gateway.node.http}/tv`], {
        env: { ...process.env, DISPLAY: display },
        stdio: 'ignore',
      }),
    );
    const portFile = join(profile, 'DevToolsActivePort');
    const port = () => {
      try {
        return readFileSync(portFile, 'utf8').split('\n')[0];
      } catch {
        return undefined;
      }
    };
    await until(() => port(), 'Chromium listens');
    await using browser = await chromium.connectOverCDP(`http://127.0.0.1:${port()}`);
    const [page] = browser.contexts()[0]?.pages() ?? [];
    assert.ok(page);
    await page.getByText(/^[A-Z0-9]{3}-[A-Z0-9]{3}$/).waitFor();
    const size = () => page.evaluate(() => [innerWidth, innerHeight, outerWidth, outerHeight]);
    // Without a window manager Chromium leaves one pixel at the right and at the bottom.
    const fills = ([width = 0, height = 0]: number[]) => width >= 1_919 && height >= 1_079;
    await until(async () => fills(await size()), 'the page has the size of the screen');
    const [width, height, wide, high] = await size();
    assert.deepEqual([wide, high], [width, height], 'the window has no bar');
    const root = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.scrollHeight,
    ]);
    assert.deepEqual(root, [width, height], 'the page has no scroll bar');
  } finally {
    for (const child of started.reverse()) child.kill('SIGKILL');
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
