/** Small files and names that survive a power cut. */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file: after a cut it is as it was or as it is now, never in between. */
export function writeDurably(file: string, content: string | Uint8Array): void {
  const draft = `${file}.new`;
  writeFileSync(draft, content, { flush: true, mode: 0o600 });
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/** Makes names made, moved or removed in a folder survive power loss; Windows has no such call and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  syncPath(folder, 'r');
}

/** Brings a file's content to disk. */
export function syncFile(file: string): void {
  // Windows syncs only what may be written
  syncPath(file, 'r+');
}

function syncPath(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
