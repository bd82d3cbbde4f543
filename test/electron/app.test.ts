/** The desktop app as a person uses it: first run, claim, restarts, sign-in, problems. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHANNELS, SHELL_PAGE } from '#electron/core/shell-channels.ts';
import { readControl } from '#settings/control-file.ts';
import { withoutBrowser } from '#test/e2e/browser.ts';
import { sharedBrowser } from '#test/e2e/shared-browser.ts';
import { killsOf } from '#test/support/kills.ts';
import { until } from '#test/support/until.ts';
import { type Desktop, freePorts, startDesktop } from './desktop.ts';
import { app, invoke, type WebContents } from './substitute.ts';

const PASSPHRASE = 'seven quiet haul roads';
const skip = withoutBrowser;
const backoff = { first_ms: 50, longest_ms: 2_000, good_ms: 60_000 };

/** Answers the only question of the first run, and claims the gateway. */
async function claim(desktop: Desktop): Promise<void> {
  const first = await desktop.reads('Where should the data go?');
  await first.getByRole('button', { name: 'Use this folder' }).click();
  const page = await desktop.reads('Become its owner');
  assert.match(await page.getByLabel('Claim code').inputValue(), /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
  await page.getByLabel('Your name').fill('Maria');
  await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await page.getByLabel('Passphrase again').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByLabel('Site name').fill('North Pit');
  await page.keyboard.press('Enter');
  await desktop.reads('No machines yet');
  await until(() => desktop.settings().user_id !== null, 'the user is remembered');
}

const content = (desktop: Desktop): WebContents => desktop.world.windows[0]?.views[0]?.webContents as WebContents;
const cover = (desktop: Desktop): WebContents => desktop.world.windows[0]?.views[1]?.webContents as WebContents;

test('[X8] the first run asks only for the data folder; the claim page has its code, and later starts are signed in until a sign-out', {
  skip,
}, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  const first = await desktop.reads('Where should the data go?');
  const data = join(desktop.world.paths.home, 'Headframe');
  assert.match((await first.locator('main').textContent()) ?? '', new RegExp(data));
  await claim(desktop);
  assert.ok(existsSync(join(data, 'store')));

  await desktop.restart();
  const again = await desktop.reads('No machines yet');
  await again.getByRole('button', { name: 'Sign out Maria' }).waitFor();
  assert.equal(new URL(again.url()).hash, '', 'the code does not stay in the address');
  const kept = readFileSync(join(desktop.world.paths.userData, 'settings.json'), 'utf8');
  assert.doesNotMatch(kept, /ses_|ctl_|wk_/);
  await again.getByRole('button', { name: 'Sign out Maria' }).click();
  await until(() => desktop.settings().user_id === null, 'the user is forgotten after the sign-out');

  await desktop.restart();
  const out = await desktop.reads('Keep me signed in');
  await out.getByLabel('Name').fill('Maria');
  await out.getByLabel('Passphrase').fill(PASSPHRASE);
  await out.getByRole('button', { name: 'Sign in' }).click();
  await desktop.reads('No machines yet');
  assert.equal(desktop.settings().user_id, null, 'without the tick nobody is remembered');

  const { tray } = desktop.world;
  assert.match(tray?.toolTip ?? '', /The gateway runs, version 0\.1\.0/);
  tray?.click('Copy the address');
  assert.match(desktop.world.clipboard, /^http:\/\/[\d.]+:\d+\/$/);
  tray?.click('Open the TV screen');
  assert.match(desktop.world.outside.at(-1) ?? '', /^http:\/\/127\.0\.0\.1:\d+\/tv$/);
  tray?.click('Show a claim code');
  const shown = await desktop.reads(/Claim code: [A-Z0-9]{4}-[A-Z0-9]{4}/);
  await shown.getByRole('button', { name: 'Copy the code' }).click();
  await until(() => /^[A-Z0-9]{4}-[A-Z0-9]{4}$/.test(desktop.world.clipboard), 'the code is copied');
  await shown.getByRole('button', { name: 'Close' }).click();
  await desktop.reads('No machines yet');
  tray?.click('Start with the system', true);
  assert.ok(
    existsSync(join(desktop.world.paths.home, '.config', 'autostart', 'headframe.desktop')) ||
      process.env.XDG_CONFIG_HOME,
  );
});

