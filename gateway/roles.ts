/** Roles of a node, and the parts that each role runs besides those that every node has. */
import type { Role } from '#settings/config.ts';

/**
 * Parts that a role may lack:
 *
 *   telemetry   devices send data over HTTP; the API reads recent frames of a device
 *   decoding    reads DBC files and decodes log files
 *   broker      the MQTT broker
 *   buses       CAN buses that are plugged into this machine; needs the broker
 *   bucket      the bucket that loggers upload files to
 */
export type PartName = 'telemetry' | 'decoding' | 'broker' | 'buses' | 'bucket';

export const ROLE_PARTS: Readonly<Record<Role, readonly PartName[]>> = {
  gateway: ['telemetry', 'decoding', 'broker', 'buses', 'bucket'],
};
