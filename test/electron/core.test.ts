/** The decisions of the desktop app that need no gateway: addresses, folders, settings, kiosk, PIN. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { autostartFile, autostartText, isAutostarted, setAutostart } from '#electron/core/autostart.ts';
import { checkCertificate, VERDICT } from '#electron/core/certificate-pin.ts';
import { createFolder, folderProblem, suggestedFolder } from '#electron/core/data-folder.ts';
import { nextFreePort } from '#electron/core/free-port.ts';
import { chosenDisplay, createPinGuard, hashPin, kioskUrl, readKiosk, reloadWait } from '#electron/core/kiosk-plan.ts';
import { readLaunch } from '#electron/core/launch.ts';
import { stateView } from '#electron/core/problems.ts';
import { readAct } from '#electron/core/read-act.ts';
import { openSettings } from '#electron/core/settings-file.ts';
import { isSessionCookie } from '#electron/core/sign-in.ts';
import { mayNavigate, mayOpenOutside } from '#electron/core/url-policy.ts';
import { startWatchdog } from '#electron/core/watchdog.ts';
import { createAuthority, signCertificate } from '#servers/tls/site-authority.ts';
import { until } from '#test/support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-core-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('[X11] a page stays within its origin, and only https and the own gateway open in the browser', () => {
  const home = 'https://127.0.0.1:8443/#claim=AAAA-BBBB';
  for (const good of ['https://127.0.0.1:8443/', 'https://127.0.0.1:8443/trust', 'blob:https://127.0.0.1:8443/1-2'])
    assert.equal(mayNavigate(good, home), true, good);
  for (const bad of [
    'https://127.0.0.1:8444/',
    'http://127.0.0.1:8443/',
    'https://127.0.0.1.example.com:8443/',
    'https://user@evil.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'headframe://shell/shell.html',
    'about:blank',
    '',
  ])
    assert.equal(mayNavigate(bad, home), false, bad);
  assert.equal(mayNavigate('https://127.0.0.1:8443/', ''), false, 'a page without a home goes nowhere');
  const own = ['http://127.0.0.1:8480', 'http://10.2.0.5:8480/'];
  for (const good of ['https://example.com/x', 'http://10.2.0.5:8480/tv'])
    assert.equal(mayOpenOutside(good, own), true, good);
  for (const bad of [
    'http://example.com/',
    'file:///etc',
    'smb://x/y',
    'ms-msdt:x',
    'https://a:b@x/',
    `https://x/${'y'.repeat(2_000)}`,
  ])
    assert.equal(mayOpenOutside(bad, own), false, bad);
});

test('[X12] only a certificate of the authority of this gateway, or the chosen certificate, is accepted for this computer', () => {
  const data = join(folder, 'pinned');
  mkdirSync(join(data, 'tls'), { recursive: true });
  const [site, stranger] = [createAuthority(), createAuthority()];
  writeFileSync(join(data, 'tls', 'ca.pem'), site.certificate);
  const mine = signCertificate(site, ['localhost', '127.0.0.1'], null, new Date()).pair;
  const theirs = signCertificate(stranger, ['localhost', '127.0.0.1'], null, new Date()).pair;
  const check = (pem: string, own?: string, host = '127.0.0.1') => checkCertificate(host, pem, data, own);
  assert.equal(check(mine.certificate), VERDICT.accept);
  assert.equal(check(theirs.certificate), VERDICT.refuse);
  assert.equal(check(stranger.certificate), VERDICT.refuse);
  assert.equal(check('not a certificate'), VERDICT.refuse);
  assert.equal(checkCertificate('localhost', mine.certificate, null, undefined), VERDICT.refuse);
  const chosen = join(folder, 'own.pem');
  writeFileSync(chosen, theirs.certificate);
  assert.equal(check(theirs.certificate, chosen), VERDICT.accept);
  assert.equal(check(theirs.certificate, chosen, 'gateway.example.com'), VERDICT.asChromium);
  rmSync(join(data, 'tls', 'ca.pem'));
  assert.equal(check(mine.certificate), VERDICT.refuse, 'without the file of the authority nothing is accepted');
});

test('[X5] the settings survive a restart, a damaged file is kept aside, and only the own user can read them', () => {
  const path = join(folder, 'settings.json');
  const settings = openSettings(path);
  assert.equal(settings.now.data, null);
  settings.change({ data: '/srv/headframe', ports: { 'mqtt-port': 1884 } });
  assert.deepEqual(openSettings(path).now, {
    data: '/srv/headframe',
    user_id: null,
    ports: { 'mqtt-port': 1884 },
    kiosk: null,
  });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  writeFileSync(path, '{"ports":{"port":-1}}');
  assert.equal(openSettings(path).now.data, null);
  assert.equal(readFileSync(`${path}.damaged`, 'utf8'), '{"ports":{"port":-1}}');
});

test('[X1] a folder that would damage or lose data is refused with what to do, and nothing is created', () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  const suggested = suggestedFolder(home);
  assert.equal(folderProblem(suggested), undefined);
  assert.equal(existsSync(suggested), false);
  createFolder(suggested);
  assert.equal(statSync(suggested).mode & 0o777, 0o700);
  assert.equal(folderProblem(suggested), undefined, 'an empty folder is fine');
  writeFileSync(join(suggested, 'holiday.jpg'), '');
  assert.match(folderProblem(suggested) ?? '', /files of something else/);
  writeFileSync(join(suggested, 'clock.json'), '{}');
  assert.equal(folderProblem(suggested), undefined, 'the folder of a gateway is fine');
  for (const synced of [
    'C:\\Users\\ana\\OneDrive - Quarry\\data',
    '/home/ana/Dropbox/headframe',
    '/home/ana/Nextcloud',
  ])
    assert.match(folderProblem(synced) ?? '', /cloud service synchronises/, synced);
  assert.match(folderProblem('\\\\server\\share') ?? '', /another computer/);
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  assert.match(folderProblem(file) ?? '', /cannot be used/);
});

test('[X1] a folder without the right to write is refused', {
  skip: process.getuid?.() === 0 ? 'root may write everywhere' : false,
}, () => {
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0o500);
  assert.match(folderProblem(join(closed, 'data')) ?? '', /may not write/);
});

test('[X13] messages of the shell page are checked', () => {
  assert.deepEqual(readAct({ id: 'retry', fields: {} }), { id: 'retry', fields: {} });
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}`, '']));
  for (const bad of [
    null,
    {},
    { id: 'quit', fields: {} },
    { id: 'retry' },
    { id: 'retry', fields: { pin: 1 } },
    { id: 'retry', fields: many },
    { id: 'retry', fields: { x: 'y'.repeat(501) } },
    { id: 'retry', fields: {}, more: 1 },
  ])
    assert.equal(readAct(bad), undefined);
});

test('[X20] a kiosk shows the chosen page on the chosen display, and on the first one if that is not connected', async () => {
  const displays = [
    { id: 1, label: 'Main', bounds: { x: 0, y: 0, width: 1_280, height: 720 } },
    { id: 2, label: '', bounds: { x: 1_280, y: 0, width: 3_840, height: 2_160 } },
  ];
  assert.equal(chosenDisplay(displays, '2')?.id, 2);
  assert.equal(chosenDisplay(displays, 'Main')?.id, 1);
  assert.equal(chosenDisplay(displays, 'a TV that is off')?.id, 1);
  assert.equal(kioskUrl('tv', 'https://127.0.0.1:8443'), 'https://127.0.0.1:8443/tv');
  assert.equal(kioskUrl('office', null), undefined);
  assert.equal(kioskUrl('http://10.2.0.5:8480/tv', null), 'http://10.2.0.5:8480/tv');
  assert.match(String(await readKiosk({ show: 'address', address: 'ftp://x', pin: '1234' })), /must begin with http/);
  assert.match(String(await readKiosk({ show: 'tv', pin: '12' })), /4 to 8 digits/);
  const made = await readKiosk({ show: 'tv', display: 'Main', pin: '4711' });
  assert.ok(typeof made === 'object' && made.show === 'tv' && made.display === 'Main');
  assert.ok(!JSON.stringify(made).includes('4711'));
  assert.deepEqual([1, 2, 3, 20].map(reloadWait), [1_000, 2_000, 4_000, 30_000]);
});

test('[X21] wrong PINs make a person wait longer and longer, and the right PIN ends that', async () => {
  let now = 0;
  const guard = createPinGuard(await hashPin('4711'), () => now);
  for (let wrong = 0; wrong < 5; wrong++) assert.equal(await guard.check('0000'), 'The PIN is wrong.');
  assert.match(String(await guard.check('4711')), /Wait 30 s/);
  now += 30_001;
  assert.equal(await guard.check('0000'), 'The PIN is wrong.');
  assert.match(String(await guard.check('4711')), /Wait 60 s/);
  now += 3_600_000;
  assert.equal(await guard.check('4711'), true);
  assert.equal(await guard.check('0000'), 'The PIN is wrong.');
  assert.equal(await guard.check('4711'), true, 'the count began anew');
});

test('[X22] the watchdog reports a page that does not answer, and leaves one that answers or fails alone', async () => {
  let hung = 0;
  let asked = 0;
  const options = { every_ms: 2, patience_ms: 10, hung: () => void hung++ };
  {
    using _good = startWatchdog({ ...options, ask: async () => ++asked });
    using _failing = startWatchdog({ ...options, ask: () => Promise.reject(new Error('no page')) });
    await until(() => asked > 20, 'twenty answers');
    assert.equal(hung, 0);
  }
  using _deaf = startWatchdog({ ...options, ask: () => new Promise(() => {}) });
  await until(() => hung > 1, 'the hang is reported');
});

test('[X6] the start with the system is a file that starts the app without a window', () => {
  const file = autostartFile('/home/ana', { XDG_CONFIG_HOME: join(folder, 'config') });
  assert.equal(isAutostarted(file), false);
  setAutostart(file, '/opt/Headframe/headframe', true);
  assert.equal(isAutostarted(file), true);
  assert.match(readFileSync(file, 'utf8'), /^Exec="\/opt\/Headframe\/headframe" --hidden$/m);
  setAutostart(file, '', false);
  assert.equal(isAutostarted(file), false);
  assert.match(
    autostartText('/home/ana/My "Apps"/50%.AppImage'),
    /^Exec="\/home\/ana\/My \\\\"Apps\\\\"\/50%%\.AppImage" --hidden$/m,
  );
});

test('[X7] the command line may name the page of another gateway, and a wrong one is said', () => {
  assert.deepEqual(readLaunch(['--hidden', '--disable-gpu']), { hidden: true, quit: false, tv: null, problem: null });
  assert.equal(readLaunch(['headframe', '--quit']).quit, true);
  assert.equal(readLaunch(['--tv=http://10.2.0.5:8480/tv']).tv, 'http://10.2.0.5:8480/tv');
  assert.match(readLaunch(['--tv=file:///etc/passwd']).problem ?? '', /--tv must be the address/);
});

test('[X3] a full disk is said with the folder, and a free port is offered', async () => {
  const full = stateView({ is: 'waiting', why: 'The disk is full.' }, { data: '/srv/hf', freePort: null });
  assert.match(
    full?.text.join(' ') ?? '',
    /Free some space on the disk of \/srv\/hf\. The gateway then starts by itself\./,
  );
  const port = await nextFreePort(20_000);
  assert.ok(port !== null && port > 20_000 && port <= 20_050);
  assert.equal(await nextFreePort(65_535), null);
});

test('[X8] the cookie of a shared tablet does not sign the office window in', () => {
  assert.deepEqual(
    ['headframe_a1b2c3d4', '__Host-headframe_a1b2c3d4', '__Host-headframe_tablet_a1b2c3d4', 'other'].map(
      isSessionCookie,
    ),
    [true, true, false, false],
  );
});
