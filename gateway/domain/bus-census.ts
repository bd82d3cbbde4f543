/**
 * What is on the buses of one device: who sends which parameter groups how often, how full a bus is, and at which bit rate it runs.
 *
 *   frame -> row of (bus, source address, group): count, last heard      one look into a hash table, nothing allocated
 *         -> what is no group, by bus; gaps to the frame before, from which the bit rate follows
 *   every 10 s of bus time the counts since the last time become rates
 *
 * Rows, buses and units are bounded; what finds no room is counted.
 */
import { FRAME, type FrameBatch } from '#contract/frame.ts';
import { NONE } from './facts.ts';
import type { AddressBook, NamedUnit } from './j1939-addresses.ts';
import type { FaultCode, FaultMessage, Lamps } from './j1939-faults.ts';
import type { IdentityMessage } from './j1939-identity.ts';
import { observedTime, STEP_US } from './times.ts';

/** Rows of bus, address and group per device. */
export const MAX_ROWS = 1024;
/** Buses per device. */
export const MAX_BUSES = 16;
/** Control units per device of which more is kept than their frames. */
export const MAX_UNITS = 128;
/** Codes of one message that are kept. */
const MAX_CODES = 20;
const MAX_TEXT = 200;

/** Bus time that makes a rate, and the first of it, so that one who waits sees something. */
const WINDOW_US = 10_000_000;
const FIRST_WINDOW_US = 2_000_000;

/** Slots of the table at first: a machine has some 60 rows. It doubles when a quarter of it is in use. */
const FIRST_SLOTS = 256;
/** Numbers of a slot, and where in it what stands. */
const CELL = 4;
const FRAMES = 1;
const LENGTH = 2;
const LAST = 3;
/** Frames between two looks at the clock, at most, and how far they may be apart. */
const STRIDE = 256;
const CLOSE_US = 1_000_000;

/**
 * Bits of frames, with the three that part one from the next (ISO 11898-1 10.4): all but the end of a frame is stuffed. Traffic of
 * real machines has 10.6 bits of stuffing in 100 that can be (three recordings, stuffed bit by bit: 142.7 to 144.4 bits for a full
 * extended frame).
 */
const STUFFING = 0.106;
const extendedBits = (frames: number, bytes: number) => frames * (67 + 54 * STUFFING) + bytes * 8 * (1 + STUFFING);
const standardBits = (frames: number, bytes: number) => frames * (47 + 34 * STUFFING) + bytes * 8 * (1 + STUFFING);

// The bit rate shows in frames that follow each other at once: none comes sooner than it takes, and many come no later. That proves
// the higher rates. One sender alone may keep such a pace where the bus is faster, so the lowest rate takes frames of two senders,
// of which one had to wait for the other. Gaps are sorted into buckets of 16 µs.
const BIT_RATES = [250_000, 500_000, 1_000_000] as const;
const FULL_FRAME_BITS = 131;
const GAP_SHIFT = 4;
const GAPS = 48;
const GAP_LIMIT_US = GAPS << GAP_SHIFT;
/** Frames that are looked at since the start. */
const MAX_LOOKED = 50_000;
const LEAST_GAPS = 20;
/** Stamps are coarse: gaps between these shares of a frame's least duration count as "at once". */
const SOONEST = 0.93;
const LATEST = 1.3;
/** So many of all short gaps may be shorter than a frame takes, where stamps are late now and then. */
const STRAY = 0.02;

/** Text that a unit told, and when. */
export interface Told {
  readonly text: string;
  readonly t_us: number;
}

/** The last DM1 or DM2 of a unit. */
export interface ToldFaults {
  readonly t_us: number;
  readonly lamps: Lamps;
  /** The first 20. */
  readonly codes: readonly FaultCode[];
  readonly count: number;
}

/** What a control unit told of itself. */
export interface UnitInfo {
  readonly bus: number;
  readonly unit: number;
  /** Where it was heard last. */
  sa: number;
  t_us: number;
  vin?: Told;
  component?: Told;
  software?: Told;
  active?: ToldFaults;
  previous?: ToldFaults;
}

