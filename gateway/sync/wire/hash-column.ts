/**
 * The hashes of a message, as bytes, in the order in which the message uses them. Hashes do not compress, and as hexadecimal text they would
 * also make the text around them compress badly.
 */
import { damaged } from './wire-error.ts';

/** Lengths in bytes: of the id of a value and of the mark of a document; and of the key of a commit. */
export const SHORT = 8;
export const LONG = 16;

export class HashWriter {
  readonly #parts: Buffer[] = [];

  /** Adds a hash of `length` bytes, given as hexadecimal text. */
  put(hex: string, length: number): void {
    const bytes = Buffer.from(hex, 'hex');
    // Only lower case can be read back as the same text.
    if (bytes.length !== length || bytes.toString('hex') !== hex)
      throw new RangeError(`${JSON.stringify(hex)} is not a hash of ${length} bytes`);
    this.#parts.push(bytes);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

export class HashReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): string {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw damaged('hashes are missing');
    const hex = this.#bytes.toString('hex', this.#at, end);
    this.#at = end;
    return hex;
  }

  /** Checks that the message has used all hashes. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw damaged('it has hashes that nothing uses');
  }
}
