/** The desktop app under the substitute of Electron, with a real gateway and real pages. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright';
import type { DesktopOptions, DesktopPaths } from '#electron/app.ts';
import type { DesktopSettings } from '#electron/core/settings-file.ts';
import { buildApp } from '#electron/packing/build.ts';
import type { TestBrowser } from '#test/e2e/browser.ts';
import { lastingPort } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import type { WebContentsView, World } from './substitute.ts';

const substitute = pathToFileURL(join(import.meta.dirname, 'substitute.ts')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: substitute, shortCircuit: true } : next(specifier, context),
});
const root = join(import.meta.dirname, '..', '..');

export interface Desktop extends AsyncDisposable {
  readonly world: World;
  readonly folder: string;
  /** The settings file of the app. */
  settings(): DesktopSettings;
  /** The page that a person sees in a window: the shell page if it covers the content. */
  seen(window?: number): Promise<Page>;
  /** Waits until a text is on the page that a person sees. */
  reads(text: string | RegExp, window?: number): Promise<Page>;
  /** Quits the app and starts it again. */
  restart(args?: readonly string[]): Promise<void>;
}

/** The compiled code of all test runs. Without it, each gateway of a test compiles its code again, which doubles its processor time. */
export function compileCache(): string {
  const cache = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compile');
  mkdirSync(cache, { recursive: true });
  return cache;
}

let building: Promise<string> | undefined;
/** Builds the app once for all tests of a file; returns its folder. */
function builtApp(): Promise<string> {
  building ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headframe-app-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    await buildApp(folder);
    return folder;
  })();
  return building;
}

/** The ports of the gateway, so that tests do not use the usual ones. */
export async function freePorts(): Promise<Record<string, number>> {
  const flags = ['port', 'mqtt-port', 'bucket-port', 'https-port', 'mqtts-port', 'bucket-tls-port'];
  const ports: Record<string, number> = {};
  for (const flag of flags) ports[flag] = await lastingPort();
  return ports;
}

/** Starts the app. `settings` are those of its file. */
export async function startDesktop(
  { browser }: TestBrowser,
  settings: Partial<DesktopSettings> = {},
  options: DesktopOptions = {},
  paths: Partial<DesktopPaths> = {},
): Promise<Desktop> {
  const { newWorld, app } = await import('./substitute.ts');
  const electron = await import('#electron/app.ts');
  const folder = mkdtempSync(join(tmpdir(), 'headframe-desktop-'));
  const built = await builtApp();
  const places = { userData: join(folder, 'profile'), home: join(folder, 'home') };
  for (const place of Object.values(places)) mkdirSync(place);
  symlinkSync(compileCache(), join(places.userData, 'compile-cache'));
  const file = join(places.userData, 'settings.json');
  writeFileSync(file, JSON.stringify({ ports: await freePorts(), ...settings }));
  let world = newWorld(browser, places);
  const argv = process.argv;

  async function start(args: readonly string[]): Promise<void> {
    world = newWorld(browser, places);
    process.argv = ['electron', ...args];
    await electron.startDesktop(
      {
        node: process.execPath,
        launcher: join(root, 'gateway', 'bin', 'headframe.js'),
        pages: join(built, 'pages'),
        preload: join(built, 'preload.cjs'),
        icons: join(built, 'icons'),
        ...paths,
      },
      options,
    );
  }
  async function quit(): Promise<void> {
    app.quit();
    await until(() => world.quits > 0, 'the app quits');
    for (const { context } of world.sessions.values()) await (await context).close();
  }
  const top = (window: number): WebContentsView | undefined =>
    world.windows[window]?.views.toReversed().find((view) => view.visible);
  const desktop: Desktop = {
    get world() {
      return world;
    },
    folder,
    settings: () => JSON.parse(readFileSync(file, 'utf8')) as DesktopSettings,
    async seen(window = 0) {
      await until(() => top(window)?.webContents.page !== undefined, `a page in window ${window}`);
      return top(window)?.webContents.page as Page;
    },
    async reads(text, window = 0) {
      await until(async () => {
        const page = top(window)?.webContents.page;
        const body = await page?.evaluate(() => document.body?.textContent ?? '').catch(() => '');
        return typeof text === 'string' ? body?.includes(text) : text.test(body ?? '');
      }, `${text} in window ${window}`);
      return top(window)?.webContents.page as Page;
    },
    async restart(args = []) {
      await quit();
      await start(args);
    },
    async [Symbol.asyncDispose]() {
      await quit();
      process.argv = argv;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await start([]);
  return desktop;
}
