/** One MF4 file (a log file of CAN frames) in memory. Its size has a limit. */
import { deflateSync } from 'node:zlib';
import { createMdf4Writer, type Mdf4Writer } from '#codec/mdf4/writer.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';

/** The writer compresses this many bytes at once, which takes about 2 ms, so that it does not block the event loop. */
const PIECE_BYTES = 64 << 10;

/** The gateway hashes and writes a file in slices of this many bytes, so that other work can run between two slices. */
const SLICE_BYTES = 256 << 10;

/** What the file says about its origin. */
interface About {
  readonly comment: string;
  /** The `device_id` of the device. */
  readonly device: string;
  readonly written_ms: number;
}

/** Collects frames. When the file has reached its limit, it takes no more frames. */
export class FrameFile {
  frames = 0;
  /** True if frames were left out because of the limit. */
  isCut = false;
  #writer: Mdf4Writer | undefined;
  #parts: Uint8Array[] = [];
  #patches: (readonly [number, Uint8Array])[] = [];
  #bytes = 0;
  readonly #about: About;

  constructor(about: About) {
    this.#about = about;
  }

  /** The size so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the frames, unless the file already has more than `limit` bytes. */
  add(batch: FrameBatch, limit: number): void {
    if (this.#bytes > limit) {
      this.isCut = true;
      return;
    }
    this.#writer ??= this.#open(batch);
    this.#writer.add(batch);
    this.frames += batch.count;
  }

  /** Completes the file and returns its content. */
  content(): Uint8Array {
    this.#writer?.end();
    const file = Buffer.concat(this.#parts);
    for (const [at, bytes] of this.#patches) file.set(bytes, at);
    return file;
  }

  #open({ t }: FrameBatch): Mdf4Writer {
    const sink = {
      write: (bytes: Uint8Array): void => {
        this.#parts.push(bytes.slice());
        this.#bytes += bytes.length;
      },
      patch: (at: number, bytes: Uint8Array): void => void this.#patches.push([at, bytes.slice()]),
    };
    const { comment, device, written_ms } = this.#about;
    return createMdf4Writer(sink, (bytes) => deflateSync(bytes, { level: 3 }), {
      started_us: t[0] ?? 0,
      written_ms,
      comment,
      serial_number: device,
      zip: 'deflate',
      pieceBytes: PIECE_BYTES,
    });
  }
}

/** Yields a content in slices, and lets other work of the event loop run between two of them. */
export async function* slices(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += SLICE_BYTES) {
    yield content.subarray(at, at + SLICE_BYTES);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
