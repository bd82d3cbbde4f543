/**
 * The file of a bundle: a header that anybody can read, and encrypted parts.
 *
 *   byte 0 to 3    "HFCB"
 *   byte 4         version of this form: 2 if the file has lists or pieces of files, otherwise 1
 *   byte 5         1: from a site to head office. 2: from head office to a site.
 *   byte 6, 7      number of bytes of the header text, little-endian
 *   then           the header text (JSON)
 *   then           32 random bytes
 *   then           CRC-32 of all bytes before, little-endian
 *   then           parts: 4 bytes length, little-endian; the encrypted part; 16 bytes tag
 *
 * The parts are encrypted with AES-256-GCM. The key is made with HKDF-SHA-256 (RFC 5869) from the SHA-256 of the credential of the gateway, the
 * random bytes, and the header, so no other header fits the parts. The nonce of a part is its number, with a mark at the last one: parts that
 * are missing, repeated, exchanged or from another file do not decrypt, and a file without its end is noticed.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import { MOST_BYTES } from '#sync/wire/frame.ts';
import { damagedBundle } from './bundle-damage.ts';

const MAGIC = Buffer.from('HFCB', 'latin1');
/** Version 1 has no files, so that an earlier version of the other end can read it. */
const PLAIN = 1;
const WITH_FILES = 2;
const HEAD = 8;
const MOST_HEADER = 2_000;
const SALT = 32;
const TAG = 16;
/** A part has one message of the sync protocol, and a little text about it. */
const MOST_PART = MOST_BYTES + (64 << 10);

export type Direction = 'to_head_office' | 'to_site';
const DIRECTIONS: readonly Direction[] = ['to_head_office', 'to_site'];

const Text = z.string().min(1).max(200);
const HeaderText = z.object({
  /** Enrolment of the gateway at head office. */
  enrolment: Text,
  gateway: Text,
  /** Name of the site. */
  site: Text,
  /** Id of the first volume. */
  bundle: Text,
  volume: z.number().int().min(1).max(1_000_000),
  made_at: Text,
});
export type BundleHeader = z.infer<typeof HeaderText> & { readonly direction: Direction };
/** How a header is written. `files`: the bundle has lists or pieces of files. */
export type NewHeader = BundleHeader & { readonly files?: boolean };

interface Sealed {
  readonly bytes: Buffer;
  readonly salt: Buffer;
}

function writeHeader({ direction, files, ...text }: NewHeader, salt: Buffer): Sealed {
  const json = Buffer.from(JSON.stringify(text));
  if (json.length > MOST_HEADER) throw new RangeError(`the header of a bundle has ${json.length} bytes`);
  const bytes = Buffer.alloc(HEAD + json.length + SALT + 4);
  MAGIC.copy(bytes);
  bytes[4] = files === true ? WITH_FILES : PLAIN;
  bytes[5] = DIRECTIONS.indexOf(direction) + 1;
  bytes.writeUInt16LE(json.length, 6);
  json.copy(bytes, HEAD);
  salt.copy(bytes, HEAD + json.length);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return { bytes, salt };
}

/** The key of a file. `credential`: SHA-256 of the credential of the gateway, which both ends have. */
function keyOf({ bytes, salt }: Sealed, credential: Buffer): Buffer {
  const info = Buffer.concat([Buffer.from('headframe bundle '), createHash('sha256').update(bytes).digest()]);
  return Buffer.from(hkdfSync('sha256', credential, salt, info, 32));
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce[0] = isLast ? 1 : 0;
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return nonce;
}

/** Writes the bytes of a file, piece by piece. */
export class BundleWriter {
  readonly header: Buffer;
  readonly #key: Buffer;
  #parts = 0;

  constructor(header: NewHeader, credential: Buffer, random: (bytes: number) => Uint8Array) {
    const sealed = writeHeader(header, Buffer.from(random(SALT)));
    this.header = sealed.bytes;
    this.#key = keyOf(sealed, credential);
  }

  /** The bytes of a part. The last one ends the file. */
  part(plain: Buffer, isLast = false): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(this.#parts++, isLast));
    const text = Buffer.concat([cipher.update(plain), cipher.final()]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length + TAG);
    return Buffer.concat([length, text, cipher.getAuthTag()]);
  }

  /** The bytes of the file that a part of this size needs. */
  static sizeOf(plain: number): number {
    return plain + 4 + TAG;
  }
}