test('[X2] when the gateway is killed the window says so, comes back by itself, and keeps what a person has typed', {
  skip,
}, async (t) => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  await claim(desktop);
  const page = await desktop.reads('No machines yet');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByLabel('Name').fill('Olaf, half typed');
  const data = desktop.settings().data ?? '';
  const loads = content(desktop).loads.length;
  const kills = killsOf(2);
  for (let kill = 1; kill <= kills; kill++) {
    const control = await readControl(data);
    const pid = control?.pid ?? 0;
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    process.kill(kill % 2 === 1 ? pid : parent, 'SIGKILL');
    await desktop.reads('The gateway starts again');
    await desktop.reads('Users');
    await until(async () => (await readControl(data)) !== undefined, 'the gateway runs');
    t.diagnostic(`kill ${kill}: the window said so and came back`);
  }
  assert.equal(await page.getByLabel('Name').inputValue(), 'Olaf, half typed');
  assert.equal(content(desktop).loads.length, loads, 'the page was not loaded again');
  await page.getByRole('button', { name: 'Add and invite' }).click();
  await page.getByLabel('Link').waitFor();
});

test('[X3] a port in use is said in the window, and one click uses another port', { skip }, async () => {
  const ports = await freePorts();
  const port = ports['mqtt-port'] ?? 0;
  const other = createServer().listen(port, '0.0.0.0');
  try {
    const browser = await sharedBrowser();
    await using desktop = await startDesktop(browser, { ports }, { backoff });
    const first = await desktop.reads('Where should the data go?');
    await first.getByRole('button', { name: 'Use this folder' }).click();
    const said = await desktop.reads(`Another program uses port ${port}`);
    await said.getByRole('button', { name: /^Use port \d+ instead$/ }).click();
    await desktop.reads('Become its owner');
    assert.ok((desktop.settings().ports['mqtt-port'] ?? 0) > port);
  } finally {
    other.close();
  }
});

test('[X1] a person chooses another folder; one that a cloud service synchronises is refused', { skip }, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  const page = await desktop.reads('Where should the data go?');
  desktop.world.folder = join(desktop.folder, 'Dropbox');
  await page.getByRole('button', { name: 'Choose another folder' }).click();
  await desktop.reads('A cloud service synchronises this folder');
  await page.getByRole('button', { name: 'Use this folder' }).click();
  assert.equal(desktop.settings().data ?? null, null);
  writeFileSync(join(desktop.folder, 'photo.jpg'), '');
  desktop.world.folder = desktop.folder;
  await page.getByRole('button', { name: 'Choose another folder' }).click();
  await desktop.reads(join(desktop.folder, 'Headframe'));
});

test('[X10] every page runs in a sandbox without Node.js, gets no permission, stays at its address and opens no window', {
  skip,
}, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  await claim(desktop);
  for (const { preferences } of desktop.world.contents) {
    const { sandbox, contextIsolation, nodeIntegration, nodeIntegrationInWorker, nodeIntegrationInSubFrames } =
      preferences;
    assert.deepEqual(
      [sandbox, contextIsolation, nodeIntegration, nodeIntegrationInWorker, nodeIntegrationInSubFrames],
      [true, true, false, false, false],
    );
    const { webSecurity, allowRunningInsecureContent, experimentalFeatures, webviewTag, spellcheck } = preferences;
    assert.deepEqual(
      [
        webSecurity,
        allowRunningInsecureContent,
        experimentalFeatures,
        webviewTag,
        spellcheck,
        preferences.enableBlinkFeatures,
      ],
      [true, false, false, false, false, undefined],
    );
  }
  const office = content(desktop);
  assert.equal(office.preferences.preload, undefined, 'pages of the gateway have no bridge to the app');
  const { session } = office;
  const asked = { requestingUrl: office.loads[0] } as Electron.PermissionRequest;
  for (const permission of [
    'media',
    'geolocation',
    'notifications',
    'serial',
    'usb',
    'openExternal',
    'clipboard-read',
    'fileSystem',
  ] as const)
    session.permission?.(office as never, permission, (granted) => assert.equal(granted, false, permission), asked);
  session.permission?.(office as never, 'clipboard-sanitized-write', (granted) => assert.equal(granted, true), asked);
  assert.equal(session.device?.(), false);
  assert.equal(session.spellChecker, false, 'the spelling checker loads dictionaries from the internet');

  const page = await desktop.seen();
  const before = page.url();
  await page.evaluate(() => location.assign('https://example.com/'));
  await page.evaluate(() => location.assign('file:///etc/passwd')).catch(() => {});
  const inside = await page.evaluate(() =>
    fetch('https://example.com/').then(
      () => 'sent',
      () => 'refused',
    ),
  );
  assert.equal(inside, 'refused');
  await page.evaluate(() => void window.open('https://example.com/manual'));
  await until(() => desktop.world.outside.includes('https://example.com/manual'), 'the link opens in the browser');
  await page.evaluate(() => void window.open('http://example.com/'));
  await page.evaluate(() => void window.open('headframe://shell/shell.html'));
  await until(async () => (await session.context).pages().length === 1, 'no window stays open');
  assert.deepEqual(desktop.world.outside, ['https://example.com/manual']);
  assert.equal(page.url(), before);
  const policy = await (await page.request.get(new URL('/', before).href)).headers()['content-security-policy'];
  assert.match(policy ?? '', /default-src 'none'.*script-src 'self'/);
});

