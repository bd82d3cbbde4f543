/** Operations on links between devices and machines. A link decides which machine receives the data of a device. */

import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { holderOf } from '#handlers/base/names.ts';
import { deviceName } from './devices.ts';

type DeviceLink = Output<'telemetry_devices_link'>['data'][number];
type Wanted = Parsed<'telemetry_devices_link'>['links'][number];

/** Finds a device of this project by serial or `device_id`. */
export async function findDevice(context: HandlerContext, text: string): Promise<Stored<DeviceData> | undefined> {
  const { view } = context;
  const bySerial = await holderOf(context, view, 'serial', text);
  const byName = bySerial === undefined ? await deviceName(context, text) : undefined;
  const id = bySerial ?? (byName?.data.project_id === view.project_id ? byName.data.device : undefined);
  const found = id === undefined ? undefined : await view.get<DeviceData>('records', id);
  return found?.object === 'device' ? found : undefined;
}

/**
 * Stages (adds to the commit of this call) a link with events in both logs, and returns the new record. Throws if the machine is
 * decommissioned or does not exist.
 */
export async function stageLink(
  context: HandlerContext,
  device: Stored<DeviceData>,
  equipment_id: string,
  source: string,
): Promise<Stored<DeviceData>> {
  const { view } = context;
  const machine = await view.get<EquipmentData>('records', equipment_id);
  if (machine?.object !== 'equipment')
    throw new OperationError(
      'not_found',
      say('There is no machine {equipment_id} in this project.', { equipment_id }),
      {
        param: 'equipment_id',
      },
    );
  const before = device.data.equipment_id;
  if (before === equipment_id) return device;
  if (machine.data.status === 'decommissioned')
    throw new OperationError(
      'parameter_invalid',
      say('The machine {unit_number} is decommissioned, so no device can be linked to it.', {
        unit_number: machine.data.unit_number,
      }),
      {
        param: 'equipment_id',
      },
    );
  const data: DeviceData = { ...device.data, equipment_id, linked_at: context.now };
  const log = (object: 'device' | 'equipment', id: string, type: string, data: object) =>
    stageEvent(context, view, object, id, type, { device_id: device.id, source, ...data }, device.id);
  if (before !== null) log('equipment', before, 'device.unlinked', { equipment_id: before, to: equipment_id });
  log('equipment', equipment_id, 'device.linked', { equipment_id, from: before });
  log('device', device.id, 'device.linked', { equipment_id, from: before });
  return view.stage<DeviceData>({
    collection: 'records',
    id: device.id,
    object: 'device',
    data,
    current: device,
    expected: device.revision,
  });
}

async function linkOne(context: HandlerContext, { serial, equipment_id, source }: Wanted): Promise<DeviceLink> {
  const item = { object: 'device_link' as const, serial, equipment_id, source };
  const failed = (error: OperationError, device: Stored<DeviceData> | undefined): DeviceLink => ({
    ...item,
    device_id: device?.id ?? null,
    result: 'error',
    error: { code: error.code, message: error.message },
    linked_at: null,
  });
  const device = await findDevice(context, serial);
  if (device === undefined)
    return failed(
      new OperationError('not_found', say('There is no device {serial} in this project.', { serial })),
      undefined,
    );
  try {
    const linked = await stageLink(context, device, equipment_id, source);
    return {
      ...item,
      device_id: device.id,
      result: linked === device ? 'unchanged' : device.data.equipment_id === null ? 'linked' : 'relinked',
      error: null,
      linked_at: linked.data.linked_at,
    };
  } catch (error) {
    if (error instanceof OperationError) return failed(error, device);
    throw error;
  }
}

/** Returns the error of a call if all its links failed. An answer with status 200 would look like success. */
function allFailed(data: readonly DeviceLink[]): OperationError {
  const codes = new Set(data.map(({ error }) => error?.code));
  const code = codes.size === 1 && codes.has('not_found') ? 'not_found' : 'parameter_invalid';
  const first = data[0]?.error?.message ?? '';
  const message = data.length === 1 ? first : `All ${data.length} links failed. The first: ${first}`;
  const details = data.map(({ serial, equipment_id, error }) => ({ serial, equipment_id, ...error }));
  return new OperationError(code, message, { param: 'links', details });
}

export const linkHandlers = handlerGroup([], {
  async telemetry_devices_link(input, context) {
    if (input.project_id !== undefined && input.project_id !== context.view.project_id)
      throw new OperationError(
        'project_mismatch',
        '`project_id` in the body and the Project-ID header name different projects.',
        {
          param: 'project_id',
        },
      );
    const data: DeviceLink[] = [];
    // Carry out the links in order: if a call names a device twice, the last link applies.
    for (const link of input.links) data.push(await linkOne(context, link));
    if (data.every(({ result }) => result === 'error')) throw allFailed(data);
    return { object: 'list', data, has_more: false, next_cursor: null };
  },
});