/** What is no group: counted by bus alone. */
interface Others {
  readonly bus: number;
  first_us: number;
  last_us: number;
  remote: number;
  fd: number;
  errors: number;
  error_us: number;
  /** Gaps between full frames, and those of them between two senders. */
  gaps: number[];
  between: number[];
}

/** What was heard on one bus; rates are of the last window, null before the first. */
export interface BusInfo {
  readonly bus: number;
  readonly first_us: number;
  readonly last_us: number;
  readonly frames: number;
  readonly standard: number;
  readonly remote: number;
  readonly fd: number;
  readonly errors: number;
  /** 0 when there was none. */
  readonly error_us: number;
  readonly frames_per_s: number | null;
  readonly bits_per_s: number | null;
  /** What the gaps between frames speak for. */
  readonly bit_rate: number | null;
}

/** The time that rates are of. */
export interface RateWindow {
  readonly from_us: number;
  readonly until_us: number;
}

/** Frames of one group from one address. */
export interface GroupInfo {
  readonly bus: number;
  readonly sa: number;
  readonly pgn: number;
  readonly frames: number;
  readonly last_us: number;
  readonly per_s: number | null;
}

/** Plain JSON of a census. */
export interface CensusSnapshot {
  readonly buses: readonly Others[];
  /** Key, frames, ms before `base_us` when heard last; rates are made anew. */
  readonly rows: readonly number[];
  readonly base_us: number;
  readonly overflow: number;
  readonly units: readonly UnitInfo[];
}

const KIND = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/** A clock that goes back by less is the order in which channels are recorded. */
const DISORDER_US = 1_000_000;

/** Set in every key, so that none is 0. */
const USED = 1 << 30;
/** In the key of the 11-bit frames of a bus, which are one row. */
const STANDARD = 1 << 31;
const NOT_SEEN = 0;
const NO_ROOM = 1;
const keyOf = (index: number) => (index << 26) | USED;
const indexOf = (key: number) => (key >>> 26) & (MAX_BUSES - 1);

/** What of an identifier names group and sender, by PF: the destination of PDU1 does not (J1939-21 5.2.3). */
const GROUP_MASK = Int32Array.from({ length: 256 }, (_, pf) => (pf < 240 ? 0x3ff00ff : 0x3ffffff));

function createOthers(bus: number, t_us: number): Others {
  return {
    bus,
    first_us: t_us,
    last_us: t_us,
    remote: 0,
    fd: 0,
    errors: 0,
    error_us: 0,
    gaps: new Array<number>(GAPS).fill(0),
    between: new Array<number>(GAPS).fill(0),
  };
}

/** The census of one device. */
export class BusCensus {
  private readonly others: Others[] = [];
  /** What a channel adds to a key: USED, and its index in `others` at bit 26; NOT_SEEN before its first frame. */
  private readonly busKeys = new Int32Array(256);
  /** The table, CELL numbers a slot: key, 0 in a free one; since the window opened frames, and of the last one its bytes and ms. */
  private table = new Int32Array(FIRST_SLOTS * CELL);
  private lastBefore = new Float64Array(FIRST_SLOTS);
  private countsBefore = new Float64Array(FIRST_SLOTS);
  private rates = new Float32Array(FIRST_SLOTS);
  private shift = 32 - Math.log2(FIRST_SLOTS);
  /** Slots in use, in the order of their first frame. */
  private rows: number[] = [];
  private readonly units = new Map<number, UnitInfo>();
  private newest_us = 0;
  /** Times of the first and last of the frames at hand, and what stands for it in the table. */
  private first_us = 0;
  private now_us = 0;
  private now_ms = 0;
  /** The window that is open; 0 before the first frame. */
  private from_us = 0;
  private othersAtStart: readonly Others[] = [];
  /** The last that closed. */
  private closed: RateWindow | null = null;
  private busRates: readonly (readonly [frames_per_s: number, bits_per_s: number])[] = [];
  /** By channel, time and sender of the last frame whose gap was looked at; NONE unless it was a full one. */
  private readonly gapTime = new Float64Array(256);
  private readonly gapSender = new Int16Array(256).fill(NONE);
  /** Frames whose gaps were looked at. */
  private looked = 0;
  /** Frames that found no room. */
  overflow = 0;

