/** Writes of files, and of names in folders, that survive a power cut. */
import { closeSync, fsyncSync, openSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const COPY_BYTES = 1 << 20;

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

/** Copies a file and syncs the copy. */
export function copyDurably(from: string, to: string): void {
  const source = openSync(from, 'r');
  const target = openSync(to, 'w', 0o600);
  try {
    const buffer = Buffer.alloc(COPY_BYTES);
    for (let at = 0, n = 0; ; at += n) {
      n = readSync(source, buffer, 0, buffer.length, at);
      if (n === 0) break;
      for (let done = 0; done < n; ) done += writeSync(target, buffer, done, n - done, at + done);
    }
    fsyncSync(target);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

function syncPath(path: string, flags: string): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
