/** Who may open a socket: bounds on strangers, and on what one address may take of all places. */

export interface DoorLimits {
  /** Sockets whose key is not known yet. */
  readonly strangers: number;
  readonly sockets: number;
}

export const DOOR_LIMITS: DoorLimits = { strangers: 4_000, sockets: 10_000 };

/** No address takes more than this share of either: a site behind one address still fits. */
const SHARE = 0.75;

interface Count {
  strangers: number;
  sockets: number;
}

/** An IPv6 host has 2^64 addresses: its network counts. */
function placeOf(address: string): string {
  return address.includes(':') && !address.startsWith('::ffff:') ? address.split(':', 4).join(':') : address;
}

/** A door that counts who is in. */
export function createDoor({ strangers, sockets }: DoorLimits) {
  const counts = new Map<string, Count>();
  let unknown = 0;
  return {
    /** Lets a socket of this address in; the reason when it does not. */
    enter(address: string): string | undefined {
      const place = placeOf(address);
      const count = counts.get(place) ?? { strangers: 0, sockets: 0 };
      if (unknown >= strangers) return 'too many connections';
      if (count.strangers >= strangers * SHARE || count.sockets >= sockets * SHARE)
        return 'too many connections of this address';
      unknown++;
      count.strangers++;
      count.sockets++;
      counts.set(place, count);
      return undefined;
    },
    /** The key of one that is in was right. */
    known(address: string): void {
      const count = counts.get(placeOf(address));
      if (count === undefined) return;
      unknown--;
      count.strangers--;
    },
    /** One that was in is gone; `stranger`: its key was never known. */
    leave(address: string, stranger: boolean): void {
      const place = placeOf(address);
      const count = counts.get(place);
      if (count === undefined) return;
      if (stranger) {
        unknown--;
        count.strangers--;
      }
      if (--count.sockets === 0) counts.delete(place);
    },
  };
}
