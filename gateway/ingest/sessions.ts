/**
 * The open connections of devices. The journal does not record them, so a restart of the fold (the code that applies messages) applies them
 * again.
 */
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';

interface Session {
  readonly identity: DeviceIdentity;
  count: number;
  readonly address: string;
  readonly since_ms: number;
}

/** The open connections of all devices. */
export interface Sessions {
  opened(identity: DeviceIdentity, address: string, now_ms: number): void;
  closed(identity: DeviceIdentity): void;
  /** Calls `visit` once for each open connection. A device may have several connections. */
  each(visit: (identity: DeviceIdentity, address: string, since_ms: number) => void): void;
}

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
    each(visit) {
      for (const { identity, count, address, since_ms } of sessions.values())
        for (let i = 0; i < count; i++) visit(identity, address, since_ms);
    },
  };
}
