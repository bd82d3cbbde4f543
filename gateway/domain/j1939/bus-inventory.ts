/**
 * The inventory of the buses of one device: how often each address sends each parameter group, and the load and bit rate of each bus.
 *
 *   frame -> row of (bus, source address, group): count, last time      one lookup in a hash table, nothing allocated
 *         -> frames without a group: counts of the bus
 *         -> gaps between frames, from which the bit rate is estimated
 *   every 10 s of bus time, the counts since the last window become rates
 *
 * Invariants: every frame is counted exactly once. It is counted in a row, in a count of its bus, or in `overflow` if the table of rows or
 * of buses is full. No stored time is later than the newest time of a frame.
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { createGaps, estimateBitRate, type Gaps, GapWatch } from '#domain/base/bit-rate.ts';
import { extendedBits, standardBits } from '#domain/base/frame-bits.ts';
import { observedTime, STEP_US } from '#domain/base/times.ts';
import type { FaultMessage } from './faults.ts';
import type { IdentityMessage } from './identity.ts';
import { InventoryRows } from './inventory-rows.ts';
import { InventoryUnits, type UnitInfo } from './inventory-units.ts';

/** Largest number of buses of one device. */
export const MAX_BUSES = 16;

/** The rates (frames a second) are computed once for each window of this length. The first window is shorter, so that rates appear soon. */
const WINDOW_US = 10_000_000;
const FIRST_WINDOW_US = 2_000_000;

/**
 * To save processor time, the inventory gives the same time to a series of frames, which this file calls a "run". A run has at most
 * `STRIDE` frames and lasts at most `CLOSE_US`.
 */
const STRIDE = 256;
const CLOSE_US = 1_000_000;

/** The counts of one bus for frames without a parameter group. */
interface Others extends Gaps {
  readonly bus: number;
  first_us: number;
  last_us: number;
  remote: number;
  fd: number;
  errors: number;
  error_us: number;
}

/** One bus. The rates are the rates in the last complete window. They are null until the first window is complete. */
export interface BusInfo {
  readonly bus: number;
  readonly first_us: number;
  readonly last_us: number;
  readonly frames: number;
  readonly standard: number;
  readonly remote: number;
  readonly fd: number;
  readonly errors: number;
  /** The time of the last error frame; 0 if there was none. */
  readonly error_us: number;
  readonly frames_per_s: number | null;
  readonly bits_per_s: number | null;
  /** The bit rate in bit/s, estimated from the gaps between frames; null if it is unknown. */
  readonly bit_rate: number | null;
}

/** The period over which rates are computed. */
export interface RateWindow {
  readonly from_us: number;
  readonly until_us: number;
}

/** The frames of one parameter group from one address. */
export interface GroupInfo {
  readonly bus: number;
  readonly sa: number;
  readonly pgn: number;
  readonly frames: number;
  readonly last_us: number;
  readonly per_s: number | null;
}

/** An inventory as plain JSON. */
export interface InventorySnapshot {
  readonly buses: readonly Others[];
  /** Three numbers for each row: key, number of frames, and milliseconds from the last frame to `base_us`. Rates are not stored. */
  readonly rows: readonly number[];
  readonly base_us: number;
  readonly overflow: number;
  readonly units: readonly UnitInfo[];
}

const KIND = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/**
 * If a frame is earlier than the previous frame by less than this time, the frames are only out of order: recorders may write the frames of
 * several channels out of order. If it is earlier by more, the clock was set back.
 */
const DISORDER_US = 1_000_000;

/** A bit that is set in every key, so that no key is 0. */
const USED = 1 << 30;
/** A bit that marks the key for 11-bit frames; all 11-bit frames of a bus share one row. */
const STANDARD = 1 << 31;
const NOT_SEEN = 0;
const NO_ROOM = 1;
const keyOf = (index: number) => (index << 26) | USED;
const indexOf = (key: number) => (key >>> 26) & (MAX_BUSES - 1);

