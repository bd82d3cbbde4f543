/** The app in a real Electron. Its program is `HEADFRAME_ELECTRON`, or the one that the package `electron` has downloaded. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { _electron } from 'playwright';
import { APP, buildApp } from '#electron/packing/build.ts';
import { until } from '#test/support/until.ts';

const root = join(import.meta.dirname, '..', '..');

/** Returns the path of the program; undefined if there is none. Does not import the package, which would download the program. */
function program(): string | undefined {
  const given = process.env.HEADFRAME_ELECTRON;
  if (given !== undefined && given !== '') return given;
  const home = join(root, 'node_modules', 'electron');
  const file = join(home, 'path.txt');
  if (!existsSync(file)) return undefined;
  const found = join(home, 'dist', readFileSync(file, 'utf8'));
  return existsSync(found) ? found : undefined;
}

const electron = program();

test('[X41] the first run in a real Electron asks for the data folder', {
  skip: electron === undefined ? 'no binary' : false,
}, async () => {
  const profile = mkdtempSync(join(tmpdir(), 'headframe-smoke-'));
  try {
    await buildApp();
    const running = await _electron.launch({
      executablePath: electron ?? '',
      args: [APP, `--user-data-dir=${profile}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    });
    try {
      await until(() => running.windows().some((page) => page.url().startsWith('headframe://')), 'the shell page');
      const page = running.windows().find((one) => one.url().startsWith('headframe://'));
      await page?.getByText('Where should the data go?').waitFor();
      assert.equal(await page?.evaluate(() => typeof (globalThis as { process?: unknown }).process), 'undefined');
    } finally {
      await running.close();
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});
