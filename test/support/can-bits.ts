/** A classic CAN frame bit by bit, as it stands on the wire (ISO 11898-1): what its stuffing makes it long. */

function bitsOf(value: number, width: number): number[] {
  return Array.from({ length: width }, (_, i) => (value >>> (width - 1 - i)) & 1);
}

/** CRC-15 over unstuffed bits, polynomial 0x4599. */
function crc15(bits: readonly number[]): number {
  let crc = 0;
  for (const bit of bits) {
    const next = bit ^ ((crc >> 14) & 1);
    crc = (crc << 1) & 0x7fff;
    if (next === 1) crc ^= 0x4599;
  }
  return crc;
}

/** Bits of an extended data frame with its stuffing and the three that part it from the next. */
export function wireBits(id: number, data: Uint8Array): number {
  const bits = [
    0, // start of frame
    ...bitsOf(id >>> 18, 11),
    1, // SRR
    1, // IDE
    ...bitsOf(id & 0x3ffff, 18),
    0, // RTR
    0,
    0,
    ...bitsOf(data.length, 4),
    ...[...data].flatMap((byte) => bitsOf(byte, 8)),
  ];
  bits.push(...bitsOf(crc15(bits), 15));
  let stuffed = 0;
  let run = 0;
  let last = -1;
  for (const bit of bits) {
    run = bit === last ? run + 1 : 1;
    last = bit;
    if (run === 5) {
      stuffed++;
      last = 1 - bit;
      run = 1;
    }
  }
  // CRC delimiter, acknowledge slot and delimiter, end of frame 7, intermission 3.
  return bits.length + stuffed + 13;
}
