/** Reads the bytes of a file at any offset, and removes compression and encryption around them. */
import { createDecipheriv, createHash, pbkdf2 } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ByteSource } from '#codec/byte-source.ts';
import { GCM_TAG_BYTES, isWrapper, readWrapper, WRAPPER_HEAD_BYTES, type Wrapper } from '#codec/canedge-wrapper.ts';
import { heatshrinkSource } from '#codec/heatshrink.ts';
import { LogFileError, type LogWrapping } from '#codec/log-types.ts';
import { mdf4Version } from '#codec/mdf4/blocks.ts';

/**
 * The largest number of layers of compression and encryption around a log. Loggers use at most two: they compress a file and then encrypt
 * it.
 */
const MOST_WRAPPINGS = 3;
const MOST_PASSWORDS = 16;

/** Opens a file for reads at any offset. `position` is the offset after the last read; a caller can use it to show the progress. */
export function openFileSource(path: string): ByteSource & Disposable & { readonly position: number } {
  const file = openSync(path, 'r');
  let position = 0;
  return {
    bound: fstatSync(file).size,
    get position() {
      return position;
    },
    read(at, into, from, length) {
      let got = 0;
      while (got < length) {
        const part = readSync(file, into, from + got, length - got, at + got);
        if (part === 0) break;
        got += part;
      }
      position = at + got;
      return got;
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

/** Returns the bytes of a log without its compression and encryption, and the list of these layers ("wrappings"), outermost first. */
export async function unwrap(
  file: ByteSource,
  passwords: readonly string[],
): Promise<{ readonly source: ByteSource; readonly wrapping: readonly LogWrapping[] }> {
  let source = file;
  const wrapping: LogWrapping[] = [];
  for (;;) {
    const head = new Uint8Array(WRAPPER_HEAD_BYTES);
    const found = head.subarray(0, source.read(0, head, 0, head.length));
    if (!isWrapper(found)) return { source, wrapping };
    if (wrapping.length === MOST_WRAPPINGS)
      throw new LogFileError(
        'unsupported',
        'The file is packed or encrypted more than three times, which no logger does. Unpack it first.',
      );
    const wrapper = readWrapper(found);
    wrapping.push(wrapper.kind);
    source =
      wrapper.kind === 'heatshrink'
        ? heatshrinkSource(source, wrapper.start, wrapper.form)
        : await decrypted(source, wrapper, passwords);
  }
}

type Encrypted = Extract<Wrapper, { kind: 'aes_gcm' }>;

const CHUNK_BYTES = 256 << 10;
const CHUNKS_A_TURN = 16;
const KEY_BYTES = 32;
const AES_BLOCK = 16;
/**
 * The number of the counter block with which AES-GCM encrypts the first block of data. With an iv of 12 bytes, block 1 encrypts the tag, so
 * the data begins with block 2 (NIST SP 800-38D 7.1).
 */
const FIRST_COUNTER = 2;
const derive = promisify(pbkdf2);

const ctr = (key: Uint8Array, iv: Uint8Array, block: number) => {
  const counter = Buffer.alloc(AES_BLOCK);
  counter.set(iv);
  counter.writeUInt32BE(FIRST_COUNTER + block, 12);
  return createDecipheriv('aes-256-ctr', key, counter);
};

/**
 * Authenticates the whole file, and returns its plaintext as a source. First it reads the whole file once, checks the tag and stores a
 * digest of every chunk. A later read decrypts one chunk and checks its digest. So the source throws if the file was changed after this
 * first read.
 */
async function decrypted(source: ByteSource, wrapper: Encrypted, passwords: readonly string[]): Promise<ByteSource> {
  if (passwords.length === 0)
    throw new LogFileError(
      'password_needed',
      "The log is encrypted. Give the password that the logger's configuration contains.",
    );
  const size = source.bound - wrapper.start - GCM_TAG_BYTES;
  if (size <= 0)
    throw new LogFileError(
      'damaged',
      'The encrypted file is cut off in its header; copy the file from the logger again.',
    );
  const key = await keyOf(source, wrapper, passwords.slice(0, MOST_PASSWORDS));
  const digests = await authenticate(source, wrapper, key, size);
  let held = -1;
  const packed = Buffer.alloc(CHUNK_BYTES);
  let chunk: Uint8Array = new Uint8Array(0);
  return {
    bound: size,
    read(at, into, from, length) {
      let got = 0;
      while (got < length && at + got < size) {
        const number = Math.floor((at + got) / CHUNK_BYTES);
        if (number !== held) {
          const begin = number * CHUNK_BYTES;
          const part = packed.subarray(0, Math.min(CHUNK_BYTES, size - begin));
          const there = source.read(wrapper.start + begin, part, 0, part.length);
          const digest = createHash('sha256').update(part.subarray(0, there)).digest();
          if (!digest.equals(digests[number] as Buffer))
            throw new LogFileError(
              'not_authentic',
              'Another program changed the file while it was read. Read the file again when no program writes to it.',
            );
          chunk = ctr(key, wrapper.iv, begin / AES_BLOCK).update(part);
          held = number;
        }
        const inside = (at + got) % CHUNK_BYTES;
        const part = chunk.subarray(inside, inside + length - got);
        into.set(part, from + got);
        got += part.length;
      }
      return got;
    },
  };
}

/** Returns the key of the first password with which the file decrypts to the start of a log. It does not authenticate the file. */
async function keyOf(source: ByteSource, wrapper: Encrypted, passwords: readonly string[]): Promise<Uint8Array> {
  const first = new Uint8Array(64);
  const packed = first.subarray(
    0,
    Math.min(source.read(wrapper.start, first, 0, first.length), source.bound - GCM_TAG_BYTES - wrapper.start),
  );
  for (const password of passwords) {
    const key = await derive(password, wrapper.salt, wrapper.rounds, KEY_BYTES, 'sha256');
    const begin = ctr(key, wrapper.iv, 0).update(packed);
    if (isWrapper(begin) || mdf4Version(begin) !== undefined) return key;
  }
  throw new LogFileError(
    'wrong_password',
    "None of the passwords opens the log. Give the password that the logger's configuration had when the log was recorded.",
  );
}

async function authenticate(
  source: ByteSource,
  wrapper: Encrypted,
  key: Uint8Array,
  size: number,
): Promise<readonly Buffer[]> {
  const tag = new Uint8Array(GCM_TAG_BYTES);
  source.read(wrapper.start + size, tag, 0, tag.length);
  const cipher = createDecipheriv('aes-256-gcm', key, wrapper.iv, { authTagLength: GCM_TAG_BYTES });
  cipher.setAAD(wrapper.authenticated);
  cipher.setAuthTag(tag);
  const digests: Buffer[] = [];
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const part = chunk.subarray(0, source.read(wrapper.start + at, chunk, 0, Math.min(CHUNK_BYTES, size - at)));
    cipher.update(part);
    digests.push(createHash('sha256').update(part).digest());
    if (digests.length % CHUNKS_A_TURN === 0) await nextTurn();
  }
  try {
    cipher.final();
  } catch (error) {
    throw new LogFileError(
      'not_authentic',
      'The encrypted log is cut off or was changed after the recording, so nothing of it was read. Copy it from the logger again.',
      { cause: error },
    );
  }
  return digests;
}
