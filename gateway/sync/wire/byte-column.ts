/**
 * The bytes of a message that do not compress, such as hashes and the random part of ids, in the order in which the message uses them. As
 * text they would also make the text around them compress badly.
 */
import { damaged } from './wire-error.ts';

/** Lengths in bytes: of the id of a value, and of the key of a commit. */
export const SHORT = 8;
export const LONG = 16;

export class ByteWriter {
  readonly #parts: Uint8Array[] = [];

  put(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  /** Adds a hash of `length` bytes, given as hexadecimal text. */
  putHash(hex: string, length: number): void {
    const bytes = Buffer.from(hex, 'hex');
    // Only lower case can be read back as the same text.
    if (bytes.length !== length || bytes.toString('hex') !== hex)
      throw new RangeError(`${JSON.stringify(hex)} is not a hash of ${length} bytes`);
    this.put(bytes);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw damaged('bytes are missing');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** A hash as hexadecimal text. */
  takeHash(length: number): string {
    return this.take(length).toString('hex');
  }

  /** Checks that the message has used all bytes. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw damaged('it has bytes that nothing uses');
  }
}
