/**
 * Stores the data that control units send about themselves (VIN, component, software, DM1, DM2), and lists all units on the buses of a
 * device.
 */
import type { AddressBook, NamedUnit } from './addresses.ts';
import type { FaultCode, FaultMessage, Lamps } from './faults.ts';
import type { IdentityMessage } from './identity.ts';

/**
 * The gateway stores the identification and trouble codes of at most this many control units of a device. It still counts the frames of
 * further units.
 */
export const MAX_UNITS = 128;
/** Largest number of trouble codes of one message that are stored. */
const MAX_CODES = 20;
const MAX_TEXT = 200;

/** A text that a unit sent, and its time. */
export interface ReportedText {
  readonly text: string;
  readonly t_us: number;
}

/** The last DM1 or DM2 of a unit. */
export interface ReportedFaults {
  readonly t_us: number;
  readonly lamps: Lamps;
  /** The first 20 trouble codes of the message. */
  readonly codes: readonly FaultCode[];
  readonly count: number;
}

/** The data that a control unit sent about itself. */
export interface UnitInfo {
  readonly bus: number;
  readonly unit: number;
  /** The last known address of the unit. */
  sa: number;
  t_us: number;
  vin?: ReportedText;
  component?: ReportedText;
  software?: ReportedText;
  active?: ReportedFaults;
  previous?: ReportedFaults;
}

const keyOf = (bus: number, unit: number) => bus * 65_536 + unit;

/** The units of one device. When the list is full, the unit with the oldest data is removed. */
export class InventoryUnits {
  private readonly units = new Map<number, UnitInfo>();

  identity({ t_us, bus, sa, kind, text }: IdentityMessage, unit: number): void {
    const known = this.at(bus, unit, sa, t_us);
    if (t_us >= (known[kind]?.t_us ?? 0)) known[kind] = { text: text.slice(0, MAX_TEXT), t_us };
  }

  faults(kind: 'active' | 'previous', { t_us, bus, sa, lamps, dtcs }: FaultMessage, unit: number): void {
    const known = this.at(bus, unit, sa, t_us);
    if (t_us < (known[kind]?.t_us ?? 0)) return;
    known[kind] = { t_us, lamps, codes: dtcs.slice(0, MAX_CODES), count: dtcs.length };
  }

  list(): readonly UnitInfo[] {
    return [...this.units.values()];
  }

  /** Replaces each time that is later than `now_us` by `now_us`. */
  setBack(now_us: number): void {
    for (const [key, one] of this.units) this.units.set(key, setBack(one, now_us));
  }

  /** Restores saved units. */
  restore(units: readonly UnitInfo[]): void {
    for (const one of units.slice(0, MAX_UNITS)) this.units.set(keyOf(one.bus, one.unit), { ...one });
  }

  private at(bus: number, unit: number, sa: number, t_us: number): UnitInfo {
    const key = keyOf(bus, unit);
    let known = this.units.get(key);
    if (known === undefined) {
      if (this.units.size >= MAX_UNITS) this.forgetOldest();
      known = { bus, unit, sa, t_us };
      this.units.set(key, known);
    }
    if (t_us >= known.t_us) {
      known.t_us = t_us;
      known.sa = sa;
    }
    return known;
  }

  private forgetOldest(): void {
    let oldest: readonly [number, UnitInfo] | undefined;
    for (const entry of this.units) if (oldest === undefined || entry[1].t_us < oldest[1].t_us) oldest = entry;
    if (oldest !== undefined) this.units.delete(oldest[0]);
  }
}

function setBack(one: UnitInfo, now_us: number): UnitInfo {
  const back = <T extends { readonly t_us: number }>(data: T): T => ({ ...data, t_us: Math.min(data.t_us, now_us) });
  return {
    ...back(one),
    ...(one.vin && { vin: back(one.vin) }),
    ...(one.component && { component: back(one.component) }),
    ...(one.software && { software: back(one.software) }),
    ...(one.active && { active: back(one.active) }),
    ...(one.previous && { previous: back(one.previous) }),
  };
}

/** A unit on a bus: the data that the unit sent, its NAME, and its address. */
export interface InventoryUnit {
  readonly bus: number;
  readonly unit: number;
  /** Null while the unit has no address. */
  readonly sa: number | null;
  readonly named: NamedUnit | null;
  readonly info: UnitInfo | null;
}

/** Returns all units that sent a frame or a NAME, sorted by bus and address. */
export function unitsOf(
  inventory: {
    groups(): readonly { readonly bus: number; readonly sa: number }[];
    unitInfos(): readonly UnitInfo[];
  },
  book: AddressBook,
): InventoryUnit[] {
  const found = new Map<string, InventoryUnit>();
  const add = (one: InventoryUnit) => {
    const key = `${one.bus}:${one.unit}`;
    const known = found.get(key);
    found.set(
      key,
      known === undefined ? one : { ...known, named: known.named ?? one.named, info: known.info ?? one.info },
    );
  };
  for (const named of book.names())
    add({ bus: named.bus, unit: named.unit, sa: named.sa < 0 ? null : named.sa, named, info: null });
  for (const { bus, sa } of inventory.groups()) add({ bus, unit: book.unitOf(bus, sa), sa, named: null, info: null });
  for (const info of inventory.unitInfos()) add({ bus: info.bus, unit: info.unit, sa: info.sa, named: null, info });
  return [...found.values()].sort((a, b) => a.bus - b.bus || (a.sa ?? 256) - (b.sa ?? 256) || a.unit - b.unit);
}