/**
 * For each value of PF (bits 23 to 16 of an identifier), a mask of the bits that identify the parameter group and the source address. If PF
 * is below 240 (format PDU1), the bits of the destination address are not in the mask, because the destination is not part of the group
 * (J1939-21 5.2.3).
 */
const GROUP_MASK = Int32Array.from({ length: 256 }, (_, pf) => (pf < 240 ? 0x3ff00ff : 0x3ffffff));

function createOthers(bus: number, t_us: number): Others {
  return { bus, first_us: t_us, last_us: t_us, remote: 0, fd: 0, errors: 0, error_us: 0, ...createGaps() };
}

/** The bus inventory of one device. */
export class BusInventory {
  private readonly others: Others[] = [];
  /**
   * For each channel (bus number), the bits that are the same in all keys of its bus: USED, and from bit 26 on the index of the bus in
   * `others`. The value is NOT_SEEN before the first frame of the channel, and NO_ROOM if there are already too many buses.
   */
  private readonly busKeys = new Int32Array(256);
  private readonly rows = new InventoryRows();
  private readonly units = new InventoryUnits();
  private readonly gaps = new GapWatch();
  private newest_us = 0;
  /**
   * The times of the first and of the last frame of the current run. `now_ms` is the time of the last frame, in milliseconds since
   * `from_us`.
   */
  private first_us = 0;
  private now_us = 0;
  private now_ms = 0;
  /** The start of the current window; 0 before the first frame. */
  private from_us = 0;
  private othersAtStart: readonly Others[] = [];
  /** The last complete window, from which the current rates come. */
  private closed: RateWindow | null = null;
  private busRates: readonly (readonly [frames_per_s: number, bits_per_s: number])[] = [];
  /** Frames that were not counted because a table was full. */
  overflow = 0;

  /**
   * Starts a run of frames at frame `from` of a batch, and returns the frame at which the caller must start the next run. The frames of
   * a run share one time. The receive time replaces times before 2001 and times in the future.
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
    if (from === 0) this.gaps.look(batch, (channel) => this.gapsOf(channel));
    return to;
  }

  /** Counts an extended data frame of at most eight bytes. */
  count(identifier: number, channel: number, length: number): void {
    const busKey = this.busKeys[channel] as number;
    if (busKey > NO_ROOM) this.add((identifier & (GROUP_MASK[(identifier >>> 16) & 0xff] as number)) | busKey, length);
    else this.countFirst(identifier, channel, length, FRAME.extended);
  }

  /** Counts a frame that is not an extended data frame of at most eight bytes. */
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

  identity(message: IdentityMessage, unit: number): void {
    this.units.identity(message, unit);
  }

  faults(kind: 'active' | 'previous', message: FaultMessage, unit: number): void {
    this.units.faults(kind, message, unit);
  }

  /** Call this after the clock of the gateway was set back. It replaces each stored time that is later than `now_us` by `now_us`. */
  setBack(now_us: number): void {
    if (this.newest_us <= now_us + STEP_US) return;
    this.newest_us = now_us;
    for (const one of this.others) {
      one.first_us = Math.min(one.first_us, now_us);
      one.last_us = Math.min(one.last_us, now_us);
      one.error_us = Math.min(one.error_us, now_us);
    }
    this.units.setBack(now_us);
    this.closed = null;
    this.openWindow(now_us);
    this.rows.setBack(now_us);
  }

  /** The window to which the current rates belong; null until the first window is complete. */
  get window(): RateWindow | null {
    return this.closed;
  }

  buses(): BusInfo[] {
    const found = this.others.map(({ gaps, between, ...rest }, index) => {
      const [frames_per_s = null, bits_per_s = null] = this.closed === null ? [] : (this.busRates[index] ?? []);
      const frames = rest.remote + rest.fd + rest.errors;
      const bit_rate = estimateBitRate({ gaps, between });
      return { ...rest, frames, standard: 0, frames_per_s, bits_per_s, bit_rate };
    });
    this.rows.each((key, frames, last_us) => {
      const bus = found[indexOf(key)];
      if (bus === undefined) return;
      bus.frames += frames;
      if (key < 0) bus.standard = frames;
      bus.last_us = Math.max(bus.last_us, last_us);
    });
    return found;
  }

