/** Data that is readable by the user of the gateway alone, whatever the system's defaults are. */
import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What others may not do. */
const OTHERS = 0o077;
const FOLDER = 0o700;
const FILE = 0o600;
/** What a gateway makes in its data folder. The folder itself may hold more, which is not ours. */
const OURS: ReadonlySet<string> = new Set([
  'artifacts',
  'backup',
  'bridge',
  'journal',
  'mqtt',
  'parts',
  'store',
  'uploads',
  'clock.json',
  'control.json',
  'secret.key',
]);

type Log = (level: 'warn', message: string, data?: object) => void;

/** Files that this process makes from now on are for its user alone, and so are those in the data folder that an earlier version made. */
export function keepPrivate(folder: string, log: Log): void {
  process.umask(OTHERS);
  tightenAll(folder, (name) => OURS.has(name), log);
}

/** Takes the rights of others from what lies in a folder, two levels deep: what is deeper cannot be reached then. Links are left alone. */
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
  if (failed > 0) log('warn', 'others may be able to read files of the gateway', { folder, files: failed });
}
