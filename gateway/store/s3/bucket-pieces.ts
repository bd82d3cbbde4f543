/**
 * Unfinished uploads in a bucket, so that each request of an upload may reach another process: `<prefix>/incoming/<id>/<offset>`. An append
 * becomes one piece or several; a finished upload is put together, checked and stored as an artifact.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Bucket } from './bucket.ts';

/** A piece of an upload has at most this many bytes. One piece of each append is in memory. */
const PIECE_BYTES = 8 << 20;
const DIGITS = 16;
const INCOMING = 'incoming/';

interface Piece {
  readonly key: string;
  readonly from: number;
  readonly bytes: number;
}

const folderOf = (id: string): string => `${INCOMING}${id}/`;

export class BucketPieces {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** The pieces of an upload that follow each other without a gap. */
  async #pieces(id: string): Promise<Piece[]> {
    const found: Piece[] = [];
    let end = 0;
    for await (const { key, bytes } of this.#bucket.list(folderOf(id))) {
      const from = Number(key.slice(folderOf(id).length));
      if (!Number.isSafeInteger(from) || from > end) break;
      end = Math.max(end, from + bytes);
      found.push({ key, from, bytes });
    }
    return found;
  }

  /** The number of bytes that have arrived. */
  async size(id: string): Promise<number> {
    return (await this.#pieces(id)).reduce((end, { from, bytes }) => Math.max(end, from + bytes), 0);
  }

  /** Writes a content at an offset. `wrote` is called with each new size. Bytes that arrived before an error of the content are written, too. */
  async write(
    id: string,
    offset: number,
    content: AsyncIterable<Uint8Array>,
    wrote: (size: number) => void,
  ): Promise<void> {
    let at = offset;
    let waiting: Uint8Array[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (bytes === 0) return;
      const piece = Buffer.concat(waiting);
      [waiting, bytes] = [[], 0];
      const sha256 = createHash('sha256').update(piece).digest('hex');
      const key = `${folderOf(id)}${String(at).padStart(DIGITS, '0')}`;
      await this.#bucket.put(key, () => Readable.from([piece]), sha256, piece.length);
      at += piece.length;
      wrote(at);
    };
    try {
      for await (const chunk of content) {
        waiting.push(chunk);
        bytes += chunk.length;
        if (bytes >= PIECE_BYTES) await flush();
      }
    } finally {
      await flush();
    }
  }

  /** The bytes that have arrived, in their order, at most `most`. */
  async *read(id: string, most = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const { key, from, bytes } of await this.#pieces(id)) {
      const to = Math.min(from + bytes, most);
      if (to <= at) continue;
      const found = await this.#bucket.read(key, at - from, to - from);
      if (found === undefined) throw new Error(`the piece ${key} was removed`);
      yield* found;
      at = to;
    }
  }

  /** Removes the pieces that begin at an offset or after it. */
  async remove(id: string, offset = 0): Promise<void> {
    for await (const { key } of this.#bucket.list(folderOf(id)))
      if (Number(key.slice(folderOf(id).length)) >= offset) await this.#bucket.remove(key);
  }

  /** The ids of all uploads. */
  async ids(): Promise<string[]> {
    const found = new Set<string>();
    for await (const { key } of this.#bucket.list(INCOMING)) found.add(key.split('/')[1] ?? '');
    return [...found];
  }
}
