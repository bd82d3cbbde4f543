/** What people say of devices, kept in the state of each: its interval, how its codes are read, the DBC files that are active for it. */

import { decodersOf } from '#ingest/fold/device-dbc.ts';
import type { FoldOptions } from '#ingest/fold/fold.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import { followDbcFiles } from './dbc-files.ts';
import { followDevices } from './device-records.ts';

/** The records as the fold asks for them. */
export interface DeviceSettings extends Pick<FoldOptions, 'intervalOf' | 'conversionOf' | 'dbcOf'> {
  /** The machine that a device is on now; null for none. */
  machineOf(device: string): string | null;
  /** The record of the device that carries this device_id. */
  named(device_id: string): string | undefined;
  /** The device with this record id or device_id; undefined when there is none. */
  find(name: string): { readonly device: string; readonly device_id: string } | undefined;
  /** The devices of a machine as the records say. */
  devicesOf(equipment_id: string): readonly string[];
  /** Settles all devices of a state that was made anew. */
  apply(state: FoldState): void;
  stop(): void;
}

/** Reads the records and follows them, into whatever state stands. */
export async function followSettings(
  store: IngestStore,
  current: { readonly state: FoldState },
  settled: (device: string, settings: Readonly<Record<string, unknown>> | undefined, quarantined: boolean) => void,
): Promise<DeviceSettings> {
  const records = await followDevices(
    store,
    (device, interval_s, conversion) => {
      const known = current.state.devices.get(device);
      if (known === undefined) return;
      known.expected_interval_s = interval_s;
      known.conversion = conversion;
    },
    settled,
  );
  const files = await followDbcFiles(store, (project_id) => {
    for (const device of current.state.devices.values())
      if (device.identity.project_id === project_id) device.dbc = decodersOf(files.of(device.identity), device.dbc);
  });
  return {
    intervalOf: (device) => records.intervalOf(device),
    conversionOf: (device) => records.conversionOf(device),
    dbcOf: (device) => files.of(device),
    machineOf: (device) => records.machineOf(device),
    named: (device_id) => records.named(device_id),
    find: (name) => records.find(name),
    devicesOf: (equipment_id) => records.of(equipment_id),
    apply(state) {
      for (const device of state.devices.values()) {
        device.expected_interval_s = records.intervalOf(device.identity.device);
        device.conversion = records.conversionOf(device.identity.device);
        device.dbc = decodersOf(files.of(device.identity), [], device.dbc_saved);
      }
    },
    stop() {
      records.stop();
      files.stop();
    },
  };
}
