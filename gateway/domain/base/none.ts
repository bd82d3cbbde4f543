/**
 * Stored in a bus, source address, PGN or SPN field of a value whose source has no such number. For example, a telemetry point comes
 * from no CAN frame, so all four fields hold NONE.
 */
export const NONE = -1;
