/** Read-only operations that resolve serials and suggest machines. */

import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData, LiveValue } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { type DeviceClues, type MachineClues, suggestMachines } from '#domain/device/match.ts';
import { holdersOf } from '#handlers/base/names.ts';
import { walk } from '#store/walk.ts';
import { findDevice } from './device-links.ts';

type Match = Output<'telemetry_devices_match'>['data'][number];
type Resolved = Output<'telemetry_devices_resolve'>['data'][number];

/** Largest number of machines that one call compares, and of earlier links that it reads for each device. */
const MOST_MACHINES = 5_000;
const MOST_LINKS = 50;
/** If a call names no device, it compares at most this many devices. */
const MOST_DEVICES = 50;
/** Largest number of projects that one call searches. */
const MOST_PROJECTS = 1_000;

const HOURS = 'engine.hours';

async function machineClues(context: HandlerContext): Promise<MachineClues[]> {
  const clues: MachineClues[] = [];
  for await (const { id, data } of walk<EquipmentData>(context.view, 'records', {
    object: 'equipment',
    order: 'desc',
  })) {
    if (data.status === 'decommissioned') continue;
    clues.push({
      id,
      unit_number: data.unit_number,
      names: [data.unit_number, ...data.aliases, data.name],
      pin: data.pin,
      serial_number: data.serial_number,
      location_id: data.location_id,
      engine_hours: hoursRead(context.live.equipment(id)?.values[HOURS]),
    });
    if (clues.length >= MOST_MACHINES) break;
  }
  return clues;
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

/** Index of the serial number in a component identification: `make*model*serial*unit` (J1939-71 SPN 586 to 588, 233). */
const SERIAL_FIELD = 2;

async function deviceClues(context: HandlerContext, device: Stored<DeviceData>): Promise<DeviceClues> {
  const { name, device_id, serial, location_id } = device.data;
  const live = context.live.device(device.id);
  const bus = (live?.state.bus ?? {}) as { vin?: unknown; component?: unknown };
  const component = typeof bus.component === 'string' ? bus.component.split('*')[SERIAL_FIELD] : undefined;
  // Compare the identification of every control unit. If there is no bus inventory (the list of control units seen on the bus), compare the
  // identification received last.
  const ecus = context.live.bus(device.id)?.ecus ?? [];
  const isText = (one: unknown): one is string => typeof one === 'string' && one !== '';
  return {
    names: [name, device_id, ...(serial === null ? [] : [serial])],
    vins: [...new Set([...ecus.map(({ vin }) => vin), bus.vin].filter(isText))],
    serials: [...new Set([...ecus.map((ecu) => ecu.component?.serial), component, serial].filter(isText))],
    location_id,
    engine_hours: live?.observation?.signals[HOURS]?.value ?? null,
    linked: await linksOf(context, device),
  };
}

/** Finds a device by record id, `device_id` or serial in this project. */
async function namedDevice(context: HandlerContext, text: string): Promise<Stored<DeviceData> | undefined> {
  const byId = await context.view.get<DeviceData>('records', text);
  return byId?.object === 'device' ? byId : findDevice(context, text);
}

export const deviceMatchHandlers = handlerGroup([], {
  async telemetry_devices_match({ project_id, serials, device_ids, min_confidence, limit }, context) {
    if (project_id !== undefined && project_id !== context.view.project_id)
      throw new OperationError(
        'project_mismatch',
        '`project_id` in the body and the Project-ID header name different projects.',
        {
          param: 'project_id',
        },
      );
    const texts = [...(serials ?? []), ...(device_ids ?? [])];
    const named = await Promise.all(texts.map((text) => namedDevice(context, text)));
    const wanted: { text: string | null; device: Stored<DeviceData> | undefined }[] =
      serials === undefined && device_ids === undefined
        ? (
            await context.view.find<DeviceData>('records', {
              object: 'device',
              where: { 'data.equipment_id': null },
              limit: MOST_DEVICES,
            })
          ).map((device) => ({ text: null, device }))
        : texts.map((text, i) => ({ text, device: named[i] }));
    const machines = wanted.some(({ device }) => device !== undefined) ? await machineClues(context) : [];
    const data: Match[] = [];
    for (const { text, device } of wanted) {
      const found =
        device === undefined
          ? []
          : suggestMachines(await deviceClues(context, device), machines, { min_confidence, limit });
      const suggestions = found.map((one) => ({ ...one, reasons: [...one.reasons] }));
      data.push({
        object: 'device_match',
        serial: device === undefined ? text : device.data.serial,
        device_id: device?.id ?? null,
        suggestions,
      });
    }
    return { object: 'list', data, has_more: false, next_cursor: null };
  },

  async telemetry_devices_resolve({ serials }, context) {
    const projects =
      context.caller.project_ids ??
      (await context.node.find('records', { object: 'project', limit: MOST_PROJECTS })).map(({ id }) => id);
    const found = new Map<string, Stored<DeviceData>[]>();
    for (const id of projects) {
      const view = context.project(id);
      const holders = await holdersOf(context, view, 'serial', serials);
      const devices = await view.getMany<DeviceData>('records', [...new Set(holders.values())]);
      const byId = new Map(devices.map((device) => [device.id, device]));
      for (const [serial, holder] of holders) {
        const device = byId.get(holder);
        if (device?.object === 'device') found.set(serial, [...(found.get(serial) ?? []), device]);
      }
    }
    const data = serials.map((serial): Resolved => {
      const [device, other] = found.get(serial) ?? [];
      const item = { object: 'resolved_serial', serial } as const;
      if (device !== undefined && other === undefined)
        return {
          ...item,
          status: 'resolved',
          device_id: device.id,
          project_id: device.project_id,
          equipment_id: device.data.equipment_id,
        };
      const status = device === undefined ? 'unknown' : 'ambiguous';
      return { ...item, status, device_id: null, project_id: null, equipment_id: null };
    });
    return { object: 'list', data, has_more: false, next_cursor: null };
  },
});
