/**
 * Keeps in memory which devices have no valid key because all their keys were revoked. A device without a valid key has the status
 * `unassigned`.
 */
import type { Change } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

interface NameData {
  readonly device: string;
  readonly revoked_at?: string | null;
}

export interface DeviceCredentials {
  /** Devices without a valid key, with the time of the revocation in milliseconds since 1970. */
  readonly revoked: ReadonlyMap<string, number>;
  stop(): void;
}

/**
 * Loads the revocations and listens to changes of the store. Calls `changed` with the time when the last key of a device is revoked, and
 * with null when the device gets a key again.
 */
export async function followCredentials(
  store: Pick<Store, 'node' | 'changes'>,
  changed: (device: string, revoked_ms: number | null) => void,
): Promise<DeviceCredentials> {
  const revoked = new Map<string, number>();

  function take({ device, revoked_at }: NameData, starting: boolean): void {
    const at = revoked_at == null ? undefined : Date.parse(revoked_at);
    if (revoked.get(device) === at) return;
    if (at === undefined) revoked.delete(device);
    else revoked.set(device, at);
    if (!starting) changed(device, at ?? null);
  }

  const stop = store.changes((changes: readonly Change[]) => {
    for (const { collection, document } of changes)
      if (collection === 'local' && document.object === 'device_name')
        take(document.data as unknown as NameData, false);
  });
  for await (const { data } of walk<NameData>(store.node, 'local', { object: 'device_name' })) {
    if (!revoked.has(data.device)) take(data, true);
  }
  return { revoked, stop };
}
