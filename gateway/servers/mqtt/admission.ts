/**
 * Limits the open sockets of the broker. There is a limit for all sockets, for the sockets of unauthenticated clients, and for the sockets
 * of one IP address.
 */

export interface AdmissionLimits {
  /** The largest number of open sockets with a client that has not authenticated yet. */
  readonly unauthenticated: number;
  /** The largest number of open sockets, authenticated or not. */
  readonly sockets: number;
}

export const ADMISSION_LIMITS: AdmissionLimits = { unauthenticated: 4_000, sockets: 10_000 };

/**
 * The share of each limit that one IP address may use. The share is large because all devices of a site may have the same address, for
 * example behind a router with NAT.
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

/**
 * Counts open sockets and refuses sockets above the limits. This module uses `limits.sockets` only to compute the limit of one address; the
 * TCP server limits the number of all sockets with `maxConnections`.
 */
export function createAdmission(limits: AdmissionLimits) {
  const counts = new Map<string, Count>();
  let unauthenticated = 0;
  return {
    /** Counts a new socket. If a limit is reached, returns the reason for the refusal and does not count the socket. */
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
    /** Call it when the client of an admitted socket has sent a correct key. */
    authenticated(address: string): void {
      const count = counts.get(countedAddress(address));
      if (count === undefined) return;
      unauthenticated--;
      count.unauthenticated--;
    },
    /** Call it when an admitted socket has closed. */
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