  /**
   * Looks at the clock before frame `from` of a batch is counted, and says before which one to look again: frames in between are as
   * good as of one time. Times that cannot be count as the receiver's.
   */
  proceed(batch: FrameBatch, from: number, received_us: number): number {
    const { count, t } = batch;
    const first_us = observedTime(t[from] as number, received_us);
    let to = Math.min(count, from + STRIDE);
    let end_us = observedTime(t[to - 1] as number, received_us);
    while (to > from + 1 && Math.abs(end_us - first_us) > CLOSE_US) {
      to = from + ((to - from) >> 1);
      end_us = observedTime(t[to - 1] as number, received_us);
    }
    this.passTime(first_us);
    this.first_us = first_us;
    this.now_us = end_us;
    this.now_ms = Math.floor((end_us - this.from_us) / 1000);
    if (end_us > this.newest_us) this.newest_us = end_us;
    if (from === 0) this.takeGaps(batch);
    return to;
  }

  /** Counts an extended data frame of at most eight bytes. */
  count(identifier: number, channel: number, length: number): void {
    const busKey = this.busKeys[channel] as number;
    if (busKey > NO_ROOM) this.add((identifier & (GROUP_MASK[(identifier >>> 16) & 0xff] as number)) | busKey, length);
    else this.countFirst(identifier, channel, length, FRAME.extended);
  }

  /** Counts any other frame. */
  countOther(identifier: number, channel: number, length: number, flags: number): void {
    const busKey = this.busKeys[channel] as number;
    if (busKey <= NO_ROOM) {
      this.countFirst(identifier, channel, length, flags);
      return;
    }
    if ((flags & KIND) === 0 && length <= 8) {
      this.add(busKey | STANDARD, length);
      return;
    }
    const others = this.others[indexOf(busKey)] as Others;
    others.last_us = Math.max(others.last_us, this.now_us);
    if ((flags & FRAME.error) !== 0) {
      others.errors++;
      others.error_us = Math.max(others.error_us, this.now_us);
    } else if ((flags & FRAME.remote) !== 0) others.remote++;
    else others.fd++;
  }

  /** Counts a frame of a bus that is new, or beyond the bound. */
  private countFirst(identifier: number, channel: number, length: number, flags: number): void {
    if (this.busKeys[channel] === NOT_SEEN && this.addBus(channel)) {
      if ((flags & ~FRAME.fd & KIND) === FRAME.extended && length <= 8) this.count(identifier, channel, length);
      else this.countOther(identifier, channel, length, flags);
    } else this.overflow++;
  }

  private add(key: number, length: number): void {
    let { table } = this;
    let at = (Math.imul(key, 0x9e3779b1) >>> this.shift) * CELL;
    if (table[at] !== key) {
      at = this.rowOf(at, key);
      if (at === NONE) {
        this.overflow++;
        return;
      }
      table = this.table;
    }
    table[at + FRAMES] = ((table[at + FRAMES] as number) + 1) | 0;
    table[at + LENGTH] = length;
    table[at + LAST] = this.now_ms;
  }

  /** Sorts the gaps between full frames, until enough were looked at. */
  private takeGaps({ count, t, id, flags, bus, len }: FrameBatch): void {
    if (this.looked >= MAX_LOOKED) return;
    this.looked += count;
    const { gapTime, gapSender } = this;
    for (let i = 0; i < count; i++) {
      const channel = bus[i] as number;
      const t_us = t[i] as number;
      const full = len[i] === 8 && ((flags[i] as number) & KIND) === FRAME.extended;
      const sender = full ? (id[i] as number) & 0xff : NONE;
      const other = gapSender[channel] as number;
      const gap = t_us - (gapTime[channel] as number);
      gapTime[channel] = t_us;
      gapSender[channel] = sender;
      if (!full || other === NONE || gap >= GAP_LIMIT_US || gap < 0) continue;
      if (this.busKeys[channel] === NOT_SEEN) this.addBus(channel);
      const key = this.busKeys[channel] as number;
      const others = key === NO_ROOM ? undefined : this.others[indexOf(key)];
      if (others === undefined) continue;
      others.gaps[gap >> GAP_SHIFT] = (others.gaps[gap >> GAP_SHIFT] as number) + 1;
      if (other === sender) continue;
      others.between[gap >> GAP_SHIFT] = (others.between[gap >> GAP_SHIFT] as number) + 1;
    }
  }

