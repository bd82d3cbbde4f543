/**
 * `npm run lock` after any change of dependencies: names every optional platform package in package-lock.json, also those that
 * the registry at hand does not carry, so that `npm ci` finds lock and manifest in step everywhere. Such an entry has no integrity
 * and is only fetched on the platform it names.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly license?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
interface Lock {
  packages: Record<string, LockEntry>;
}

const PLATFORMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32'];

/** Optional packages that some package of the lock asks for and the lock does not name, as the entries they need. */
export function missingEntries(lock: Lock): Record<string, LockEntry> {
  const missing: Record<string, LockEntry> = {};
  for (const [where, entry] of Object.entries(lock.packages))
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const top = `node_modules/${name}`;
      if (top in lock.packages || `${where}/${top}` in lock.packages) continue;
      const words = name.split(/[/-]/);
      const cpu = PROCESSORS.find((one) => words.includes(one));
      const os = PLATFORMS.find((one) => words.includes(one));
      const libc = words.some((word) => word.startsWith('musl'))
        ? 'musl'
        : words.some((word) => word.startsWith('gnu'))
          ? 'glibc'
          : undefined;
      const described = {
        version: range.replace(/^[\^~]/, ''),
        ...(cpu === undefined ? {} : { cpu: [cpu] }),
        ...(entry.dev === true ? { dev: true } : {}),
        ...(libc === undefined ? {} : { libc: [libc] }),
        ...(entry.license === undefined ? {} : { license: entry.license }),
        optional: true,
        ...(os === undefined ? {} : { os: [os] }),
      };
      missing[top] = described;
    }
  return missing;
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '..', '..', 'package-lock.json');
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  const missing = missingEntries(lock);
  const all = { ...lock.packages, ...missing };
  lock.packages = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`${Object.keys(missing).length} entries added\n`);
}
