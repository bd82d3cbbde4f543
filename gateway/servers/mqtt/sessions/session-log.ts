/**
 * An append-only file of small records, read once at start. Records that wait share one group, one write and one fdatasync; when the
 * file has grown past its worth, or a write has failed, the whole state goes into a new file that takes the old one's place.
 *
 *   file:   "HFMQTT2\n" salt salt group*
 *   group:  "HFmg" | u32 length of the body | u32 CRC-32 of the body | u32 CRC-32 of these twelve bytes | body
 *   body:   record*: u32 length of the rest | u32 length of the head | head (JSON) | payload
 *
 * What was promised is always a prefix of whole groups, so a crash costs at most the last, of which nobody was told. A group that
 * does not fit its checksum with good ones behind it is rot: it is skipped, counted and told. The checksums begin with a random salt,
 * so that no payload passes for a group. A failed fdatasync is never tried again on the same file, because the kernel may have
 * dropped what it could not write.
 */
import { randomBytes } from 'node:crypto';
import { promises } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface LogRecord {
  readonly head: object;
  readonly payload: Uint8Array;
}

type FileHandle = promises.FileHandle;

/** What the log asks of a disk; Node's own calls. */
export type LogFiles = Pick<typeof promises, 'copyFile' | 'mkdir' | 'open' | 'readFile' | 'rename'>;

interface LogOptions {
  readonly folder: string;
  /** Node's when absent. */
  readonly files?: LogFiles | undefined;
  /** A file below so many bytes is not worth writing anew. */
  readonly small: number;
  /** Called for each record of the file, in order, before the log opens. */
  readonly read: (head: unknown, payload: Buffer) => void;
  /** Everything that a new file must hold; taken in one turn. */
  readonly state: () => readonly LogRecord[];
  readonly tell: (message: string, data: object) => void;
}

export interface RecordLog extends AsyncDisposable {
  /** Resolves when the record is on disk; rejects when it may not be. Callers that do not wait need not catch. */
  append(record: LogRecord): Promise<void>;
  /** Bytes of the file. */
  readonly bytes: number;
  /** Bytes that did not fit their checksums when the file was read. */
  readonly rotten: number;
  /** False while the disk takes nothing. */
  readonly writes: boolean;
}

const VERSION = 2;
const MAGIC = Buffer.from(`HFMQTT${VERSION}\n`);
const ANY_MAGIC = /^HFMQTT(\d+)\n/;
const MARK = Buffer.from('HFmg');
/** Magic and twice the salt. */
const START = 16;
const HEAD = 16;
const NAME = 'sessions.log';
/** After a failure the disk is left alone for so long, in milliseconds. */
const RETRY_MS = 1_000;
const CHUNK = 1 << 20;

function encodeRecord({ head, payload }: LogRecord): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.allocUnsafe(8 + text.length + payload.length);
  bytes.writeUInt32LE(bytes.length - 4, 0);
  bytes.writeUInt32LE(text.length, 4);
  text.copy(bytes, 8);
  bytes.set(payload, 8 + text.length);
  return bytes;
}

function encodeGroup(salt: number, records: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(HEAD), ...records]);
  MARK.copy(bytes);
  bytes.writeUInt32LE(bytes.length - HEAD, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEAD), salt), 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12), salt), 12);
  return bytes;
}

/** Where the whole group at this place ends; undefined when there is none. */
function groupEnd(bytes: Buffer, at: number, salt: number): number | undefined {
  const body = at + HEAD;
  if (body > bytes.length || bytes.readUInt32LE(at + 12) !== crc32(bytes.subarray(at, at + 12), salt)) return undefined;
  const end = body + bytes.readUInt32LE(at + 4);
  if (end > bytes.length || crc32(bytes.subarray(body, end), salt) !== bytes.readUInt32LE(at + 8)) return undefined;
  return end;
}

function nextGroup(bytes: Buffer, from: number, salt: number): number | undefined {
  for (let at = bytes.indexOf(MARK, from); at >= 0; at = bytes.indexOf(MARK, at + 1))
    if (groupEnd(bytes, at, salt) !== undefined) return at;
  return undefined;
}

/** One of the two salts may be rotten. */
function saltOf(bytes: Buffer): number {
  const [one, other] = [bytes.readUInt32LE(MAGIC.length), bytes.readUInt32LE(MAGIC.length + 4)];
  return one === other || nextGroup(bytes, START, one) !== undefined ? one : other;
}

/** Reads the records of all whole groups; returns where the readable part ends and how much within it is rotten. */
function readGroups(bytes: Buffer, read: LogOptions['read']): { end: number; rotten: number } {
  const salt = saltOf(bytes);
  let rotten = 0;
  for (let at = START; ; ) {
    const end = groupEnd(bytes, at, salt);
    if (end === undefined) {
      const next = nextGroup(bytes, at + 1, salt);
      if (next === undefined) return { end: at, rotten };
      rotten += next - at;
      at = next;
      continue;
    }
    for (at += HEAD; at < end; ) {
      const record = bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at));
      const split = 4 + record.readUInt32LE(0);
      // A copy: the bytes of the whole file must not stay for one payload of it.
      read(JSON.parse(record.toString('utf8', 4, split)), Buffer.from(record.subarray(split)));
      at += 4 + record.length;
    }
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

interface Group {
  readonly records: LogRecord[];
  readonly done: PromiseWithResolvers<void>;
}