  unitInfos(): readonly UnitInfo[] {
    return this.units.list();
  }

  groups(): GroupInfo[] {
    const found: GroupInfo[] = [];
    this.rows.each((key, frames, last_us, rate) => {
      const bus = this.others[indexOf(key)]?.bus;
      if (key < 0 || bus === undefined) return;
      const per_s = this.closed === null ? null : rate;
      found.push({ bus, sa: key & 0xff, pgn: (key >>> 8) & 0x3ffff, frames, last_us, per_s });
    });
    return found;
  }

  toJSON(): InventorySnapshot {
    const base_us = this.newest_us;
    const rows: number[] = [];
    this.rows.each((key, frames, last_us) => {
      rows.push(key, frames, Math.ceil((base_us - last_us) / 1000));
    });
    return { buses: this.others, rows, base_us, overflow: this.overflow, units: this.unitInfos() };
  }

  /** Restores a saved inventory; its rates are null until a new window closes. */
  static from({ buses, rows, base_us, overflow, units }: InventorySnapshot): BusInventory {
    const inventory = new BusInventory();
    inventory.overflow = overflow;
    inventory.newest_us = base_us;
    for (const one of buses.slice(0, MAX_BUSES)) {
      const index = inventory.others.push({ ...one, gaps: [...one.gaps], between: [...one.between] }) - 1;
      inventory.busKeys[one.bus] = keyOf(index);
    }
    for (let i = 0; i + 3 <= rows.length; i += 3) {
      const [key = 0, frames = 0, ago_ms = 0] = rows.slice(i, i + 3);
      if (!inventory.rows.restore(key, frames, base_us - ago_ms * 1000)) break;
    }
    inventory.units.restore(units);
    return inventory;
  }

  /** Counts a frame of a new bus. If there are already too many buses, it counts the frame in `overflow`. */
  private countFirst(identifier: number, channel: number, length: number, flags: number): void {
    if (this.busKeys[channel] === NOT_SEEN && this.addBus(channel)) {
      if ((flags & ~FRAME.fd & KIND) === FRAME.extended && length <= 8) this.count(identifier, channel, length);
      else this.countOther(identifier, channel, length, flags);
    } else this.overflow++;
  }

  private add(key: number, length: number): void {
    if (!this.rows.add(key, length, this.now_ms)) this.overflow++;
  }

  private gapsOf(channel: number): Gaps | undefined {
    if (this.busKeys[channel] === NOT_SEEN) this.addBus(channel);
    const key = this.busKeys[channel] as number;
    return key === NO_ROOM ? undefined : this.others[indexOf(key)];
  }

  /** Adds a bus; returns false if the limit of buses is reached. */
  private addBus(bus: number): boolean {
    const fits = this.others.length < MAX_BUSES;
    this.busKeys[bus] = fits ? keyOf(this.others.push(createOthers(bus, this.first_us)) - 1) : NO_ROOM;
    return fits;
  }

  /**
   * Completes the window if its time is over. If there was a pause of more than 10 s before `t_us`, the pause does not count as a part of
   * the window.
   */
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
    this.rows.rate(per_s, (key, count, length) => {
      const index = indexOf(key);
      const bitsOf = key < 0 ? standardBits : extendedBits;
      frames[index] = (frames[index] as number) + count;
      bits[index] = (bits[index] as number) + bitsOf(count, count * length);
    });
    this.busRates = this.others.map((_, i) => [(frames[i] as number) * per_s, (bits[i] as number) * per_s]);
    this.closed = { from_us, until_us };
  }

  private openWindow(t_us: number): void {
    this.rows.open(t_us);
    this.from_us = t_us;
    this.othersAtStart = this.others.map((one) => ({ ...one }));
  }
}
