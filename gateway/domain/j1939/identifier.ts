/** The 29-bit J1939 identifier: priority 28-26, EDP 25, DP 24, PF 23-16, PS 15-8, SA 7-0 (J1939-21). */

/** Destination that means everybody. */
export const GLOBAL_ADDRESS = 255;

/** Parameter groups that the line treats by name. */
export const PGN = {
  request: 0xea00,
  addressClaim: 0xee00,
  transportData: 0xeb00,
  transportControl: 0xec00,
  extendedTransportData: 0xc700,
  extendedTransportControl: 0xc800,
  dm1: 0xfeca,
  dm2: 0xfecb,
  softwareIdentification: 0xfeda,
  componentIdentification: 0xfeeb,
  vehicleIdentification: 0xfeec,
} as const;

/** The parameter group number; in PDU1 (PF below 240) the low byte is the destination and not part of it. */
export function pgnOf(id: number): number {
  const pgn = (id >>> 8) & 0x3ffff;
  return (pgn & 0xff00) < 0xf000 ? pgn & 0x3ff00 : pgn;
}

/** The destination address: PS in PDU1, everybody otherwise. */
export function destinationOf(id: number): number {
  return ((id >>> 16) & 0xff) < 240 ? (id >>> 8) & 0xff : GLOBAL_ADDRESS;
}

/** The source address. */
export function sourceOf(id: number): number {
  return id & 0xff;
}

/** A parameter group number as written inside a message, three bytes little-endian, its PDU1 low byte cleared. */
export function readPgn(data: Uint8Array, at: number): number {
  const pgn = ((data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16)) & 0x3ffff;
  return (pgn & 0xff00) < 0xf000 ? pgn & 0x3ff00 : pgn;
}
