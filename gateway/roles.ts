/**
 * A node is a running instance of the gateway. Its role decides which optional parts it runs. The parts of `foundation.ts` run in every
 * role.
 */
import type { Role } from '#settings/config.ts';

/**
 * Optional parts of a node:
 *
 *   telemetry   devices send data over HTTP; the API reads recent frames of a device
 *   decoding    reads DBC files and decodes log files
 *   broker      the MQTT broker
 *   buses       CAN buses that are plugged into this machine; needs the broker
 *   bucket      the bucket that loggers upload files to
 *   alerts      alert rules and their actions: the site decides about its machines
 *   site        the link to head office, which does nothing until a person connects the site
 *   headOffice  answers the gateways of sites
 */
export type PartName = 'telemetry' | 'decoding' | 'broker' | 'buses' | 'bucket' | 'alerts' | 'site' | 'headOffice';

export const ROLE_PARTS: Readonly<Record<Role, readonly PartName[]>> = {
  gateway: ['telemetry', 'decoding', 'broker', 'buses', 'bucket', 'alerts', 'site'],
  cloud: ['headOffice'],
};
