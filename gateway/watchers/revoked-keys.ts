/** Ends the connections of a device whose key is revoked, at once. */
import type { KeyData } from '#contract/node.ts';
import type { Store } from '#store/open-store.ts';

/** Returns the unsubscribe. */
export function dropRevoked(store: Pick<Store, 'changes'>, broker: { drop(device_id: string): void }): () => void {
  return store.changes((changes) => {
    for (const { collection, document } of changes) {
      if (collection !== 'local' || document.object !== 'key') continue;
      const key = document.data as unknown as KeyData;
      if (key.revoked_at !== null && key.device_id !== null) broker.drop(key.device_id);
    }
  });
}
