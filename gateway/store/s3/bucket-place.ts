/**
 * The contents of artifacts in a bucket: `<prefix>/ab/abcdef...`.
 *
 *   keep: file of this disk -> PUT with its SHA-256, which the service compares -> HEAD, size compared -> resolves
 *
 * Contents that are still in the data folder are read there, and moved into the bucket.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, promises } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ArtifactPlace, isSha256, type StoredContent } from '#store/base/artifact-place.ts';
import type { Bucket } from './bucket.ts';

/** The clock of the service may differ from ours. */
const YOUNG_MS = 900_000;
/** If the contents of the data folder could not be moved, the next try comes after this time. */
const MOVE_MS = 30_000;
/** Copies of contents on this disk. */
const MOST_COPIES = 8;

const keyOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`;

export interface BucketPlaceOptions {
  readonly bucket: Bucket;
  /** The contents of this data folder, which are moved into the bucket. */
  readonly local: ArtifactPlace;
  /** A folder for copies of contents, which is empty after each start. */
  readonly scratch: string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

/** The contents in a bucket. */
export class BucketPlace implements ArtifactPlace {
  readonly young_ms = YOUNG_MS;
  readonly #options: BucketPlaceOptions;
  /** There may be contents in the data folder. */
  #hasLocal = true;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;
  #moving: Promise<void> = Promise.resolve();
  readonly #copies = new Set<string>();

  constructor(options: BucketPlaceOptions) {
    this.#options = options;
    this.#move();
  }

  async find(sha256: string): Promise<StoredContent | undefined> {
    if (!isSha256(sha256)) return undefined;
    const found = await this.#options.bucket.head(keyOf(sha256));
    if (found !== undefined) return { ...found, sha256 };
    return this.#hasLocal ? await this.#options.local.find(sha256) : undefined;
  }

  keep(file: string, { sha256, bytes }: Pick<StoredContent, 'sha256' | 'bytes'>): Promise<void> {
    return this.#options.bucket.put(keyOf(sha256), () => createReadStream(file), sha256, bytes);
  }

  async read({ sha256, bytes }: StoredContent, from: number, to: number): Promise<Readable> {
    if (from === to) return Readable.from([]);
    const { bucket, local } = this.#options;
    const whole = from === 0 && to === bytes ? sha256 : undefined;
    const found = await bucket.read(keyOf(sha256), from, to, whole);
    if (found !== undefined) return found;
    const here = await local.find(sha256);
    if (here === undefined) throw new Error(`the content ${sha256} was deleted`);
    return await local.read(here, from, to);
  }

  async locate(content: StoredContent): Promise<string> {
    const { scratch } = this.#options;
    const path = join(scratch, `copy-${content.sha256}`);
    if (this.#copies.has(content.sha256)) return path;
    const draft = `${path}.${randomBytes(4).toString('hex')}`;
    await pipeline(await this.read(content, 0, content.bytes), createWriteStream(draft, { mode: 0o600 }));
    await promises.rename(draft, path);
    this.#copies.add(content.sha256);
    for (const old of [...this.#copies].slice(0, -MOST_COPIES)) {
      this.#copies.delete(old);
      await promises.rm(join(scratch, `copy-${old}`), { force: true });
    }
    return path;
  }

  async remove(sha256: string): Promise<void> {
    await this.#options.bucket.remove(keyOf(sha256));
    if (this.#hasLocal) await this.#options.local.remove(sha256);
  }

  async *list(): AsyncGenerator<StoredContent, void> {
    for await (const { key, ...found } of this.#options.bucket.list('')) {
      const sha256 = key.slice(key.indexOf('/') + 1);
      if (isSha256(sha256) && key === keyOf(sha256)) yield { ...found, sha256 };
    }
    if (this.#hasLocal) yield* this.#options.local.list();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#moving;
  }

  /** Moves the contents of the data folder into the bucket. */
  #move(): void {
    this.#moving = this.#moveAll().catch((error: unknown) => {
      this.#options.log('warn', 'files of the data folder wait for the bucket', { error: String(error) });
      if (!this.#stopping) this.#timer = setTimeout(() => this.#move(), MOVE_MS).unref();
    });
  }

  async #moveAll(): Promise<void> {
    const { local, bucket, log } = this.#options;
    let moved = 0;
    for await (const content of local.list()) {
      if (this.#stopping) return;
      await this.keep(await local.locate(content), content);
      await local.remove(content.sha256);
      moved++;
    }
    this.#hasLocal = false;
    if (moved > 0) log('info', 'the files of the data folder are in the bucket', { files: moved, bucket: bucket.name });
  }
}