function createGroup(): Group {
  const done = Promise.withResolvers<void>();
  done.promise.catch(() => {});
  return { records: [], done };
}

/**
 * Opens or creates the log in its folder; rejects with Node's error when it cannot be read, or when another version wrote it. A disk
 * that takes nothing now is tried again with every record.
 */
export async function openLog({ folder, files = promises, small, read, state, tell }: LogOptions): Promise<RecordLog> {
  const { copyFile, mkdir, open, readFile, rename } = files;
  const path = join(folder, NAME);
  let file: FileHandle | undefined;
  let size = 0;
  let salt = 0;
  /** Bytes of the file when it was last written anew. */
  let worth = 0;
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  let group = createGroup();
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  /** A rename is on disk when its folder is; Windows has no such call. */
  async function syncFolder(): Promise<void> {
    if (process.platform === 'win32') return;
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** All that waits is in the state already, so the new file answers for it too. */
  async function rewrite(): Promise<Group> {
    const absorbed = group;
    group = createGroup();
    const records = state();
    const next = `${path}.new`;
    try {
      const handle = await open(next, 'w');
      const fresh = randomBytes(4);
      let at = 0;
      try {
        const put = async (bytes: Buffer): Promise<void> => {
          await writeAll(handle, bytes, at);
          at += bytes.length;
        };
        await put(Buffer.concat([MAGIC, fresh, fresh]));
        let parts: Buffer[] = [];
        let length = 0;
        for (const [index, record] of records.entries()) {
          const bytes = encodeRecord(record);
          parts.push(bytes);
          length += bytes.length;
          if (length < CHUNK && index < records.length - 1) continue;
          await put(encodeGroup(fresh.readUInt32LE(), parts));
          parts = [];
          length = 0;
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      const old = file;
      file = undefined;
      await old?.close();
      await rename(next, path);
      await syncFolder();
      file = await open(path, 'r+');
      salt = fresh.readUInt32LE();
      size = at;
      worth = at;
    } catch (error) {
      absorbed.done.reject(error);
      throw error;
    }
    return absorbed;
  }

  async function write(records: readonly LogRecord[]): Promise<Group | undefined> {
    if (failed !== undefined && !owes()) throw failed.error;
    if (file === undefined || failed !== undefined || size > Math.max(small, 4 * worth)) {
      const absorbed = await rewrite();
      if (failed !== undefined) tell('MQTT sessions are on disk again', {});
      failed = undefined;
      return absorbed;
    }
    const bytes = encodeGroup(salt, records.map(encodeRecord));
    await writeAll(file, bytes, size);
    await file.datasync();
    size += bytes.length;
    return undefined;
  }

  function fail(error: unknown): void {
    if (failed === undefined) tell('MQTT sessions cannot be written', { error: String(error) });
    failed = { error, at: performance.now() };
    clearTimeout(retry);
    retry = setTimeout(() => {
      running ??= run();
    }, RETRY_MS + 1).unref();
  }

  /** There are changes that the disk has refused, and it has been left alone for long enough. */
  const owes = (): boolean => failed !== undefined && performance.now() - failed.at >= RETRY_MS;

  async function run(): Promise<void> {
    // What this turn of the loop still appends goes into the same group.
    await new Promise((done) => setImmediate(done));
    while (group.records.length > 0 || owes()) {
      const mine = group;
      group = createGroup();
      try {
        const absorbed = await write(mine.records);
        mine.done.resolve();
        absorbed?.done.resolve();
      } catch (error) {
        if (failed?.error !== error) fail(error);
        mine.done.reject(error);
      }
    }
    running = undefined;
  }

  /** What cannot be read is left for a person; where there is no room for it, it gives way. */
  async function setAside(data: object): Promise<void> {
    await copyFile(path, `${path}.damaged`).catch((error: Error) => Object.assign(data, { copy: error.message }));
    tell('a part of the log of MQTT sessions is damaged and was left out; the file is kept beside it', data);
  }

  await mkdir(folder, { recursive: true, mode: 0o700 });
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  if (Number(ANY_MAGIC.exec(bytes.toString('latin1', 0, START))?.[1]) > VERSION)
    throw new Error(`${path} is not a log of MQTT sessions that this version reads`);
  const known = bytes.length >= START && bytes.subarray(0, MAGIC.length).equals(MAGIC);
  const found = known ? readGroups(bytes, read) : { end: 0, rotten: bytes.length };
  if (found.rotten > 0) await setAside({ rotten_bytes: found.rotten, of: bytes.length });
  else if (bytes.length > found.end)
    tell('the log of MQTT sessions ended in the middle of a record', { dropped_bytes: bytes.length - found.end });
  if (known && found.rotten === 0 && found.end === bytes.length) {
    file = await open(path, 'r+');
    salt = saltOf(bytes);
    size = found.end;
    worth = found.end;
  } else {
    await rewrite().catch(fail);
  }

  return {
    append(record) {
      if (closed) return Promise.resolve();
      group.records.push(record);
      const { promise } = group.done;
      running ??= run();
      return promise;
    },
    get bytes() {
      return size;
    },
    rotten: found.rotten,
    get writes() {
      return failed === undefined;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      clearTimeout(retry);
      await running;
      if (failed !== undefined) await rewrite().catch(() => {});
      await file?.close();
    },
  };
}
