/** The fixed header of an MQTT packet: one byte of type and flags, then one to four bytes of remaining length. MQTT 3.1.1 2.2 */

/** Result of `bodyStart` if the fixed header has not arrived completely. */
export const INCOMPLETE = -1;
/** Result of `bodyStart` if the field "remaining length" has more than four bytes. MQTT 3.1.1 2.2.3 */
export const MALFORMED = -2;

const MAX_LENGTH_BYTES = 4;

/** Returns the offset at which the body of the packet at offset `at` begins, or `INCOMPLETE`, or `MALFORMED`. */
export function bodyStart(bytes: Buffer, at: number): number {
  const most = Math.min(bytes.length, at + 1 + MAX_LENGTH_BYTES);
  for (let i = at + 1; i < most; i++) if ((bytes[i] as number) < 0x80) return i + 1;
  return most === at + 1 + MAX_LENGTH_BYTES ? MALFORMED : INCOMPLETE;
}

/** Returns the offset at which the packet at offset `at` ends. `body`: result of `bodyStart`. The end may lie beyond the received bytes. */
export function packetEnd(bytes: Buffer, at: number, body: number): number {
  let length = 0;
  for (let i = at + 1, factor = 1; i < body; i++, factor *= 128) length += ((bytes[i] as number) & 0x7f) * factor;
  return body + length;
}
