/** Moves the content of one file in ranges, from where an earlier transfer stopped. */
import type { Artifacts } from '#store/artifacts.ts';
import type { Uploads } from '#store/uploads.ts';
import type { FileRecord } from '#sync/files/file-queue.ts';
import { readRange } from '#sync/files/read-range.ts';
import type { FileClient } from './file-client.ts';
import { LinkError } from './transport.ts';

/** A range takes about this long. */
const RANGE_MS = 1_000;
const LEAST_RANGE = 32 << 10;
const MOST_RANGE = 4 << 20;
const FIRST_RANGE = 256 << 10;

/** How large the next range is. */
export class Ranges {
  #speed: number | null = null;
  #range = FIRST_RANGE;

  get size(): number {
    return this.#range;
  }

  /** Bytes a second of the last ranges; null before the first one. */
  get speed(): number | null {
    return this.#speed;
  }

  /** A range failed: the next one is smaller. */
  slower(): void {
    this.#range = Math.max(LEAST_RANGE, Math.round(this.#range / 2));
  }

  /** Measures a range, so that the next one takes about a second. */
  async timed<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await work();
    // A small piece takes as long as its request, which says nothing about the speed.
    if (bytes < LEAST_RANGE) return result;
    const ms = Math.max(1, performance.now() - from);
    const speed = (bytes / ms) * 1_000;
    this.#speed = this.#speed === null ? speed : 0.7 * this.#speed + 0.3 * speed;
    const fitting = Math.round((speed * RANGE_MS) / 1_000);
    this.#range = Math.min(MOST_RANGE, Math.max(LEAST_RANGE, Math.min(2 * this.#range, fitting)));
    return result;
  }
}

export interface Transfer {
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  readonly client: FileClient;
  readonly room: () => number;
  readonly project_id: string;
  readonly record: FileRecord;
  readonly ranges: Ranges;
  /** Waits for its turn. False: the transfer must stop now. */
  readonly goesOn: (direction: 'up' | 'down', done: number) => Promise<boolean>;
}

/** Sends the bytes that head office lacks. Returns false if it must stop before the end. */
export async function sendFile(transfer: Transfer, received: number): Promise<boolean> {
  const { artifacts, client, project_id, ranges, goesOn } = transfer;
  const { sha256, bytes } = transfer.record.data;
  let from = received;
  // A file whose last bytes arrived without its answer is finished by an empty range.
  do {
    if (!(await goesOn('up', from))) return false;
    const to = Math.min(bytes, from + ranges.size);
    const piece = await readRange(artifacts, sha256, from, to);
    from = await ranges.timed(piece.length, () => client.put({ project_id, sha256, from, bytes }, piece));
  } while (from < bytes);
  return true;
}

/** Fetches the bytes that this site lacks. Returns false if it must stop before the end. */
export async function fetchFile(transfer: Transfer): Promise<boolean> {
  const { uploads, client, room, project_id, ranges, goesOn } = transfer;
  const { sha256, bytes } = transfer.record.data;
  for (let from = await uploads.size(sha256); from < bytes; ) {
    if (!(await goesOn('down', from))) return false;
    if (bytes - from > room())
      throw new LinkError('busy', 'storage_full', 'The disk of this gateway has no room for the next file.');
    const to = Math.min(bytes, from + ranges.size);
    const piece = await ranges.timed(to - from, () => client.get({ project_id, sha256, from, to }));
    from = await uploads.append(sha256, from, oneChunk(piece), { limit: bytes });
  }
  if ((await uploads.digest(sha256)) !== sha256) {
    await uploads.remove(sha256);
    throw new LinkError(
      'busy',
      'checksum_mismatch',
      'A file of head office does not have its SHA-256. It is read again.',
    );
  }
  await uploads.finish(sha256);
  return true;
}

async function* oneChunk(piece: Buffer): AsyncGenerator<Uint8Array> {
  yield piece;
}
