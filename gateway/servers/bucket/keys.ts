/** Checks object keys: whether a key belongs to a device, and whether the bucket must refuse it. */

import { LIMITS } from '#contract/base/limits.ts';
import type { BucketDevice } from '#contract/fleet/bucket.ts';
import { BucketError } from './errors.ts';

/** Returns the key without the prefix of the device; undefined if the key has no prefix of this device. */
export function innerKey(device: BucketDevice, name: string): string | undefined {
  const prefix = device.prefixes.find((one) => name.startsWith(`${one}/`));
  const inner = prefix === undefined ? '' : name.slice(prefix.length + 1);
  return inner === '' ? undefined : inner;
}

/**
 * Decodes a key. Each character of the argument is one byte of the key. Throws a `BucketError` for a key that is too long, is not UTF-8, or
 * has control characters or the path step `.` or `..`.
 */
export function readKey(bytes: string): string {
  if (bytes.length > LIMITS.bucket_key.value) throw new BucketError('KeyTooLongError');
  let key: string;
  try {
    key = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw new BucketError('InvalidURI', 'The object key is not UTF-8.');
  }
  // The gateway never uses a key as a path. But a client that downloads objects may do this, and `..` could then write outside its folder.
  if (key.split(/[/\\]/).some((step) => step === '.' || step === '..'))
    throw new BucketError('InvalidArgument', 'An object key must not have `.` or `..` between its slashes.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bucket refuses exactly these characters
  if (/[\u0000-\u001f\u007f]/.test(key))
    throw new BucketError('InvalidArgument', 'An object key must not have control characters.');
  return key;
}
