/** MF4 files (log files of CAN frames) that are written to the disk while frames arrive. Their sizes have a limit. */
import { deflateSync } from 'node:zlib';
import { createMdf4Writer, type Mdf4Writer } from '#codec/mdf4/writer.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { Artifact, Artifacts, Draft } from '#store/artifacts.ts';

/** The writer compresses this many bytes at once, which takes about 2 ms, so that it does not block the event loop. */
const PIECE_BYTES = 64 << 10;

/** What the files say about their origin. */
interface About {
  readonly comment: string;
  readonly written_ms: number;
}

/**
 * The file of one device. It collects frames until it has reached its limit. Its memory is a buffer of one piece for each kind of frame, and
 * what the last batch has filled; all other bytes are on the disk.
 */
class FrameFile implements AsyncDisposable {
  readonly device: DeviceIdentity;
  /** The size so far. */
  bytes = 0;
  frames = 0;
  /** True if frames were left out because of the limit. */
  isCut = false;
  readonly #draft: Draft;
  readonly #about: About;
  #writer: Mdf4Writer | undefined;
  /** What the writer has made and the disk has not taken yet. */
  #parts: Uint8Array[] = [];
  /** Changes of the head of the file. The writer makes them at the end. */
  readonly #patches: (readonly [number, Uint8Array])[] = [];

  constructor(device: DeviceIdentity, draft: Draft, about: About) {
    this.device = device;
    this.#draft = draft;
    this.#about = about;
  }

  /** Adds the frames, unless the file already has more than `limit` bytes. */
  async add(batch: FrameBatch, limit: number): Promise<void> {
    if (this.bytes > limit) {
      this.isCut = true;
      return;
    }
    this.#writer ??= this.#open(batch);
    this.#writer.add(batch);
    this.frames += batch.count;
    await this.#flush();
  }

  /** Completes the file and stores it. */
  async finish(): Promise<Artifact> {
    this.#writer?.end();
    await this.#flush();
    for (const [at, bytes] of this.#patches) await this.#draft.patch(at, bytes);
    return this.#draft.finish();
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#draft[Symbol.asyncDispose]();
  }

  async #flush(): Promise<void> {
    const parts = this.#parts;
    if (parts.length === 0) return;
    this.#parts = [];
    for (const part of parts) await this.#draft.write(part);
  }

  #open({ t }: FrameBatch): Mdf4Writer {
    const sink = {
      write: (bytes: Uint8Array): void => {
        this.#parts.push(bytes.slice());
        this.bytes += bytes.length;
      },
      patch: (at: number, bytes: Uint8Array): void => void this.#patches.push([at, bytes.slice()]),
    };
    const { comment, written_ms } = this.#about;
    return createMdf4Writer(sink, (bytes) => deflateSync(bytes, { level: 3 }), {
      started_us: t[0] ?? 0,
      written_ms,
      comment,
      serial_number: this.device.device_id,
      zip: 'deflate',
      pieceBytes: PIECE_BYTES,
    });
  }
}

interface FrameFilesOptions {
  readonly artifacts: Pick<Artifacts, 'draft'>;
  readonly about: About;
  /** Largest number of files, of bytes of one file, and of bytes of all files. */
  readonly mostFiles: number;
  readonly mostFileBytes: number;
  readonly mostBytes: number;
}

/** The files of all devices around an alert. Disposing deletes the files that were not finished. */
export class FrameFiles implements AsyncDisposable {
  /** Number of batches that were left out because their device would have needed one more file. */
  leftOut = 0;
  readonly #files = new Map<string, FrameFile>();
  readonly #options: FrameFilesOptions;

  constructor(options: FrameFilesOptions) {
    this.#options = options;
  }

  get all(): readonly FrameFile[] {
    return [...this.#files.values()];
  }

  /** Adds the frames of a device to its file. */
  async add(device: DeviceIdentity, batch: FrameBatch): Promise<void> {
    const { artifacts, about, mostFiles, mostFileBytes, mostBytes } = this.#options;
    let own = this.#files.get(device.device);
    if (own === undefined) {
      if (this.#files.size === mostFiles) {
        this.leftOut++;
        return;
      }
      own = new FrameFile(device, await artifacts.draft(), about);
      this.#files.set(device.device, own);
    }
    const used = this.all.reduce((sum, { bytes }) => sum + bytes, 0);
    await own.add(batch, Math.min(mostFileBytes, own.bytes + mostBytes - used));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.values()) await file[Symbol.asyncDispose]();
  }
}
