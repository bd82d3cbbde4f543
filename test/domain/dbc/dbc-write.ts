/** DBC text from random layouts, and the numbers in a payload read bit by bit: slow, and written apart from what it judges. */
import fc from 'fast-check';

export interface Layout {
  readonly name: string;
  readonly start: number;
  readonly bits: number;
  readonly bigEndian: boolean;
  readonly signed: boolean;
  readonly factor: number;
  readonly offset: number;
}

/** Signals that lie in a message of so many bytes; they may overlap. */
export function layouts(bytes: number): fc.Arbitrary<Layout[]> {
  const one = fc
    .record({
      start: fc.nat({ max: bytes * 8 - 1 }),
      bits: fc.integer({ min: 1, max: 64 }),
      bigEndian: fc.boolean(),
      signed: fc.boolean(),
      factor: fc.constantFrom(1, 0.5, 0.125, 0.4, 0.05, -2, 0.0009765625, 1e-7, 1000),
      offset: fc.constantFrom(0, -40, -273, 0.5, -1.25),
    })
    .filter(({ start, bits, bigEndian }) =>
      placesOf(start, bits, bigEndian).every((bit) => bit >= 0 && bit < bytes * 8),
    );
  return fc
    .array(one, { minLength: 1, maxLength: 8 })
    .map((found) => found.map((layout, i) => ({ ...layout, name: `S${i}` })));
}

/** Numbers of the bits of a signal, the most significant first: byte times 8 plus place in the byte. */
export function placesOf(start: number, bits: number, bigEndian: boolean): number[] {
  const places: number[] = [];
  if (!bigEndian) for (let i = bits - 1; i >= 0; i--) places.push(start + i);
  else
    for (let i = 0, at = start; i < bits; i++) {
      places.push(at);
      at = at % 8 === 0 ? at + 15 : at - 1;
    }
  return places;
}

/** The raw value, bit by bit. */
export function readBits({ start, bits, bigEndian, signed }: Layout, data: Uint8Array): bigint {
  let raw = 0n;
  for (const place of placesOf(start, bits, bigEndian)) {
    const bit = ((data[place >> 3] ?? 0) >> (place & 7)) & 1;
    raw = raw * 2n + BigInt(bit);
  }
  return signed && raw >= 1n << BigInt(bits - 1) ? raw - (1n << BigInt(bits)) : raw;
}

/** One message as a file. */
export function writeDbc(id: number, bytes: number, signals: readonly Layout[], more = ''): string {
  const lines = signals.map(
    ({ name, start, bits, bigEndian, signed, factor, offset }) =>
      ` SG_ ${name} : ${start}|${bits}@${bigEndian ? 0 : 1}${signed ? '-' : '+'} (${factor},${offset}) [0|0] "unit" Vector__XXX`,
  );
  return `VERSION ""\n\nNS_ :\n\tCM_\n\nBS_:\n\nBU_: ECU\n\nBO_ ${id} M: ${bytes} ECU\n${lines.join('\n')}\n\n${more}\n`;
}
