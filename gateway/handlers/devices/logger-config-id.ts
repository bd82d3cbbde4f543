/** The id of a device's configuration document. */

/**
 * Id of a device's configuration in `records` and `live`. The secrets of the configuration are encrypted together with this id, so that
 * they can be decrypted only under this id.
 */
export function configId(device: string): string {
  return `cfg_${device}`;
}
