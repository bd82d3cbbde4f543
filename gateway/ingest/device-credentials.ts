/** Which devices have had all their keys revoked: their status is `unassigned` from then on (R19). */
import type { Change, Stored } from '#contract/view.ts';
import type { Store } from '#store/open-store.ts';

const PAGE = 500;

interface NameData {
  readonly device: string;
  readonly revoked_at?: string | null;
}

export interface DeviceCredentials {
  /** Devices without a key since a time (milliseconds since 1970). */
  readonly revoked: ReadonlyMap<string, number>;
  stop(): void;
}

/** Reads who is revoked and follows it; `changed` hears when a device loses its last key (its time) or has one again (null). */
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
  for (let last: Stored<NameData> | undefined; ; ) {
    const page: Stored<NameData>[] = await store.node.find<NameData>('local', {
      object: 'device_name',
      order: 'asc',
      limit: PAGE,
      ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
    });
    for (const { data } of page) if (!revoked.has(data.device)) take(data, true);
    last = page.at(-1);
    if (page.length < PAGE) return { revoked, stop };
  }
}
