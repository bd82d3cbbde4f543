/**
 * The session log: a file to which the broker appends a small record for each change of a session. The broker reads the file once, at its
 * start. `log-format.ts` describes the format.
 *
 * The log writes all waiting records as one group, with one write and one fdatasync. The log starts a new file with the whole state when
 * the old file is four times as large as after its last rewrite, and after a failed write. After a failed fdatasync it never calls
 * fdatasync on the same file again, because the kernel may already have dropped the pages that it could not write.
 *
 * A crash loses at most the group that the log was writing. The broker has not acknowledged any record of this group, because the promise
 * of the group has not resolved. If a group is corrupt and a later group is intact, the log skips the corrupt group, reports it, and keeps
 * a copy of the file as `sessions.log.damaged`.
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

/** The file operations that the log calls. Tests replace them, for example to simulate a full disk. */
export type LogFiles = Pick<typeof promises, 'copyFile' | 'mkdir' | 'open' | 'readFile' | 'rename'>;

interface LogOptions {
  readonly folder: string;
  /** File operations; default: the functions of `node:fs`. */
  readonly files?: LogFiles | undefined;
  /** The log does not rewrite a file that has at most this many bytes, unless a write has failed. */
  readonly rewriteBytes: number;
  /** Called for each record of the file, in order, before `openLog` resolves. */
  readonly read: ReadRecord;
  /** Returns the records of the whole state, which the log writes into a new file. */
  readonly state: () => readonly LogRecord[];
  readonly warn: (message: string, data: object) => void;
}

const NAME = 'sessions.log';
/** Milliseconds between a failed write and the next attempt. */
const RETRY_MS = 1_000;
/** When the log writes the whole state, it ends a group at this number of bytes. */
const CHUNK = 1 << 20;

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Records that the log writes together, and a promise that resolves when they are on disk. */
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
  /** Number of corrupt bytes that the log skipped when it read the file. */
  corruptBytes = 0;
  private readonly options: LogOptions;
  private readonly files: LogFiles;
  private readonly path: string;
  private file: FileHandle | undefined;
  private size = 0;
  private salt = 0;
  /** Size of the file after it was last rewritten, in bytes. */
  private rewrittenSize = 0;
  /** The error of the last write and its time; undefined if that write succeeded. */
  private failure: { readonly error: unknown; readonly at: number } | undefined;
  /** The records that the next write will contain. */
  private group = createGroup();
  private running: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: LogOptions) {
    this.options = options;
    this.files = options.files ?? promises;
    this.path = join(options.folder, NAME);
  }

  /** Size of the file in bytes. */
  get bytes(): number {
    return this.size;
  }

  /** False if the last write failed. */
  get isWritable(): boolean {
    return this.failure === undefined;
  }

  /** Appends a record. Resolves when the record is on disk, and rejects if the write fails; this rejection may stay unhandled. */
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
    if (isNewerVersion(bytes))
      throw new Error(
        `${this.path} is not a log of MQTT sessions that this version can read; use the newer version that wrote it`,
      );
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

  /** Copies the damaged file, so that a person can examine the copy. If the copying fails, the log works without the copy. */
  private async keepDamagedFile(data: object): Promise<void> {
    await this.files
      .copyFile(this.path, `${this.path}.damaged`)
      .catch((error: Error) => Object.assign(data, { copy: error.message }));
    this.options.warn(
      'a part of the log of MQTT sessions is damaged and was skipped; a copy of the file is kept as sessions.log.damaged',
      data,
    );
  }

  private async writeGroups(): Promise<void> {
    // Wait for one turn of the event loop, so that all records that are appended in this turn become one group.
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

  /**
   * Writes a group. If the file must be rewritten, writes the whole state instead. The whole state also contains the changes of the next
   * group, so `write` then returns that group as written.
   */
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

  /**
   * Writes the whole state into a new file, which then replaces the old file. Returns the group that was waiting, because the new file
   * contains its changes too.
   */
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

  /** Writes the records into a new file and syncs the file; returns its size in bytes. */
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

  /** Syncs the folder, so that the renamed file survives a power cut. Does nothing on Windows, which cannot sync a folder. */
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

  /** Returns true if the last write failed at least `RETRY_MS` ago. */
  private retryIsDue(): boolean {
    return this.failure !== undefined && performance.now() - this.failure.at >= RETRY_MS;
  }
}

/**
 * Opens or creates the log in its folder. Rejects with Node's error if the file cannot be read. Rejects also if a newer version of
 * Headframe wrote the file. If the file cannot be written, `openLog` resolves nevertheless, and the log tries to write once a second.
 */
export async function openLog(options: LogOptions): Promise<SessionLog> {
  const log = new SessionLog(options);
  await log.open();
  return log;
}
