/**
 * Bytes that can be read at any offset. The reader of MF4 files needs this, because a block of such a file may link to any offset of the
 * file. A file, a decompressor and a decryptor each implement this interface.
 */

/** Bytes with random access. `read` blocks the thread until the bytes are read. Only one reader may use a source at a time. */
export interface ByteSource {
  /**
   * An upper limit of the size in bytes. The real size may be smaller. For example, the real size of compressed data is unknown until all
   * data is unpacked.
   */
  readonly bound: number;
  /** Copies the bytes at `at` to `into[from .. from+length]` and returns their number, which is less than `length` only at the end. */
  read(at: number, into: Uint8Array, from: number, length: number): number;
}

const PAGE_BYTES = 8192;
const LONGEST_READ = 4096;
const PAGES = 8;

interface Page {
  number: number;
  bytes: Uint8Array;
  view: DataView;
  filled: number;
}

/** Reads little-endian numbers of a source through a cache of a few pages. A method returns undefined past the end of the source. */
export class PagedNumbers {
  readonly source: ByteSource;
  private readonly pages: Page[] = [];

  constructor(source: ByteSource) {
    this.source = source;
    for (let i = 0; i < PAGES; i++) {
      const bytes = new Uint8Array(PAGE_BYTES + LONGEST_READ);
      this.pages.push({ number: -1, bytes, view: new DataView(bytes.buffer), filled: 0 });
    }
  }

  u8(at: number): number | undefined {
    const page = this.page(at, 1);
    return page?.bytes[at % PAGE_BYTES];
  }

  u16(at: number): number | undefined {
    return this.page(at, 2)?.view.getUint16(at % PAGE_BYTES, true);
  }

  u32(at: number): number | undefined {
    return this.page(at, 4)?.view.getUint32(at % PAGE_BYTES, true);
  }

  /** Reads an unsigned 64-bit number. A value above 2^53 loses its last bits; offsets in a file are never so large. */
  u64(at: number): number | undefined {
    const page = this.page(at, 8);
    if (page === undefined) return undefined;
    const from = at % PAGE_BYTES;
    return page.view.getUint32(from, true) + page.view.getUint32(from + 4, true) * 2 ** 32;
  }

  f64(at: number): number | undefined {
    return this.page(at, 8)?.view.getFloat64(at % PAGE_BYTES, true);
  }

  /** Returns a copy of `length` bytes from offset `at` on, or fewer when the source ends before. */
  copy(at: number, length: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.source.bound - at)));
    return bytes.subarray(0, this.source.read(at, bytes, 0, bytes.length));
  }

  private page(at: number, length: number): Page | undefined {
    if (!(at >= 0 && at + length <= this.source.bound)) return undefined;
    const number = Math.floor(at / PAGE_BYTES);
    const page = this.pages[number % PAGES] as Page;
    if (page.number !== number) {
      page.filled = this.source.read(number * PAGE_BYTES, page.bytes, 0, page.bytes.length);
      page.number = number;
    }
    return (at % PAGE_BYTES) + length <= page.filled ? page : undefined;
  }
}
