/** Writes values in DER (ITU-T X.690), the encoding of certificates. Pure. */

/** Returns the length octets of a value (X.690 8.1.3). */
function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  if (bytes < 0x100) return Buffer.from([0x81, bytes]);
  if (bytes < 0x10000) return Buffer.from([0x82, bytes >> 8, bytes & 0xff]);
  throw new RangeError(`A value of a certificate has ${bytes} bytes; at most 65,535 are supported.`);
}

function value(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

/** Encodes an object identifier (X.690 8.19), written as `2.5.29.30`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return value(0x06, Buffer.from(bytes));
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => value(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => value(0x31, ...items);
export const octetString = (bytes: Uint8Array): Buffer => value(0x04, bytes);
export const utf8String = (text: string): Buffer => value(0x0c, Buffer.from(text));
export const TRUE: Uint8Array = value(0x01, Buffer.from([0xff]));

/** Encodes a bit string. `unused` is the number of bits at the end of the last byte that do not belong to the value. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => value(0x03, Buffer.from([unused]), bytes);

/** Encodes an integer that is not negative, from its bytes with the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const short = from < 0 ? Buffer.of(0) : bytes.subarray(from);
  return (short[0] as number) >= 0x80 ? value(0x02, Buffer.of(0), short) : value(0x02, short);
}

/** Encodes a time: UTCTime up to the year 2049, and GeneralizedTime from 2050 (RFC 5280 4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050 ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits));
}

/** Encodes a value with a context tag: `inside` has complete values (constructed), `plain` has the bytes of one value (primitive). */
export const inside = (tag: number, ...items: readonly Uint8Array[]): Buffer => value(0xa0 | tag, ...items);
export const plain = (tag: number, bytes: Uint8Array): Buffer => value(0x80 | tag, bytes);
