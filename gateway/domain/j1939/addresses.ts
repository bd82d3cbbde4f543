/**
 * Tracks which control unit has which address on the buses of one device (SAE J1939-81).
 *
 * A unit number identifies a control unit on a bus. It stays the same when the control unit changes its address, and the gateway stores the
 * values of the control unit under this number. For a control unit that sent no address claim, the unit number is its address. If a control
 * unit first sends from an address without a NAME, and a NAME later claims this address, both are one unit: the NAME gets the same unit
 * number. If another NAME claims the address after that, this NAME gets a new unit number. The earlier NAME keeps its unit number when it
 * claims its next address.
 */
import { NONE } from '#domain/base/none.ts';
import { NULL_ADDRESS } from './name.ts';

/** An address claim; `name` is 16 hex digits. */
export interface ClaimMessage {
  readonly t_us: number;
  readonly bus: number;
  readonly sa: number;
  readonly frame: number;
  readonly name: string;
}

/** A control unit that sent its NAME. */
export interface NamedUnit {
  readonly bus: number;
  readonly name: string;
  unit: number;
  /** The address of the unit; NONE while the unit has no address. */
  sa: number;
  claimed_us: number;
  /** True if the unit reported that it found no free address. */
  cannot_claim: boolean;
  /** The former addresses of the unit, the latest last. */
  readonly before: number[];
  /** How many times the unit changed its address. */
  moves: number;
}

/**
 * Largest number of NAMEs of one device. When the table is full, a NAME without an address is removed; if every NAME has an address, the
 * NAME with the oldest claim is removed.
 */
export const MAX_NAMES = 256;

/** Largest number of former addresses that are stored for one unit. */
const MAX_BEFORE = 8;

const FIRST_FREE = 256;
const LAST_FREE = 0xffff;

/** An address book as plain JSON. */
export interface AddressSnapshot {
  readonly names: readonly NamedUnit[];
  /** One entry for each address whose unit number is not equal to the address: bus, address and unit number. */
  readonly units: readonly (readonly [bus: number, sa: number, unit: number])[];
  readonly next: number;
}

/** The control units on the buses of one device, with their NAMEs and addresses. */
export class AddressBook {
  private readonly named = new Map<string, NamedUnit>();
  /** Unit numbers by bus and address. A bus has no table while each of its unit numbers is equal to the address. */
  private readonly units: (Uint16Array | undefined)[] = [];
  private next = FIRST_FREE;

  /** Returns the unit that sends from an address. */
  unitOf(bus: number, sa: number): number {
    const table = this.units[bus];
    return table === undefined ? sa : (table[sa] as number);
  }

  /** Returns true when the unit has, or had, this address. */
  hasBeen(unit: number, bus: number, sa: number): boolean {
    if (this.unitOf(bus, sa) === unit) return true;
    for (const one of this.named.values()) {
      if (one.unit === unit && one.bus === bus) return one.before.includes(sa);
    }
    return false;
  }

  /** Returns all units that sent their NAME. */
  names(): readonly NamedUnit[] {
    return [...this.named.values()];
  }

  /** Applies an address claim; returns true when a control unit changed its address. */
  claim({ t_us, bus, sa, name }: ClaimMessage): boolean {
    if (sa > NULL_ADDRESS) return false;
    const key = `${bus}:${name}`;
    let one = this.named.get(key);
    if (one !== undefined && one.sa === sa) {
      one.claimed_us = Math.max(one.claimed_us, t_us);
      return false;
    }
    if (one === undefined) {
      if (this.named.size >= MAX_NAMES) this.forgetOne();
      one = { bus, name, unit: NONE, sa: NONE, claimed_us: t_us, cannot_claim: false, before: [], moves: 0 };
      this.named.set(key, one);
    }
    one.claimed_us = Math.max(one.claimed_us, t_us);
    const left = one.sa;
    this.leave(one);
    if (sa === NULL_ADDRESS) {
      one.cannot_claim = true;
      return left !== NONE;
    }
    for (const other of this.named.values())
      if (other !== one && other.bus === bus && other.sa === sa) this.leave(other);
    one.cannot_claim = false;
    if (one.unit === NONE) one.unit = this.unitOf(bus, sa);
    else one.moves++;
    one.sa = sa;
    this.set(bus, sa, one.unit);
    return true;
  }

  toJSON(): AddressSnapshot {
    const units: [number, number, number][] = [];
    this.units.forEach((table, bus) => {
      table?.forEach((unit, sa) => {
        if (unit !== sa) units.push([bus, sa, unit]);
      });
    });
    return { names: this.names(), units, next: this.next };
  }

  static from({ names, units, next }: AddressSnapshot): AddressBook {
    const book = new AddressBook();
    for (const one of names) book.named.set(`${one.bus}:${one.name}`, { ...one, before: [...one.before] });
    for (const [bus, sa, unit] of units) book.set(bus, sa, unit);
    book.next = next;
    return book;
  }

  /** Takes the address from a unit, because the unit has left it. Frames that come from this address later belong to a new unit. */
  private leave(one: NamedUnit): void {
    if (one.sa === NONE) return;
    this.set(one.bus, one.sa, this.freeUnit(one.bus));
    one.before.push(one.sa);
    if (one.before.length > MAX_BEFORE) one.before.shift();
    one.sa = NONE;
  }

  private set(bus: number, sa: number, unit: number): void {
    const table = this.units[bus] ?? Uint16Array.from({ length: 256 }, (_, i) => i);
    table[sa] = unit;
    this.units[bus] = table;
  }

  /** Returns a number that no unit of the bus has. */
  private freeUnit(bus: number): number {
    let unit = this.next;
    // First use the numbers that were never assigned. After these, use the numbers of units that left the bus.
    if (unit > LAST_FREE) {
      const taken = new Set(this.units[bus]);
      for (const one of this.named.values()) if (one.bus === bus) taken.add(one.unit);
      unit = FIRST_FREE;
      while (taken.has(unit)) unit++;
    } else this.next++;
    return unit;
  }

  private forgetOne(): void {
    let oldest: readonly [string, NamedUnit] | undefined;
    for (const entry of this.named) {
      const [, one] = entry;
      const least = oldest?.[1];
      const worse =
        least === undefined ||
        ((one.sa === NONE) === (least.sa === NONE) ? one.claimed_us < least.claimed_us : one.sa === NONE);
      if (worse) oldest = entry;
    }
    if (oldest !== undefined) this.named.delete(oldest[0]);
  }
}
