/** Writes and reads GNSS frames for tests, by another way than the gateway: whole frames as big integers. */

/** A field: first bit, number of bits. */
type Field = readonly [start: number, bits: number];

/** The fields of each frame, by its distance from the first identifier. */
export const FIELDS = {
  fix: [0, [0, 3]],
  satellites: [0, [3, 5]],
  timeValid: [1, [0, 1]],
  timeConfirmed: [1, [1, 1]],
  epoch: [1, [8, 40]],
  positionValid: [2, [0, 1]],
  latitude: [2, [1, 28]],
  longitude: [2, [29, 29]],
  accuracy: [2, [58, 6]],
  altitudeValid: [3, [0, 1]],
  altitude: [3, [1, 18]],
  attitudeValid: [4, [0, 1]],
  heading: [4, [43, 12]],
  speedValid: [6, [0, 1]],
  speed: [6, [1, 20]],
} as const satisfies Record<string, readonly [frame: number, Field]>;

const LENGTHS = [1, 6, 8, 4, 8, 3, 5];

/** The payload of a frame with these fields; the others are 0. */
export function gnssFrame(frame: number, fields: Partial<Record<keyof typeof FIELDS, number>>): Uint8Array {
  let whole = 0n;
  for (const [name, value] of Object.entries(fields)) {
    const [of, [start]] = FIELDS[name as keyof typeof FIELDS];
    if (of !== frame) throw new Error(`${name} is not in frame ${frame}`);
    whole |= BigInt(value) << BigInt(start);
  }
  return Uint8Array.from({ length: LENGTHS[frame] ?? 8 }, (_, i) => Number((whole >> BigInt(8 * i)) & 0xffn));
}

/** The raw number of a field. */
export function gnssField(payload: Uint8Array, name: keyof typeof FIELDS): number {
  const [, [start, bits]] = FIELDS[name];
  const whole = payload.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return Number((whole >> BigInt(start)) & ((1n << BigInt(bits)) - 1n));
}

/** A position frame with these degrees. */
export function positionFrame(latitude: number, longitude: number, accuracy = 5): Uint8Array {
  return gnssFrame(2, {
    positionValid: 1,
    latitude: Math.round((latitude + 90) * 1e6),
    longitude: Math.round((longitude + 180) * 1e6),
    accuracy,
  });
}
