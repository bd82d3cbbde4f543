/** The 29-bit J1939 identifier, by bits: priority 28-26, EDP 25, DP 24, PF 23-16, PS 15-8, SA 7-0 (J1939-21). */

/** The destination address of a broadcast. */
export const GLOBAL_ADDRESS = 255;

/** The PGNs for which the gateway has special code. */
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

/** Returns the PGN of an identifier. In PDU1 (PF below 240) the low byte is the destination address, so it is 0 in the PGN. */
export function pgnOf(id: number): number {
  const pgn = (id >>> 8) & 0x3ffff;
  return (pgn & 0xff00) < 0xf000 ? pgn & 0x3ff00 : pgn;
}

/** Returns the destination address of an identifier: PS in PDU1, otherwise the broadcast address. */
export function destinationOf(id: number): number {
  return ((id >>> 16) & 0xff) < 240 ? (id >>> 8) & 0xff : GLOBAL_ADDRESS;
}

/** Returns the source address of an identifier. */
export function sourceOf(id: number): number {
  return id & 0xff;
}

/** Reads a PGN from a payload: three bytes, little-endian. The low byte of a PDU1 PGN is set to 0. */
export function readPgn(data: Uint8Array, at: number): number {
  const pgn = ((data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16)) & 0x3ffff;
  return (pgn & 0xff00) < 0xf000 ? pgn & 0x3ff00 : pgn;
}
