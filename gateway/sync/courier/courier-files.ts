/**
 * The content of files in bundles, at both ends.
 *
 *   list of what this end has, and of what it lacks ─▶ pieces of files, the most urgent first ─▶ the other end joins them, and checks the SHA-256
 *
 * An end does not note which files it gave to a person. The list of the other end says which files have arrived. So a stick that is lost, or
 * that is read twice or while the network brings the same files, loses nothing and doubles nothing.
 */
import { StoreError } from '#contract/base/store-error.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { FilesEnd } from '#contract/site/sync-courier.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { type Artifacts, ArtifactTooLarge } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import { OffsetMismatch, UploadBusy, type Uploads } from '#store/uploads.ts';
import { walk } from '#store/walk.ts';
import { markFile } from '#sync/files/file-marks.ts';
import { classOf } from '#sync/files/file-queue.ts';
import { ContentEnded, readRange } from '#sync/files/read-range.ts';
import { BundleWriter } from './bundle-file.ts';
import {
  encodePart,
  type FileText,
  type Lacking,
  type ListText,
  MOST_LACKING,
  MOST_NAMED,
  PREFIX,
} from './bundle-parts.ts';
import type { FileCounting } from './courier-log.ts';

/** The most files of one bundle. The next bundle has the files that are left. */
const MOST_FILES = 2_000;
/** The most records of files that are read for one part of a list. */
const LOOKED = 8_192;
/** The most files that one export sends first because somebody asked for them. */
const MOST_ASKED = 4_000;
/** Bytes of a piece. */
const PIECE = 1 << 20;
/** If a bundle has room for fewer bytes of a file than this, the next bundle has these bytes. */
const LEAST_PIECE = 4_096;
/** The most bytes that a part has besides its piece of a file. */
const PIECE_HEAD = 400;
/** Small files come before large ones of the same kind. */
const SMALL = 1 << 20;
const MOST_SAME = 1_000;

type FileRecord = Stored<ArtifactData>;

/** A file that waits, and that a bundle can have. */
export interface Candidate {
  readonly project: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Sorts the files: by kind, of one kind small files first, and of these the newest first. */
  readonly key: string;
  /** Somebody asked for it, so it comes before all others. */
  readonly isAsked: boolean;
  /** Bytes that the other end has. */
  readonly from: number;
}

/** Which files the next bundle has, in their order. */
export interface FilesPlan {
  readonly candidates: readonly Candidate[];
  /** How many files wait, also those for which this bundle has no room. */
  readonly waiting: number;
  /** Where the files of the earlier bundle of the same export ended. */
  readonly after?: FilesEnd | undefined;
}

/** How the pieces of files are written. */
interface Writing {
  readonly room: () => number;
  readonly counting: FileCounting;
  /** The most bytes of files. */
  readonly most: number;
  readonly done: FilesDone;
}

/** The result of writing the files of a plan. */
export interface FilesDone {
  /** Where the files of this bundle end. The next bundle goes on there. */
  end: FilesEnd | undefined;
  /** Number of files of the plan that wait no more: they are complete, or have the content of another file, or were deleted. */
  passed: number;
  /** Number of files that this end could not read. The bundle leaves them out, and the next bundle goes on after them. */
  unreadable: number;
}

export const filesDone = (end: FilesEnd | undefined): FilesDone => ({ end, passed: 0, unreadable: 0 });

export const NO_FILES: FilesPlan = { candidates: [], waiting: 0 };

export interface CourierFilesOptions {
  readonly store: Pick<Store, 'view'>;
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  /** Bytes that files may still use on this disk. */
  readonly room: () => number;
}

/**
 * What an end did with a piece. whole: the file is complete. part: the piece was added, and more bytes are missing. gap: bytes before the
 * piece are not here. busy: the network brings the file now. full: the disk has no room. disk: the disk refused the piece. wrong: the complete
 * file has another SHA-256. unknown: the record of the file is not here.
 */
export type PieceTaken = 'whole' | 'part' | 'gap' | 'busy' | 'full' | 'disk' | 'wrong' | 'unknown';

