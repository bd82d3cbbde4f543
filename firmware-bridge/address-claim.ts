/**
 * Claims, defends and gives up a source address on a J1939 bus (SAE J1939-81). Every sender of frames on such a bus must have an address.
 * This file reads no clock and does no I/O: the caller passes the time, and `send` sends the frames.
 *
 *   start ─▶ asking (all devices report their address) ─▶ claiming (250 ms for objections) ─▶ claimed
 *                              ▲ when a device with a lower NAME claims the same address: the next address, or none
 *
 * The device with the lower NAME has priority. The NAME of the bridge has its highest bit set ("arbitrary address capable"), so every
 * device with a fixed address has priority over the bridge.
 */

const REQUEST = 0xea00;
const ADDRESS_CLAIMED = 0xee00;
const PRIORITY_6 = 0x18000000;
/** A device that has no address sends its messages with this source address (J1939-81). */
const NULL_ADDRESS = 254;
const GLOBAL = 255;
/** First and last address that a device without a fixed address may claim (J1939-81). */
const FIRST = 128;
const LAST = 247;
/**
 * How long the bridge waits, in milliseconds. `OBJECTION_MS`: for objections of other devices to its claim. `ASKING_MS`: for the answers to
 * its request for the addresses of all devices. This wait is longer, because all devices answer at once and a busy bus delays their
 * answers.
 */
const OBJECTION_MS = 250;
const ASKING_MS = 1_250;

export interface AddressClaim {
  start(now: number): void;
  stop(): void;
  /** Processes a frame that was received from the bus; `now` is the time in milliseconds. */
  receive(id: number, data: Uint8Array, now: number): void;
  tick(now: number): void;
  /** The address of the bridge after a successful claim; null before the claim, and after the bridge has given up the address. */
  readonly address: number | null;
  readonly state: 'idle' | 'asking' | 'claiming' | 'claimed' | 'none_left';
}

/**
 * Returns the NAME of the bridge in 8 bytes (J1939-81): arbitrary address capable, industry group 0 (global), and `identity` in the lower
 * 21 bits.
 */
export function nameOf(identity: number): Uint8Array {
  const arbitrary = 1n << 63n;
  // Function 129 means "off-board service tool". There is no manufacturer code for this program, so all its bits are set. With this value,
  // all other devices have priority over the bridge.
  const name = arbitrary | (129n << 40n) | (0x7ffn << 21n) | BigInt(identity & 0x1fffff);
  const bytes = new Uint8Array(8);
  for (let i = 0; i < 8; i++) bytes[i] = Number((name >> BigInt(8 * i)) & 255n);
  return bytes;
}

/** Creates the state machine, which starts without an address. `send` sends a frame and returns false when it cannot send. */
export function createAddressClaim(name: Uint8Array, send: (id: number, data: Uint8Array) => boolean): AddressClaim {
  let state: AddressClaim['state'] = 'idle';
  let address = NULL_ADDRESS;
  let until = 0;
  /** Addresses that other devices use. */
  const taken = new Set<number>();

  const claim = (source: number) => send(PRIORITY_6 | (ADDRESS_CLAIMED << 8) | (GLOBAL << 8) | source, name);

  function claimNext(now: number): void {
    for (address = LAST; address >= FIRST && taken.has(address); ) address--;
    if (address < FIRST) {
      address = NULL_ADDRESS;
      state = 'none_left';
      claim(NULL_ADDRESS); // A claim of the null address is the message "cannot claim".
      return;
    }
    state = 'claiming';
    until = now + OBJECTION_MS;
    claim(address);
  }

  return {
    get state() {
      return state;
    },
    get address() {
      return state === 'claimed' ? address : null;
    },
    start(now) {
      state = 'asking';
      until = now + ASKING_MS;
      taken.clear();
      send(PRIORITY_6 | (REQUEST << 8) | (GLOBAL << 8) | NULL_ADDRESS, Uint8Array.of(0x00, 0xee, 0x00));
    },
    stop() {
      state = 'idle';
      address = NULL_ADDRESS;
    },
    receive(id, data, now) {
      if (state === 'idle') return;
      const source = id & 255;
      const format = (id >>> 16) & 255;
      const to = (id >>> 8) & 255;
      if (format === 0xea && data[0] === 0 && data[1] === 0xee && (to === GLOBAL || to === address)) {
        // J1939-81: a device must answer a request for addresses even when it could not claim one.
        if (state !== 'asking') claim(address);
        return;
      }
      if (source >= NULL_ADDRESS) return;
      const claims = format === 0xee && data.length === 8;
      const order = claims ? compare(data, name) : -1;
      // A claim with the same NAME is the bridge's own claim, because SocketCAN also delivers the frames of this host to candump.
      if (claims && order === 0) return;
      if (source !== address || (state !== 'claimed' && state !== 'claiming')) {
        taken.add(source);
        return;
      }
      if (!claims && format === 0xea) return;
      if (order > 0) claim(address);
      else {
        taken.add(source);
        claimNext(now);
      }
    },
    tick(now) {
      if (state === 'asking' && now >= until) claimNext(now);
      else if (state === 'claiming' && now >= until) state = 'claimed';
    },
  };
}

/** Compares two NAMEs as numbers, least significant byte first. A result below 0 means that `a` has priority. */
function compare(a: Uint8Array, b: Uint8Array): number {
  for (let i = 7; i >= 0; i--) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