  identity({ t_us, bus, sa, kind, text }: IdentityMessage, unit: number): void {
    const known = this.unitAt(bus, unit, sa, t_us);
    if (t_us >= (known[kind]?.t_us ?? 0)) known[kind] = { text: text.slice(0, MAX_TEXT), t_us };
  }

  faults(kind: 'active' | 'previous', { t_us, bus, sa, lamps, dtcs }: FaultMessage, unit: number): void {
    const known = this.unitAt(bus, unit, sa, t_us);
    if (t_us < (known[kind]?.t_us ?? 0)) return;
    known[kind] = { t_us, lamps, codes: dtcs.slice(0, MAX_CODES), count: dtcs.length };
  }

  /** The receiver's clock says now: nothing is from beyond. */
  setBack(now_us: number): void {
    if (this.newest_us <= now_us + STEP_US) return;
    this.newest_us = now_us;
    for (const one of this.others) {
      one.first_us = Math.min(one.first_us, now_us);
      one.last_us = Math.min(one.last_us, now_us);
      one.error_us = Math.min(one.error_us, now_us);
    }
    for (const [key, one] of this.units) this.units.set(key, unitSetBack(one, now_us));
    this.closed = null;
    this.openWindow(now_us);
    for (const at of this.rows) this.lastBefore[at / CELL] = Math.min(this.lastBefore[at / CELL] as number, now_us);
  }

  /** The window that rates are of; null before the first one closed. */
  get window(): RateWindow | null {
    return this.closed;
  }

  buses(): BusInfo[] {
    const found = this.others.map((one, index) => {
      const [frames_per_s = null, bits_per_s = null] = this.closed === null ? [] : (this.busRates[index] ?? []);
      const { gaps, between, ...rest } = one;
      const frames = one.remote + one.fd + one.errors;
      return { ...rest, frames, standard: 0, frames_per_s, bits_per_s, bit_rate: estimateBitRate(gaps, between) };
    });
    for (const at of this.rows) {
      const key = this.table[at] as number;
      const bus = found[indexOf(key)];
      if (bus === undefined) continue;
      bus.frames += this.framesOf(at);
      if (key < 0) bus.standard = this.framesOf(at);
      bus.last_us = Math.max(bus.last_us, this.lastOf(at));
    }
    return found;
  }

  unitInfos(): readonly UnitInfo[] {
    return [...this.units.values()];
  }

  groups(): GroupInfo[] {
    return this.rows.flatMap((at) => {
      const key = this.table[at] as number;
      const bus = this.others[indexOf(key)];
      if (key < 0 || bus === undefined) return [];
      const per_s = this.closed === null ? null : (this.rates[at / CELL] as number);
      return [
        {
          bus: bus.bus,
          sa: key & 0xff,
          pgn: (key >>> 8) & 0x3ffff,
          frames: this.framesOf(at),
          last_us: this.lastOf(at),
          per_s,
        },
      ];
    });
  }

  toJSON(): CensusSnapshot {
    const base_us = this.newest_us;
    const rows: number[] = [];
    for (const at of this.rows) {
      rows.push(this.table[at] as number, this.framesOf(at), Math.ceil((base_us - this.lastOf(at)) / 1000));
    }
    return { buses: this.others, rows, base_us, overflow: this.overflow, units: this.unitInfos() };
  }