/** The place of a file in the order of a bundle. */
function keyOfFile({ id, created_at, data }: FileRecord): string {
  const age = String(9_999_999_999_999 - Date.parse(created_at)).padStart(13, '0');
  return `${1 + classOf(data.kind)}${data.bytes > SMALL ? 1 : 0}${age}${id}`;
}

const inOrder = (a: Candidate, b: Candidate): number => {
  if (a.isAsked !== b.isAsked) return a.isAsked ? -1 : 1;
  return a.key < b.key ? -1 : 1;
};

/** Keeps the files that a bundle sends first, and counts all that wait. */
export class Candidates {
  readonly #after: FilesEnd | undefined;
  readonly #isFull: boolean;
  #found: Candidate[] = [];
  #waiting = 0;

  /** `after`: where the files of the earlier bundle of the same export ended. */
  constructor(after: FilesEnd | undefined) {
    this.#after = after;
    this.#isFull = Object.keys(after?.asked ?? {}).length >= MOST_ASKED;
  }

  add(record: FileRecord, project: string, received: number): void {
    const { sha256, bytes, wanted_at } = record.data;
    const key = keyOfFile(record);
    const given = this.#given(sha256, key);
    if (given === 'whole' || (given !== undefined && given >= bytes)) return;
    this.#waiting++;
    // The export has noted as many files that somebody asked for as it can. This one then comes at the place of its kind.
    const isAsked = wanted_at != null && !this.#isFull;
    this.#found.push({ project, sha256, bytes, key, isAsked, from: given ?? received });
    if (this.#found.length > 2 * MOST_FILES) this.#found = this.#first();
  }

  /**
   * How many bytes of a file the earlier bundles of the export have; undefined if they have none. If somebody asks for the file after an
   * earlier bundle has it, the export does not send it again.
   */
  #given(sha256: string, key: string): number | 'whole' | undefined {
    if (this.#after === undefined) return undefined;
    const { key: last, from, asked = {} } = this.#after;
    return asked[sha256] ?? (key === last ? from : key < last ? 'whole' : undefined);
  }

  #first(): Candidate[] {
    return this.#found.sort(inOrder).slice(0, MOST_FILES);
  }

  plan(): FilesPlan {
    return { candidates: this.#first(), waiting: this.#waiting, after: this.#after };
  }
}

/** What a list says besides the names of files. */
export type ListSaid = Pick<ListText, 'read' | 'life' | 'number'>;

export class CourierFiles {
  readonly #options: CourierFilesOptions;

  constructor(options: CourierFilesOptions) {
    this.#options = options;
  }

  async isHere({ data }: Pick<FileRecord, 'data'>): Promise<boolean> {
    return (await this.#options.artifacts.find(data.sha256))?.bytes === data.bytes;
  }

  received(sha256: string): Promise<number> {
    return this.#options.uploads.size(sha256);
  }

  /**
   * Lists the files of a project that this end has, the newest first, and the files of which it has only the first bytes. Each part of the
   * list is given out before the next records are read, so one part at a time is in memory.
   */
  async *lists(project: string, said: ListSaid): AsyncGenerator<Buffer, void> {
    const lacking: Lacking[] = [];
    let names: Buffer[] = [];
    let [looked, named, whole] = [0, 0, true];
    for await (const record of walk<ArtifactData>(this.#view(project), 'records', {
      object: 'artifact',
      order: 'desc',
    })) {
      if (named >= MOST_NAMED) {
        whole = false;
        break;
      }
      const { sha256 } = record.data;
      if (await this.isHere(record)) {
        names.push(Buffer.from(sha256.slice(0, 2 * PREFIX), 'hex'));
        named++;
      } else if (lacking.length < MOST_LACKING) {
        const received = await this.received(sha256);
        if (received > 0) lacking.push({ sha256, received });
      }
      if (++looked % LOOKED > 0) continue;
      yield encodePart('L', { project, lacking: [], read: [], last: false, whole: false }, Buffer.concat(names));
      names = [];
    }
    yield encodePart('L', { project, lacking, ...said, last: true, whole }, Buffer.concat(names));
  }

