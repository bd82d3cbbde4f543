/** Connections of devices that are open now: the journal does not know them, so a state made anew is told of them again. */
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';

interface Session {
  readonly identity: DeviceIdentity;
  count: number;
  readonly address: string;
  readonly since_ms: number;
}

/** Those of all devices. */
export interface Sessions {
  opened(identity: DeviceIdentity, address: string, now_ms: number): void;
  closed(identity: DeviceIdentity): void;
  /** Tells every open one, a device's second ones too. */
  each(tell: (identity: DeviceIdentity, address: string, since_ms: number) => void): void;
}

/** No connections yet. */
export function createSessions(): Sessions {
  const sessions = new Map<string, Session>();
  return {
    opened(identity, address, since_ms) {
      const count = (sessions.get(identity.device)?.count ?? 0) + 1;
      sessions.set(identity.device, { identity, count, address, since_ms });
    },
    closed({ device }) {
      const known = sessions.get(device);
      if (known !== undefined && --known.count <= 0) sessions.delete(device);
    },
    each(tell) {
      for (const { identity, count, address, since_ms } of sessions.values())
        for (let i = 0; i < count; i++) tell(identity, address, since_ms);
    },
  };
}
