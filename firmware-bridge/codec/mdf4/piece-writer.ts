/**
 * Writes the data (records) of an MDF file. It writes the data in pieces: blocks of plain data (DT, SD) or zipped data (DZ). At the end it
 * writes lists (DL) of these blocks.
 */
import { BlockWriter, packed } from './structure.ts';

/** Receives the bytes of the file that is written. The caller must not change the bytes after the call. */
export interface Mdf4Sink {
  /** Appends bytes to the file. */
  write(bytes: Uint8Array): void;
  /** Overwrites bytes at offset `at`, which the writer has appended before. The writer never calls this for an unfinished file. */
  patch(at: number, bytes: Uint8Array): void;
}

/** Compresses with zlib (RFC 1950). */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

export type Zip = 'none' | 'deflate' | 'transposed';

/** The data of one group: a buffer that collects records, and the pieces that were already written. */
export interface Run {
  readonly kind: 'DT' | 'SD';
  readonly buffer: Uint8Array;
  /** Length of a record in bytes, which the transposition of a piece uses. */
  readonly columns: number;
  used: number;
  total: number;
  readonly pieces: { readonly at: number; readonly from: number }[];
}

interface PieceWriterOptions {
  readonly sink: Mdf4Sink;
  readonly deflate: Deflate;
  readonly zip: Zip;
  /**
   * If true, the writer imitates a logger that lost its power. The file then has a single data block, which has no length and extends to
   * the end of the file. So the writer appends records without any further block head.
   */
  readonly unfinished: boolean;
  readonly pieceBytes: number;
}

/**
 * The smallest size of a piece in bytes. It is larger than the longest record together with its variable value (a payload in a separate
 * record), so both always fit into one piece.
 */
const SMALLEST_PIECE = 256;
const DZ_DATA = 24;

export class PieceWriter {
  /** Number of bytes of the file that were written so far. */
  position = 0;
  private readonly options: PieceWriterOptions;

  constructor(options: PieceWriterOptions) {
    this.options = options;
  }

  write(bytes: Uint8Array): void {
    this.options.sink.write(bytes);
    this.position += bytes.length;
  }

  patch(at: number, bytes: Uint8Array): void {
    this.options.sink.patch(at, bytes);
  }

  /** Writes zero bytes up to the next multiple of 8, because a block must begin there. */
  align(): void {
    if (this.position % 8 > 0) this.write(new Uint8Array(8 - (this.position % 8)));
  }

  createRun(kind: Run['kind'], columns: number): Run {
    const whole = Math.floor(this.options.pieceBytes / columns) * columns;
    const buffer = new Uint8Array(Math.max(columns, SMALLEST_PIECE, whole));
    return { kind, buffer, columns, used: 0, total: 0, pieces: [] };
  }

  /** Appends the first `length` of `bytes` to a run, and writes a piece first if the buffer of the run is full. */
  put(run: Run, bytes: Uint8Array, length: number): void {
    if (run.used + length > run.buffer.length) this.flush(run);
    for (let i = 0; i < length; i++) run.buffer[run.used + i] = bytes[i] as number;
    run.used += length;
  }

  /** Writes the buffered bytes of a run as a piece. */
  flush(run: Run): void {
    if (run.used === 0) return;
    const bytes = run.buffer.slice(0, run.used);
    run.used = 0;
    if (this.options.unfinished) {
      this.write(bytes);
      return;
    }
    this.align();
    run.pieces.push({ at: this.position, from: run.total });
    run.total += bytes.length;
    const blocks = new BlockWriter(this.position);
    if (this.options.zip === 'none') blocks.block(`##${run.kind}`, [], bytes);
    else blocks.block('##DZ', [], this.zipped(run, bytes));
    this.write(blocks.result());
  }

  /** Returns the content of a DZ block: its fields and the zipped bytes. */
  private zipped({ kind, columns }: Run, bytes: Uint8Array): Uint8Array {
    const isTransposed = this.options.zip === 'transposed' && columns > 1;
    const zipped = this.options.deflate(isTransposed ? transposed(bytes, columns) : bytes);
    const data = new Uint8Array(DZ_DATA + zipped.length);
    data.set(
      packed(
        [1, kind.charCodeAt(0)],
        [1, kind.charCodeAt(1)],
        [1, isTransposed ? 1 : 0],
        [1, 0],
        [4, isTransposed ? columns : 0],
        [8, bytes.length],
        [8, zipped.length],
      ),
    );
    data.set(zipped, DZ_DATA);
    return data;
  }

  /**
   * Returns the link to the data of a run. It is 0 if the run has no data, and otherwise the offset of its only piece or of a new list of
   * its pieces.
   */
  linkTo(blocks: BlockWriter, { pieces }: Run): number {
    const { zip } = this.options;
    const [first] = pieces;
    if (first === undefined || pieces.length === 1) return first?.at ?? 0;
    const list = blocks.block(
      '##DL',
      [0, ...pieces.map(({ at }) => at)],
      packed([4, 0], [4, pieces.length], ...pieces.map(({ from }) => [8, from] as const)),
    );
    return zip === 'none'
      ? list
      : blocks.block('##HL', [list], packed([2, 0], [1, zip === 'transposed' ? 1 : 0], [1, 0], [4, 0]));
  }
}

/**
 * Transposes rows (records) to columns, because columns compress better: they contain similar bytes. Bytes after the last complete row are
 * copied unchanged.
 */
function transposed(bytes: Uint8Array, columns: number): Uint8Array {
  const rows = Math.floor(bytes.length / columns);
  const out = bytes.slice();
  for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) out[c * rows + r] = bytes[r * columns + c] as number;
  return out;
}
