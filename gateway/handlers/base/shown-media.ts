/**
 * Caches the ids of the newest files of each machine, location, device and run, for the API field `context.media`. The cache reads these
 * ids at the first request for an object, and adds the id of each new file at its commit. When a file is deleted, it reads them again.
 */

import type { Change, Stored, View } from '#contract/base/view.ts';
import type { MediaOf, MediaReader } from '#contract/context.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';

/** `context.media` has at most this many of the newest files, besides the files that people attached. */
export const MOST_SHOWN = 20;
/** Largest number of objects for which the files are cached. When the cache is full, it removes the least recently used object. */
const MOST_OBJECTS = 20_000;

const PATHS = { subject: 'data.subject.id', device: 'data.device_id', run: 'data.run_id' } as const;
const NO_FILES: readonly string[] = [];

interface Entry {
  files: readonly string[] | undefined;
  /**
   * The promise of the read from the store while this read is in progress. `grown` is true if the files of the object changed during the
   * read.
   */
  reading: Promise<readonly string[]> | undefined;
  grown: boolean;
}

/** Creates the cache. When the cache is disposed, it no longer listens to commits. */
export function createShownMedia(store: {
  view(project_id: string): Pick<View, 'find'>;
  changes(listener: (changes: readonly Change[]) => void): () => void;
}): MediaReader & Disposable {
  const entries = new Map<string, Entry>();
  const keyOf = (by: MediaOf, id: string) => `${by}\n${id}`;
  const unwatch = store.changes((changes) => {
    for (const { collection, operation, document } of changes)
      if (collection === 'records' && document.object === 'artifact')
        note(operation, document as unknown as Stored<ArtifactData>);
  });

  function note(operation: Change['operation'], { id, data }: Stored<ArtifactData>): void {
    const { subject, device_id, run_id } = data;
    for (const [by, of] of [
      ['subject', subject?.id],
      ['device', device_id],
      ['run', run_id],
    ] as const) {
      const entry = of == null ? undefined : entries.get(keyOf(by, of));
      if (entry === undefined) continue;
      if (entry.files === undefined) entry.grown = true;
      else if (operation === 'INSERT') entry.files = [id, ...entry.files].slice(0, MOST_SHOWN);
      else if (operation === 'DELETE') entry.files = undefined;
    }
  }

  async function read(project_id: string, by: MediaOf, id: string, entry: Entry): Promise<readonly string[]> {
    const where = { [PATHS[by]]: id };
    for (;;) {
      entry.grown = false;
      const found = await store.view(project_id).find('records', { object: 'artifact', where, limit: MOST_SHOWN });
      // Files were added or deleted during the read, so the result may be out of date: read again.
      if (entry.grown) continue;
      entry.files = found.length === 0 ? NO_FILES : found.map((file) => file.id);
      return entry.files;
    }
  }

  async function filesOf(project_id: string, by: MediaOf, id: string): Promise<readonly string[]> {
    const key = keyOf(by, id);
    const known = entries.get(key);
    const entry = known ?? { files: undefined, reading: undefined, grown: false };
    if (known === undefined) {
      entries.set(key, entry);
      if (entries.size > MOST_OBJECTS) entries.delete(entries.keys().next().value as string);
    }
    if (entry.files !== undefined) return entry.files;
    entry.reading ??= read(project_id, by, id, entry).finally(() => {
      entry.reading = undefined;
    });
    return entry.reading;
  }

  return {
    async newest(project_id, by, ids) {
      const found = new Map<string, readonly string[]>();
      const unread: string[] = [];
      for (const id of ids) {
        const files = entries.get(keyOf(by, id))?.files;
        if (files === undefined) unread.push(id);
        else if (files.length > 0) found.set(id, files);
      }
      for (const id of unread) {
        const files = await filesOf(project_id, by, id);
        if (files.length > 0) found.set(id, files);
      }
      return found;
    },
    [Symbol.dispose]() {
      unwatch();
      entries.clear();
    },
  };
}

/**
 * Returns the ids for `context.media` of an object: first the attached files, then the newest files, at most 50 in all. A client may send
 * this list back in a request, and a request accepts at most 50 ids.
 */
export function mediaOf(attached: readonly string[] = [], shown: readonly string[] = NO_FILES): string[] {
  return [...new Set([...attached, ...shown])].slice(0, MOST_MEDIA);
}

const MOST_MEDIA = 50;
