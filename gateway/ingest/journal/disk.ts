/** The disk operations of the journal; the simulator of the tests implements them too. */
import { promises } from 'node:fs';
import { join } from 'node:path';

export interface DiskFile {
  size(): Promise<number>;
  /**
   * Fills the buffer from this position of the file. Returns the number of bytes read, which is smaller than the buffer only at the end of
   * the file.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all bytes at this position of the file, or throws. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when the data and the length of the file are on disk and survive a power cut. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  /** Returns the names in the folder; creates the folder if it is absent. */
  list(folder: string): Promise<string[]>;
  /** Opens a file; the mode `create` fails if the file exists. */
  open(folder: string, name: string, mode: 'create' | 'write' | 'read'): Promise<DiskFile>;
  remove(folder: string, name: string): Promise<void>;
  /** Syncs the folder, so that created and removed files survive a power cut. */
  syncFolder(folder: string): Promise<void>;
}

const { mkdir, open, readdir, rm } = promises;

const FLAGS = { create: 'wx+', write: 'r+', read: 'r' } as const;

/** Returns the disk of this computer, used through the file functions of Node.js. Errors have the `code` of Node.js, such as `ENOSPC`. */
export function nodeDisk(): Disk {
  return {
    async list(folder) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return readdir(folder);
    },
    async open(folder, name, mode) {
      const handle = await open(join(folder, name), FLAGS[mode], 0o600);
      return {
        size: async () => (await handle.stat()).size,
        async read(into, position) {
          let filled = 0;
          while (filled < into.length) {
            const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
            if (bytesRead === 0) break;
            filled += bytesRead;
          }
          return filled;
        },
        async write(bytes, position) {
          let done = 0;
          while (done < bytes.length) {
            done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
          }
        },
        sync: () => handle.datasync(),
        truncate: (length) => handle.truncate(length),
        close: () => handle.close(),
      };
    },
    remove: (folder, name) => rm(join(folder, name)),
    async syncFolder(folder) {
      const handle = await open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}
