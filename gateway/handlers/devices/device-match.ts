/** Read-only operations that resolve serials and suggest machines. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output } from '#contract/operations.ts';
import { suggestMachines } from '#domain/device/match.ts';
import { deviceClues, fleetClues } from '#handlers/base/match-clues.ts';
import { holdersOf } from '#handlers/base/names.ts';
import { findDevice } from './device-links.ts';

type Match = Output<'telemetry_devices_match'>['data'][number];
type Resolved = Output<'telemetry_devices_resolve'>['data'][number];

/** If a call names no device, it compares at most this many devices. */
const MOST_DEVICES = 50;
/** Largest number of projects that one call searches. */
const MOST_PROJECTS = 1_000;

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
    const machines = wanted.some(({ device }) => device !== undefined) ? (await fleetClues(context)).machines : [];
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
