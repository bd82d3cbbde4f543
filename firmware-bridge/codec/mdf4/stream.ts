/** Reads the data of a group forward through its pieces. */
import { Mdf4Damage } from './blocks.ts';
import type { Mdf4Store, Piece } from './data.ts';

/** Reads the data behind a link forward. It reports damage only after it has returned the bytes before the damage. */
export class Mdf4Stream {
  private readonly store: Mdf4Store;
  private readonly list: Iterator<Piece, void, undefined>;
  private readonly damage: (damage: Mdf4Damage) => void;
  private piece: Piece | undefined;
  private used = 0;
  private ended = false;
  private untold: Mdf4Damage | undefined;
  /** Number of bytes that are missing here. To continue after them, the reader sets this to 0. */
  hole = 0;

  constructor(store: Mdf4Store, link: number, damage: (damage: Mdf4Damage) => void) {
    this.store = store;
    this.list = store.pieces(link);
    this.damage = damage;
  }

  /** Offset of the next byte in the file, or of the zipped piece that holds it. */
  get at_byte(): number {
    const { piece } = this;
    if (piece === undefined) return this.store.source.bound;
    return piece.zip === 'none' ? piece.data + this.used : piece.at;
  }

  /** Copies up to `length` bytes and returns their number; 0 at the end and before a hole. */
  pull(into: Uint8Array, from: number, length: number): number {
    this.tell();
    let got = 0;
    while (got < length && this.untold === undefined) {
      const piece = this.next();
      if (piece === undefined) break;
      const want = Math.min(length - got, piece.length - this.used);
      const found = this.copy(piece, into, from + got, want);
      got += found;
      this.used += found;
      if (found < want && this.untold === undefined) {
        this.ended = true;
        if (piece.length === Number.POSITIVE_INFINITY) break;
        this.untold = new Mdf4Damage('cut', this.at_byte, `The file ends in the data that began at byte ${piece.at}.`);
      }
    }
    if (got === 0) this.tell();
    return got;
  }

  /** Reports the damage at the current position. */
  tell(): void {
    if (this.untold !== undefined) this.damage(this.untold);
    this.untold = undefined;
  }

  private copy(piece: Piece, into: Uint8Array, from: number, want: number): number {
    if (piece.zip === 'none') return this.store.source.read(piece.data + this.used, into, from, want);
    try {
      const part = this.store.unzip(piece).subarray(this.used, this.used + want);
      into.set(part, from);
      return part.length;
    } catch (error) {
      if (!(error instanceof Mdf4Damage)) throw error;
      this.untold = error;
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
        this.untold = error;
        this.ended = true;
      }
    }
    return this.ended ? undefined : this.piece;
  }
}
