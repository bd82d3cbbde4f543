/**
 * The session log: an append-only file of small records that is read once at start. Its format is in `log-format.ts`.
 *
 * Records that wait for the disk form one group: one write and one fdatasync. The log rewrites the whole state into a new file when the
 * file is four times as large as its content, and after a failed write. It never repeats a failed fdatasync on the same file, because
 * the kernel may already have dropped the pages that it could not write.
 *
 * A crash loses at most the group that was being written. No promise of that group has resolved. A corrupt group with intact groups
 * after it is skipped and reported, and the file is kept as `sessions.log.damaged`.
 */
import { randomBytes } from 'node:crypto';
import { promises } from 'node:fs';
import { join } from 'node:path';
import {
  encodeFileHeader,
  encodeGroup,
  encodeRecord,
  hasFileHeader,
  isNewerVersion,
  type LogRecord,
  type ReadRecord,
  readGroups,
  saltOf,
} from './log-format.ts';

type FileHandle = promises.FileHandle;

/** The file operations that the log needs; tests replace them. */
export type LogFiles = Pick<typeof promises, 'copyFile' | 'mkdir' | 'open' | 'readFile' | 'rename'>;

interface LogOptions {
  readonly folder: string;
  /** Default: those of `node:fs`. */
  readonly files?: LogFiles | undefined;
  /** A file with fewer bytes is not rewritten for its size. */
  readonly rewriteBytes: number;
  /** Called for each record of the file, in order, before `openLog` resolves. */
  readonly read: ReadRecord;
  /** Returns all records that a new file must hold. */
  readonly state: () => readonly LogRecord[];
  readonly warn: (message: string, data: object) => void;
}

const NAME = 'sessions.log';
/** Milliseconds between a failed write and the next attempt. */
const RETRY_MS = 1_000;
/** Bytes of a group when the whole state is written. */
const CHUNK = 1 << 20;

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Records that go to disk together. */
interface Group {
  readonly records: LogRecord[];
  readonly done: PromiseWithResolvers<void>;
}

function createGroup(): Group {
  const done = Promise.withResolvers<void>();
  done.promise.catch(() => {});
  return { records: [], done };
}

