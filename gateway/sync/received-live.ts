/** The live state of machines and devices at head office: the documents that sites send, as the store has them. */
import type { LiveReader } from '#contract/context.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** Reads all live documents, and follows their changes. */
export async function followLive(store: Pick<Store, 'find' | 'changes'>): Promise<LiveReader & Disposable> {
  const machines = new Map<string, EquipmentLive>();
  const devices = new Map<string, DeviceLive>();

  function note(object: string, id: string, data: object): void {
    if (object === 'equipment') machines.set(id, data as EquipmentLive);
    else if (object === 'device') devices.set(id, data as DeviceLive);
  }

  const changed = new Set<string>();
  const unwatch = store.changes((changes) => {
    for (const { collection, document } of changes) {
      if (collection !== 'live') continue;
      changed.add(document.id);
      note(document.object, document.id, document.data);
    }
  });
  for (const object of ['equipment', 'device'])
    for await (const { id, data } of walk<object>(store, 'live', { object })) {
      // A change that came meanwhile is newer than what was read.
      if (!changed.has(id)) note(object, id, data);
    }
  changed.clear();
  return {
    equipment: (id) => machines.get(id),
    device: (id) => devices.get(id),
    [Symbol.dispose]: unwatch,
  };
}
