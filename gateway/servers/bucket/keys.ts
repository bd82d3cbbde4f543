/** Names of objects: which are a device's own, and which nobody may have. */

import { LIMITS } from '#contract/base/limits.ts';
import type { BucketDevice } from '#contract/fleet/bucket.ts';
import { BucketError } from './errors.ts';

/** The name without the prefix of the device; undefined for names that are not its own. */
export function innerKey(device: BucketDevice, name: string): string | undefined {
  const prefix = device.prefixes.find((one) => name.startsWith(`${one}/`));
  const inner = prefix === undefined ? '' : name.slice(prefix.length + 1);
  return inner === '' ? undefined : inner;
}

/** The name that these bytes are; throws what no object may be called. */
export function readKey(bytes: string): string {
  if (bytes.length > LIMITS.bucket_key.value) throw new BucketError('KeyTooLongError');
  let key: string;
  try {
    key = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw new BucketError('InvalidURI', 'The name of the object is not UTF-8.');
  }
  // Names are no paths here, but they become paths where somebody downloads them.
  if (key.split(/[/\\]/).some((step) => step === '.' || step === '..'))
    throw new BucketError('InvalidArgument', 'A name has no `.` or `..` between its slashes.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (/[\u0000-\u001f\u007f]/.test(key)) throw new BucketError('InvalidArgument', 'A name has no control characters.');
  return key;
}
