/**
 * The rows of a bus inventory: a hash table that counts frames by key (bus, source address and parameter group). Each frame needs one
 * lookup and no new memory.
 *
 *   table (Int32)   | key frames bytes ms | 0 ... | key frames bytes ms |      key 0 is a free slot; collisions use the next free slot
 *   countsBefore, lastBefore (by slot)   frames and last time when the window opened, as doubles; `table` counts since then
 *
 * Rates are computed over periods, the "windows". Invariants: at most a quarter of the slots is in use, so that a search ends soon. The
 * total of a row is its count before the current window plus its count in this window.
 */
import { NONE } from '#domain/base/none.ts';

/** Largest number of rows (bus, address, parameter group) of one device. */
export const MAX_ROWS = 1024;

/** The number of slots of a new table. A machine has about 60 rows. */
const FIRST_SLOTS = 256;
/**
 * `CELL` is how many numbers a slot has. The constants after it are the offsets in a slot of the numbers after the key: frames in the
 * window, bytes of the last frame, and the time of the last frame in milliseconds.
 */
const CELL = 4;
const FRAMES = 1;
const LENGTH = 2;
const LAST = 3;

/** The rows of one device. */
export class InventoryRows {
  private table = new Int32Array(FIRST_SLOTS * CELL);
  private lastBefore = new Float64Array(FIRST_SLOTS);
  private countsBefore = new Float64Array(FIRST_SLOTS);
  private rates = new Float32Array(FIRST_SLOTS);
  private shift = 32 - Math.log2(FIRST_SLOTS);
  /** The offsets in `table` of the slots in use, in the order of their first frame. */
  private rows: number[] = [];
  /** The time at which the window opened; the times in `table` are milliseconds after it. */
  private from_us = 0;

  /** Counts a frame; returns false if the limit of rows is reached. `key` must not be 0. */
  add(key: number, length: number, now_ms: number): boolean {
    let { table } = this;
    let at = (Math.imul(key, 0x9e3779b1) >>> this.shift) * CELL;
    if (table[at] !== key) {
      at = this.rowOf(at, key);
      if (at === NONE) return false;
      table = this.table;
    }
    table[at + FRAMES] = ((table[at + FRAMES] as number) + 1) | 0;
    table[at + LENGTH] = length;
    table[at + LAST] = now_ms;
    return true;
  }

  /** Calls `visit` for each row with its key, its total of frames, the time of its last frame, and its rate in frames a second. */
  each(visit: (key: number, frames: number, last_us: number, per_s: number) => void): void {
    for (const at of this.rows)
      visit(this.table[at] as number, this.framesOf(at), this.lastOf(at), this.rates[at / CELL] as number);
  }

  /**
   * Computes the rate of each row: `per_s` multiplied by the row's frames in the window. Calls `visit` for each row with its frames in the
   * window and the length of its last frame.
   */
  rate(per_s: number, visit: (key: number, frames: number, length: number) => void): void {
    for (const at of this.rows) {
      const frames = this.table[at + FRAMES] as number;
      this.rates[at / CELL] = frames * per_s;
      visit(this.table[at] as number, frames, this.table[at + LENGTH] as number);
    }
  }

  /** Opens a new window: adds the counts of the old window to the totals, and counts from 0 again. */
  open(from_us: number): void {
    for (const at of this.rows) {
      this.lastBefore[at / CELL] = this.lastOf(at);
      this.countsBefore[at / CELL] = this.framesOf(at);
      this.table.fill(0, at + FRAMES, at + CELL);
    }
    this.from_us = from_us;
  }

  /**
   * Looks at the rows that had their last frame before the current window. If the time of this frame is later than `now_us`, replaces it by
   * `now_us`.
   */
  setBack(now_us: number): void {
    for (const at of this.rows) this.lastBefore[at / CELL] = Math.min(this.lastBefore[at / CELL] as number, now_us);
  }

  /** Restores a saved row; returns false if the limit of rows is reached. */
  restore(key: number, frames: number, last_us: number): boolean {
    const at = this.rowOf(this.placeOf(key), key);
    if (at === NONE) return false;
    this.countsBefore[at / CELL] = frames;
    this.lastBefore[at / CELL] = last_us;
    return true;
  }

  private framesOf(at: number): number {
    return (this.countsBefore[at / CELL] as number) + (this.table[at + FRAMES] as number);
  }

  private lastOf(at: number): number {
    if (this.table[at + FRAMES] === 0) return this.lastBefore[at / CELL] as number;
    return Math.max(this.lastBefore[at / CELL] as number, this.from_us + (this.table[at + LAST] as number) * 1000);
  }

  /**
   * Returns the offset of the row of a key. The search begins at the slot `first`. Adds the row if it is new; returns NONE if the table
   * already has the largest number of rows.
   */
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

  /** Doubles the number of slots and moves every row to its new slot. */
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
}
