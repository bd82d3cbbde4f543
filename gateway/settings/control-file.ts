/** The file `control.json` in the data folder: the address and the token with which `headframe` commands reach the running gateway. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content of the file. */
interface Control {
  readonly pid: number;
  readonly http: string;
  readonly mqtt: number;
  readonly bucket: number;
  readonly token: string;
}

/** Writes the file. Disposing the result deletes the file. */
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
        // On a read-only disk the file stays, as after a killed process. A command that reads it then gets no connection.
        log('warn', 'the file control.json could not be deleted', { error: String(error) });
      }
    },
  };
}
