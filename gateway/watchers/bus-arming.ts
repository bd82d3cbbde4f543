/**
 * Publishes to each device whether the device may send requests on the bus of its machine. A device that may send them is "armed". The
 * message is retained in the `config` topic of the device, and published again at every start of the gateway.
 */

import type { Stored } from '#contract/base/view.ts';
import type { BusRequestsTold } from '#contract/fleet/bus-requests.ts';
import { type DeviceData, isArmed } from '#contract/fleet/device.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const RETRY_MS = 10_000;

/** Publishes the permission when a device record changes. A message that the broker refuses is published again after 10 seconds. */
export async function startBusArming(options: {
  readonly store: Pick<Store, 'changes' | 'find'>;
  readonly broker: {
    publish(device_id: string, topic: 'config', payload: string, retain: boolean): Promise<void>;
  };
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}): Promise<Disposable> {
  const { store, broker, log } = options;
  // `published` has the permission that was published last, for each device that was ever armed. `pending` has the permissions that are not
  // published yet, because the broker has refused the message.
  const published = new Map<string, boolean>();
  const pending = new Map<string, boolean>();

  function take({ data }: Pick<Stored<DeviceData>, 'data'>): void {
    const { device_id } = data;
    const armed = isArmed(data);
    // A device that was never armed needs no message, because a device without the message must not send requests.
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
    // A message of an earlier process may be lost, because the broker had not written it to disk yet. So publish the permission again:
    // store the opposite value as published, which makes `take` publish it.
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
