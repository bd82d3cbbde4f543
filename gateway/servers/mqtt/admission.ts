/** Who may open a socket: bounds on unauthenticated, and on what one address may take of all places. */

export interface AdmissionLimits {
  /** Sockets whose key is not known yet. */
  readonly unauthenticated: number;
  readonly sockets: number;
}

export const ADMISSION_LIMITS: AdmissionLimits = { unauthenticated: 4_000, sockets: 10_000 };

/** No address takes more than this share of either: a site behind one address still fits. */
const SHARE = 0.75;

interface Count {
  unauthenticated: number;
  sockets: number;
}

/** An IPv6 host has 2^64 addresses: its network counts. */
function placeOf(address: string): string {
  return address.includes(':') && !address.startsWith('::ffff:') ? address.split(':', 4).join(':') : address;
}

/** A door that counts who is in. */
export function createAdmission({ unauthenticated, sockets }: AdmissionLimits) {
  const counts = new Map<string, Count>();
  let unknown = 0;
  return {
    /** Lets a socket of this address in; the reason when it does not. */
    admit(address: string): string | undefined {
      const place = placeOf(address);
      const count = counts.get(place) ?? { unauthenticated: 0, sockets: 0 };
      if (unknown >= unauthenticated) return 'too many connections';
      if (count.unauthenticated >= unauthenticated * SHARE || count.sockets >= sockets * SHARE)
        return 'too many connections of this address';
      unknown++;
      count.unauthenticated++;
      count.sockets++;
      counts.set(place, count);
      return undefined;
    },
    /** The key of one that is in was right. */
    authenticated(address: string): void {
      const count = counts.get(placeOf(address));
      if (count === undefined) return;
      unknown--;
      count.unauthenticated--;
    },
    /** One that was in is gone; `stranger`: its key was never known. */
    release(address: string, stranger: boolean): void {
      const place = placeOf(address);
      const count = counts.get(place);
      if (count === undefined) return;
      if (stranger) {
        unknown--;
        count.unauthenticated--;
      }
      if (--count.sockets === 0) counts.delete(place);
    },
  };
}
