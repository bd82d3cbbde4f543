/** The last refused MQTT login of each device, in memory. It is a security counter: it never moves the status of a device. */

/** Devices remembered; at the bound the one whose last refusal is oldest is forgotten. */
const MAX_DEVICES = 1_000;

/** The last login that named a device and was refused. */
export interface RefusedLogin {
  /** Milliseconds since 1970. */
  readonly at_ms: number;
  readonly address: string;
  readonly reason: string;
  /** Refused logins of this device since the process began. */
  readonly count: number;
}

/** Refused logins by the record id of the device. */
export interface RefusedLogins {
  note(device: string, address: string, reason: string, at_ms: number): void;
  last(device: string): RefusedLogin | undefined;
}

/** Remembers no login yet. */
export function createRefusedLogins(): RefusedLogins {
  /** In the order of the last refusal, the oldest first. */
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
