/**
 * Keeps the parts of multipart uploads to the bucket (the S3 service of the gateway) until the upload is complete:
 * `parts/<upload>/<number>-<md5>[-<checksum>]`.
 *
 * The properties of a part are stored only in the name, size and time of its file, so there is no other record that could disagree with the
 * file.
 *
 * A part that is sent again replaces the earlier part with the same number. If a client sends two parts with one number at the same time,
 * the part that arrives completely last stays. A new file always gets a later time than existing files with the same number. So if a power
 * cut leaves two files with one number, the later file counts.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { syncFolder } from './folder-place.ts';

const { mkdir, open, readdir, rename, rm, stat, utimes } = promises;

export interface Part {
  readonly number: number;
  readonly bytes: number;
  /** MD5 of the content as hex. */
  readonly md5: string;
  /** The checksum that the sender gave, as hex; null if it gave none. */
  readonly checksum: string | null;
  readonly modified_ms: number;
}

export interface Parts {
  /**
   * Stores a part. Resolves when the part survives a power cut. `put` calls `finish` when the content has ended; `finish` returns the
   * digests of the part, or throws to reject the part.
   */
  put(
    upload: string,
    number: number,
    content: AsyncIterable<Uint8Array>,
    finish: (made: { readonly bytes: number; readonly sha256: string }) => Pick<Part, 'md5' | 'checksum'>,
  ): Promise<Part>;
  /** Returns the parts of an upload, sorted by number. */
  list(upload: string): Promise<Part[]>;
  /** Reads the content of a part. */
  read(upload: string, part: Part): AsyncIterable<Uint8Array>;
  /** Deletes all parts of an upload. */
  remove(upload: string): Promise<void>;
  /** Deletes the parts of uploads for which `isKnown` resolves to false. Returns the number of these uploads. */
  sweep(isKnown: (upload: string) => Promise<boolean>): Promise<number>;
}

const NAME = /^(\d{5})-([0-9a-f]{32})(?:-([0-9a-f]{8,64}))?$/;
const DRAFT = 'draft-';

/** Counts the writes that run for each upload. */
function countWrites() {
  const counts = new Map<string, number>();
  return {
    begin: (upload: string) => void counts.set(upload, (counts.get(upload) ?? 0) + 1),
    end(upload: string) {
      const left = (counts.get(upload) ?? 1) - 1;
      if (left === 0) counts.delete(upload);
      else counts.set(upload, left);
    },
    has: (upload: string) => counts.has(upload),
  };
}

/** Opens the folder `parts` of a data folder; creates it if it is absent. */
export async function openParts(dataFolder: string): Promise<Parts> {
  const root = join(dataFolder, 'parts');
  await refusing(root, () => mkdir(root, { recursive: true, mode: 0o700 }));
  const writing = countWrites();
  /** For each upload, a promise that resolves when all its waiting parts have been renamed to their final names. */
  const naming = new Map<string, Promise<void>>();

  function folderOf(upload: string): string {
    if (!/^[a-z0-9_]{1,64}$/.test(upload)) throw new RangeError(`${JSON.stringify(upload)} is not the id of an upload`);
    return join(root, upload);
  }
  const nameOf = ({ number, md5, checksum }: Pick<Part, 'number' | 'md5' | 'checksum'>) =>
    [String(number).padStart(5, '0'), md5, ...(checksum === null ? [] : [checksum])].join('-');

  async function all(upload: string): Promise<Part[]> {
    const folder = folderOf(upload);
    const names = await readdir(folder).catch(() => []);
    const found: Part[] = [];
    for (const name of names) {
      const [, number, md5, checksum] = NAME.exec(name) ?? [];
      const at = number === undefined ? undefined : await stat(join(folder, name)).catch(() => undefined);
      if (at === undefined || md5 === undefined) continue;
      found.push({
        number: Number(number),
        bytes: at.size,
        md5,
        checksum: checksum ?? null,
        modified_ms: at.mtimeMs,
      });
    }
    return found.sort((a, b) => a.number - b.number || a.modified_ms - b.modified_ms);
  }

  /** Runs pieces of work for the same upload one after the other. */
  async function inOrder<T>(upload: string, work: () => Promise<T>): Promise<T> {
    const before = naming.get(upload) ?? Promise.resolve();
    const made = before.then(work);
    const done = made.then(
      () => {},
      () => {},
    );
    naming.set(upload, done);
    try {
      return await made;
    } finally {
      if (naming.get(upload) === done) naming.delete(upload);
    }
  }

  /** Renames a draft to the name of its part, and then deletes earlier parts with the same number. */
  async function name(upload: string, draft: string, made: Omit<Part, 'modified_ms'>): Promise<Part> {
    const folder = folderOf(upload);
    const path = join(folder, nameOf(made));
    const others = (await all(upload)).filter((part) => part.number === made.number);
    const youngest_ms = Math.max(Date.now(), ...others.map(({ modified_ms }) => Math.floor(modified_ms) + 1));
    await utimes(draft, youngest_ms / 1000, youngest_ms / 1000);
    await rename(draft, path);
    for (const old of others) if (nameOf(old) !== nameOf(made)) await rm(join(folder, nameOf(old)), { force: true });
    await syncFolder(folder);
    return { ...made, modified_ms: (await stat(path)).mtimeMs };
  }

  async function write(draft: string, content: AsyncIterable<Uint8Array>) {
    const handle = await refusing(root, () => open(draft, 'wx', 0o600));
    try {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of content) {
        hash.update(chunk);
        await refusing(root, () => handle.writeFile(chunk));
        bytes += chunk.length;
      }
      await refusing(root, () => handle.sync());
      return { bytes, sha256: hash.digest('hex') };
    } finally {
      await handle.close();
    }
  }

  return {
    async put(upload, number, content, finish) {
      const folder = folderOf(upload);
      writing.begin(upload);
      const draft = join(folder, `${DRAFT}${randomBytes(8).toString('hex')}`);
      try {
        await refusing(root, async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await syncFolder(root);
        });
        const written = await write(draft, content);
        const made = { number, ...finish(written) };
        return await inOrder(upload, () =>
          refusing(root, () => name(upload, draft, { ...made, bytes: written.bytes })),
        );
      } catch (error) {
        // A named draft is gone. Deleting it here would let a later part with the same number be acknowledged before this one.
        await rm(draft, { force: true }).catch(() => {});
        throw error;
      } finally {
        writing.end(upload);
      }
    },
    async list(upload) {
      // `all` sorts by number and time, so of several files with one number the Map keeps the latest.
      return [...new Map((await all(upload)).map((part) => [part.number, part])).values()];
    },
    read: (upload, part) => createReadStream(join(folderOf(upload), nameOf(part))),
    remove: (upload) => rm(folderOf(upload), { recursive: true, force: true }),
    async sweep(isKnown) {
      let gone = 0;
      for (const upload of await readdir(root)) {
        if (writing.has(upload) || (await isKnown(upload))) continue;
        await rm(join(root, upload), { recursive: true, force: true });
        gone++;
      }
      return gone;
    },
  };
}

async function refusing<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(fileErrorCode(error), root, error);
  }
}
