/**
 * Artifacts: large binary files, named by the SHA-256 of their content.
 *
 *   put: bytes -> artifacts/tmp/<random>, hashed on the way -> fsync -> the place keeps it -> resolves
 *
 * The place of the contents is a folder (`folder-place.ts`) or a bucket (`s3/bucket-place.ts`). Interrupted writes leave drafts in `tmp`,
 * which the next open deletes.
 *
 * If the same content is put twice, one file is stored. A file never changes after it has its name, so a reader always reads the same
 * bytes.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileErrorCode, StoreError } from '#contract/base/store-error.ts';
import { BucketPlace, type BucketPlaceOptions } from '#store/s3/bucket-place.ts';
import { folderPlace, syncFolder } from './folder-place.ts';

const { mkdir, open, rm, stat } = promises;
type FileHandle = promises.FileHandle;

/** The default size limit of an artifact: 2 GiB. An MF4 file with an hour of frames from a busy logger has about a tenth of this size. */
const MAX_BYTES = 2 * 2 ** 30;
/** During the write of a large file, a sync starts after each 16 MB. */
const SYNC_BYTES = 16 << 20;
/** `sweep` keeps artifacts that are younger than this, in milliseconds, because the record that refers to them may not be committed yet. */
const ORPHAN_MS = 86_400_000;

