/**
 * Stands in for fpm, the program with which electron-builder makes a Debian package: builds the package with dpkg-deb from the arguments that
 * electron-builder gives. fpm itself cannot be had on every machine.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    source: { ...text, short: 's' },
    target: { ...text, short: 't' },
    force: { type: 'boolean' },
    depends: { ...text, short: 'd', multiple: true },
    'deb-recommends': { ...text, multiple: true },
    'deb-compression': text,
    'deb-priority': text,
    architecture: text,
    'after-install': text,
    'after-remove': text,
    description: text,
    version: text,
    package: text,
    name: text,
    maintainer: text,
    vendor: text,
    url: text,
    license: text,
    category: text,
  },
});
if (values.source !== 'dir' || values.target !== 'deb') throw new Error('only deb packages of folders');

const tree = mkdtempSync(join(tmpdir(), 'headframe-deb-'));
for (const one of positionals) {
  const at = one.lastIndexOf('=');
  const [from, to] = [one.slice(0, at), join(tree, one.slice(at + 1))];
  mkdirSync(dirname(to), { recursive: true });
  if (from.endsWith('/')) cpSync(from, to, { recursive: true });
  else copyFileSync(from, to);
}
const control = join(tree, 'DEBIAN');
mkdirSync(control);
writeFileSync(
  join(control, 'control'),
  `Package: ${values.name}
Version: ${values.version}
Architecture: ${values.architecture}
Maintainer: ${values.maintainer}
Depends: ${(values.depends ?? []).join(', ')}
Recommends: ${(values['deb-recommends'] ?? []).join(', ')}
Priority: ${values['deb-priority']}
Homepage: ${values.url}
Description: ${values.description?.trim()}
`,
);
for (const [script, from] of [
  ['postinst', values['after-install']],
  ['postrm', values['after-remove']],
] as const) {
  writeFileSync(join(control, script), readFileSync(from ?? ''));
  chmodSync(join(control, script), 0o755);
}
const made = spawnSync('dpkg-deb', ['-Zgzip', '-z1', '--root-owner-group', '--build', tree, values.package ?? ''], {
  stdio: 'inherit',
});
rmSync(tree, { recursive: true, force: true });
process.exitCode = made.status ?? 1;