test('[X14] a page attaches no webview, and neither a frame nor a redirect leaves the gateway', { skip }, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  await desktop.reads('Where should the data go?');
  const prevented = (contents: WebContents, name: string, url: string) => {
    let stopped = false;
    const preventDefault = () => {
      stopped = true;
    };
    contents.emit(name, { url, preventDefault });
    return stopped;
  };
  for (const contents of desktop.world.contents)
    for (const [name, url] of [
      ['will-attach-webview', ''],
      ['will-frame-navigate', 'https://example.com/'],
      ['will-redirect', 'https://example.com/'],
      ['will-navigate', 'file:///etc/passwd'],
    ] as const)
      assert.equal(prevented(contents, name, url), true, name);
  assert.equal(prevented(cover(desktop), 'will-navigate', SHELL_PAGE), true, 'the shell page navigates nowhere');
});

test('[X12] a program that took the port of the gateway gets no page and no cookie: its certificate is refused', {
  skip,
}, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  await claim(desktop);
  const data = desktop.settings().data ?? '';
  const { createAuthority } = await import('#servers/tls/site-authority.ts');
  const authority = join(data, 'tls', 'ca.pem');
  const own = readFileSync(authority, 'utf8');
  writeFileSync(authority, createAuthority().certificate);
  desktop.world.windows[0]?.close();
  desktop.world.tray?.click('Open Headframe');
  await desktop.reads('The page does not load');
  writeFileSync(authority, own);
  await desktop.reads('No machines yet');
});

test('[X13] only the shell page may act: other pages, frames and unknown actions are ignored', { skip }, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  await desktop.reads('Where should the data go?');
  const use = { id: 'use-folder', fields: {} };
  const shell = cover(desktop);
  await invoke(content(desktop), content(desktop).mainFrame, CHANNELS.act, use);
  await invoke(shell, { url: SHELL_PAGE }, CHANNELS.act, use);
  await invoke(shell, null, CHANNELS.act, use);
  await invoke(shell, shell.mainFrame, CHANNELS.act, { id: 'kiosk-start', fields: {} });
  await invoke(shell, shell.mainFrame, CHANNELS.act, { id: 'use-folder' });
  assert.equal(await invoke(content(desktop), content(desktop).mainFrame, CHANNELS.view, undefined), null);
  assert.equal(desktop.settings().data ?? null, null, 'no message was carried out');
  const page = await desktop.seen();
  const api = await page.evaluate(() => Object.keys((globalThis as unknown as { shell: object }).shell).sort());
  assert.deepEqual(api, ['act', 'follow', 'view']);
  assert.equal(await page.evaluate(() => typeof (globalThis as { require?: unknown }).require), 'undefined');
  const serve = shell.session.protocolHandlers.get('headframe');
  for (const path of ['main.js', '../main.js', '%2e%2e/main.js', 'pages/shell.js', ''])
    assert.equal((await serve?.({ url: `headframe://shell/${path}` }))?.status, 404, path);
  const sent = await page.evaluate(() =>
    fetch('https://127.0.0.1:1/').then(
      () => 'sent',
      () => 'refused',
    ),
  );
  assert.equal(sent, 'refused', 'the policy of the page allows no request');
});

test('[X9] a second start opens the window of the first and starts no gateway', { skip }, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff });
  await desktop.reads('Where should the data go?');
  desktop.world.windows[0]?.close();
  assert.equal(desktop.world.windows.length, 0);
  app.emit('second-instance', {}, ['headframe']);
  await desktop.reads('Where should the data go?');
  app.emit('second-instance', {}, ['headframe', '--quit']);
  await until(() => desktop.world.quits > 0, 'the command line can quit the running app');
  const { startDesktop: again } = await import('#electron/app.ts');
  desktop.world.isFirst = false;
  const ends = desktop.world.quits;
  app.removeAllListeners('before-quit');
  await again({ node: '/nowhere', launcher: '', pages: '', preload: '', icons: '' });
  assert.equal(desktop.world.quits, ends + 1);
});
