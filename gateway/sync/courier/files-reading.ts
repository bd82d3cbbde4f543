/** Takes the lists and pieces of files of one bundle, and counts them. */
import type { FileText, ListText } from './bundle-parts.ts';
import { PREFIX } from './bundle-parts.ts';
import type { CourierFiles, PieceTaken } from './courier-files.ts';
import type { FileCounting } from './courier-log.ts';

/** The files of the other end, by the first digits of their SHA-256. */
export type Named = Pick<ReadonlySet<string>, 'has'>;

export class FilesReading {
  readonly #files: CourierFiles;
  readonly #counting: FileCounting;
  /** Files of which the last piece that was read could not be joined, and why. */
  readonly #left = new Map<string, PieceTaken>();
  readonly #whole = new Set<string>();
  #names = new Set<string>();

  constructor(files: CourierFiles, counting: FileCounting) {
    this.#files = files;
    this.#counting = counting;
  }

  /** Takes a list. Returns all names of the project after its last list. */
  list({ last }: ListText, names: Buffer): Named | undefined {
    for (let at = 0; at + PREFIX <= names.length; at += PREFIX) this.#names.add(names.toString('hex', at, at + PREFIX));
    if (!last) return undefined;
    const all = this.#names;
    this.#names = new Set();
    return all;
  }

  async piece(text: FileText, bytes: Buffer): Promise<void> {
    const taken = await this.#files.take(text, bytes);
    this.#counting.file_bytes += bytes.length;
    if (taken === 'whole' || taken === 'part') this.#left.delete(text.sha256);
    else this.#left.set(text.sha256, taken);
    if (taken === 'whole' && !this.#whole.has(text.sha256)) {
      this.#whole.add(text.sha256);
      this.#counting.files++;
    }
  }

  /** Files of which pieces were not joined. */
  get left(): number {
    return this.#left.size;
  }

  get isFull(): boolean {
    return [...this.#left.values()].includes('full');
  }
}

/** The name of a file in a list. */
export const nameOfFile = (sha256: string): string => sha256.slice(0, 2 * PREFIX);
