/** Follows the stored setting of each listener: whether other computers may use it without TLS. */
import { LISTENERS, type ListenerData, type ListenerName, listenerId } from '#contract/site/listener.ts';
import type { Store } from '#store/open-store.ts';

/** Reads the setting of each listener. */
export async function readEncryptedOnly(store: Pick<Store, 'node'>): Promise<Record<ListenerName, boolean>> {
  const entries = LISTENERS.map(async (name) => {
    const document = await store.node.get<ListenerData>('local', listenerId(name));
    return [name, document?.data.encrypted_only ?? false] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<ListenerName, boolean>;
}

/** Calls `apply` when a person has changed the setting of a listener. Returns the unsubscribe function. */
export function followEncryptedOnly(
  store: Pick<Store, 'changes'>,
  apply: (name: ListenerName, encrypted_only: boolean) => void,
): () => void {
  return store.changes((changes) => {
    for (const { collection, document } of changes) {
      if (collection !== 'local' || document.object !== 'listener') continue;
      const name = LISTENERS.find((one) => listenerId(one) === document.id);
      if (name !== undefined) apply(name, (document.data as unknown as ListenerData).encrypted_only);
    }
  });
}
