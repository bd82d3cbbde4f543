/** Limits on open sockets: in all, before authentication, and for one address. */

export interface AdmissionLimits {
  /** Most open sockets whose client has not authenticated yet. */
  readonly unauthenticated: number;
  readonly sockets: number;
}

export const ADMISSION_LIMITS: AdmissionLimits = { unauthenticated: 4_000, sockets: 10_000 };

/**
 * The share of each limit that one address may use. It is large because a router with NAT may give all devices of a site the same
 * address.
 */
const ADDRESS_SHARE = 0.75;

interface Count {
  unauthenticated: number;
  sockets: number;
}

/** Returns the address under which a socket is counted. For IPv6 it is the /64 network, because one host can use 2^64 addresses. */
function countedAddress(address: string): string {
  return address.includes(':') && !address.startsWith('::ffff:') ? address.split(':', 4).join(':') : address;
}

/** Counts open sockets. `limits.sockets` bounds only a single address here; the server bounds all sockets with `maxConnections`. */
export function createAdmission(limits: AdmissionLimits) {
  const counts = new Map<string, Count>();
  let unauthenticated = 0;
  return {
    /** Counts a new socket; returns the reason when it is refused. */
    admit(address: string): string | undefined {
      const key = countedAddress(address);
      const count = counts.get(key) ?? { unauthenticated: 0, sockets: 0 };
      if (unauthenticated >= limits.unauthenticated) return 'too many connections';
      if (
        count.unauthenticated >= limits.unauthenticated * ADDRESS_SHARE ||
        count.sockets >= limits.sockets * ADDRESS_SHARE
      )
        return 'too many connections of this address';
      unauthenticated++;
      count.unauthenticated++;
      count.sockets++;
      counts.set(key, count);
      return undefined;
    },
    /** The key of an admitted socket was correct. */
    authenticated(address: string): void {
      const count = counts.get(countedAddress(address));
      if (count === undefined) return;
      unauthenticated--;
      count.unauthenticated--;
    },
    /** An admitted socket has closed. */
    release(address: string, wasAuthenticated: boolean): void {
      const key = countedAddress(address);
      const count = counts.get(key);
      if (count === undefined) return;
      if (!wasAuthenticated) {
        unauthenticated--;
        count.unauthenticated--;
      }
      if (--count.sockets === 0) counts.delete(key);
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
