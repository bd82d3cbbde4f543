/** Keeps the last refused MQTT login of each device in memory. A refused login never changes the status of a device. */

/** The limit of devices in memory. At the limit, the device that has had no refusal for the longest time is removed. */
const MAX_DEVICES = 1_000;

/** The last refused login that named a device. */
export interface RefusedLogin {
  /** The time in milliseconds since 1970. */
  readonly at_ms: number;
  readonly address: string;
  readonly reason: string;
  /** The number of refused logins of this device since the process began. */
  readonly count: number;
}

/** Refused logins by the record id of the device. */
export interface RefusedLogins {
  note(device: string, address: string, reason: string, at_ms: number): void;
  last(device: string): RefusedLogin | undefined;
}

export function createRefusedLogins(): RefusedLogins {
  /** The logins by device. The first entry is the device that has had no refusal for the longest time. */
  const logins = new Map<string, RefusedLogin>();
  return {
    note(device, address, reason, at_ms) {
      const count = (logins.get(device)?.count ?? 0) + 1;
      logins.delete(device);
      if (logins.size >= MAX_DEVICES) logins.delete(logins.keys().next().value as string);
      logins.set(device, { at_ms, address, reason, count });
    },
    last: (device) => logins.get(device),
  };
}
