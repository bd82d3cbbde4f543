/** Writes of small files, and of names in folders, that survive a power cut. */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file. After a power cut the file has the old or the new content, never a mixture. */
export function writeDurably(file: string, content: string | Uint8Array): void {
  const draft = `${file}.new`;
  writeFileSync(draft, content, { flush: true, mode: 0o600 });
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/**
 * Syncs a folder, so that new, renamed and deleted names in it survive a power cut. Does nothing on Windows, which cannot sync a folder.
 */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  syncPath(folder, 'r');
}

/** Syncs the content of a file to the disk. */
export function syncFile(file: string): void {
  // Open the file for writing, because Windows does not sync a file that is open for reading only.
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
