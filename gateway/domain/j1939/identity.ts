/** Parses the identification messages of a machine: VIN (VI), component (CI) and software (SOFT). */

export interface IdentityMessage {
  readonly t_us: number;
  readonly bus: number;
  readonly sa: number;
  readonly kind: 'vin' | 'component' | 'software';
  /**
   * The text depends on the kind of the message. It is the VIN, or make, model, serial number and unit number, or the names of the
   * software. A `*` separates two fields.
   */
  readonly text: string;
}

const STAR = 0x2a;

/** The length of a VIN (ISO 3779) and of a PIN (ISO 10261) in characters. */
const VIN_LENGTH = 17;

const alphanumeric = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/** Returns the printable ASCII characters of the bytes in [from, to), trimmed; other bytes are dropped. */
function textOf(data: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let i = from; i < to; i++) {
    const byte = data[i] as number;
    if (byte >= 0x20 && byte <= 0x7e) text += String.fromCharCode(byte);
  }
  return text.trim();
}

/**
 * Returns the VIN of a VI payload, which ends at `*`. Some machines omit the `*` and append binary data; the VIN is then at most the
 * first 17 characters.
 */
export function parseVin(data: Uint8Array, length: number): string | undefined {
  let end = 0;
  while (end < length && alphanumeric(data[end] as number)) end++;
  if (data[end] !== STAR || end === length) end = Math.min(end, VIN_LENGTH);
  return end === 0 ? undefined : textOf(data, 0, end);
}

/** Returns the fields of a payload joined by `*`, or undefined if all are empty. In the payload a `*` ends each field. */
export function parseFields(data: Uint8Array, from: number, length: number): string | undefined {
  const fields: string[] = [];
  let start = from;
  for (let i = from; i < length; i++) {
    if (data[i] !== STAR) continue;
    fields.push(textOf(data, start, i));
    start = i + 1;
  }
  if (start < length) fields.push(textOf(data, start, length));
  while (fields.at(-1) === '') fields.pop();
  return fields.length === 0 ? undefined : fields.join('*');
}
