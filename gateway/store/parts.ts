/**
 * Parts of uploads that are not whole yet: `parts/<upload>/<number>-<md5>[-<checksum>]`, each written, synced and named like an artifact.
 *
 * - What is known of a part stands in its name, and its size and time are those of the file: there is nothing else to keep in step.
 * - A part that comes again takes the place of the one before. Where both are sent at once, the one that ends last counts: parts get
 *   their names one after the other, each younger than what has its number. After a cut between the two the younger one counts.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { syncFolder } from './artifacts.ts';

const { mkdir, open, readdir, rename, rm, stat, utimes } = promises;

export interface Part {
  readonly number: number;
  readonly bytes: number;
  /** Hex. */
  readonly md5: string;
  /** Hex; null when its sender gave none. */
  readonly checksum: string | null;
  readonly modified_ms: number;
}

export interface Parts {
  /** Resolves once the part survives a power cut; `told` is asked for its digests once the content has ended, and may refuse it. */
  put(
    upload: string,
    number: number,
    content: AsyncIterable<Uint8Array>,
    told: (made: { readonly bytes: number; readonly sha256: string }) => Pick<Part, 'md5' | 'checksum'>,
  ): Promise<Part>;
  /** In the order of their numbers. */
  list(upload: string): Promise<Part[]>;
  /** The bytes of a part. */
  read(upload: string, part: Part): AsyncIterable<Uint8Array>;
  remove(upload: string): Promise<void>;
  /** Removes the parts of uploads that nobody knows; how many uploads. */
  sweep(isKnown: (upload: string) => Promise<boolean>): Promise<number>;
}

const NAME = /^(\d{5})-([0-9a-f]{32})(?:-([0-9a-f]{8,64}))?$/;
const DRAFT = 'draft-';

/** Opens the parts of a data folder. */
export async function openParts(dataFolder: string): Promise<Parts> {
  const root = join(dataFolder, 'parts');
  await refusing(root, () => mkdir(root, { recursive: true, mode: 0o700 }));
  const writing = new Map<string, number>();
  /** The last one of each upload that gets its name. */
  const naming = new Map<string, Promise<void>>();

  function folderOf(upload: string): string {
    if (!/^[a-z0-9_]{1,64}$/.test(upload)) throw new RangeError('that is no id of an upload');
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

  /** One after the other for an upload. */
  async function inTurn<T>(upload: string, work: () => Promise<T>): Promise<T> {
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

  /** Gives a draft its name and removes what had its number. */
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
    async put(upload, number, content, told) {
      const folder = folderOf(upload);
      writing.set(upload, (writing.get(upload) ?? 0) + 1);
      const draft = join(folder, `${DRAFT}${randomBytes(8).toString('hex')}`);
      try {
        await refusing(root, async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await syncFolder(root);
        });
        const written = await write(draft, content);
        const made = { number, ...told(written) };
        return await inTurn(upload, () => refusing(root, () => name(upload, draft, { ...made, bytes: written.bytes })));
      } finally {
        await rm(draft, { force: true }).catch(() => {});
        const left = (writing.get(upload) ?? 1) - 1;
        if (left === 0) writing.delete(upload);
        else writing.set(upload, left);
      }
    },
    async list(upload) {
      // The youngest of a number comes last and counts.
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
