/** The id of a device's configuration document. */

/** Id of a device's configuration in `records` and `live`. Its secrets are sealed for this id. */
export function configId(device: string): string {
  return `cfg_${device}`;
}
