/** The id of a logger's configuration, which every file that reads one needs. */

/** Id of the configuration of a device, and of what is told of it; its secrets are sealed for it. */
export function configId(device: string): string {
  return `cfg_${device}`;
}
