/**
 * Uploads that outlive their connection and the process: `uploads/<id>` is what has come of one, and its size is how far it is.
 *
 *   append: bytes -> file (synced before it is told) -> ... -> finish: hashed -> becomes an artifact by its name
 *
 * - Only one append to an upload at a time; it starts where the file ends, or not at all.
 * - An append with a digest counts only when the digest is right; any other leaves nothing.
 * - The hash is carried along in memory; after a restart the file is read once more at its end.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { type Artifact, type Artifacts, ArtifactTooLarge } from './artifacts.ts';

const { mkdir, open, readdir, rm, stat } = promises;

/** Hashes that are carried along at once; others are made anew at the end. */
const MAX_HASHES = 64;

/** An append did not begin where the upload ends. */
export class OffsetMismatch extends Error {
  readonly size: number;
  constructor(size: number) {
    super(`the upload has ${size} bytes`);
    this.name = 'OffsetMismatch';
    this.size = size;
  }
}

/** What came has another digest than its sender said; it is gone again. */
export class DigestMismatch extends Error {
  constructor() {
    super('the content has another digest');
    this.name = 'DigestMismatch';
  }
}

/** Somebody appends to the upload right now. */
export class UploadBusy extends Error {
  constructor() {
    super('somebody appends to this upload');
    this.name = 'UploadBusy';
  }
}

export interface Digest {
  readonly algorithm: 'md5' | 'sha1' | 'sha256';
  readonly value: Uint8Array;
}

export interface Uploads {
  /** Bytes that are there; 0 for an upload that has none yet. */
  size(id: string): Promise<number>;
  /**
   * Appends until the content ends; resolves to the new size once it is on disk. What came before the content broke off is kept,
   * unless there is a digest. Throws `OffsetMismatch`, `DigestMismatch`, `UploadBusy`, `ArtifactTooLarge` beyond `limit`, or `StoreError`.
   */
  append(
    id: string,
    offset: number,
    content: AsyncIterable<Uint8Array>,
    options: { readonly limit: number; readonly digest?: Digest },
  ): Promise<number>;
  /** The SHA-256 of what is there. */
  digest(id: string): Promise<string>;
  /** What it begins with, this many bytes at most. */
  head(id: string, bytes: number): Promise<Uint8Array>;
  /** Makes the upload an artifact; throws `UploadBusy`. */
  finish(id: string): Promise<Artifact>;
  /** Removes what came of it; throws `UploadBusy`. */
  remove(id: string): Promise<void>;
  /** Removes what nobody knows of; how many. */
  sweep(isKnown: (id: string) => Promise<boolean>): Promise<number>;
}

/** Opens the uploads of a data folder. */
export async function openUploads(dataFolder: string, artifacts: Pick<Artifacts, 'adopt'>): Promise<Uploads> {
  const root = join(dataFolder, 'uploads');
  await refusing(root, () => mkdir(root, { recursive: true, mode: 0o700 }));
  const busy = new Set<string>();
  const hashes = new Map<string, { hash: Hash; size: number }>();

  function pathOf(id: string): string {
    if (!/^[a-z0-9_]{1,64}$/.test(id)) throw new RangeError('that is no id of an upload');
    return join(root, id);
  }
  const sizeOf = async (id: string) => (await stat(pathOf(id)).catch(() => undefined))?.size ?? 0;

  function remember(id: string, hash: Hash, size: number): void {
    hashes.delete(id);
    if (hashes.size >= MAX_HASHES) hashes.delete(hashes.keys().next().value as string);
    hashes.set(id, { hash, size });
  }

  async function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    if (busy.has(id)) throw new UploadBusy();
    busy.add(id);
    try {
      return await work();
    } finally {
      busy.delete(id);
    }
  }

  async function hashOf(id: string): Promise<string> {
    const size = await sizeOf(id);
    const known = hashes.get(id);
    if (known?.size === size) return known.hash.copy().digest('hex');
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(pathOf(id))) hash.update(chunk);
    remember(id, hash, size);
    return hash.copy().digest('hex');
  }

  async function write(
    id: string,
    offset: number,
    content: AsyncIterable<Uint8Array>,
    { limit, digest }: { readonly limit: number; readonly digest?: Digest },
  ): Promise<number> {
    const size = await sizeOf(id);
    if (size !== offset) throw new OffsetMismatch(size);
    const handle = await refusing(root, () => open(pathOf(id), offset === 0 ? 'a' : 'r+', 0o600));
    const known = hashes.get(id);
    const hash = offset === 0 ? createHash('sha256') : known?.size === offset ? known.hash : undefined;
    hashes.delete(id);
    const check = digest && createHash(digest.algorithm);
    let at = offset;
    const takeBack = async () => {
      await handle.truncate(offset);
      at = offset;
    };
    try {
      try {
        for await (const chunk of content) {
          if (at + chunk.length > limit) throw new ArtifactTooLarge(limit);
          await refusing(root, () => writeWhole(handle, chunk, at));
          at += chunk.length;
          hash?.update(chunk);
          check?.update(chunk);
        }
      } catch (error) {
        // What a sender promised to prove and could not is not kept, and neither is what no upload can have.
        if (digest !== undefined || error instanceof ArtifactTooLarge) await takeBack();
        throw error;
      } finally {
        await refusing(root, () => handle.sync());
      }
      if (digest !== undefined && check !== undefined && !check.digest().equals(digest.value)) {
        await takeBack();
        throw new DigestMismatch();
      }
      return at;
    } finally {
      if (hash !== undefined && at > offset) remember(id, hash, at);
      await handle.close();
    }
  }

  return {
    size: sizeOf,
    append: (id, offset, content, options) => alone(id, () => write(id, offset, content, options)),
    digest: hashOf,
    async head(id, bytes) {
      const handle = await refusing(root, () => open(pathOf(id)));
      try {
        const { bytesRead, buffer } = await handle.read(new Uint8Array(bytes), 0, bytes, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
    finish: (id) =>
      alone(id, async () => {
        const sha256 = await hashOf(id);
        const made = await artifacts.adopt(pathOf(id), sha256);
        hashes.delete(id);
        return made;
      }),
    remove: (id) =>
      alone(id, async () => {
        hashes.delete(id);
        await rm(pathOf(id), { force: true });
      }),
    async sweep(isKnown) {
      let gone = 0;
      for (const id of await readdir(root)) {
        if (busy.has(id) || (await isKnown(id))) continue;
        await rm(join(root, id), { force: true });
        gone++;
      }
      return gone;
    },
  };
}

/** A disk that is nearly full takes a part and says so; what would be missing is written again, or fails. */
async function writeWhole(handle: promises.FileHandle, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; )
    done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
}

async function refusing<T>(root: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StoreError(fileErrorCode(error), root, error);
  }
}
