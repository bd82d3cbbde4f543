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
  /** Files of which a piece that was read could not be joined, and why. */
  readonly #left = new Map<string, Exclude<PieceTaken, 'whole' | 'part'>>();
  readonly #whole = new Set<string>();
  #names = new Set<string>();
  /** The project whose list is not complete yet. */
  #listed: string | undefined;

  constructor(files: CourierFiles, counting: FileCounting) {
    this.#files = files;
    this.#counting = counting;
  }

  /** Takes a list. Returns all names of the project after its last list. The lists of a project follow each other. */
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
    // The pieces after one that could not be stored have a gap before them. The reason is that of the first one.
    else if (taken !== 'gap' || !this.#left.has(text.sha256)) this.#left.set(text.sha256, taken);
    if (taken === 'whole' && !this.#whole.has(text.sha256)) {
      this.#whole.add(text.sha256);
      this.#counting.files++;
    }
  }

  /** Files of which pieces were not joined. */
  get left(): number {
    return this.#left.size;
  }

  /** How many of them there are for each reason. */
  get why(): FilesLeft {
    const counts: Partial<Record<keyof FilesLeft, number>> = {};
    for (const reason of this.#left.values()) counts[reason] = (counts[reason] ?? 0) + 1;
    return counts;
  }
}

/** The name of a file in a list. */
export const nameOfFile = (sha256: string): string =>
  Buffer.from(sha256.slice(0, 2 * PREFIX), 'hex').toString('latin1');
