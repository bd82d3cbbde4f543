/** Reads payloads ("variable values") that a sorted file stores in a separate data block, at any offset. */
import { Mdf4Damage } from './blocks.ts';
import type { Mdf4Store, Piece } from './data.ts';

const WINDOW_BYTES = 64 << 10;
const MOST_PIECES = 500_000;
/**
 * The reader reads values forward. If a value is stored before the buffered bytes, the reader must go back; this is the largest number of
 * such steps back. A step back in a zipped block counts as `ZIPPED_STEP` steps, because the reader must inflate the block again. A normal
 * file needs few steps back, because writers store values in the order of their records.
 */
const MOST_STEPS_BACK = 1_000_000;
const ZIPPED_STEP = 1_000;

/** Reads the variable values in the block or list at a link. It lists the data blocks only as far as it has read. */
export class Mdf4Values {
  private readonly store: Mdf4Store;
  private readonly list: Iterator<Piece, void, undefined>;
  private readonly damage: (damage: Mdf4Damage) => void;
  private readonly pieces: Piece[] = [];
  /**
   * For each piece (the data of one block) that was listed so far: its offset in the unpacked values. The last entry is the offset after
   * the last listed piece.
   */
  private readonly starts: number[] = [0];
  private ended = false;
  private readonly window = new Uint8Array(WINDOW_BYTES);
  private readonly numbers = new DataView(this.window.buffer);
  private from = 0;
  private filled = 0;
  private stepsBack = 0;

  constructor(store: Mdf4Store, link: number, damage: (damage: Mdf4Damage) => void) {
    this.store = store;
    this.list = store.pieces(link);
    this.damage = damage;
  }

  /** The buffer that contains the value which the last call of `find` has found. */
  get bytes(): Uint8Array {
    return this.window;
  }

  length = 0;

  /**
   * Returns the index in `bytes` of the value at `offset`, and sets `length`; -1 if there is no value at this offset, or if the value is
   * longer than `longest`.
   */
  find(offset: number, longest: number): number {
    let at = this.have(offset, 4);
    if (at < 0) return -1;
    this.length = this.numbers.getUint32(at, true);
    if (this.length > longest) return -1;
    at = this.have(offset, 4 + this.length);
    return at < 0 ? -1 : at + 4;
  }

  private have(offset: number, length: number): number {
    if (offset < this.from || offset + length > this.from + this.filled) {
      const isBack = offset < this.from;
      this.from = offset;
      this.filled = 0;
      if (isBack && this.tooOften(offset)) return -1;
      this.fill();
      if (length > this.filled) return -1;
    }
    return offset - this.from;
  }

  private tooOften(offset: number): boolean {
    if (this.stepsBack > MOST_STEPS_BACK) return true;
    const piece = this.pieces[this.pieceAt(offset)];
    this.stepsBack += piece?.zip === 'none' ? 1 : ZIPPED_STEP;
    if (this.stepsBack <= MOST_STEPS_BACK) return false;
    this.damage(
      new Mdf4Damage(
        'too_large',
        piece?.at ?? 0,
        'Too many payloads are not stored in the order of their frames. The reader skipped further payloads that are out of order.',
      ),
    );
    return true;
  }

  private fill(): void {
    while (this.filled < WINDOW_BYTES) {
      const offset = this.from + this.filled;
      const i = this.pieceAt(offset);
      const piece = this.pieces[i];
      if (piece === undefined) return;
      const inside = offset - (this.starts[i] as number);
      const want = Math.min(WINDOW_BYTES - this.filled, piece.length - inside);
      const got = this.copy(piece, inside, want);
      this.filled += got;
      if (inside + got === piece.length) this.store.forget(piece);
      if (got < want) return;
    }
  }

  private copy(piece: Piece, inside: number, want: number): number {
    if (piece.zip === 'none') return this.store.source.read(piece.data + inside, this.window, this.filled, want);
    try {
      const part = this.store.unzip(piece).subarray(inside, inside + want);
      this.window.set(part, this.filled);
      return part.length;
    } catch (error) {
      if (!(error instanceof Mdf4Damage)) throw error;
      this.damage(error);
      return 0;
    }
  }

  /** Returns the index of the piece that contains the byte at this offset of the values. */
  private pieceAt(offset: number): number {
    const { starts, pieces } = this;
    while (!this.ended && (starts[pieces.length] as number) <= offset) {
      try {
        const { value, done } = this.list.next();
        this.ended = done === true || pieces.length === MOST_PIECES;
        if (this.ended || value === undefined) break;
        pieces.push(value);
        starts.push((starts[pieces.length - 1] as number) + value.length);
      } catch (error) {
        if (!(error instanceof Mdf4Damage)) throw error;
        this.damage(error);
        this.ended = true;
      }
    }
    let low = 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle + 1] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
