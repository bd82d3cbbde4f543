/**
 * The rows of a inventory: frames by key, counted with one look into a hash table, nothing allocated.
 *
 *   table (Int32)   | key frames bytes ms | 0 ... | key frames bytes ms |      key 0: free; a key that is elsewhere is further right
 *   before (by row)   frames and last time when the window opened, as doubles; the table counts since then
 *
 * Invariants: a quarter of the slots is in use at most, so that a look finds its row or a free slot soon; frames and time of a row
 * are those before the window and those since, together.
 */
import { NONE } from '#domain/base/none.ts';

/** Rows of bus, address and group per device. */
export const MAX_ROWS = 1024;

/** Slots at first: a machine has some 60 rows. */
const FIRST_SLOTS = 256;
/** Numbers of a slot, and where in it what stands. */
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
  /** Slots in use, in the order of their first frame. */
  private rows: number[] = [];
  /** When the window opened: times since are milliseconds from here. */
  private from_us = 0;

  /** Counts a frame; false when there is no room for its row. A key is never 0. */
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

  /** Every row: its key, all its frames, when the last came, its rate. */
  each(visit: (key: number, frames: number, last_us: number, per_s: number) => void): void {
    for (const at of this.rows)
      visit(this.table[at] as number, this.framesOf(at), this.lastOf(at), this.rates[at / CELL] as number);
  }

  /** Every row with the frames of this window, and the bytes of its last; `per_s` frames become its rate. */
  rate(per_s: number, visit: (key: number, frames: number, length: number) => void): void {
    for (const at of this.rows) {
      const frames = this.table[at + FRAMES] as number;
      this.rates[at / CELL] = frames * per_s;
      visit(this.table[at] as number, frames, this.table[at + LENGTH] as number);
    }
  }

  /** Opens a window: what was counted is before it. */
  open(from_us: number): void {
    for (const at of this.rows) {
      this.lastBefore[at / CELL] = this.lastOf(at);
      this.countsBefore[at / CELL] = this.framesOf(at);
      this.table.fill(0, at + FRAMES, at + CELL);
    }
    this.from_us = from_us;
  }

  /** Nothing before the window is from beyond this time. */
  setBack(now_us: number): void {
    for (const at of this.rows) this.lastBefore[at / CELL] = Math.min(this.lastBefore[at / CELL] as number, now_us);
  }

  /** Puts a row back as it was saved; false when there is no room. */
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
}