  /** The parts with pieces of files. `room`: how many bytes the bundle still has for a part. */
  async *pieces({ candidates }: FilesPlan, { room, counting, most, done }: Writing): AsyncGenerator<Buffer, void> {
    let left = most;
    const given = new Set<string>();
    for (const file of candidates) {
      const { project, sha256, bytes } = file;
      // The bundle has the same content for another file, or the file was deleted since the plan was made.
      if (given.has(sha256) || (await this.#options.artifacts.find(sha256))?.bytes !== bytes) {
        done.passed++;
        done.end = endAt(done.end, file, bytes);
        continue;
      }
      let from = Math.min(file.from, bytes);
      let isUnreadable = false;
      do {
        const size = Math.min(PIECE, bytes - from, left, room() - BundleWriter.sizeOf(PIECE_HEAD));
        if (size < Math.min(LEAST_PIECE, bytes - from) || size < 0) return;
        const piece = await this.#read(sha256, from, from + size);
        isUnreadable = piece === undefined;
        if (piece === undefined) break;
        yield encodePart('F', { project, sha256, bytes, from } satisfies FileText, piece);
        from += size;
        left -= size;
        counting.file_bytes += size;
        done.end = endAt(done.end, file, from);
      } while (from < bytes);
      if (isUnreadable) {
        done.unreadable++;
        done.end = endAt(done.end, file, bytes);
        continue;
      }
      given.add(sha256);
      counting.files++;
      done.passed++;
    }
  }

  /** Takes a piece of a file. The network may bring the same file at the same time. */
  async take({ project, sha256, bytes, from }: FileText, piece: Buffer): Promise<PieceTaken> {
    const { uploads, room } = this.#options;
    const view = this.#view(project);
    const where = { 'data.sha256': sha256 };
    const found = await view.find<ArtifactData>('records', { object: 'artifact', where, limit: MOST_SAME });
    const [record] = found;
    if (record === undefined || record.data.bytes !== bytes || from + piece.length > bytes) return 'unknown';
    if (!(await this.isHere(record))) {
      const size = await uploads.size(sha256);
      if (from > size) return 'gap';
      if (bytes - size > room()) return 'full';
      const taken = await this.#join(sha256, bytes, size, piece.subarray(Math.max(0, size - from)));
      if (taken !== 'whole') return taken;
    }
    for (const each of found) await markFile(view, each, 'cloud');
    return 'whole';
  }

  async #join(sha256: string, bytes: number, size: number, rest: Buffer): Promise<PieceTaken> {
    const { uploads } = this.#options;
    try {
      if (rest.length > 0) size = await uploads.append(sha256, size, oneChunk(rest), { limit: bytes });
      if (size < bytes) return 'part';
      if ((await uploads.digest(sha256)) !== sha256) {
        await uploads.remove(sha256);
        return 'wrong';
      }
      await uploads.finish(sha256);
      return 'whole';
    } catch (error) {
      if (error instanceof UploadBusy || error instanceof OffsetMismatch || error instanceof ArtifactTooLarge)
        return 'busy';
      if (!isOfDisk(error)) throw error;
      return error instanceof StoreError && error.code === 'disk_full' ? 'full' : 'disk';
    }
  }

  /** Undefined if the content cannot be read. The bundle then has the changes and all other files. */
  async #read(sha256: string, from: number, to: number): Promise<Buffer | undefined> {
    try {
      return await readRange(this.#options.artifacts, sha256, from, to);
    } catch (error) {
      if (error instanceof ContentEnded || error instanceof RangeError || isOfDisk(error)) return undefined;
      throw error;
    }
  }

  #view(project: string): View {
    return this.#options.store.view(project);
  }
}

/** True if the disk with the contents of files caused this error. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof StoreError || (error instanceof Error && 'syscall' in error);

/** Where the files of a bundle end, after it has the bytes of this file up to `from`. */
function endAt(before: FilesEnd | undefined, { key, sha256, isAsked }: Candidate, from: number): FilesEnd {
  if (!isAsked) return { ...before, key, from };
  return { key: '', from: 0, ...before, asked: { ...before?.asked, [sha256]: from } };
}

async function* oneChunk(piece: Buffer): AsyncGenerator<Uint8Array> {
  yield piece;
}