export interface Artifact {
  /** SHA-256 of the content as lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The error for a content that is larger than the limit of an artifact. Nothing of it is stored. */
export class ArtifactTooLarge extends Error {
  constructor(limit: number) {
    super(`an artifact has at most ${limit} bytes`);
    this.name = 'ArtifactTooLarge';
  }
}

/** A file that grows on the disk, and whose earlier bytes can still change, until it becomes an artifact. Disposing deletes it before that. */
export interface Draft extends AsyncDisposable {
  /** Appends bytes. The caller must not change them before the promise resolves. Throws `ArtifactTooLarge`. */
  write(chunk: Uint8Array): Promise<void>;
  /** Overwrites bytes that were appended before. */
  patch(at: number, bytes: Uint8Array): Promise<void>;
  /** Stores the file as an artifact. Resolves when it survives a power cut. */
  finish(): Promise<Artifact>;
}

export interface Artifacts extends AsyncDisposable {
  /** Creates an empty draft. A draft that is not finished when the process ends is deleted at the next start. */
  draft(): Promise<Draft>;
  /**
   * Stores a content as an artifact. Resolves when the content survives a power cut. Throws `ArtifactTooLarge`, or `StoreError` for a disk
   * error.
   */
  put(
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    /** Called when the content is written, before the file gets its name. If it throws, nothing is stored. */
    check?: (artifact: Artifact) => void,
  ): Promise<Artifact>;
  /** Renames a file on the same disk to an artifact. The caller must have computed its SHA-256 and synced it. */
  adopt(path: string, sha256: string): Promise<Artifact>;
  /** Returns the size of a content; undefined for an unknown content. */
  find(sha256: string): Promise<Artifact | undefined>;
  /**
   * Reads the bytes from `from` up to but not including `to`; by default up to the end. Resolves to undefined for an unknown content.
   * Throws `RangeError` for a range outside the content.
   */
  read(sha256: string, from?: number, to?: number): Promise<Readable | undefined>;
  /**
   * Reads a complete content into memory. Resolves to undefined for an unknown content, and for a content with more than `maxBytes` bytes.
   */
  readAll(sha256: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Returns the path of a content, which callers may only read; undefined for an unknown content. */
  locate(sha256: string): Promise<string | undefined>;
  /** Reads a content and returns true if its SHA-256 equals its name. Returns false also if there is no file with this name. */
  verify(sha256: string): Promise<boolean>;
  /**
   * Deletes a content that no document refers to, unless it was stored in the last 10 seconds, or 15 minutes in a bucket. Returns the number
   * of deleted bytes.
   */
  remove(sha256: string, now_ms: number): Promise<number>;
  /**
   * Deletes contents that are older than a day and for which `isNamed` returns false, because no record refers to them. Returns the deleted
   * contents.
   */
  sweep(isNamed: (sha256: string) => Promise<boolean> | boolean, now_ms: number): Promise<Artifact[]>;
}

/** How the artifacts of a data folder are opened. */
export interface ArtifactOptions {
  readonly maxBytes?: number;
  /** A bucket that has the contents in place of the folder. */
  readonly bucket?: Pick<BucketPlaceOptions, 'bucket' | 'log'> | undefined;
}

/** Opens the artifacts of a data folder and removes the drafts of interrupted writes. */
export async function openArtifacts(
  dataFolder: string,
  { maxBytes = MAX_BYTES, bucket }: ArtifactOptions = {},
): Promise<Artifacts> {
  const root = join(dataFolder, 'artifacts');
  const drafts = join(root, 'tmp');
  await refusing(root, async () => {
    await rm(drafts, { recursive: true, force: true });
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    await syncFolder(root);
    await syncFolder(dataFolder);
  });
  const local = folderPlace(root);
  const place = bucket === undefined ? local : new BucketPlace({ ...bucket, local, scratch: drafts });
  const newDraft = (): string => join(drafts, randomBytes(16).toString('hex'));
  const keep = (file: string, made: Artifact): Promise<void> => refusing(root, () => place.keep(file, made));

  async function find(sha256: string): Promise<Artifact | undefined> {
    const found = await place.find(sha256);
    return found && { sha256, bytes: found.bytes };
  }

  async function* unused(isNamed: (sha256: string) => Promise<boolean> | boolean, now_ms: number) {
    for await (const { sha256, stored_ms } of place.list()) {
      if (now_ms - stored_ms < ORPHAN_MS || (await isNamed(sha256))) continue;
      // Somebody may have stored this content again since it was listed.
      const found = await place.find(sha256);
      if (found !== undefined && now_ms - found.stored_ms >= ORPHAN_MS) yield found;
    }
  }

  return {
    find,
    draft: () => openDraft(newDraft(), root, maxBytes, keep),
    async put(content, check) {
      const draft = newDraft();
      try {
        const handle = await refusing(root, () => open(draft, 'wx', 0o600));
        let made: Artifact;
        try {
          made = await fill(root, handle, content, maxBytes);
        } finally {
          await handle.close();
        }
        check?.(made);
        await keep(draft, made);
        return made;
      } finally {
        await rm(draft, { force: true }).catch(() => {});
      }
    },
    async adopt(path, sha256) {
      const { size } = await stat(path);
      const made = { sha256, bytes: size };
      await keep(path, made);
      await rm(path, { force: true });
      return made;
    },
    async read(sha256, from = 0, to) {
      const found = await place.find(sha256);
      if (found === undefined) return undefined;
      const end = to ?? found.bytes;
      if (!Number.isSafeInteger(from) || !Number.isSafeInteger(end) || from < 0 || end < from || end > found.bytes)
        throw new RangeError(`bytes ${from} to ${end} are not within ${found.bytes}`);
      return await place.read(found, from, end);
    },
    async readAll(sha256, most) {
      const found = await place.find(sha256);
      if (found === undefined || found.bytes > most) return undefined;
      return await buffer(await place.read(found, 0, found.bytes));
    },
    async locate(sha256) {
      const found = await place.find(sha256);
      return found && (await place.locate(found));
    },
    async verify(sha256) {
      const found = await place.find(sha256);
      if (found === undefined) return false;
      try {
        return (await hashOf(await place.read(found, 0, found.bytes))) === sha256;
      } catch (error) {
        if (error instanceof StoreError) throw error;
        return false;
      }
    },
    async remove(sha256, now_ms) {
      const found = await place.find(sha256);
      // A recent content stays, because the record that refers to it may not be committed yet.
      if (found === undefined || now_ms - found.stored_ms < place.young_ms) return 0;
      await place.remove(sha256);
      return found.bytes;
    },
    async sweep(isNamed, now_ms) {
      const gone: Artifact[] = [];
      for await (const { sha256, bytes } of unused(isNamed, now_ms)) {
        await place.remove(sha256);
        gone.push({ sha256, bytes });
      }
      return gone;
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Reads a content and returns its SHA-256 as lower-case hex. */
async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}

async function openDraft(
  path: string,
  root: string,
  maxBytes: number,
  keep: (file: string, made: Artifact) => Promise<void>,
): Promise<Draft> {
  const handle = await refusing(root, () => open(path, 'wx', 0o600));
  const disk = createWriter(root, handle);
  let bytes = 0;
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await disk.settled();
    await handle.close();
  };
  return {
    async write(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new ArtifactTooLarge(maxBytes);
      await disk.write(chunk);
    },
    async patch(at, changed) {
      await disk.settled();
      await refusing(root, () => handle.write(changed, 0, changed.length, at));
    },
    async finish() {
      await disk.settled();
      await disk.end();
      await close();
      // Earlier bytes may have changed, so the hash needs the file as it is now.
      const made = { sha256: await refusing(root, () => hashOf(createReadStream(path))), bytes };
      await keep(path, made);
      return made;
    },
    async [Symbol.asyncDispose]() {
      await close();
      // The file is gone if it became an artifact.
      await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** Writes a content into a draft and syncs it. */
async function fill(
  root: string,
  handle: FileHandle,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Artifact> {
  const hash = createHash('sha256');
  let bytes = 0;
  // Writes and syncs run while the next chunk arrives.
  const disk = createWriter(root, handle);
  try {
    // Errors of `content` pass to the caller unchanged; errors of the disk become `StoreError`.
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new ArtifactTooLarge(maxBytes);
      hash.update(chunk);
      await disk.write(chunk);
    }
  } finally {
    await disk.settled();
  }
  await disk.end();
  return { sha256: hash.digest('hex'), bytes };
}

/**
 * Writes chunks in order while the caller reads the next chunk. After every 16 MB it starts a sync, so that the last sync is short. After
 * a failed write or sync the next call of `write` or `end` throws.
 */
function createWriter(root: string, handle: FileHandle) {
  let failed: { readonly error: unknown } | undefined;
  let unsynced = 0;
  const run = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      failed ??= { error };
    });
  let writing = Promise.resolve();
  let syncing: Promise<void> | undefined;
  const check = () => {
    if (failed !== undefined) throw new StoreError(fileErrorCode(failed.error), root, failed.error);
  };
  return {
    async write(chunk: Uint8Array): Promise<void> {
      await writing;
      check();
      writing = run(handle.writeFile(chunk));
      unsynced += chunk.length;
      if (unsynced < SYNC_BYTES || syncing !== undefined) return;
      unsynced = 0;
      syncing = run(handle.datasync()).finally(() => {
        syncing = undefined;
      });
    },
    /** Resolves when no write and no sync runs any more, also after a failure. */
    async settled(): Promise<void> {
      await writing;
      await syncing;
    },
    /** Throws if a write or sync failed; otherwise syncs the file. */
    async end(): Promise<void> {
      check();
      await refusing(root, () => handle.sync());
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
