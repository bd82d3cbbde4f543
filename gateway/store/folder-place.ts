/** The contents of artifacts in the data folder: `artifacts/ab/abcdef...`. */
import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ArtifactPlace, isSha256, type StoredContent } from '#store/base/artifact-place.ts';

const { mkdir, open, readdir, rename, rm, stat, utimes } = promises;

const YOUNG_MS = 10_000;

/** The contents in the folder `artifacts` of a data folder, which must exist. */
export function folderPlace(root: string): ArtifactPlace {
  /** The folders that need no sync of their parent folder any more, because an earlier sync has written their names to disk. */
  const folders = new Set<string>();
  const folderOf = (sha256: string): string => join(root, sha256.slice(0, 2));
  const pathOf = (sha256: string): string => join(folderOf(sha256), sha256);

  async function find(sha256: string): Promise<StoredContent | undefined> {
    if (!isSha256(sha256)) return undefined;
    const found = await stat(pathOf(sha256)).catch(() => undefined);
    return found?.isFile() ? { sha256, bytes: found.size, stored_ms: found.mtimeMs } : undefined;
  }

  return {
    young_ms: YOUNG_MS,
    find,
    async keep(file, { sha256 }) {
      const folder = folderOf(sha256);
      if (!folders.has(folder)) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await syncFolder(root);
        folders.add(folder);
      }
      if ((await find(sha256)) === undefined) await rename(file, pathOf(sha256));
      // The content is already stored. Set its age to zero, because a new record may refer to it soon.
      else await utimes(pathOf(sha256), new Date(), new Date());
      // Sync the folder also if the file existed, because the put that created the file may not have synced the folder yet.
      await syncFolder(folder);
    },
    async read({ sha256 }, from, to) {
      // createReadStream includes the byte at `end`.
      return from === to ? Readable.from([]) : createReadStream(pathOf(sha256), { start: from, end: to - 1 });
    },
    locate: async ({ sha256 }) => pathOf(sha256),
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
    async *list() {
      for (const group of await readdir(root)) {
        if (!/^[0-9a-f]{2}$/.test(group)) continue;
        for (const sha256 of await readdir(join(root, group))) {
          const found = await find(sha256);
          if (found !== undefined) yield found;
        }
      }
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Syncs a folder, so that new, renamed and deleted names in it survive a power cut. Does nothing on Windows, which cannot sync a folder.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
