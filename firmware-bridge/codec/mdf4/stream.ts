/** Reads the data of a data group forward, block by block. */
import { Mdf4Damage } from './blocks.ts';
import type { Mdf4Store, Piece } from './data.ts';

/**
 * Reads forward the data of the block or list to which a link points. It reports damage only after it has returned the bytes before the
 * damage.
 */
export class Mdf4Stream {
  private readonly store: Mdf4Store;
  private readonly list: Iterator<Piece, void, undefined>;
  private readonly damage: (damage: Mdf4Damage) => void;
  private piece: Piece | undefined;
  private used = 0;
  private ended = false;
  private pending: Mdf4Damage | undefined;
  /**
   * Number of bytes that are missing at the current position because a block is broken. The caller sets it to 0 to continue after these
   * bytes.
   */
  hole = 0;

  constructor(store: Mdf4Store, link: number, damage: (damage: Mdf4Damage) => void) {
    this.store = store;
    this.list = store.pieces(link);
    this.damage = damage;
  }

  /** Offset of the next byte in the file; inside a zipped block, the offset of this block. */
  get at_byte(): number {
    const { piece } = this;
    if (piece === undefined) return this.store.source.bound;
    return piece.zip === 'none' ? piece.data + this.used : piece.at;
  }

  /** Copies up to `length` bytes to `into` and returns their number; 0 at the end of the data and before missing bytes. */
  pull(into: Uint8Array, from: number, length: number): number {
    this.reportPending();
    let got = 0;
    while (got < length && this.pending === undefined) {
      const piece = this.next();
      if (piece === undefined) break;
      const want = Math.min(length - got, piece.length - this.used);
      const found = this.copy(piece, into, from + got, want);
      got += found;
      this.used += found;
      if (found < want && this.pending === undefined) {
        this.ended = true;
        if (piece.length === Number.POSITIVE_INFINITY) break;
        this.pending = new Mdf4Damage(
          'cut',
          this.at_byte,
          `The file is cut off in the data block at byte ${piece.at}.`,
        );
      }
    }
    if (got === 0) this.reportPending();
    return got;
  }

  /** Reports the damage at the current position, if there is any, once. */
  reportPending(): void {
    if (this.pending !== undefined) this.damage(this.pending);
    this.pending = undefined;
  }

  private copy(piece: Piece, into: Uint8Array, from: number, want: number): number {
    if (piece.zip === 'none') return this.store.source.read(piece.data + this.used, into, from, want);
    try {
      const part = this.store.unzip(piece).subarray(this.used, this.used + want);
      into.set(part, from);
      return part.length;
    } catch (error) {
      if (!(error instanceof Mdf4Damage)) throw error;
      this.pending = error;
      if (error.code === 'cut') this.ended = true;
      this.hole = piece.length - this.used;
      this.used = piece.length;
      return 0;
    }
  }

  private next(): Piece | undefined {
    while (!this.ended && (this.piece === undefined || this.used >= this.piece.length)) {
      try {
        if (this.piece !== undefined) this.store.forget(this.piece);
        const { value, done } = this.list.next();
        if (done) this.ended = true;
        else {
          this.piece = value;
          this.used = 0;
        }
      } catch (error) {
        if (!(error instanceof Mdf4Damage)) throw error;
        this.pending = error;
        this.ended = true;
      }
    }
    return this.ended ? undefined : this.piece;
  }
}