/** Gives exactly the number of bytes that is asked for, from pieces of any size. In memory are only these bytes and the rest of one piece. */
class Pieces {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#pieces = content[Symbol.asyncIterator]();
  }

  get taken(): number {
    return this.#taken;
  }

  /** The next bytes; fewer if the content ends. */
  async take(count: number): Promise<Buffer> {
    const found: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#pieces.next();
        if (done === true) break;
        this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        continue;
      }
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      found.push(piece);
    }
    this.#taken += count - missing;
    return found.length === 1 ? (found[0] as Buffer) : Buffer.concat(found);
  }
}

const incomplete = (): OperationError =>
  new OperationError(
    'bundle_incomplete',
    'The file ends before its end: it was not copied as a whole. What it has was taken. Copy it again and import it again, or make a new bundle.',
  );

/** Reads a file while it arrives. Throws `OperationError`. */
export class BundleReader {
  readonly header: BundleHeader;
  readonly #pieces: Pieces;
  readonly #sealed: Sealed;

  private constructor(header: BundleHeader, pieces: Pieces, sealed: Sealed) {
    this.header = header;
    this.#pieces = pieces;
    this.#sealed = sealed;
  }

  /** Bytes of the file that were read. */
  get taken(): number {
    return this.#pieces.taken;
  }

  /** Reads the header. Only after the first part was decrypted it is certain that nobody changed the header. */
  static async open(content: AsyncIterable<Uint8Array>): Promise<BundleReader> {
    const pieces = new Pieces(content);
    const head = await pieces.take(HEAD);
    if (!head.subarray(0, 4).equals(MAGIC.subarray(0, Math.min(4, head.length))) || head.length === 0)
      throw new OperationError(
        'bundle_unknown',
        'This file is not a bundle of Headframe. Choose the file that the other end made; its name ends in .hfbundle.',
      );
    if (head.length < HEAD) throw incomplete();
    if (head[4] !== PLAIN && head[4] !== WITH_FILES)
      throw new OperationError(
        'bundle_unsupported',
        say(
          'The bundle has version {version} of the form; this end knows versions {plain} and {with_files}. Update the older end, and make a new bundle.',
          { version: head[4] ?? 0, plain: PLAIN, with_files: WITH_FILES },
        ),
      );
    const size = head.readUInt16LE(6);
    if (size > MOST_HEADER) throw damagedBundle();
    const rest = await pieces.take(size + SALT + 4);
    if (rest.length < size + SALT + 4) throw incomplete();
    const bytes = Buffer.concat([head, rest]);
    if (crc32(bytes.subarray(0, -4)) !== bytes.readUInt32LE(bytes.length - 4)) throw damagedBundle();
    const direction = DIRECTIONS[(head[5] ?? 0) - 1];
    const text = readJson(HeaderText, rest.subarray(0, size));
    if (direction === undefined || text === undefined) throw damagedBundle();
    const salt = rest.subarray(size, size + SALT);
    return new BundleReader({ ...text, direction }, pieces, { bytes, salt });
  }

  /** Gives the parts in their order, each after it was decrypted. A file without its last part gives an error. */
  async *parts(credential: Buffer): AsyncGenerator<Buffer, void> {
    const key = keyOf(this.#sealed, credential);
    for (let number = 0; ; number++) {
      const length = await this.#pieces.take(4);
      if (length.length < 4) throw incomplete();
      const size = length.readUInt32LE();
      if (size < TAG || size > MOST_PART) throw damagedBundle();
      const sealed = await this.#pieces.take(size);
      if (sealed.length < size) throw incomplete();
      const plain = decrypt(key, number, sealed, false);
      if (plain !== undefined) {
        yield plain;
        continue;
      }
      const last = decrypt(key, number, sealed, true);
      if (last === undefined) throw damagedBundle();
      // The other end writes nothing after the last part.
      if ((await this.#pieces.take(1)).length > 0) throw damagedBundle();
      yield last;
      return;
    }
  }
}

function decrypt(key: Buffer, number: number, sealed: Buffer, isLast: boolean): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast));
  decipher.setAuthTag(sealed.subarray(-TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function readJson<T>(form: z.ZodType<T>, bytes: Buffer): T | undefined {
  try {
    return form.safeParse(JSON.parse(bytes.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
