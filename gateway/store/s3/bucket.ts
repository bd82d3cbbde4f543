/**
 * Requests to a bucket of an S3 service, which several processes of head office share.
 *
 * The object `<prefix>/headframe.json` names the head office to which the bucket belongs, so that two of them never share a prefix: each would
 * delete the contents of the other one.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { StoreError, type StoreErrorCode } from '#contract/base/store-error.ts';
import type { Problem } from '#store/base/problem.ts';

export interface BucketOptions {
  readonly bucket: string;
  /** Empty, or a path without a slash at its ends. */
  readonly prefix: string;
  /** Address of the service; null: that of Amazon for the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Id of the head office to which the bucket belongs. */
  readonly owner: string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

/** An object of the bucket. Its key is without the prefix. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since 1970. */
  readonly stored_ms: number;
}

type Sdk = typeof import('@aws-sdk/client-s3');

const MARKER = 'headframe.json';
/** How often the bucket is asked whether it answers, also if nobody needs it. */
const LOOK_MS = 30_000;
const CONNECT_MS = 5_000;
/** A connection on which nothing moves for this time is given up. */
const SILENCE_MS = 60_000;

const REFUSALS = new Set([
  ...['NoSuchBucket', 'AccessDenied', 'Forbidden', 'InvalidAccessKeyId', 'SignatureDoesNotMatch'],
  ...['AuthorizationHeaderMalformed', 'PermanentRedirect', 'CredentialsProviderError', 'InvalidBucketName'],
]);

interface S3Fault extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const isAbsent = ({ name, $metadata }: S3Fault): boolean =>
  $metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket';

const codeOf = ({ name, $metadata }: S3Fault): StoreErrorCode =>
  REFUSALS.has(name) || $metadata?.httpStatusCode === 403 ? 'files_refused' : 'files_away';

/** Opens a bucket. If the service does not answer now, health says so, and files are refused until it does. */
export async function openBucket(options: BucketOptions): Promise<Bucket> {
  // It is large, so it is loaded only if somebody chose a bucket.
  const sdk = await import('@aws-sdk/client-s3');
  const bucket = new Bucket(options, sdk);
  try {
    await bucket.admit();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'files_away') {
      await bucket[Symbol.asyncDispose]();
      throw error;
    }
  }
  bucket.look();
  return bucket;
}

