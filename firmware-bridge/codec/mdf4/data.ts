/**
 * Reads the data of a group as pieces, from every kind of block:
 *
 *   DT | SD      plain bytes
 *   DZ           zipped bytes; a transposed piece holds its columns one after the other
 *   DL           a list of the above, with a link to the next list
 *   HL           the header of a list of zipped pieces
 *
 * Limits: a zipped piece is inflated as a whole and has at most 32 MiB (the standard allows 4). Inflated pieces share a cache of 40 MiB;
 * the newest always fits. The pieces have at most twice the bytes of the file, so a list that repeats itself ends. After 64 MiB, reading
 * stops when the data inflates to more than 100 to 1.
 */
import type { ByteSource } from '#codec/byte-source.ts';
import { DENSE_AFTER_BYTES, DENSEST } from '#codec/log-types.ts';
import { type Mdf4Bytes, Mdf4Damage, UNFINISHED } from './blocks.ts';

/** Inflates zlib data (RFC 1950). Of cut data it returns the readable part. Throws when the data is broken or longer than `limit`. */
export type Inflate = (zipped: Uint8Array, limit: number) => Uint8Array;

/** A part of the data. */
export interface Piece {
  /** Offset of the block. */
  readonly at: number;
  /** Offset of its bytes in the file, zipped or not. */
  readonly data: number;
  /** Bytes in the file; infinite when the piece extends to the end of the file. */
  readonly stored: number;
  /** Bytes of data; differs from `stored` only when the piece is zipped. */
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
  /** Flags of an unfinalized file. */
  readonly unfinished: number;
  private readonly inflate: Inflate;
  private readonly cache = new Map<number, Uint8Array>();
  private cached = 0;
  /** Reused buffers: one for the zipped bytes of each piece, and one of an evicted piece for the next piece of the same size. */
  private zipped: Uint8Array = new Uint8Array(0);
  private spare: Uint8Array = new Uint8Array(0);
  /** Bytes of the pieces so far, in the file and inflated. */
  stored = 0;
  unpacked = 0;

  constructor(bytes: Mdf4Bytes, unfinished: number, inflate: Inflate) {
    this.bytes = bytes;
    this.source = bytes.source;
    this.unfinished = unfinished;
    this.inflate = inflate;
  }

  /** Returns the data of a zipped piece; shorter when the file ends in it. */
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
      throw new Mdf4Damage('damaged', piece.at, `The zipped piece at byte ${piece.at} is broken; the next is read.`);
    }
    if (data.length < piece.length && zipped.length === piece.stored)
      throw new Mdf4Damage('damaged', piece.at, `The zipped piece at byte ${piece.at} is too short; the next is read.`);
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
        throw new Mdf4Damage('cut', piece.at, `The file ends in the zipped piece at byte ${piece.at}.`);
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

  /** Removes a piece that was read to its end from the cache. */
  forget(piece: Piece): void {
    const data = this.cache.get(piece.at);
    if (data === undefined) return;
    this.cache.delete(piece.at);
    this.cached -= data.length;
    this.spare = data;
  }

  /** Returns the pieces behind a link, in order. Throws when the rest cannot be found. */
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
      if (seen.has(at)) throw new Mdf4Damage('damaged', at, `A list of data comes back to byte ${at}.`);
      if (seen.size === MOST_LISTS)
        throw new Mdf4Damage('too_large', at, `More than ${MOST_LISTS} lists of data; the rest is not read.`);
      seen.add(at);
      const block = bytes.block(at, '##DL', '##HL');
      if (id === '##HL') {
        at = bytes.link(block, 0);
        continue;
      }
      const count = Math.min(bytes.u32(block.data + 4) ?? 0, block.links - 1);
      for (let i = 1; i <= count; i++) {
        const data = bytes.link(block, i);
        // In an unfinished list, the links to the last pieces are 0.
        if (data === 0) break;
        last = this.piece(data);
        yield last;
      }
      at = bytes.link(block, 0);
    }
    if (last !== undefined && (this.unfinished & UNFINISHED.lastList) !== 0) yield* this.behind(last);
  }

  /** Returns the pieces that follow the last listed piece directly in the file. A logger that lost its power has not listed them. */
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
        throw new Mdf4Damage('cut', at, `The file ends in the zipped piece at byte ${at}.`);
      if (kind > 1)
        throw new Mdf4Damage('unsupported', at, `The piece at byte ${at} is packed by a method of MDF 4.3 (${kind}).`);
      if (length > LARGEST_PIECE || stored > LARGEST_PIECE + (1 << 16))
        throw new Mdf4Damage(
          'too_large',
          at,
          `The zipped piece at byte ${at} states ${length} bytes; the limit is 32 MiB.`,
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
    // The last block of an unfinished file has no length.
    const open = block.length === DT_HEAD && (this.unfinished & UNFINISHED.lastDataLength) !== 0;
    const length = open ? Number.POSITIVE_INFINITY : dataLength;
    return this.counted({ at, data, stored: length, length, zip: 'none', columns: 0 });
  }

  private counted(piece: Piece): Piece {
    if (piece.stored !== Number.POSITIVE_INFINITY) {
      // Do not count bytes past the end of the file.
      const there = Math.min(piece.stored, this.source.bound);
      this.stored += there + DT_HEAD;
      this.unpacked += piece.zip === 'none' ? there : piece.length;
      if (this.stored > this.source.bound * 2)
        throw new Mdf4Damage(
          'damaged',
          piece.at,
          'The same pieces of data are linked many times, so the rest is not read.',
        );
      if (this.unpacked > DENSE_AFTER_BYTES && this.unpacked > this.stored * DENSEST)
        throw new Mdf4Damage(
          'too_dense',
          piece.at,
          `The file unpacks to more than ${DENSEST} times its size, which no log of a bus does; the rest is not read.`,
        );
    }
    return piece;
  }
}

const ROWS_AT_ONCE = 1_024;

/** Converts columns back to rows; bytes after the last whole row stay as they are. */
function untransposed(data: Uint8Array, columns: number, out: Uint8Array): Uint8Array {
  const rows = columns > 0 ? Math.floor(data.length / columns) : 0;
  if (rows < 2) return data;
  // Some rows at a time, so that the output stays in the cache of the processor.
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
