/** Where the real recordings are. They are no part of the project: tests that need them skip with a clear word when they are absent. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const folder = process.env.HEADFRAME_RECORDINGS ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** False when the recordings are here, else the reason to skip, in the form that node:test takes. */
export const withoutRecordings: string | false = existsSync(join(folder, 'candump'))
  ? false
  : `no recordings at ${folder}; set HEADFRAME_RECORDINGS`;

/** The bytes of a recording, unzipped when its name ends in .gz. */
export function recording(path: string): Buffer {
  const bytes = readFileSync(join(folder, path));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Where a recording lies. */
export function recordingPath(path: string): string {
  return join(folder, path);
}
