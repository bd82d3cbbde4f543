/**
 * Reads the data (records) of a data group. The file stores the data in one block or in a list of blocks. In this code, a "piece" is the
 * data of one block. Kinds of blocks:
 *
 *   DT | SD      plain bytes
 *   DZ           zipped bytes; in a transposed piece, the first bytes of all records come first, then the second bytes, and so on
 *   DL           a list of the above, with a link to the next list
 *   HL           the header of a list of zipped pieces
 *
 * Limits: the reader inflates a zipped piece as a whole, and accepts at most 32 MiB of inflated data in a piece (the standard allows 4
 * MiB). Inflated pieces share a cache of 40 MiB. A damaged file may have many lists that link to the same block. So that reading ends, the
 * reader stops when the pieces that it has read are together twice as long as the file. After 64 MiB of inflated data, reading stops when
 * the data is more than 100 times as long as its zipped form.
 */
import type { ByteSource } from '#codec/byte-source.ts';
import { DENSE_AFTER_BYTES, DENSEST } from '#codec/log-types.ts';
import { type Mdf4Bytes, Mdf4Damage, UNFINISHED } from './blocks.ts';

/**
 * Inflates zlib data (RFC 1950). If the data is cut off, it returns the part that can be inflated. Throws when the data is broken or
 * inflates to more than `limit` bytes.
 */
export type Inflate = (zipped: Uint8Array, limit: number) => Uint8Array;

/** The data of one block: where it is in the file, and how long it is. */
export interface Piece {
  /** Byte offset of the block in the file. */
  readonly at: number;
  /** Byte offset of the data inside the block, zipped or not. */
  readonly data: number;
  /** Number of bytes in the file; infinite when the piece extends to the end of the file. */
  readonly stored: number;
  /** Number of bytes after inflation; equal to `stored` when the piece is not zipped. */
  readonly length: number;
  readonly zip: 'none' | 'deflate' | 'transposed';
  readonly columns: number;
}

const LARGEST_PIECE = 32 << 20;
const CACHE_BYTES = 40 << 20;
const MOST_LISTS = 100_000;
const DT_HEAD = 24;
const DATA_IDS = ['##DT', '##SD', '##RD', '##DV', '##DI', '##DZ'];

/** Reads the pieces of a file, inflates them, and enforces the limits for all data of the file. */
export class Mdf4Store {
  readonly bytes: Mdf4Bytes;
  readonly source: ByteSource;
  /** The `UNFINISHED` flags of the file; 0 when the file is finalized. */
  readonly unfinished: number;
  private readonly inflate: Inflate;
  private readonly cache = new Map<number, Uint8Array>();
  private cached = 0;
  /**
   * Two buffers that the store uses again for each piece, so that it allocates less memory. The first gets the zipped bytes of a piece. The
   * second gets the inflated bytes of a piece; it is the buffer of a piece that was removed from the cache.
   */
  private zipped: Uint8Array = new Uint8Array(0);
  private spare: Uint8Array = new Uint8Array(0);
  /** Number of bytes of all pieces so far: in the file, and after inflation. */
  stored = 0;
  unpacked = 0;

  constructor(bytes: Mdf4Bytes, unfinished: number, inflate: Inflate) {
    this.bytes = bytes;
    this.source = bytes.source;
    this.unfinished = unfinished;
    this.inflate = inflate;
  }

  /** Returns the inflated data of a zipped piece. The data is shorter than the piece when the file ends inside the piece. */
  unzip(piece: Piece): Uint8Array {
    const known = this.cache.get(piece.at);
    if (known !== undefined) {
      this.cache.delete(piece.at);
      this.cache.set(piece.at, known);
      return known;
    }
    const there = Math.max(0, Math.min(piece.stored, this.source.bound - piece.data));
    if (this.zipped.length < there) this.zipped = new Uint8Array(there);
    const zipped = this.zipped.subarray(0, this.source.read(piece.data, this.zipped, 0, there));
    let data: Uint8Array;
    try {
      data = this.inflate(zipped, piece.length);
    } catch {
      throw new Mdf4Damage(
        'damaged',
        piece.at,
        `The zipped block at byte ${piece.at} is broken; reading continues with the next block.`,
      );
    }
    if (data.length < piece.length && zipped.length === piece.stored)
      throw new Mdf4Damage(
        'damaged',
        piece.at,
        `The zipped block at byte ${piece.at} has less data than it states; reading continues with the next block.`,
      );
    this.cached += piece.length;
    for (const [at, old] of this.cache) {
      if (this.cached <= CACHE_BYTES) break;
      this.cache.delete(at);
      this.cached -= old.length;
      this.spare = old;
    }
    if (piece.zip === 'transposed') {
      if (data.length < piece.length) {
        this.cached -= piece.length;
        throw new Mdf4Damage('cut', piece.at, `The file is cut off in the zipped block at byte ${piece.at}.`);
      }
      data = untransposed(
        data,
        piece.columns,
        this.spare.length === data.length ? this.spare : new Uint8Array(data.length),
      );
      this.spare = new Uint8Array(0);
    }
    this.cached += data.length - piece.length;
    this.cache.set(piece.at, data);
    return data;
  }

  /** Removes a piece from the cache; call this when the piece was read to its end. */
  forget(piece: Piece): void {
    const data = this.cache.get(piece.at);
    if (data === undefined) return;
    this.cache.delete(piece.at);
    this.cached -= data.length;
    this.spare = data;
  }

