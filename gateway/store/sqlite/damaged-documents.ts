/** Counts the damaged documents that reads find. SQLite does not detect them, because its pages have no checksums. */
import { checksumOf } from './checksum.ts';

/** The count stops at this number, so that a badly damaged file does not fill the memory. */
const MAX_DAMAGED = 1000;

export class DamagedDocuments {
  /** Checksums of the damaged texts, so that a document that is read twice counts once. */
  readonly #checksums = new Set<number>();

  get count(): number {
    return this.#checksums.size;
  }

  add(text: string): void {
    if (this.#checksums.size < MAX_DAMAGED) this.#checksums.add(checksumOf(text));
  }

  /** Removes a document that a write has replaced. */
  delete(text: string): void {
    this.#checksums.delete(checksumOf(text));
  }
}

/**
 * Parses a stored document and adds its bytes to its data. Throws when its text or its bytes differ from its checksum, or when the text is
 * not JSON.
 */
export function parseDocument<T>(text: string, checksum: unknown, body: Uint8Array | null): T {
  // Rows of a data folder of layout 1 have no checksum until `add-checksums.ts` adds it.
  if (checksum !== null && checksum !== checksumOf(text, body)) throw new Error(CHANGED);
  const document = JSON.parse(text) as T & { readonly data: Record<string, unknown> };
  if (body !== null) document.data.body = body;
  return document;
}

export const CHANGED = 'a stored value differs from what was written';
