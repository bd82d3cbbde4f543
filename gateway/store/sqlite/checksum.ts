/**
 * Checksums of stored values. They detect bits that changed on the disk. SQLite does not detect them, because its pages have no checksums.
 *
 * The algorithm for text is XXH32 with seed 0 over the UTF-8 bytes (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md). The store checks
 * every document that it reads, so speed matters: XXH32 in JavaScript takes half the time of zlib's CRC-32 for text. For bytes the CRC-32 is
 * faster, because they need no conversion. So the checksum of a text with bytes is the CRC-32 of the bytes with the XXH32 of the text as
 * its first value.
 */
import { crc32 } from 'node:zlib';

const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;

/** A buffer for the UTF-8 bytes of a text, which every call uses again. For a text that may not fit, a new buffer is allocated. */
const SCRATCH = Buffer.allocUnsafeSlow(256 << 10);
const SCRATCH_WORDS = wordsOf(SCRATCH);
/** A UTF-16 unit has at most this many bytes in UTF-8. */
const UNIT_BYTES = 3;

/**
 * Returns the checksum of a text, and of the bytes beside it if there are any, as a signed 32-bit number. This is the form in which the
 * database stores it.
 */
export function checksumOf(text: string, body: Uint8Array | null = null): number {
  const sum = checksumOfText(text);
  return body === null ? sum : crc32(body, sum >>> 0) | 0;
}

function checksumOfText(text: string): number {
  if (text.length * UNIT_BYTES <= SCRATCH.length) return hash(SCRATCH, SCRATCH_WORDS, SCRATCH.write(text, 'utf8'));
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length * UNIT_BYTES) / 4) * 4);
  return hash(bytes, wordsOf(bytes), bytes.write(text, 'utf8'));
}

/** Returns a view of the buffer as 32-bit words. XXH32 needs little-endian words, and all platforms of Node.js are little-endian. */
function wordsOf({ buffer, byteOffset, length }: Buffer): Int32Array {
  return new Int32Array(buffer, byteOffset, length >> 2);
}

function hash(bytes: Buffer, words: Int32Array, length: number): number {
  const end = length >> 2;
  let at = 0;
  let sum = PRIME_5;
  if (length >= 16) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2 | 0;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (; at + 4 <= end; at += 4) {
      a = round(a, words[at] as number);
      b = round(b, words[at + 1] as number);
      c = round(c, words[at + 2] as number);
      d = round(d, words[at + 3] as number);
    }
    sum = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  sum = (sum + length) | 0;
  for (; at < end; at++) {
    sum = Math.imul(rotate((sum + Math.imul(words[at] as number, PRIME_3)) | 0, 17), PRIME_4);
  }
  for (let byte = end * 4; byte < length; byte++) {
    sum = Math.imul(rotate((sum + Math.imul(bytes[byte] as number, PRIME_5)) | 0, 11), PRIME_1);
  }
  sum = Math.imul(sum ^ (sum >>> 15), PRIME_2);
  sum = Math.imul(sum ^ (sum >>> 13), PRIME_3);
  return sum ^ (sum >>> 16);
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

/** Rotates a 32-bit number to the left. */
function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/**
 * The value stored under `checksumsKey` when all rows of a table have a checksum. From then on a row without a checksum counts as damaged.
 */
export const ALL_CHECKSUMS = 'all';

/**
 * Returns the key in `rx_meta` for the progress of adding checksums to a table. The value is the number of the last row with a checksum, or
 * `ALL_CHECKSUMS`.
 */
export function checksumsKey(table: string): string {
  return `sums ${table}`;
}
