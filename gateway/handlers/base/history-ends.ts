/**
 * Caches for each machine the time up to which the gateway has deleted its samples. The API field `history_from` shows this time, so every
 * read of a machine needs it. The cache reads all these times from the store at the first request; later each commit updates the cache.
 */
import type { Change } from '#contract/base/view.ts';
import type { HistoryEnds } from '#contract/context.ts';
import type { HistoryRemoved } from '#contract/fleet/history.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** Creates the cache. When the cache is disposed, it no longer listens to commits. */
export function createHistoryEnds(store: Pick<Store, 'find' | 'changes'>): HistoryEnds & Disposable {
  const ends = new Map<string, string>();
  let loaded: Promise<void> | undefined;
  let isLoaded = false;
  const unwatch = store.changes((changes: readonly Change[]) => {
    for (const { document } of changes)
      if (document.object === 'history_removed') note(document.data as unknown as HistoryRemoved);
  });

  /**
   * Caches the time of a machine if it is later than the cached time. The time may be earlier, because `load` may read a time that a commit
   * has replaced in the meantime.
   */
  function note({ equipment_id, through }: HistoryRemoved): void {
    if (through > (ends.get(equipment_id) ?? '')) ends.set(equipment_id, through);
  }

  async function load(): Promise<void> {
    for await (const { data } of walk<HistoryRemoved>(store, 'local', { object: 'history_removed' })) note(data);
    isLoaded = true;
  }

  return {
    async through(equipment_id) {
      if (!isLoaded) {
        loaded ??= load();
        try {
          await loaded;
        } catch (error) {
          loaded = undefined;
          throw error;
        }
      }
      return ends.get(equipment_id) ?? null;
    },
    [Symbol.dispose]: unwatch,
  };
}
