/**
 * Copies the settings of each device into the state of the fold (the code that applies messages): the expected interval of messages, the
 * conversion methods of trouble codes (the bit layouts of the SPN), the CAN channels with GNSS frames, and the active DBC files.
 */

import { gnssReaderOf } from '#domain/gnss/frames.ts';
import { decodersOf } from '#ingest/fold/device-dbc.ts';
import type { FoldOptions } from '#ingest/fold/fold.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import { followDbcFiles } from './dbc-files.ts';
import { followDevices } from './device-records.ts';

/** The settings of devices that the fold and the parts of ingest read. */
export interface DeviceSettings extends Pick<FoldOptions, 'intervalOf' | 'conversionOf' | 'gnssOf' | 'dbcOf'> {
  /** Returns the machine to which the device is linked now; null for none. */
  machineOf(device: string): string | null;
  /** Returns the id of the record with this device_id. A device_id is the name of a device in MQTT, and the id is the key of its record. */
  named(device_id: string): string | undefined;
  /** Returns the device with this record id or device_id; undefined if there is none. */
  find(name: string): { readonly device: string; readonly device_id: string } | undefined;
  /** Returns the devices that are linked to a machine. */
  devicesOf(equipment_id: string): readonly string[];
  /** Applies the settings to all devices of a restored state. */
  apply(state: FoldState): void;
  stop(): void;
}

/** Loads the settings and applies each change to the state of the current fold. */
export async function followSettings(
  store: IngestStore,
  current: { readonly state: FoldState },
  settled: (device: string, settings: Readonly<Record<string, unknown>> | undefined, quarantined: boolean) => void,
): Promise<DeviceSettings> {
  const records = await followDevices(
    store,
    (device, { expected_interval_s, conversion, gnss }) => {
      const known = current.state.devices.get(device);
      if (known === undefined) return;
      known.expected_interval_s = expected_interval_s;
      known.conversion = conversion;
      known.gnss = gnssReaderOf(gnss);
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
    gnssOf: (device) => records.gnssOf(device),
    dbcOf: (device) => files.of(device),
    machineOf: (device) => records.machineOf(device),
    named: (device_id) => records.named(device_id),
    find: (name) => records.find(name),
    devicesOf: (equipment_id) => records.of(equipment_id),
    apply(state) {
      for (const device of state.devices.values()) {
        device.expected_interval_s = records.intervalOf(device.identity.device);
        device.conversion = records.conversionOf(device.identity.device);
        device.gnss = gnssReaderOf(records.gnssOf(device.identity.device));
        device.dbc = decodersOf(files.of(device.identity), [], device.dbc_saved);
      }
    },
    stop() {
      records.stop();
      files.stop();
    },
  };
}
