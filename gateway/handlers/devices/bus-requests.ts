/**
 * The operation that allows (arms) or forbids a device to send requests on its bus. The part `bus-arming` sends the setting to the device.
 */

import { OperationError } from '#contract/base/errors.ts';
import { type DeviceData, isArmed } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import { checkRevision, requireRecord, type WithMedia } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { oneDevice } from './devices.ts';

type Data = DeviceData & WithMedia;

export const busRequestHandlers = handlerGroup([], {
  async devices_bus_requests({ id, armed }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'device', id);
    checkRevision(context, current);
    const { equipment_id, linked_at } = current.data;
    if (armed && equipment_id === null)
      throw new OperationError(
        'not_linked',
        'Link the device to a machine first. Bus requests are allowed for one machine.',
        {
          param: 'armed',
        },
      );
    // A device may still be armed for the machine to which it was linked before. Disarming removes this permission too.
    const same = armed ? isArmed(current.data) : current.data.bus_requests == null;
    if (same) return oneDevice(context, current);
    const armed_at = new Date(context.now).toISOString();
    const bus_requests = armed && equipment_id !== null ? { equipment_id, linked_at, armed_at } : null;
    const data = { ...current.data, bus_requests };
    const document = view.stage<Data>({
      collection: 'records',
      id,
      object: 'device',
      data,
      current,
      expected: current.revision,
    });
    stageEvent(context, view, 'device', id, 'updated', { fields: ['bus_requests'], armed, equipment_id }, id);
    return oneDevice(context, document);
  },
});
