/**
 * Checksums of stored values, for rot that SQLite does not see: its pages carry none.
 *
 * XXH32 with seed 0 over the UTF-8 bytes (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md): in plain JavaScript it takes half
 * the time of zlib's CRC of a string, which matters where every document that is read is checked.
 */

const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;

/** Most texts fit; a longer one gets bytes of its own. */
const SCRATCH = Buffer.allocUnsafeSlow(256 << 10);
const SCRATCH_WORDS = wordsOf(SCRATCH);
/** UTF-8 of one UTF-16 unit at most. */
const UNIT_BYTES = 3;

/** The checksum of a text as it is stored: 32 bits, signed. */
export function checksumOf(text: string): number {
  if (text.length * UNIT_BYTES <= SCRATCH.length) return hash(SCRATCH, SCRATCH_WORDS, SCRATCH.write(text, 'utf8'));
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length * UNIT_BYTES) / 4) * 4);
  return hash(bytes, wordsOf(bytes), bytes.write(text, 'utf8'));
}

/** The same bytes, four at a time; every machine that Node runs on has the low one first. */
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
    sum = turn(a, 1) + turn(b, 7) + turn(c, 12) + turn(d, 18);
  }
  sum = (sum + length) | 0;
  for (; at < end; at++) {
    sum = Math.imul(turn((sum + Math.imul(words[at] as number, PRIME_3)) | 0, 17), PRIME_4);
  }
  for (let byte = end * 4; byte < length; byte++) {
    sum = Math.imul(turn((sum + Math.imul(bytes[byte] as number, PRIME_5)) | 0, 11), PRIME_1);
  }
  sum = Math.imul(sum ^ (sum >>> 15), PRIME_2);
  sum = Math.imul(sum ^ (sum >>> 13), PRIME_3);
  return sum ^ (sum >>> 16);
}

function round(lane: number, word: number): number {
  return Math.imul(turn((lane + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

function turn(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** What is kept of a table whose rows have all got theirs: one without is damage from then on. */
export const ALL_CHECKSUMS = 'all';

/** Key in `rx_meta` of how far a table has come: a row number, or `ALL_CHECKSUMS`. */
export function checksumsKey(table: string): string {
  return `sums ${table}`;
}
