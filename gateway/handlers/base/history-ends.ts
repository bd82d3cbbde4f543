/**
 * Cache of the times until which samples of machines were deleted, for `history_from`. Every read of a machine needs this time, and only few
 * machines have one. The cache reads all of them from the store at the first request, and then follows the commits.
 */
import type { Change } from '#contract/base/view.ts';
import type { HistoryEnds } from '#contract/context.ts';
import type { HistoryRemoved } from '#contract/fleet/history.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** Creates the cache of a node. Disposing it removes its listener from the store. */
export function createHistoryEnds(store: Pick<Store, 'find' | 'changes'>): HistoryEnds & Disposable {
  const ends = new Map<string, string>();
  let loaded: Promise<void> | undefined;
  let isLoaded = false;
  const unwatch = store.changes((changes: readonly Change[]) => {
    for (const { document } of changes)
      if (document.object === 'history_removed') note(document.data as unknown as HistoryRemoved);
  });

  /** Records the time of a machine. The times of a machine only grow, so an older one that is read late changes nothing. */
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
