/** The value of a bus, an address, a PGN or an SPN that a source does not have. Telemetry points have none of them. */
export const NONE = -1;
