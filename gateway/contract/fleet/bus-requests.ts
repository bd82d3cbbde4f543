/** Requests on the bus of a machine. A device only listens until an admin arms it (allows requests) for its linked machine. */
import { z } from 'zod';
import { idPath } from '#contract/base/common.ts';
import { ADMINS, HINTS, operation, V1 } from '#contract/base/operation.ts';
import { Device } from './device.ts';

/** The message that the broker publishes to a device on its MQTT topic `config`: whether the device may send requests. */
export interface BusRequestsTold {
  readonly bus_requests: { readonly armed: boolean };
}

/** Operations on bus requests. */
export const busRequestOperations = {
  devices_bus_requests: operation({
    method: 'PUT',
    path: `${V1}/devices/{id}/bus-requests`,
    summary: 'Allow or forbid a device to request totals on the bus of its machine',
    description:
      'Disarmed, a device only listens. Armed, it claims an address and every five minutes requests engine hours, idle hours, fuel totals and vehicle hours (PGN 65253, 65244, 65257, 65255) that no unit sends by itself. A new link disarms the device.',
    roles: ADMINS,
    hints: HINTS.CHANGE,
    input: z.object({
      ...idPath,
      armed: z.boolean().meta({ description: 'True lets the device send on the bus of the machine it is linked to.' }),
    }),
    output: Device,
    revision: 'if-match',
    errors: ['not_found', 'not_linked', 'revision_mismatch'],
    source: { extension: 'an admin allows sending on the bus for each machine separately' },
  }),
} as const;
