/**
 * Keeps a copy of the device records in memory, updates it when the store changes, and returns the settings of each device: the linked
 * machine, the expected interval of messages, the conversion methods of trouble codes (the bit layouts of the SPN in DM1), and the CAN
 * channels on which it sends its own GNSS position.
 */

import type { Change, Stored } from '#contract/base/view.ts';
import { type BusSettings, busSettings, type GnssChannel } from '#contract/fleet/bus.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const NONE: readonly string[] = [];

interface Said {
  readonly device_id: string;
  readonly equipment_id: string | null;
  readonly expected_interval_s: number | null;
  readonly conversion: Conversion;
  readonly gnss: readonly GnssChannel[];
}

type Conversion = BusSettings['dtc_conversion'];
const NO_RULES: Conversion = [];
const NO_CHANNELS: readonly GnssChannel[] = [];

export interface DeviceRecords {
  /** Returns the machine to which the device is linked now; null for none. */
  machineOf(device: string): string | null;
  intervalOf(device: string): number | null;
  conversionOf(device: string): Conversion;
  gnssOf(device: string): readonly GnssChannel[];
  /** Returns the id of the record with this device_id. A device_id is the name of a device in MQTT, and the id is the key of its record. */
  named(device_id: string): string | undefined;
  /** Returns the device with this record id or device_id; undefined if there is none. */
  find(name: string): { readonly device: string; readonly device_id: string } | undefined;
  /** Returns the devices that are linked to a machine. */
  of(equipment_id: string): readonly string[];
  stop(): void;
}

/**
 * Loads all device records and listens to changes of the store. Calls `changed` when the interval, the conversion methods or the GNSS
 * channels of a device change. Calls `settled` with each record that is loaded or changed.
 */
export async function followDevices(
  store: Pick<Store, 'changes' | 'find'>,
  changed: (device: string, said: Pick<Said, 'expected_interval_s' | 'conversion' | 'gnss'>) => void,
  settled: (device: string, settings: DeviceData['settings'] | undefined, quarantined: boolean) => void = () => {},
): Promise<DeviceRecords> {
  const records = new Map<string, Said>();
  const byName = new Map<string, string>();
  const byMachine = new Map<string, readonly string[]>();

  function move(device: string, from: string | null, to: string | null): void {
    if (from !== null) {
      const left = (byMachine.get(from) ?? []).filter((one) => one !== device);
      if (left.length === 0) byMachine.delete(from);
      else byMachine.set(from, left);
    }
    if (to !== null) byMachine.set(to, [...(byMachine.get(to) ?? []), device]);
  }

  function rename(device: string, from: string | undefined, to: string | undefined): void {
    if (from === to) return;
    if (from !== undefined && byName.get(from) === device) byName.delete(from);
    if (to !== undefined) byName.set(to, device);
  }

  function take({ id, data }: Stored<DeviceData>): void {
    const { device_id, equipment_id, expected_interval_s, settings, quarantine } = data;
    const before = records.get(id);
    rename(id, before?.device_id, device_id);
    settled(id, settings, quarantine != null);
    const { dtc_conversion: conversion, gnss_channels: gnss } = busSettings(settings);
    const said = { device_id, equipment_id, expected_interval_s, conversion, gnss };
    records.set(id, said);
    if ((before?.equipment_id ?? null) !== equipment_id) move(id, before?.equipment_id ?? null, equipment_id);
    const same =
      (before?.expected_interval_s ?? null) === expected_interval_s &&
      JSON.stringify(before?.conversion ?? NO_RULES) === JSON.stringify(conversion) &&
      JSON.stringify(before?.gnss ?? NO_CHANNELS) === JSON.stringify(gnss);
    if (!same) changed(id, said);
  }

  const stop = store.changes((changes: readonly Change[]) => {
    for (const { collection, operation, document } of changes) {
      if (collection !== 'records' || document.object !== 'device') continue;
      if (operation === 'DELETE') rename(document.id, records.get(document.id)?.device_id, undefined);
      else take(document as unknown as Stored<DeviceData>);
    }
  });
  for await (const one of walk<DeviceData>(store, 'records', { object: 'device' })) {
    if (!records.has(one.id)) take(one);
  }
  return {
    machineOf: (device) => records.get(device)?.equipment_id ?? null,
    intervalOf: (device) => records.get(device)?.expected_interval_s ?? null,
    conversionOf: (device) => records.get(device)?.conversion ?? NO_RULES,
    gnssOf: (device) => records.get(device)?.gnss ?? NO_CHANNELS,
    named: (device_id) => byName.get(device_id),
    find(name) {
      const device_id = records.get(name)?.device_id;
      // The data of a deleted device stays in this map; only the entry in `byName` is removed.
      if (device_id !== undefined && byName.get(device_id) === name) return { device: name, device_id };
      const device = byName.get(name);
      return device === undefined ? undefined : { device, device_id: name };
    },
    of: (equipment_id) => byMachine.get(equipment_id) ?? NONE,
    stop,
  };
}
