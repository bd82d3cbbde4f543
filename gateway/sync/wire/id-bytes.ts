/**
 * The bytes of an id (`#contract/base/ids.ts`) without its prefix: a UUIDv7, or 16 bytes of a hash. The version and the variant of the UUID
 * are not in the random part; nor are its first two bytes if they are 0.
 */
import { bytesOfText, textOfBytes } from '#contract/base/ids.ts';
import { damaged } from './wire-error.ts';

const LARGEST_MS = 2 ** 48 - 1;
const VERSION = 0x70;
const VARIANT = 0x80;

/** The time of an id, undefined if it was made from a hash, and its other bytes: 8 or 10, or 16 of a hash. */
export function bytesOfId(text: string): { readonly ms: number | undefined; readonly random: Uint8Array } {
  const bytes = bytesOfText(text);
  const [high = 0, low = 0, variant = 0] = bytes.subarray(6);
  if ((high & 0xf0) !== VERSION || (variant & 0xc0) !== VARIANT) return { ms: undefined, random: bytes };
  let ms = 0;
  for (const byte of bytes.subarray(0, 6)) ms = ms * 256 + byte;
  return { ms, random: bytes.subarray(high === VERSION && low === 0 ? 8 : 6) };
}

export function textOfId(ms: number | undefined, random: Uint8Array): string {
  if (ms === undefined) return textOfBytes(random);
  if (ms < 0 || ms > LARGEST_MS) throw damaged('the time of an id is out of range');
  const bytes = new Uint8Array(16);
  for (let i = 5, rest = ms; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  bytes[6] = VERSION;
  bytes.set(random, 16 - random.length);
  return textOfBytes(bytes);
}