/** A log that was opened by `openLog`. */
export class SessionLog implements AsyncDisposable {
  /** Corrupt bytes that were skipped when the file was read. */
  corruptBytes = 0;
  private readonly options: LogOptions;
  private readonly files: LogFiles;
  private readonly path: string;
  private file: FileHandle | undefined;
  private size = 0;
  private salt = 0;
  /** Bytes of the file when it was last rewritten. */
  private rewrittenSize = 0;
  private failure: { readonly error: unknown; readonly at: number } | undefined;
  /** The records that wait for the next write. */
  private group = createGroup();
  private running: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: LogOptions) {
    this.options = options;
    this.files = options.files ?? promises;
    this.path = join(options.folder, NAME);
  }

  /** Bytes of the file. */
  get bytes(): number {
    return this.size;
  }

  /** False while writing fails. */
  get isWritable(): boolean {
    return this.failure === undefined;
  }

  /** Resolves when the record is on disk; rejects when the write failed. Callers that ignore the promise need not catch. */
  append(record: LogRecord): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.group.records.push(record);
    const { promise } = this.group.done;
    this.running ??= this.writeGroups();
    return promise;
  }

  /** Reads the file and opens it for writing. Call it once, before anything else. */
  async open(): Promise<void> {
    const { folder, read, warn } = this.options;
    await this.files.mkdir(folder, { recursive: true, mode: 0o700 });
    const bytes = await this.files.readFile(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    if (isNewerVersion(bytes)) throw new Error(`${this.path} is not a log of MQTT sessions that this version reads`);
    const known = hasFileHeader(bytes);
    const found = known ? readGroups(bytes, read) : { end: 0, corrupt: bytes.length };
    this.corruptBytes = found.corrupt;
    if (found.corrupt > 0) await this.keepDamagedFile({ rotten_bytes: found.corrupt, of: bytes.length });
    else if (bytes.length > found.end)
      warn('the log of MQTT sessions ended in the middle of a record', { dropped_bytes: bytes.length - found.end });
    if (known && found.corrupt === 0 && found.end === bytes.length) {
      this.file = await this.files.open(this.path, 'r+');
      this.salt = saltOf(bytes);
      this.size = found.end;
      this.rewrittenSize = found.end;
    } else {
      await this.rewrite().catch((error: unknown) => this.recordFailure(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    await this.running;
    if (this.failure !== undefined) await this.rewrite().catch(() => {});
    await this.file?.close();
  }

  /** Copies the damaged file for a person to examine. When the copy fails, the log goes on without it. */
  private async keepDamagedFile(data: object): Promise<void> {
    await this.files
      .copyFile(this.path, `${this.path}.damaged`)
      .catch((error: Error) => Object.assign(data, { copy: error.message }));
    this.options.warn(
      'a part of the log of MQTT sessions is damaged and was left out; the file is kept beside it',
      data,
    );
  }

  private async writeGroups(): Promise<void> {
    // Records that are appended in the same turn of the event loop join the first group.
    await new Promise((done) => setImmediate(done));
    while (this.group.records.length > 0 || this.retryIsDue()) {
      const mine = this.group;
      this.group = createGroup();
      try {
        const absorbed = await this.write(mine.records);
        mine.done.resolve();
        absorbed?.done.resolve();
      } catch (error) {
        if (this.failure?.error !== error) this.recordFailure(error);
        mine.done.reject(error);
      }
    }
    this.running = undefined;
  }

  /** Writes a group, or the whole state. Returns the group that waited meanwhile when the new file already contains it. */
  private async write(records: readonly LogRecord[]): Promise<Group | undefined> {
    if (this.failure !== undefined && !this.retryIsDue()) throw this.failure.error;
    const largest = Math.max(this.options.rewriteBytes, 4 * this.rewrittenSize);
    if (this.file === undefined || this.failure !== undefined || this.size > largest) {
      const absorbed = await this.rewrite();
      if (this.failure !== undefined) this.options.warn('MQTT sessions are on disk again', {});
      this.failure = undefined;
      return absorbed;
    }
    const bytes = encodeGroup(this.salt, records.map(encodeRecord));
    await writeAll(this.file, bytes, this.size);
    await this.file.datasync();
    this.size += bytes.length;
    return undefined;
  }

  /** Writes the whole state into a new file and puts it in the place of the old one. Records that wait are part of that state. */
  private async rewrite(): Promise<Group> {
    const absorbed = this.group;
    this.group = createGroup();
    const records = this.options.state();
    const next = `${this.path}.new`;
    try {
      const salt = randomBytes(4);
      const size = await this.writeState(next, salt, records);
      const old = this.file;
      this.file = undefined;
      await old?.close();
      await this.files.rename(next, this.path);
      await this.syncFolder();
      this.file = await this.files.open(this.path, 'r+');
      this.salt = salt.readUInt32LE();
      this.size = size;
      this.rewrittenSize = size;
    } catch (error) {
      absorbed.done.reject(error);
      throw error;
    }
    return absorbed;
  }

  /** Writes and syncs a new file; returns its size. */
  private async writeState(path: string, salt: Buffer, records: readonly LogRecord[]): Promise<number> {
    const handle = await this.files.open(path, 'w');
    let at = 0;
    try {
      const put = async (bytes: Buffer): Promise<void> => {
        await writeAll(handle, bytes, at);
        at += bytes.length;
      };
      await put(encodeFileHeader(salt));
      let parts: Buffer[] = [];
      let length = 0;
      for (const [index, record] of records.entries()) {
        const bytes = encodeRecord(record);
        parts.push(bytes);
        length += bytes.length;
        if (length < CHUNK && index < records.length - 1) continue;
        await put(encodeGroup(salt.readUInt32LE(), parts));
        parts = [];
        length = 0;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    return at;
  }

  /** Makes the rename durable. Windows cannot sync a folder. */
  private async syncFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const handle = await this.files.open(this.options.folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  private recordFailure(error: unknown): void {
    if (this.failure === undefined) this.options.warn('MQTT sessions cannot be written', { error: String(error) });
    this.failure = { error, at: performance.now() };
    clearTimeout(this.retry);
    this.retry = setTimeout(() => {
      this.running ??= this.writeGroups();
    }, RETRY_MS + 1).unref();
  }

  /** Whether a write has failed and the time for the next attempt has come. */
  private retryIsDue(): boolean {
    return this.failure !== undefined && performance.now() - this.failure.at >= RETRY_MS;
  }
}

/**
 * Opens or creates the log in its folder. Rejects with Node's error when the file cannot be read, and when a newer version wrote it.
 * When the file cannot be written, the log opens all the same and tries to write once a second.
 */
export async function openLog(options: LogOptions): Promise<SessionLog> {
  const log = new SessionLog(options);
  await log.open();
  return log;
}
