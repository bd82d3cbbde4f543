/** The live state of machines and devices at head office: the documents that sites send, as the store has them. */
import type { LiveReader } from '#contract/context.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** The machines and devices that changed. */
interface Changed {
  readonly equipment: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
}

export interface ReceivedLive extends LiveReader, Disposable {
  /** Calls the listener when values of machines or devices arrived. Returns the unsubscribe function. */
  watch(listener: (changed: Changed) => void): () => void;
}

/** Reads all live documents, and follows their changes. */
export async function followLive(store: Pick<Store, 'find' | 'changes'>): Promise<ReceivedLive> {
  const machines = new Map<string, EquipmentLive>();
  const devices = new Map<string, DeviceLive>();

  function note(object: string, id: string, data: object): void {
    if (object === 'equipment') machines.set(id, data as EquipmentLive);
    else if (object === 'device') devices.set(id, data as DeviceLive);
  }

  let isRead = false;
  const watchers = new Set<(changed: Changed) => void>();
  const changed = new Set<string>();
  const unwatch = store.changes((changes) => {
    const equipment = new Set<string>();
    const found = new Set<string>();
    for (const { collection, operation, document } of changes) {
      if (collection !== 'live') continue;
      const { object, id, data } = document;
      if (!isRead) changed.add(id);
      if (operation === 'DELETE') for (const known of [machines, devices]) known.delete(id);
      else note(object, id, data);
      if (object === 'equipment') equipment.add(id);
      else if (object === 'device') found.add(id);
    }
    if (equipment.size + found.size === 0) return;
    for (const watcher of [...watchers]) watcher({ equipment, devices: found });
  });
  for (const object of ['equipment', 'device'])
    for await (const { id, data } of walk<object>(store, 'live', { object })) {
      // A document that changed during the read is newer than what was read.
      if (!changed.has(id)) note(object, id, data);
    }
  isRead = true;
  changed.clear();
  return {
    equipment: (id) => machines.get(id),
    device: (id) => devices.get(id),
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    [Symbol.dispose]: unwatch,
  };
}
