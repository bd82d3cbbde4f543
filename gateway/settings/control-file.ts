/** Where the commands of this machine find the running gateway, and the key that it lets them in by: `control.json` in the data folder. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What it says. */
interface Control {
  readonly pid: number;
  readonly http: string;
  readonly mqtt: number;
  readonly bucket: number;
  readonly token: string;
}

/** Writes it; disposing removes it. */
export function writeControl(
  folder: string,
  control: Control,
  log: (level: 'warn', message: string, data: object) => void,
): Disposable {
  const path = join(folder, 'control.json');
  writeFileSync(path, JSON.stringify(control), { mode: 0o600 });
  return {
    [Symbol.dispose]() {
      try {
        rmSync(path, { force: true });
      } catch (error) {
        // A read-only disk keeps it, as a killed process leaves it: nobody answers where it points.
        log('warn', 'what tells commands of this gateway could not be removed', { error: String(error) });
      }
    },
  };
}
