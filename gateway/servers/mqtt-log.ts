/**
 * An append-only file of small records, read once at start. Records that wait share one write and one fdatasync; when the file has
 * grown past its worth, or a write has failed, the whole state goes into a new file that takes the old one's place.
 *
 *   file:   "HFMQTT1\n" record*
 *   record: u32 length of the body, u32 CRC-32 of the body, body
 *   body:   u32 length of the head, head (JSON), payload
 *
 * What was promised is always a prefix of the file: a record that does not read ends it. A failed fdatasync is never tried again
 * on the same file, because the kernel may have dropped what it could not write.
 */
import { promises } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export interface LogRecord {
  readonly head: object;
  readonly payload: Uint8Array;
}

const { copyFile, mkdir, open, readFile, rename } = promises;
type FileHandle = promises.FileHandle;

interface LogOptions {
  readonly folder: string;
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
}

const MAGIC = Buffer.from('HFMQTT1\n');
const NAME = 'sessions.log';
/** A file below this is not worth rewriting. */
const SMALL = 4 << 20;
/** After a failure the disk is left alone for so long, in milliseconds. */
const RETRY_MS = 1_000;
const CHUNK = 1 << 20;

function encode({ head, payload }: LogRecord): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.allocUnsafe(12 + text.length + payload.length);
  bytes.writeUInt32LE(bytes.length - 8, 0);
  bytes.writeUInt32LE(text.length, 8);
  text.copy(bytes, 12);
  bytes.set(payload, 12 + text.length);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Reads records from the front; returns where the readable part ends. */
function decodeAll(bytes: Buffer, read: (head: unknown, payload: Buffer) => void): number {
  let at = MAGIC.length;
  while (at + 12 <= bytes.length) {
    const end = at + 8 + bytes.readUInt32LE(at);
    if (end < at + 12 || end > bytes.length) break;
    const body = bytes.subarray(at + 8, end);
    if (crc32(body) !== bytes.readUInt32LE(at + 4)) break;
    const split = 4 + body.readUInt32LE(0);
    // A copy: the bytes of the whole file must not stay for one payload of it.
    read(JSON.parse(body.toString('utf8', 4, split)), Buffer.from(body.subarray(split)));
    at = end;
  }
  return at;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** A rename is on disk when its folder is; Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
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

/** Opens or creates the log in its folder; rejects with Node's error, or when the file is of another kind. */
export async function openLog({ folder, read, state, tell }: LogOptions): Promise<RecordLog> {
  const path = join(folder, NAME);
  let file: FileHandle | undefined;
  let size = 0;
  /** Bytes of the file when it was last written anew. */
  let worth = 0;
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  let group = createGroup();
  let running: Promise<void> | undefined;
  let closed = false;

  /** All that waits is in the state already, so the new file answers for it too. */
  async function rewrite(): Promise<Group> {
    const absorbed = group;
    group = createGroup();
    const records = state();
    const next = `${path}.new`;
    try {
      const handle = await open(next, 'w');
      let at = 0;
      try {
        let parts: Buffer[] = [MAGIC];
        let length = MAGIC.length;
        const put = async (): Promise<void> => {
          await writeAll(handle, Buffer.concat(parts), at);
          at += length;
          parts = [];
          length = 0;
        };
        for (const record of records) {
          const bytes = encode(record);
          parts.push(bytes);
          length += bytes.length;
          if (length >= CHUNK) await put();
        }
        await put();
        await handle.sync();
      } finally {
        await handle.close();
      }
      const old = file;
      file = undefined;
      await old?.close();
      await rename(next, path);
      await syncFolder(folder);
      file = await open(path, 'r+');
      size = at;
      worth = at;
    } catch (error) {
      absorbed.done.reject(error);
      throw error;
    }
    return absorbed;
  }

  async function write(records: readonly LogRecord[]): Promise<Group | undefined> {
    if (failed !== undefined && performance.now() - failed.at < RETRY_MS) throw failed.error;
    if (file === undefined || failed !== undefined || size > Math.max(SMALL, 4 * worth)) {
      const absorbed = await rewrite();
      if (failed !== undefined) tell('MQTT sessions are on disk again', {});
      failed = undefined;
      return absorbed;
    }
    const bytes = Buffer.concat(records.map(encode));
    await writeAll(file, bytes, size);
    await file.datasync();
    size += bytes.length;
    return undefined;
  }

  async function run(): Promise<void> {
    // What this turn of the loop still appends goes into the same group.
    await new Promise((done) => setImmediate(done));
    while (group.records.length > 0) {
      const mine = group;
      group = createGroup();
      try {
        const absorbed = await write(mine.records);
        mine.done.resolve();
        absorbed?.done.resolve();
      } catch (error) {
        if (failed === undefined) tell('MQTT sessions cannot be written', { error: String(error) });
        if (failed?.error !== error) failed = { error, at: performance.now() };
        mine.done.reject(error);
      }
    }
    running = undefined;
  }

  await mkdir(folder, { recursive: true });
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  if (bytes.length >= MAGIC.length && !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Error(`${path} is not a log of MQTT sessions that this version reads`);
  const end = bytes.length < MAGIC.length ? 0 : decodeAll(bytes, read);
  if (end > 0 && end === bytes.length) {
    file = await open(path, 'r+');
    size = end;
    worth = end;
  } else {
    if (bytes.length > end) {
      tell('the log of MQTT sessions ended in the middle of a record', { dropped_bytes: bytes.length - end });
      await copyFile(path, `${path}.damaged`);
    }
    await rewrite();
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
    async [Symbol.asyncDispose]() {
      closed = true;
      await running;
      await file?.close();
    },
  };
}
