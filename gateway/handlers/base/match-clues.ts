/** Reads the data of devices and machines that are compared to suggest the machine of a device. */

import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData, LiveValue } from '#contract/fleet/equipment.ts';
import { isUnitNumber } from '#domain/device/heard.ts';
import type { DeviceClues, MachineClues } from '#domain/device/match.ts';
import { walk } from '#store/walk.ts';

/** Largest number of machines that one call compares, and of earlier links that it reads for each device. */
const MOST_MACHINES = 5_000;
const MOST_LINKS = 50;

const HOURS = 'engine.hours';

/** The machines of a project, as devices are compared with them. */
export interface FleetClues {
  readonly machines: readonly MachineClues[];
  /** No device is linked to these. */
  readonly decommissioned: readonly MachineClues[];
  /** False if the project has more machines than one call compares. */
  readonly complete: boolean;
}

export async function fleetClues(context: HandlerContext): Promise<FleetClues> {
  const machines: MachineClues[] = [];
  const decommissioned: MachineClues[] = [];
  let complete = true;
  for await (const { id, data } of walk<EquipmentData>(context.view, 'records', {
    object: 'equipment',
    order: 'desc',
  })) {
    const into = data.status === 'decommissioned' ? decommissioned : machines;
    if (into.length >= MOST_MACHINES) {
      complete = false;
      if (into === machines) break;
      continue;
    }
    into.push({
      id,
      unit_number: data.unit_number,
      names: [data.unit_number, ...data.aliases, data.name],
      pin: data.pin,
      serial_number: data.serial_number,
      location_id: data.location_id,
      engine_hours: hoursRead(context.live.equipment(id)?.values[HOURS]),
    });
  }
  return { machines, decommissioned, complete };
}

/** Returns the number that the control unit of the machine sent, without the offset of the meter; a device on its bus sends the same number. */
function hoursRead(value: LiveValue | undefined): number | null {
  return value?.meter?.reading ?? value?.value ?? null;
}

/** Returns the machines that the device was linked to, the latest first. */
async function linksOf(context: HandlerContext, device: Stored<DeviceData>): Promise<string[]> {
  const where = { 'data.subject.id': device.id, 'data.type': 'device.linked' };
  const events = await context.view.find<EventData>('events', { object: 'event', where, limit: MOST_LINKS });
  const ids = [device.data.equipment_id, ...events.map(({ data }) => data.data.equipment_id)];
  return [...new Set(ids.filter((id): id is string => typeof id === 'string'))];
}

/** Indexes of fields in a component identification: `make*model*serial*unit` (J1939-71 SPN 586 to 588, 233). */
const SERIAL_FIELD = 2;
const UNIT_FIELD = 3;

/** At most this many unit numbers from the bus are compared: each is compared with each name of each machine. */
const MOST_UNITS = 5;

export async function deviceClues(context: HandlerContext, device: Stored<DeviceData>): Promise<DeviceClues> {
  const { name, device_id, serial, location_id } = device.data;
  const live = context.live.device(device.id);
  const bus = (live?.state.bus ?? {}) as { vin?: unknown; component?: unknown };
  const fields = typeof bus.component === 'string' ? bus.component.split('*') : [];
  // Compare the identification of every control unit. If there is no bus inventory (the list of control units seen on the bus), compare the
  // identification received last.
  const ecus = context.live.bus(device.id)?.ecus ?? [];
  const isText = (one: unknown): one is string => typeof one === 'string' && one !== '';
  const units = [...ecus.map((ecu) => ecu.component?.unit), fields[UNIT_FIELD]].filter(isText).filter(isUnitNumber);
  return {
    names: [...new Set([name, device_id, serial, ...[...new Set(units)].slice(0, MOST_UNITS)].filter(isText))],
    // A control unit to which nobody gave a VIN may send `000…`, which would exclude every machine with a VIN.
    vins: [...new Set([...ecus.map(({ vin }) => vin), bus.vin].filter(isText))].filter((vin) => !/^(.)\1*$/.test(vin)),
    serials: [...new Set([...ecus.map((ecu) => ecu.component?.serial), fields[SERIAL_FIELD], serial].filter(isText))],
    location_id,
    engine_hours: live?.observation?.signals[HOURS]?.value ?? null,
    linked: await linksOf(context, device),
  };
}
