/** Where the contents of artifacts are: a folder of this disk, or a bucket that several processes share. */
import type { Readable } from 'node:stream';

/** A content. Its name is its SHA-256, and it never changes. */
export interface StoredContent {
  /** SHA-256 as lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** When it was stored last, in milliseconds since 1970. */
  readonly stored_ms: number;
}

export interface ArtifactPlace extends AsyncDisposable {
  /** The age in milliseconds below which `remove` keeps a content, because the record that refers to it may not be committed yet. */
  readonly young_ms: number;
  /** Resolves to undefined for an unknown content. Throws `StoreError` if the place cannot be asked, so that no content counts as lost then. */
  find(sha256: string): Promise<StoredContent | undefined>;
  /**
   * Stores a file of this disk, whose content is synced. Resolves when content and name survive a power cut. If the content is there already,
   * its age begins anew. The file may be gone then; the caller removes what is left of it.
   */
  keep(file: string, content: Pick<StoredContent, 'sha256' | 'bytes'>): Promise<void>;
  /** Reads the bytes from `from` up to but not including `to`, which must be within the content. */
  read(content: StoredContent, from: number, to: number): Promise<Readable>;
  /** Returns the path of a file of this disk with this content, which callers may only read. */
  locate(content: StoredContent): Promise<string>;
  remove(sha256: string): Promise<void>;
  list(): AsyncIterable<StoredContent>;
}

/** True for the name of a content. */
export const isSha256 = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);
