/** Ends the MQTT connections of a device when a person revokes its key or puts the device into quarantine (locks it out). */
import type { DeviceData } from '#contract/fleet/device.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { Store } from '#store/open-store.ts';

/** Ends connections when keys and devices change in the store; returns the unsubscribe function. */
export function dropRevoked(store: Pick<Store, 'changes'>, broker: { drop(device_id: string): void }): () => void {
  return store.changes((changes) => {
    for (const { collection, document } of changes) {
      const { data } = document as unknown as { data: DeviceData };
      if (collection === 'records' && document.object === 'device' && data.quarantine != null)
        broker.drop(data.device_id);
      if (collection !== 'local' || document.object !== 'key') continue;
      const key = document.data as unknown as KeyData;
      if (key.revoked_at !== null && key.device_id !== null) broker.drop(key.device_id);
    }
  });
}
