/** Makes the data folder readable only for the user that runs the gateway, whatever the umask of the system is. */
import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The permission bits of group and others, which the gateway removes. */
const OTHERS = 0o077;
const FOLDER = 0o700;
const FILE = 0o600;
/** Names that a gateway creates in its data folder. Other files in that folder are not changed. */
const OURS: ReadonlySet<string> = new Set([
  'artifacts',
  'backup',
  'bridge',
  'journal',
  'mqtt',
  'parts',
  'store',
  'tls',
  'uploads',
  'clock.json',
  'control.json',
  'secret.key',
]);

type Log = (level: 'warn', message: string, data?: object) => void;

/** Sets the umask, so that new files are private, and removes the permissions of other users from existing files of the gateway. */
export function keepPrivate(folder: string, log: Log): void {
  process.umask(OTHERS);
  tightenAll(folder, (name) => OURS.has(name), log);
}

/** Removes the permissions of other users, two folder levels deep. Deeper files are then unreachable for them. Does not change links. */
export function tightenAll(folder: string, isOurs: (name: string) => boolean, log: Log): void {
  let failed = 0;
  const tighten = (path: string): boolean => {
    try {
      const found = lstatSync(path);
      if (!found.isDirectory() && !found.isFile()) return false;
      if ((found.mode & OTHERS) !== 0) chmodSync(path, found.isDirectory() ? FOLDER : FILE);
      return found.isDirectory();
    } catch {
      failed++;
      return false;
    }
  };
  const list = (path: string): Dirent[] => {
    try {
      return readdirSync(path, { withFileTypes: true });
    } catch {
      return [];
    }
  };
  for (const { name } of list(folder)) {
    if (!isOurs(name) || !tighten(join(folder, name))) continue;
    for (const inner of list(join(folder, name))) tighten(join(folder, name, inner.name));
  }
  if (failed > 0) log('warn', 'other users may be able to read files of the gateway', { folder, files: failed });
}
