/**
 * The content of files in bundles, at both ends.
 *
 *   list of what this end has, and of what it lacks ─▶ pieces of files, the most urgent first ─▶ the other end joins them, and checks the SHA-256
 *
 * No end keeps a list of what it gave to a person: the list of the other end says what has arrived. So a stick that is lost, read twice or
 * beside the network changes nothing.
 */
import type { Stored, View } from '#contract/base/view.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { type Artifacts, ArtifactTooLarge } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import { OffsetMismatch, UploadBusy, type Uploads } from '#store/uploads.ts';
import { walk } from '#store/walk.ts';
import { markFile } from '#sync/files/file-marks.ts';
import { classOf } from '#sync/files/file-queue.ts';
import { readRange } from '#sync/files/read-range.ts';
import { BundleWriter } from './bundle-file.ts';
import { encodePart, type FileText, type Lacking, MOST_LACKING, PREFIX } from './bundle-parts.ts';
import type { FileCounting } from './courier-log.ts';

/** Files of one bundle, at most. What waits after them is in the next one. */
const MOST_FILES = 2_000;
/** Files of a project that a bundle names as being at head office, the newest. */
const MOST_NAMED = 200_000;
/** Names of one part. */
const NAMES = 32_768;
/** Bytes of a piece. */
const PIECE = 1 << 20;
/** A piece at the end of a bundle that would be smaller than this is left to the next bundle. */
const LEAST_PIECE = 4_096;
/** The most bytes that a part with a piece has besides it. */
const PIECE_HEAD = 400;
/** Small files come before large ones of the same kind. */
const SMALL = 1 << 20;
const MOST_SAME = 1_000;

type FileRecord = Stored<ArtifactData>;

/** A file that a bundle may have. */
export interface Candidate {
  readonly project: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Its place in the order: what somebody asked for, then by kind, small ones first, the newest first. */
  readonly key: string;
  /** Bytes that the other end has. */
  readonly from: number;
}

/** Where the files of a bundle end: at a byte of this file. */
export interface FilesEnd {
  readonly key: string;
  readonly from: number;
}

/** The files of which an end wrote no part yet. */
export interface FilesPlan {
  readonly candidates: readonly Candidate[];
  /** How many wait in all. */
  readonly waiting: number;
  /** Parts that name what this end has and lacks. */
  readonly lists: readonly Buffer[];
}

/** How the parts of files are written. */
interface Writing {
  readonly room: () => number;
  readonly counting: FileCounting;
  /** The most bytes of files. */
  readonly most: number;
  /** Called with where the files end now. */
  readonly end: (at: FilesEnd) => void;
}

export const NO_FILES: FilesPlan = { candidates: [], waiting: 0, lists: [] };

export interface CourierFilesOptions {
  readonly store: Pick<Store, 'view'>;
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  /** Bytes that files may still use on this disk. */
  readonly room: () => number;
}

/** What became of a piece. gap: bytes before it are not here. full: the disk has no room. wrong: the whole has another SHA-256. */
export type PieceTaken = 'whole' | 'part' | 'gap' | 'busy' | 'full' | 'wrong' | 'unknown';

/** The place of a file in the order of a bundle. */
function keyOfFile({ id, created_at, data }: FileRecord): string {
  const age = String(9_999_999_999_999 - Date.parse(created_at)).padStart(13, '0');
  return `${data.wanted_at != null ? 0 : 1 + classOf(data.kind)}${data.bytes > SMALL ? 1 : 0}${age}${id}`;
}

/** Keeps the first files of an order, and counts all of them. */
export class Candidates {
  readonly #after: FilesEnd | undefined;
  #found: Candidate[] = [];
  waiting = 0;

  /** `after`: where the bundle before ended. */
  constructor(after: FilesEnd | undefined) {
    this.#after = after;
  }

  add(record: FileRecord, project: string, from: number): void {
    const { sha256, bytes } = record.data;
    const key = keyOfFile(record);
    const isCut = key === this.#after?.key && this.#after.from < bytes;
    if (this.#after !== undefined && key <= this.#after.key && !isCut) return;
    this.waiting++;
    this.#found.push({ project, sha256, bytes, key, from: isCut ? (this.#after?.from ?? 0) : from });
    if (this.#found.length > 2 * MOST_FILES) this.#found = this.first();
  }

  first(): Candidate[] {
    return this.#found.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, MOST_FILES);
  }
}

/** What a bundle says about the files of a project. */
export function listParts(
  project: string,
  of: { readonly here: readonly string[]; readonly lacking: readonly Lacking[]; readonly read: readonly string[] },
  isWhole: boolean,
): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  do {
    const names = of.here.slice(at, at + NAMES);
    at += NAMES;
    const last = at >= of.here.length;
    const text = { project, lacking: last ? of.lacking : [], read: last ? of.read : [], last, whole: isWhole };
    parts.push(encodePart('L', text, Buffer.from(names.map((sha256) => sha256.slice(0, 2 * PREFIX)).join(''), 'hex')));
  } while (at < of.here.length);
  return parts;
}

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

  /** The files of a project that this end has, the newest first, and the begin of those that it lacks. */
  async here(project: string): Promise<{ here: string[]; lacking: Lacking[]; isWhole: boolean }> {
    const here: string[] = [];
    const lacking: Lacking[] = [];
    for await (const record of walk<ArtifactData>(this.#view(project), 'records', {
      object: 'artifact',
      order: 'desc',
    })) {
      if (here.length >= MOST_NAMED) return { here, lacking, isWhole: false };
      const { sha256 } = record.data;
      if (await this.isHere(record)) here.push(sha256);
      else if (lacking.length < MOST_LACKING) {
        const received = await this.received(sha256);
        if (received > 0) lacking.push({ sha256, received });
      }
    }
    return { here, lacking, isWhole: true };
  }

  /** The parts with lists and pieces of files. `room`: how many bytes the bundle still has for a part. */
  async *parts({ candidates, lists }: FilesPlan, { room, counting, most, end }: Writing): AsyncGenerator<Buffer, void> {
    for (const list of lists) {
      if (list.length > room()) return;
      yield list;
    }
    let left = most;
    const given = new Set<string>();
    for (const { project, sha256, bytes, key, from: begin } of candidates) {
      if (given.has(sha256) || (await this.#options.artifacts.find(sha256))?.bytes !== bytes) continue;
      let from = Math.min(begin, bytes);
      do {
        const size = Math.min(PIECE, bytes - from, left, room() - BundleWriter.sizeOf(PIECE_HEAD));
        if (size < Math.min(LEAST_PIECE, bytes - from) || size < 0) return;
        const piece = await readRange(this.#options.artifacts, sha256, from, from + size);
        yield encodePart('F', { project, sha256, bytes, from } satisfies FileText, piece);
        from += size;
        left -= size;
        counting.file_bytes += size;
        end({ key, from });
      } while (from < bytes);
      given.add(sha256);
      counting.files++;
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
      throw error;
    }
  }

  #view(project: string): View {
    return this.#options.store.view(project);
  }
}

async function* oneChunk(piece: Buffer): AsyncGenerator<Uint8Array> {
  yield piece;
}
