/**
 * Uploads that can continue after a broken connection or a restart. The file `uploads/<id>` has the bytes that arrived so far.
 *
 *   append: write the bytes -> sync -> acknowledge; finish: SHA-256 of the file -> rename to the artifact
 *
 * Only one append to an upload runs at a time. It must begin at the end of the file.
 *
 * The bytes of an append with a wrong digest are removed.
 *
 * The SHA-256 is updated in memory with each append. After a restart `finish` reads the file again to compute it.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { type Artifact, type Artifacts, ArtifactTooLarge } from './artifacts.ts';

const { mkdir, open, readdir, rm, stat } = promises;

/** The SHA-256 of at most this many uploads is kept in memory. For other uploads `finish` reads the file again. */
const MAX_HASHES = 64;

/** The error for an append that does not begin at the end of the upload. */
export class OffsetMismatch extends Error {
  readonly size: number;
  constructor(size: number) {
    super(`the upload has ${size} bytes`);
    this.name = 'OffsetMismatch';
    this.size = size;
  }
}

/** The error for an append whose digest differs from the digest that the sender gave. The bytes of the append are removed. */
export class DigestMismatch extends Error {
  constructor() {
    super('the digest of the content differs from the given digest');
    this.name = 'DigestMismatch';
  }
}

/** The error for a call while another append to the same upload runs. */
export class UploadBusy extends Error {
  constructor() {
    super('another append to this upload is running');
    this.name = 'UploadBusy';
  }
}

export interface Digest {
  readonly algorithm: 'md5' | 'sha1' | 'sha256';
  readonly value: Uint8Array;
}

export interface Uploads {
  /** Returns the number of bytes that have arrived; 0 for an unknown upload. */
  size(id: string): Promise<number>;
  /**
   * Appends the content at `offset`. Resolves to the new size when the bytes are on disk. If the content ends with an error, the bytes that
   * arrived before the error stay, unless a digest was given. Throws `OffsetMismatch`, `DigestMismatch`, `UploadBusy`, `StoreError`, or
   * `ArtifactTooLarge` if the upload exceeds `limit`.
   */
  append(
    id: string,
    offset: number,
    content: AsyncIterable<Uint8Array>,
    options: { readonly limit: number; readonly digest?: Digest },
  ): Promise<number>;
  /** Returns the SHA-256 of the bytes that have arrived, as hex. */
  digest(id: string): Promise<string>;
  /** Returns the first bytes of the upload, at most `bytes`. */
  head(id: string, bytes: number): Promise<Uint8Array>;
  /** Renames the upload to an artifact; throws `UploadBusy`. */
  finish(id: string): Promise<Artifact>;
  /** Deletes the upload; throws `UploadBusy`. */
  remove(id: string): Promise<void>;
  /** Deletes the uploads for which `isKnown` resolves to false. Returns their number. */
  sweep(isKnown: (id: string) => Promise<boolean>): Promise<number>;
}

/** Returns an id that is fit for a path; throws `RangeError` for another one. */
export function pathOfUpload(id: string): string {
  if (!/^[a-z0-9_]{1,64}$/.test(id)) throw new RangeError(`${JSON.stringify(id)} is not the id of an upload`);
  return id;
}

/** Runs work on an upload alone; throws `UploadBusy` if other work on it runs. */
export async function exclusively<T>(busy: Set<string>, id: string, work: () => Promise<T>): Promise<T> {
  if (busy.has(id)) throw new UploadBusy();
  busy.add(id);
  try {
    return await work();
  } finally {
    busy.delete(id);
  }
}

/** Opens the folder `uploads` of a data folder; creates it if it is absent. */
export async function openUploads(dataFolder: string, artifacts: Pick<Artifacts, 'adopt'>): Promise<Uploads> {
  const root = join(dataFolder, 'uploads');
  await refusing(root, () => mkdir(root, { recursive: true, mode: 0o700 }));
  const busy = new Set<string>();
  const hashes = new Map<string, { hash: Hash; size: number }>();

  const pathOf = (id: string): string => join(root, pathOfUpload(id));
  const sizeOf = async (id: string) => (await stat(pathOf(id)).catch(() => undefined))?.size ?? 0;

  function remember(id: string, hash: Hash, size: number): void {
    hashes.delete(id);
    if (hashes.size >= MAX_HASHES) hashes.delete(hashes.keys().next().value as string);
    hashes.set(id, { hash, size });
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
    const removeAppended = async () => {
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
        // Remove the bytes of this append if its digest cannot be checked any more, or if it exceeds the limit.
        if (digest !== undefined || error instanceof ArtifactTooLarge) await removeAppended();
        throw error;
      } finally {
        await refusing(root, () => handle.sync());
      }
      if (digest !== undefined && check !== undefined && !check.digest().equals(digest.value)) {
        await removeAppended();
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
    append: (id, offset, content, options) => exclusively(busy, id, () => write(id, offset, content, options)),
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
      exclusively(busy, id, async () => {
        const sha256 = await hashOf(id);
        const made = await artifacts.adopt(pathOf(id), sha256);
        hashes.delete(id);
        return made;
      }),
    remove: (id) =>
      exclusively(busy, id, async () => {
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

/**
 * Writes a complete chunk. On a nearly full disk one call may write only some of the bytes, so the function calls `write` until all bytes
 * are written.
 */
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
