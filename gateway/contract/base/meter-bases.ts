/** The sources of a meter of a machine. Machines and repair tickets use the same words. */

/** Who provides a meter: a control unit, the gateway by counting, a person, or a device that sends telemetry points. */
export const METER_BASES = ['control_unit', 'counted', 'manual', 'feed'] as const;
export type MeterBasis = (typeof METER_BASES)[number];