  /** A census as it was saved; rates begin anew. */
  static from({ buses, rows, base_us, overflow, units }: CensusSnapshot): BusCensus {
    const census = new BusCensus();
    census.overflow = overflow;
    census.newest_us = base_us;
    for (const one of buses.slice(0, MAX_BUSES)) {
      census.busKeys[one.bus] = keyOf(
        census.others.push({ ...one, gaps: [...one.gaps], between: [...one.between] }) - 1,
      );
    }
    for (let i = 0; i + 3 <= rows.length; i += 3) {
      const key = rows[i] as number;
      const at = census.rowOf(census.placeOf(key), key);
      if (at === NONE) break;
      census.countsBefore[at / CELL] = rows[i + 1] as number;
      census.lastBefore[at / CELL] = base_us - (rows[i + 2] as number) * 1000;
    }
    for (const one of units.slice(0, MAX_UNITS)) census.units.set(one.bus * 65_536 + one.unit, { ...one });
    return census;
  }

  private framesOf(at: number): number {
    return (this.countsBefore[at / CELL] as number) + (this.table[at + FRAMES] as number);
  }

  private lastOf(at: number): number {
    if (this.table[at + FRAMES] === 0) return this.lastBefore[at / CELL] as number;
    return Math.max(this.lastBefore[at / CELL] as number, this.from_us + (this.table[at + LAST] as number) * 1000);
  }

  /** False when there is no room. */
  private addBus(bus: number): boolean {
    const fits = this.others.length < MAX_BUSES;
    this.busKeys[bus] = fits ? keyOf(this.others.push(createOthers(bus, this.first_us)) - 1) : NO_ROOM;
    return fits;
  }

  /** Where the row of a key is, from its first place on; made when it is new, NONE when there is no room. */
  private rowOf(first: number, key: number): number {
    let at = first;
    while (this.table[at] !== 0) {
      if (this.table[at] === key) return at;
      at = (at + CELL) & (this.table.length - 1);
    }
    if (this.rows.length >= MAX_ROWS) return NONE;
    if (this.rows.length * 4 * CELL >= this.table.length) {
      this.grow();
      return this.rowOf(this.placeOf(key), key);
    }
    this.rows.push(at);
    this.table[at] = key;
    return at;
  }

  private placeOf(key: number): number {
    return (Math.imul(key, 0x9e3779b1) >>> this.shift) * CELL;
  }

  /** Twice the slots, with everything where it belongs. */
  private grow(): void {
    const { rows, table, lastBefore, countsBefore, rates } = this;
    const slots = rates.length * 2;
    this.table = new Int32Array(slots * CELL);
    this.lastBefore = new Float64Array(slots);
    this.countsBefore = new Float64Array(slots);
    this.rates = new Float32Array(slots);
    this.shift--;
    this.rows = [];
    for (const from of rows) {
      const key = table[from] as number;
      const at = this.rowOf(this.placeOf(key), key);
      this.table.set(table.subarray(from, from + CELL), at);
      this.lastBefore[at / CELL] = lastBefore[from / CELL] as number;
      this.countsBefore[at / CELL] = countsBefore[from / CELL] as number;
      this.rates[at / CELL] = rates[from / CELL] as number;
    }
  }

  /** Closes the window that is over; a silence that ended just now is no part of it. */
  private passTime(t_us: number): void {
    const { from_us, newest_us } = this;
    const length = this.closed === null ? FIRST_WINDOW_US : WINDOW_US;
    const back = t_us < from_us - DISORDER_US;
    if (from_us !== 0 && !back && t_us <= from_us + length) return;
    const until_us = back || t_us - newest_us > WINDOW_US ? newest_us : t_us;
    if (from_us !== 0 && until_us - from_us >= FIRST_WINDOW_US / 2) this.closeWindow(from_us, until_us);
    this.openWindow(t_us);
  }

  private closeWindow(from_us: number, until_us: number): void {
    const per_s = 1_000_000 / (until_us - from_us);
    const frames = new Float64Array(MAX_BUSES);
    const bits = new Float64Array(MAX_BUSES);
    this.others.forEach((one, index) => {
      const start = this.othersAtStart[index];
      frames[index] = one.remote + one.fd - (start === undefined ? 0 : start.remote + start.fd);
    });
    for (const at of this.rows) {
      const key = this.table[at] as number;
      const index = indexOf(key);
      const count = this.table[at + FRAMES] as number;
      const bitsOf = key < 0 ? standardBits : extendedBits;
      this.rates[at / CELL] = count * per_s;
      frames[index] = (frames[index] as number) + count;
      bits[index] = (bits[index] as number) + bitsOf(count, count * (this.table[at + LENGTH] as number));
    }
    this.busRates = this.others.map((_, i) => [(frames[i] as number) * per_s, (bits[i] as number) * per_s]);
    this.closed = { from_us, until_us };
  }

