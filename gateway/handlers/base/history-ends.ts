/**
 * Caches for each machine what the retention has deleted of its history: the time of the newest deleted sample, which the API field
 * `history_from` shows, and the deleted time ranges, which reads of telemetry show. The cache reads all records from the store at the first
 * request; later each commit updates the cache.
 */
import type { Change, Stored } from '#contract/base/view.ts';
import type { HistoryEnds } from '#contract/context.ts';
import type { DeletedRange, HistoryRemoved } from '#contract/fleet/history.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** Creates the cache. When the cache is disposed, it no longer listens to commits. */
export function createHistoryEnds(store: Pick<Store, 'find' | 'changes'>): HistoryEnds & Disposable {
  const ends = new Map<
    string,
    { readonly through: string; readonly revision: number; readonly ranges: readonly DeletedRange[] }
  >();
  let loaded: Promise<void> | undefined;
  let isLoaded = false;
  const unwatch = store.changes((changes: readonly Change[]) => {
    for (const { document } of changes)
      if (document.object === 'history_removed') note(document as unknown as Stored<HistoryRemoved>);
  });

  /**
   * Caches the record of a machine if it is newer than the cached one. It may be older, because `load` may read a record that a commit has
   * replaced in the meantime.
   */
  function note({ revision, data: { equipment_id, through, ranges = [] } }: Stored<HistoryRemoved>): void {
    if (revision > (ends.get(equipment_id)?.revision ?? 0)) ends.set(equipment_id, { through, revision, ranges });
  }

  async function load(): Promise<void> {
    for await (const one of walk<HistoryRemoved>(store, 'local', { object: 'history_removed' })) note(one);
    isLoaded = true;
  }

  async function recordOf(equipment_id: string) {
    if (!isLoaded) {
      loaded ??= load();
      try {
        await loaded;
      } catch (error) {
        loaded = undefined;
        throw error;
      }
    }
    return ends.get(equipment_id);
  }

  return {
    through: async (equipment_id) => (await recordOf(equipment_id))?.through || null,
    deleted: async (equipment_id) => (await recordOf(equipment_id))?.ranges ?? [],
    [Symbol.dispose]: unwatch,
  };
}
