/**
 * The NAME of a control unit: a worldwide unique identity of 64 bits, sent with every address claim (SAE J1939-81 4.1.1).
 *
 *   bit 0 identity 21 | 21 manufacturer 11 | 32 ECU instance 3 | 35 function instance 5 | 40 function 8 | 48 reserved
 *   49 vehicle system 7 | 56 vehicle system instance 4 | 60 industry group 3 | 63 arbitrary address 1
 */

export interface Name {
  readonly identity_number: number;
  readonly manufacturer_code: number;
  readonly ecu_instance: number;
  readonly function_instance: number;
  readonly function: number;
  readonly vehicle_system: number;
  readonly vehicle_system_instance: number;
  readonly industry_group: number;
  /** True if the unit may claim another address when its preferred address is in use. */
  readonly arbitrary_address: boolean;
}

/** The source address of a control unit that found no free address (SAE J1939-81 4.2.2). */
export const NULL_ADDRESS = 254;

/** The length of a NAME in bytes. */
const SIZE = 8;

/** Returns the NAME in the eight bytes of a claim as 16 hex digits, most significant first; undefined if there are fewer bytes. */
export function nameKey(data: Uint8Array, at: number, length: number): string | undefined {
  if (length < SIZE) return undefined;
  let key = '';
  for (let i = SIZE - 1; i >= 0; i--) key += (data[at + i] as number).toString(16).padStart(2, '0');
  return key.toUpperCase();
}

/** Parses a NAME of 16 hex digits; returns undefined for other text. */
export function parseName(key: string): Name | undefined {
  if (!/^[0-9A-F]{16}$/.test(key)) return undefined;
  const high = Number.parseInt(key.slice(0, 8), 16);
  const low = Number.parseInt(key.slice(8), 16);
  return {
    identity_number: low & 0x1fffff,
    manufacturer_code: low >>> 21,
    ecu_instance: high & 7,
    function_instance: (high >>> 3) & 31,
    function: (high >>> 8) & 255,
    vehicle_system: (high >>> 17) & 127,
    vehicle_system_instance: (high >>> 24) & 15,
    industry_group: (high >>> 28) & 7,
    arbitrary_address: high >>> 31 === 1,
  };
}

/** Encodes a NAME as the eight bytes of an address claim; numbers that are too large for their field are truncated. */
export function encodeName(name: Name): Uint8Array {
  const low = ((name.identity_number & 0x1fffff) | ((name.manufacturer_code & 0x7ff) << 21)) >>> 0;
  const high =
    (name.ecu_instance & 7) |
    ((name.function_instance & 31) << 3) |
    ((name.function & 255) << 8) |
    ((name.vehicle_system & 127) << 17) |
    ((name.vehicle_system_instance & 15) << 24) |
    ((name.industry_group & 7) << 28) |
    ((name.arbitrary_address ? 1 : 0) << 31);
  const data = new Uint8Array(SIZE);
  const view = new DataView(data.buffer);
  view.setUint32(0, low, true);
  view.setUint32(4, high >>> 0, true);
  return data;
}
