/**
 * Publishes to each device whether it may send requests on its machine's bus: as a retained message in its `config` topic, and again at
 * every start.
 */

import type { Stored } from '#contract/base/view.ts';
import type { BusRequestsTold } from '#contract/fleet/bus-requests.ts';
import { type DeviceData, isArmed } from '#contract/fleet/device.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const RETRY_MS = 10_000;

/** Follows the devices. A message that the broker refuses is published again after 10 seconds. */
export async function startBusArming(options: {
  readonly store: Pick<Store, 'changes' | 'find'>;
  readonly broker: {
    publish(device_id: string, topic: 'config', payload: string, retain: boolean): Promise<void>;
  };
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Promise<Disposable> {
  const { store, broker, log } = options;
  /** The value that was published last to each device that was ever armed, and the value that is still to be published. */
  const published = new Map<string, boolean>();
  const pending = new Map<string, boolean>();

  function take({ data }: Pick<Stored<DeviceData>, 'data'>): void {
    const { device_id } = data;
    const armed = isArmed(data);
    // A device that was never armed gets no message: without one it must not send requests.
    if ((published.get(device_id) ?? false) === armed && (pending.get(device_id) ?? armed) === armed) return;
    pending.set(device_id, armed);
    void publish(device_id);
  }

  async function publish(device_id: string): Promise<void> {
    const armed = pending.get(device_id);
    if (armed === undefined) return;
    const message: BusRequestsTold = { bus_requests: { armed } };
    try {
      await broker.publish(device_id, 'config', JSON.stringify(message), true);
    } catch (error) {
      log('warn', 'the permission for bus requests could not be published to a device', {
        device_id,
        error: String(error),
      });
      return;
    }
    published.set(device_id, armed);
    if (pending.get(device_id) === armed) pending.delete(device_id);
    else void publish(device_id);
  }

  const stop = store.changes((changes) => {
    for (const { collection, operation, document } of changes)
      if (collection === 'records' && document.object === 'device' && operation !== 'DELETE')
        take(document as unknown as Stored<DeviceData>);
  });
  for await (const record of walk<DeviceData>(store, 'records', { object: 'device' })) {
    // The message of an earlier process may not have reached the broker's disk, so publish the value again.
    if (record.data.bus_requests !== undefined) published.set(record.data.device_id, !isArmed(record.data));
    take(record);
  }
  const timer = setInterval(() => {
    for (const device_id of pending.keys()) void publish(device_id);
  }, RETRY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      stop();
    },
  };
}
