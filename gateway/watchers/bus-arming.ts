/** Tells devices whether they may ask on the bus of their machine: retained in their `config` topic, and told again at every start. */

import type { Stored } from '#contract/base/view.ts';
import type { BusRequestsTold } from '#contract/fleet/bus-requests.ts';
import { type DeviceData, isArmed } from '#contract/fleet/device.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const RETRY_MS = 10_000;

/** Follows the records; a message that the broker does not take is tried again. */
export async function startBusArming(options: {
  readonly store: Pick<Store, 'changes' | 'find'>;
  readonly broker: {
    publish(device_id: string, topic: 'config', payload: string, retain: boolean): Promise<void>;
  };
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Promise<Disposable> {
  const { store, broker, log } = options;
  /** What each device that was ever armed was told last, or is to be told. */
  const told = new Map<string, boolean>();
  const owed = new Map<string, boolean>();

  function take({ data }: Pick<Stored<DeviceData>, 'data'>): void {
    const { device_id } = data;
    const armed = isArmed(data);
    // Devices that were never armed are told nothing: silence is a no.
    if ((told.get(device_id) ?? false) === armed && (owed.get(device_id) ?? armed) === armed) return;
    owed.set(device_id, armed);
    void tell(device_id);
  }

  async function tell(device_id: string): Promise<void> {
    const armed = owed.get(device_id);
    if (armed === undefined) return;
    const message: BusRequestsTold = { bus_requests: { armed } };
    try {
      await broker.publish(device_id, 'config', JSON.stringify(message), true);
    } catch (error) {
      log('warn', 'a device could not be told whether it may ask on its bus', { device_id, error: String(error) });
      return;
    }
    told.set(device_id, armed);
    if (owed.get(device_id) === armed) owed.delete(device_id);
    else void tell(device_id);
  }

  const stop = store.changes((changes) => {
    for (const { collection, operation, document } of changes)
      if (collection === 'records' && document.object === 'device' && operation !== 'DELETE')
        take(document as unknown as Stored<DeviceData>);
  });
  for await (const record of walk<DeviceData>(store, 'records', { object: 'device' })) {
    // What was said before this start may not have reached the broker's disk.
    if (record.data.bus_requests !== undefined) told.set(record.data.device_id, !isArmed(record.data));
    take(record);
  }
  const timer = setInterval(() => {
    for (const device_id of owed.keys()) void tell(device_id);
  }, RETRY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      stop();
    },
  };
}
