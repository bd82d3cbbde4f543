/** Takes the lists and pieces of files of one bundle, and counts them. */
import type { FilesLeft } from '#contract/site/sync-courier.ts';
import { damagedBundle } from './bundle-damage.ts';
import type { FileText, ListText } from './bundle-parts.ts';
import { MOST_NAMED, PREFIX } from './bundle-parts.ts';
import type { CourierFiles, PieceTaken } from './courier-files.ts';
import type { FileCounting } from './courier-log.ts';

/** The files of the other end, by the first bytes of their SHA-256. */
export type Named = Pick<ReadonlySet<string>, 'has'>;

export class FilesReading {
  readonly #files: CourierFiles;
  readonly #counting: FileCounting;
  /** The files of which this end could not use a piece, and the reason. */
  readonly #left = new Map<string, Exclude<PieceTaken, 'whole' | 'part'>>();
  readonly #whole = new Set<string>();
  #names = new Set<string>();
  /** The project of which more parts of the list follow. */
  #listed: string | undefined;

  constructor(files: CourierFiles, counting: FileCounting) {
    this.#files = files;
    this.#counting = counting;
  }

  /** Takes a part of the list of a project. Returns all names after the last part. Parts of two projects are never mixed. */
  list({ project, last }: ListText, names: Buffer): Named | undefined {
    if (names.length % PREFIX !== 0 || (this.#listed ?? project) !== project) throw damagedBundle();
    this.#listed = project;
    for (let at = 0; at < names.length; at += PREFIX) {
      if (this.#names.size >= MOST_NAMED) throw damagedBundle();
      this.#names.add(names.toString('latin1', at, at + PREFIX));
    }
    if (!last) return undefined;
    const all = this.#names;
    this.#names = new Set();
    this.#listed = undefined;
    return all;
  }

  async piece(text: FileText, bytes: Buffer): Promise<void> {
    const taken = await this.#files.take(text, bytes);
    this.#counting.file_bytes += bytes.length;
    if (taken === 'whole' || taken === 'part') this.#left.delete(text.sha256);
    // All pieces after one that was not stored are a gap. So the reason of the first one is kept.
    else if (taken !== 'gap' || !this.#left.has(text.sha256)) this.#left.set(text.sha256, taken);
    if (taken === 'whole' && !this.#whole.has(text.sha256)) {
      this.#whole.add(text.sha256);
      this.#counting.files++;
    }
  }

  /** The number of files that are not complete, because a piece could not be used. */
  get left(): number {
    return this.#left.size;
  }

  /** The number of these files for each reason. */
  get why(): FilesLeft {
    const counts: Partial<Record<keyof FilesLeft, number>> = {};
    for (const reason of this.#left.values()) counts[reason] = (counts[reason] ?? 0) + 1;
    return counts;
  }
}

/** The name of a file in a list. */
export const nameOfFile = (sha256: string): string =>
  Buffer.from(sha256.slice(0, 2 * PREFIX), 'hex').toString('latin1');