  private openWindow(t_us: number): void {
    for (const at of this.rows) {
      this.lastBefore[at / CELL] = this.lastOf(at);
      this.countsBefore[at / CELL] = this.framesOf(at);
      this.table.fill(0, at + FRAMES, at + CELL);
    }
    this.from_us = t_us;
    this.othersAtStart = this.others.map((one) => ({ ...one }));
  }

  private unitAt(bus: number, unit: number, sa: number, t_us: number): UnitInfo {
    const key = bus * 65_536 + unit;
    let known = this.units.get(key);
    if (known === undefined) {
      if (this.units.size >= MAX_UNITS) {
        let oldest: readonly [number, UnitInfo] | undefined;
        for (const entry of this.units) if (oldest === undefined || entry[1].t_us < oldest[1].t_us) oldest = entry;
        if (oldest !== undefined) this.units.delete(oldest[0]);
      }
      known = { bus, unit, sa, t_us };
      this.units.set(key, known);
    }
    if (t_us >= known.t_us) {
      known.t_us = t_us;
      known.sa = sa;
    }
    return known;
  }
}

function unitSetBack(one: UnitInfo, now_us: number): UnitInfo {
  const back = <T extends { readonly t_us: number }>(told: T): T => ({ ...told, t_us: Math.min(told.t_us, now_us) });
  return {
    ...back(one),
    ...(one.vin && { vin: back(one.vin) }),
    ...(one.component && { component: back(one.component) }),
    ...(one.software && { software: back(one.software) }),
    ...(one.active && { active: back(one.active) }),
    ...(one.previous && { previous: back(one.previous) }),
  };
}

/** The bit rate that the gaps between frames speak for; null when they do not. */
function estimateBitRate(gaps: readonly number[], between: readonly number[]): number | null {
  const sum = (of: readonly number[], from: number, to: number) => of.slice(from, to).reduce((a, b) => a + b, 0);
  const all = sum(gaps, 0, GAPS);
  for (const rate of BIT_RATES) {
    const least_us = (FULL_FRAME_BITS / rate) * 1_000_000;
    const soonest = Math.floor((least_us * SOONEST) / 2 ** GAP_SHIFT);
    const latest = Math.ceil((least_us * LATEST) / 2 ** GAP_SHIFT);
    if (sum(gaps, 0, soonest) > all * STRAY) continue;
    return sum(rate === BIT_RATES[0] ? between : gaps, soonest, latest) >= LEAST_GAPS ? rate : null;
  }
  return null;
}

/** A unit on a bus: what it said of itself, its NAME, and where it is. */
export interface CensusUnit {
  readonly bus: number;
  readonly unit: number;
  /** Null while it has no address. */
  readonly sa: number | null;
  readonly named: NamedUnit | null;
  readonly info: UnitInfo | null;
}

/** Everybody who was heard or told a NAME, by bus and address. */
export function unitsOf(census: BusCensus, book: AddressBook): CensusUnit[] {
  const found = new Map<string, CensusUnit>();
  const add = (one: CensusUnit) => {
    const key = `${one.bus}:${one.unit}`;
    const known = found.get(key);
    found.set(
      key,
      known === undefined ? one : { ...known, named: known.named ?? one.named, info: known.info ?? one.info },
    );
  };
  for (const named of book.names())
    add({ bus: named.bus, unit: named.unit, sa: named.sa < 0 ? null : named.sa, named, info: null });
  for (const { bus, sa } of census.groups()) add({ bus, unit: book.unitOf(bus, sa), sa, named: null, info: null });
  for (const info of census.unitInfos()) add({ bus: info.bus, unit: info.unit, sa: info.sa, named: null, info });
  return [...found.values()].sort((a, b) => a.bus - b.bus || (a.sa ?? 256) - (b.sa ?? 256) || a.unit - b.unit);
}
