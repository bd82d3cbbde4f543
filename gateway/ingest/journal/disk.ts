/** What the journal asks of a disk: few calls, so that a simulator can stand in for it. */
import { promises } from 'node:fs';
import { join } from 'node:path';

export interface DiskFile {
  size(): Promise<number>;
  /** Fills the buffer from this position; returns the bytes read, fewer only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** All of the bytes, or an error. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Returns when data and length survive a power cut. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface Disk {
  /** Names in the folder, which is made when absent. */
  list(folder: string): Promise<string[]>;
  /** `create` fails when the file exists. */
  open(folder: string, name: string, mode: 'create' | 'write' | 'read'): Promise<DiskFile>;
  remove(folder: string, name: string): Promise<void>;
  /** Makes creations and removals in the folder survive a power cut. */
  syncFolder(folder: string): Promise<void>;
}

const { mkdir, open, readdir, rm } = promises;

const FLAGS = { create: 'wx+', write: 'r+', read: 'r' } as const;

/** The real disk; errors are Node's, with `code`. */
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
