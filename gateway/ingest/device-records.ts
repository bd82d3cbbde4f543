/** What people say of devices, followed: which machine a device reports on from which place in the journal on, and its interval. */
import type { DeviceData } from '#contract/device.ts';
import type { Change, Stored } from '#contract/view.ts';
import type { Store } from '#store/open-store.ts';
import type { Link } from './device-state.ts';
import { type DeviceRecord, MAX_LINKS } from './fold.ts';

const PAGE = 500;
const NONE: readonly string[] = [];

export interface DeviceRecords {
  get(device: string): DeviceRecord | undefined;
  /** The devices of a machine as the records say. */
  of(equipment_id: string): readonly string[];
  stop(): void;
}

/**
 * Loads all device records and follows them. `next` is the place where the journal stands; `changed` hears of every record that
 * says something new, at once, so that the place is that of the moment.
 */
export async function followDevices(
  store: Pick<Store, 'changes' | 'find'>,
  next: () => number,
  changed: (device: string, record: DeviceRecord, made: readonly Link[]) => void,
): Promise<DeviceRecords> {
  const records = new Map<string, DeviceRecord>();
  const byMachine = new Map<string, readonly string[]>();

  function move(device: string, from: string | null, to: string | null): void {
    if (from !== null) {
      const left = (byMachine.get(from) ?? []).filter((one) => one !== device);
      if (left.length === 0) byMachine.delete(from);
      else byMachine.set(from, left);
    }
    if (to !== null) byMachine.set(to, [...(byMachine.get(to) ?? []), device]);
  }

  function take({ id, data }: Stored<DeviceData>, starting: boolean): void {
    const known = records.get(id);
    const { equipment_id, expected_interval_s } = data;
    const links = known?.links ?? [];
    const same = known !== undefined && links.at(-1)?.equipment_id === equipment_id;
    if (same && known.expected_interval_s === expected_interval_s) return;
    if (!same) move(id, links.at(-1)?.equipment_id ?? null, equipment_id);
    const linked = data.linked_at === null ? Number.POSITIVE_INFINITY : Date.parse(data.linked_at);
    // Found at the start: what came since the link was made, and in any case all that comes from now on. Else: from here on.
    const made: Link = { equipment_id, from: next(), from_ms: starting ? linked : Number.POSITIVE_INFINITY };
    const record: DeviceRecord = {
      expected_interval_s,
      links: same ? links : [...links.slice(1 - MAX_LINKS), made],
    };
    records.set(id, record);
    changed(id, record, same ? [] : [made]);
  }

  const stop = store.changes((changes: readonly Change[]) => {
    for (const { collection, operation, document } of changes) {
      if (collection !== 'records' || document.object !== 'device' || operation === 'DELETE') continue;
      take(document as unknown as Stored<DeviceData>, false);
    }
  });
  let last: Stored<DeviceData> | undefined;
  for (;;) {
    const page: Stored<DeviceData>[] = await store.find<DeviceData>('records', {
      object: 'device',
      order: 'asc',
      limit: PAGE,
      ...(last === undefined ? {} : { after: { created_at: last.created_at, id: last.id } }),
    });
    for (const one of page) {
      if (!records.has(one.id)) take(one, true);
    }
    last = page.at(-1);
    if (page.length < PAGE) break;
  }
  return {
    get: (device) => records.get(device),
    of: (equipment_id) => byMachine.get(equipment_id) ?? NONE,
    stop,
  };
}