  /** Returns, in order, the pieces of the block or list at offset `link`. Throws `Mdf4Damage` when a list is damaged. */
  *pieces(link: number): Generator<Piece, void, undefined> {
    const seen = new Set<number>();
    const { bytes } = this;
    let last: Piece | undefined;
    for (let at = link; at !== 0; ) {
      const id = bytes.name(at);
      if (DATA_IDS.includes(id)) {
        yield this.piece(at);
        return;
      }
      if (seen.has(at))
        throw new Mdf4Damage('damaged', at, `A list of data blocks contains the block at byte ${at} twice.`);
      if (seen.size === MOST_LISTS)
        throw new Mdf4Damage(
          'too_large',
          at,
          `A group has more than ${MOST_LISTS} lists of data blocks, which is the limit; the other blocks were not read.`,
        );
      seen.add(at);
      const block = bytes.block(at, '##DL', '##HL');
      if (id === '##HL') {
        at = bytes.link(block, 0);
        continue;
      }
      const count = Math.min(bytes.u32(block.data + 4) ?? 0, block.links - 1);
      for (let i = 1; i <= count; i++) {
        const data = bytes.link(block, i);
        // A logger reserves links in the list. If the logger lost its power, some of these links are still 0.
        if (data === 0) break;
        last = this.piece(data);
        yield last;
      }
      at = bytes.link(block, 0);
    }
    if (last !== undefined && (this.unfinished & UNFINISHED.lastList) !== 0) yield* this.behind(last);
  }

  /**
   * Returns the pieces that follow the last listed piece in the file. A logger that loses its power may have written such pieces without
   * adding them to the list.
   */
  private *behind(last: Piece): Generator<Piece, void, undefined> {
    const { bytes } = this;
    for (let at = last.data + last.stored; at < this.source.bound; ) {
      at = Math.ceil(at / 8) * 8;
      if (!DATA_IDS.includes(bytes.name(at))) return;
      const piece = this.piece(at);
      yield piece;
      at = piece.data + piece.stored;
    }
  }

  private piece(at: number): Piece {
    const { bytes } = this;
    const block = bytes.block(at, ...DATA_IDS);
    const { data, dataLength } = block;
    if (block.id === '##DZ') {
      const kind = bytes.u8(data + 2);
      const length = bytes.u64(data + 8);
      const stored = bytes.u64(data + 16);
      if (kind === undefined || length === undefined || stored === undefined)
        throw new Mdf4Damage('cut', at, `The file is cut off in the zipped block at byte ${at}.`);
      if (kind > 1)
        throw new Mdf4Damage(
          'unsupported',
          at,
          `The block at byte ${at} is packed by a method of MDF 4.3 (${kind}), which is not supported.`,
        );
      if (length > LARGEST_PIECE || stored > LARGEST_PIECE + (1 << 16))
        throw new Mdf4Damage(
          'too_large',
          at,
          `The zipped block at byte ${at} would unpack to ${length} bytes, but the limit is 32 MiB.`,
        );
      return this.counted({
        at,
        data: data + 24,
        stored,
        length,
        zip: kind === 1 ? 'transposed' : 'deflate',
        columns: bytes.u32(data + 4) ?? 0,
      });
    }
    // A logger that lost its power has not written the length of the last block.
    const open = block.length === DT_HEAD && (this.unfinished & UNFINISHED.lastDataLength) !== 0;
    const length = open ? Number.POSITIVE_INFINITY : dataLength;
    return this.counted({ at, data, stored: length, length, zip: 'none', columns: 0 });
  }

  private counted(piece: Piece): Piece {
    if (piece.stored !== Number.POSITIVE_INFINITY) {
      // A piece may state more bytes than the file has; count only the bytes that exist.
      const there = Math.min(piece.stored, this.source.bound);
      this.stored += there + DT_HEAD;
      this.unpacked += piece.zip === 'none' ? there : piece.length;
      if (this.stored > this.source.bound * 2)
        throw new Mdf4Damage(
          'damaged',
          piece.at,
          'The file links to the same data blocks many times, which no logger does; the rest was not read.',
        );
      if (this.unpacked > DENSE_AFTER_BYTES && this.unpacked > this.stored * DENSEST)
        throw new Mdf4Damage(
          'too_dense',
          piece.at,
          `The file unpacks to more than ${DENSEST} times its size, which no real log does; the rest was not read.`,
        );
    }
    return piece;
  }
}

const ROWS_AT_ONCE = 1_024;

/**
 * Reverses the transposition of a zipped piece: converts columns back to rows (records). Bytes after the last complete row were not
 * transposed, so the function copies them.
 */
function untransposed(data: Uint8Array, columns: number, out: Uint8Array): Uint8Array {
  const rows = columns > 0 ? Math.floor(data.length / columns) : 0;
  if (rows < 2) return data;
  // Convert a limited number of rows at a time, so that their output fits into the cache of the processor.
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const end = Math.min(first + ROWS_AT_ONCE, rows);
    for (let c = 0; c < columns; c++) {
      const from = c * rows;
      for (let r = first, to = first * columns + c; r < end; r++, to += columns) out[to] = data[from + r] as number;
    }
  }
  out.set(data.subarray(rows * columns), rows * columns);
  return out;
}
