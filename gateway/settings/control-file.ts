/**
 * The file `control.json` in the data folder: the address and the token with which `headframe` commands and the desktop app reach the running
 * gateway. Only the user of the gateway can read the file.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FILE = 'control.json';

/** The content of the file. */
const Control = z.object({
  pid: z.number().int().positive(),
  http: z.url(),
  mqtt: z.number().int(),
  bucket: z.number().int(),
  token: z.string(),
});
export type Control = z.infer<typeof Control>;

/** Reads the control file of the gateway that runs on this data folder; undefined when none runs. */
export async function readControl(data: string): Promise<Control | undefined> {
  const text = await readFile(join(data, FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const control = Control.parse(JSON.parse(text));
    // A killed gateway leaves its control file with the id of an ended process. Signal 0 only checks that the process exists.
    process.kill(control.pid, 0);
    return control;
  } catch {
    return undefined;
  }
}

/** Writes the file. Disposing the result deletes the file. */
export function writeControl(
  folder: string,
  control: Control,
  log: (level: 'warn', message: string, data: object) => void,
): Disposable {
  const path = join(folder, FILE);
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