export class Bucket implements AsyncDisposable {
  readonly name: string;
  readonly #options: BucketOptions;
  readonly #sdk: Sdk;
  readonly #client: S3Client;
  #problem: Problem | undefined;
  /** The bucket belongs to this head office. */
  #isOurs = false;
  #stopping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BucketOptions, sdk: Sdk) {
    const { bucket, prefix, endpoint, region, log } = options;
    this.#options = options;
    this.#sdk = sdk;
    this.name = prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
    const say = (level: 'warn' | 'error') => (message: unknown) => log(level, `S3: ${String(message)}`);
    this.#client = new sdk.S3Client({
      region,
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      // Services other than Amazon's do not know newer checksums; the SHA-256 of the whole content is sent in any case.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
      logger: { debug: () => {}, info: () => {}, warn: say('warn'), error: say('error') },
    });
  }

  problems(): Problem[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }

  async head(key: string): Promise<StoredObject | undefined> {
    await this.admit();
    const { HeadObjectCommand } = this.#sdk;
    const found = await this.#ask(() => this.#client.send(new HeadObjectCommand(this.#at(key))));
    return found && { key, bytes: found.ContentLength ?? 0, stored_ms: found.LastModified?.getTime() ?? 0 };
  }

  /**
   * Reads the bytes from `from` up to but not including `to`, or all `to` bytes of an object whose SHA-256 is `whole`. The last bytes are held
   * back until length and SHA-256 are right. Undefined: there is no such object.
   */
  async read(key: string, from: number, to: number, whole?: string): Promise<Readable | undefined> {
    await this.admit();
    const got = await this.#get(key, whole === undefined ? `bytes=${from}-${to - 1}` : undefined);
    return got && Readable.from(this.#checked(key, got, to - from, whole));
  }

  /** Stores an object. Resolves when the service has it with this SHA-256 and size. */
  async put(key: string, open: () => Readable, sha256: string, bytes: number): Promise<void> {
    await this.admit();
    await this.#put(key, open, sha256, bytes);
    const found = await this.head(key);
    if (found?.bytes !== bytes) throw this.#failed(new Error(`${key} has ${found?.bytes ?? 'none'} of ${bytes} bytes`));
  }

  async remove(key: string): Promise<void> {
    await this.admit();
    const { DeleteObjectCommand } = this.#sdk;
    await this.#ask(() => this.#client.send(new DeleteObjectCommand(this.#at(key))));
  }

  /** The objects whose keys begin with a text, sorted by key. */
  async *list(begin: string): AsyncGenerator<StoredObject, void> {
    await this.admit();
    const { bucket, prefix } = this.#options;
    const { ListObjectsV2Command } = this.#sdk;
    const skipped = prefix === '' ? 0 : prefix.length + 1;
    for (let token: string | undefined; ; ) {
      const asked = { Bucket: bucket, Prefix: this.#keyOf(begin), ContinuationToken: token };
      const page = await this.#ask(() => this.#client.send(new ListObjectsV2Command(asked)));
      for (const { Key = '', Size = 0, LastModified } of page?.Contents ?? [])
        yield { key: Key.slice(skipped), bytes: Size, stored_ms: LastModified?.getTime() ?? Date.now() };
      token = page?.NextContinuationToken;
      if (token === undefined) return;
    }
  }

  /** Makes sure once that the bucket belongs to this head office. */
  async admit(): Promise<void> {
    if (this.#isOurs) return;
    const { owner } = this.#options;
    if ((await this.#owner()) === undefined) {
      const text = Buffer.from(JSON.stringify({ head_office: owner }));
      const sha256 = createHash('sha256').update(text).digest('hex');
      await this.#put(MARKER, () => Readable.from([text]), sha256, text.length);
    }
    const found = await this.#owner();
    if (found !== owner) throw this.#failed(new StoreError('files_foreign', `${this.name} (${found})`));
    this.#isOurs = true;
  }

  /** Asks the bucket now and then whether it answers, so that health is right. */
  look(): void {
    if (this.#stopping) return;
    this.#timer = setTimeout(() => {
      const asked = this.#isOurs ? this.head(MARKER) : this.admit();
      // Health says why it failed.
      void asked.catch(() => {}).then(() => this.look());
    }, LOOK_MS).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#client.destroy();
  }

  #keyOf(key: string): string {
    const { prefix } = this.#options;
    return prefix === '' ? key : `${prefix}/${key}`;
  }

  #at = (key: string) => ({ Bucket: this.#options.bucket, Key: this.#keyOf(key) });

  /** The head office to which the bucket belongs; undefined for a new one. */
  async #owner(): Promise<string | undefined> {
    const text = await (await this.#get(MARKER))?.Body?.transformToString();
    if (text === undefined) return undefined;
    return /"head_office":"([^"]+)"/.exec(text)?.[1] ?? 'unknown';
  }

  #get(key: string, Range?: string): Promise<GetObjectCommandOutput | undefined> {
    const { GetObjectCommand } = this.#sdk;
    return this.#ask(() => this.#client.send(new GetObjectCommand({ ...this.#at(key), Range })));
  }

  async #put(key: string, open: () => Readable, sha256: string, bytes: number): Promise<void> {
    const { PutObjectCommand } = this.#sdk;
    await this.#ask(async () => {
      const command = new PutObjectCommand({
        ...this.#at(key),
        Body: open(),
        ContentLength: bytes,
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
        ContentType: 'application/octet-stream',
      });
      // The signature then covers the content, so the service refuses other bytes.
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
          return next(args);
        },
        { step: 'build' },
      );
      return await this.#client.send(command);
    });
  }

  /** Asks the service. Returns undefined if it does not have the object; throws `StoreError` if it does not answer or refuses. */
  async #ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await work();
      this.#noteProblem(undefined);
      return answer;
    } catch (error) {
      if (!isAbsent(error as S3Fault)) throw this.#failed(error as Error);
      this.#noteProblem(undefined);
      return undefined;
    }
  }

  /** Notes for health why the bucket failed. */
  #failed(error: Error): StoreError {
    const about = `${this.name} (${error.name}: ${error.message})`;
    const known = error instanceof StoreError ? error : new StoreError(codeOf(error), about, error);
    this.#noteProblem({ code: known.code, message: known.message });
    return known;
  }

  #noteProblem(problem: Problem | undefined): void {
    const { log } = this.#options;
    if (problem !== undefined && this.#problem === undefined) log('warn', 'the bucket cannot be used', { problem });
    if (problem === undefined && this.#problem !== undefined) log('info', 'the bucket can be used again');
    this.#problem = problem;
  }

  async *#checked(
    key: string,
    { Body }: GetObjectCommandOutput,
    bytes: number,
    whole: string | undefined,
  ): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let last: Buffer | undefined;
    let read = 0;
    try {
      for await (const chunk of Body as AsyncIterable<Buffer>) {
        if (last !== undefined) yield last;
        last = chunk;
        read += chunk.length;
        if (whole !== undefined) hash.update(chunk);
      }
    } catch (error) {
      throw this.#failed(error as Error);
    }
    if (read !== bytes) throw this.#failed(new Error(`the answer about ${key} has ${read} of ${bytes} bytes`));
    if (whole !== undefined && hash.digest('hex') !== whole) throw new Error(`the content ${key} has another SHA-256`);
    if (last !== undefined) yield last;
  }
}
