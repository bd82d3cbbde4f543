/**
 * Reads and writes the header that a CANedge logger puts before a packed (MFC), encrypted (MFE) or packed and then encrypted (MFM) file.
 * "Wrapper" means such a header with the packed or encrypted bytes after it.
 *
 *    0  12  'Generic File'
 *   12   1  version, 13 1 revision
 *   14   1  kind: 0x22 packed, 0x11 encrypted
 *   15   1  version of the kind, 1
 *   16   4  device id
 *   20      packed:    u32 bits of a length, u32 bytes of the window, then data packed with heatshrink
 *           encrypted: iv 12, u32 PBKDF2 rounds, salt 16, AES-256-GCM, tag 16; the first 52 bytes are authenticated too
 *
 * Columns: offset, number of bytes, meaning. All numbers are big-endian.
 */
import type { HeatshrinkForm } from './heatshrink.ts';
import { LogFileError } from './log-types.ts';

const MAGIC = 'Generic File';
const HEAD_BYTES = 20;
const PACKED = 0x22;
const ENCRYPTED = 0x11;

/** Largest size of a header in bytes. An encrypted file has a header of this size; the header of a packed file is shorter. */
export const WRAPPER_HEAD_BYTES = 52;
export const GCM_TAG_BYTES = 16;
/**
 * The largest number of rounds of key derivation (PBKDF2) that the reader accepts. A file could state any number, and with this number the
 * check of one password already takes half a second.
 */
const MOST_ROUNDS = 1_000_000;

export type Wrapper =
  | { readonly kind: 'heatshrink'; readonly start: number; readonly form: HeatshrinkForm }
  | {
      readonly kind: 'aes_gcm';
      readonly start: number;
      readonly iv: Uint8Array;
      readonly rounds: number;
      readonly salt: Uint8Array;
      readonly authenticated: Uint8Array;
    };

/** Returns true if a file begins with `Generic File`, the first bytes of every wrapper. */
export function isWrapper(head: Uint8Array): boolean {
  return head.length >= MAGIC.length && [...MAGIC].every((letter, i) => head[i] === letter.charCodeAt(0));
}

/** Reads the header of a wrapper; throws a `LogFileError` when the reader does not support its contents. */
export function readWrapper(head: Uint8Array): Wrapper {
  if (head.length < WRAPPER_HEAD_BYTES)
    throw new LogFileError('damaged', 'The file is cut off in its header; copy the file from the logger again.');
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const kind = view.getUint8(14);
  if ((kind !== PACKED && kind !== ENCRYPTED) || view.getUint8(15) !== 1)
    throw new LogFileError(
      'unsupported',
      `The file is packed or encrypted by an unknown method (${kind}.${view.getUint8(15)}). Convert it with the tool of the manufacturer.`,
    );
  if (kind === PACKED) {
    const lengthBits = view.getUint32(HEAD_BYTES);
    const window = view.getUint32(HEAD_BYTES + 4);
    const windowBits = Math.log2(window);
    if (!(Number.isInteger(windowBits) && windowBits >= 4 && windowBits <= 15 && lengthBits >= 2 && lengthBits <= 8))
      throw new LogFileError(
        'damaged',
        `The header of the packed file names a window of ${window} bytes and lengths of ${lengthBits} bits, which no logger writes; copy the file again.`,
      );
    return { kind: 'heatshrink', start: HEAD_BYTES + 8, form: { windowBits, lengthBits } };
  }
  const rounds = view.getUint32(32);
  if (rounds === 0 || rounds > MOST_ROUNDS)
    throw new LogFileError(
      'too_large',
      `The encrypted file requires ${rounds} rounds of key derivation, but at most ${MOST_ROUNDS} are supported. Decrypt it with the tool of the manufacturer.`,
    );
  return {
    kind: 'aes_gcm',
    start: WRAPPER_HEAD_BYTES,
    iv: head.slice(20, 32),
    rounds,
    salt: head.slice(36, 52),
    authenticated: head.slice(0, WRAPPER_HEAD_BYTES),
  };
}

/** Encodes the header of a wrapper. For an encrypted file the caller must choose a random salt and iv. */
export function wrapperHead(
  wrapper:
    | { readonly kind: 'heatshrink'; readonly form: HeatshrinkForm }
    | { readonly kind: 'aes_gcm'; readonly iv: Uint8Array; readonly rounds: number; readonly salt: Uint8Array },
  device: number,
): Uint8Array {
  const head = new Uint8Array(wrapper.kind === 'heatshrink' ? HEAD_BYTES + 8 : WRAPPER_HEAD_BYTES);
  const view = new DataView(head.buffer);
  for (let i = 0; i < MAGIC.length; i++) head[i] = MAGIC.charCodeAt(i);
  head[14] = wrapper.kind === 'heatshrink' ? PACKED : ENCRYPTED;
  head[15] = 1;
  view.setUint32(16, device);
  if (wrapper.kind === 'heatshrink') {
    view.setUint32(HEAD_BYTES, wrapper.form.lengthBits);
    view.setUint32(HEAD_BYTES + 4, 2 ** wrapper.form.windowBits);
  } else {
    head.set(wrapper.iv, 20);
    view.setUint32(32, wrapper.rounds);
    head.set(wrapper.salt, 36);
  }
  return head;
}
