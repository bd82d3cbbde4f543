/**
 * Counts engine hours from the engine speed: the sum of the times between two consecutive values, if the engine turned at the first of the
 * two values and the values are at most `STALE_S` apart. A longer gap is unknown time and is never counted.
 *
 * The count depends on the set of values and not on the order in which they arrive, and a repeated value changes nothing. For this purpose
 * the state stores for each second whether a value is known, and whether the engine turned. If one value of a second shows that the engine
 * turned, the engine turned in this second. Neighbouring minutes whose seconds are equal share one row.
 *
 *   values -> seconds -> rows (at most MAX_ROWS) -> too many: fill in the seconds between equal values in the older half, so that minutes
 *                                                   can share rows
 *                                                -> still too many: remove the oldest rows; their hours stay in the sum
 */

/** Two values that are more than this number of seconds apart have a gap between them. It is the stale limit of the engine speed. */
export const STALE_S = 60;

/** Largest number of rows. A machine with a value each second needs about two rows for each start and stop of its engine. */
export const MAX_ROWS = 512;

/** One number has a bit for each of this many seconds. So a minute needs two numbers: one for its first half, one for its second half. */
const HALF = 30;

/** [first minute, number of minutes, known seconds (first half, second half), turning seconds (first half, second half)] */
type Row = [minute: number, count: number, known0: number, known1: number, on0: number, on1: number];

/** The count of one machine, as plain JSON. */
export interface EngineCount {
  /** Values before this second are not counted. */
  from_s: number;
  /** Seconds with known engine speed, and seconds in which the engine turned. */
  known_s: number;
  on_s: number;
  /** Ascending by minute. */
  rows: Row[];
}

/** Creates a count that has no value. */
export function createEngineCount(from_s = 0): EngineCount {
  return { from_s, known_s: 0, on_s: 0, rows: [] };
}

/** Applies one value of the engine speed. Returns true if a count changed. */
export function countEngine(count: EngineCount, t_s: number, on: boolean): boolean {
  if (t_s < count.from_s) return false;
  const minute = Math.floor(t_s / 60);
  const second = t_s - minute * 60;
  const at = rowAt(count.rows, minute);
  const row = at < 0 ? undefined : count.rows[at];
  const known = row !== undefined && hasBit(row, 2, second);
  if (known && (!on || hasBit(row, 4, second))) return false;
  const { known_s, on_s } = count;
  const before = neighbour(count.rows, t_s, -1);
  const after = neighbour(count.rows, t_s, 1);
  if (known) addPair(count, t_s, after, false, -1);
  else {
    addPair(count, before?.t_s, after, before?.on, -1);
    addPair(count, before?.t_s, { t_s }, before?.on, 1);
  }
  addPair(count, t_s, after, on, 1);
  setSecond(count.rows, minute, second, on);
  if (count.rows.length > MAX_ROWS) shorten(count);
  return count.known_s !== known_s || count.on_s !== on_s;
}

/** Starts the count again at this second. The values after this second that are already known still count. */
export function restartCount(count: EngineCount, from_s: number): void {
  const { rows } = count;
  Object.assign(count, createEngineCount(from_s));
  for (const { t_s, on } of seconds(rows, from_s)) countEngine(count, t_s, on);
}

/**
 * Removes the seconds after `now_s`, because somebody set the clock back. The hours of these seconds stay in the sum. When the clock
 * reaches these times again, the engine has really turned for longer, so the function counts them once more.
 */
export function setCountBack(count: EngineCount, now_s: number): void {
  const { rows } = count;
  const first = neighbour(rows, now_s, 1);
  const end = neighbour(rows, now_s + 1, -1);
  addPair(count, end?.t_s, first, end?.on, -1);
  const minute = Math.floor(now_s / 60);
  if (rowAt(rows, minute) >= 0) {
    const row = rows[ownRow(rows, minute)] as Row;
    for (let second = now_s - minute * 60 + 1; second < 60; second++) clearSecond(row, second);
  }
  const last = rows[rowBefore(rows, minute)];
  if (last !== undefined) last[1] = Math.min(last[1], minute + 1 - last[0]);
  rows.splice(rowBefore(rows, minute) + 1);
  if (count.from_s > now_s) count.from_s = now_s;
}

interface Second {
  readonly t_s: number;
  readonly on: boolean;
}

/** Adds the time between two values to the count (`sign` 1), or removes it (-1), if the values are close enough. */
function addPair(
  count: EngineCount,
  from_s: number | undefined,
  to: { readonly t_s: number } | undefined,
  on: boolean | undefined,
  sign: 1 | -1,
): void {
  if (from_s === undefined || to === undefined) return;
  const between = to.t_s - from_s;
  if (between > STALE_S) return;
  count.known_s += sign * between;
  if (on) count.on_s += sign * between;
}

/** Returns the index of the last row that begins at or before this minute; -1 if there is none. */
function rowBefore(rows: readonly Row[], minute: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as Row)[0] <= minute) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the index of the row with this minute; -1 if there is none. */
function rowAt(rows: readonly Row[], minute: number): number {
  const at = rowBefore(rows, minute);
  const row = rows[at];
  return row !== undefined && minute < row[0] + row[1] ? at : -1;
}

/**
 * Returns whether a second of a row has its bit set in one kind of bits. `field` is the first field of this kind: 2 for known seconds, 4
 * for seconds with a turning engine.
 */
function hasBit(row: Row, field: 2 | 4, second: number): boolean {
  const half = row[(second < HALF ? field : field + 1) as 2] as number;
  return ((half >>> (second % HALF)) & 1) === 1;
}

/** Returns the known second that is nearest to `t_s` on one side, if it is at most STALE_S away. */
function neighbour(rows: readonly Row[], t_s: number, side: 1 | -1): Second | undefined {
  const minute = Math.floor(t_s / 60);
  for (const near of [minute, minute + side]) {
    const row = rows[rowAt(rows, near)];
    if (row === undefined) continue;
    const start = near === minute ? t_s - minute * 60 + side : side === 1 ? 0 : 59;
    for (let second = start; second >= 0 && second < 60; second += side)
      if (hasBit(row, 2, second)) {
        const found = near * 60 + second;
        return Math.abs(found - t_s) <= STALE_S ? { t_s: found, on: hasBit(row, 4, second) } : undefined;
      }
  }
  return undefined;
}

function clearSecond(row: Row, second: number): void {
  const half = second < HALF ? 0 : 1;
  const bit = 1 << (second % HALF);
  row[(2 + half) as 2] &= ~bit;
  row[(4 + half) as 4] &= ~bit;
}

function setSecond(rows: Row[], minute: number, second: number, on: boolean): void {
  const at = ownRow(rows, minute);
  const row = rows[at] as Row;
  const half = second < HALF ? 0 : 1;
  const bit = 1 << (second % HALF);
  row[(2 + half) as 2] |= bit;
  if (on) row[(4 + half) as 4] |= bit;
  joinNext(rows, at);
  joinNext(rows, at - 1);
}

/** Returns the index of a row that has only this minute; divides a shared row, or adds a row. */
function ownRow(rows: Row[], minute: number): number {
  const before = rowBefore(rows, minute);
  const row = rows[before];
  if (row === undefined || minute >= row[0] + row[1]) {
    rows.splice(before + 1, 0, [minute, 1, 0, 0, 0, 0]);
    return before + 1;
  }
  const [first, count, ...bits] = row;
  if (count === 1) return before;
  const parts: Row[] = [
    [first, minute - first, ...bits],
    [minute, 1, ...bits],
    [minute + 1, first + count - minute - 1, ...bits],
  ];
  const kept = parts.filter(([, length]) => length > 0);
  rows.splice(before, 1, ...kept);
  return minute === first ? before : before + 1;
}

/** Joins a row with the next row if their seconds are equal and no minute is between them. */
function joinNext(rows: Row[], at: number): void {
  const row = rows[at];
  const next = rows[at + 1];
  if (row === undefined || next === undefined || row[0] + row[1] !== next[0]) return;
  for (let field = 2; field < 6; field++) if (row[field] !== next[field]) return;
  row[1] += next[1];
  rows.splice(at + 1, 1);
}

/** Yields the known seconds from `from_s` on, in ascending order. */
function* seconds(rows: readonly Row[], from_s = 0): Generator<Second> {
  for (const row of rows)
    for (let minute = Math.max(row[0], Math.floor(from_s / 60)); minute < row[0] + row[1]; minute++)
      for (let second = 0; second < 60; second++)
        if (hasBit(row, 2, second) && minute * 60 + second >= from_s)
          yield { t_s: minute * 60 + second, on: hasBit(row, 4, second) };
}

const ALL = 2 ** HALF - 1;

/** Returns the state of the engine if every second of the row is known and has this state; otherwise undefined. */
function wholeState([, , known0, known1, on0, on1]: Row): boolean | undefined {
  if (known0 !== ALL || known1 !== ALL) return undefined;
  if (on0 === ALL && on1 === ALL) return true;
  return on0 === 0 && on1 === 0 ? false : undefined;
}

/**
 * Makes the state smaller. In the older half of the rows, the seconds between two equal values without a gap get the same value, which
 * changes no sum. If there are still too many rows, the function removes the oldest quarter.
 */
function shorten(count: EngineCount): void {
  const half = count.rows.length >>> 1;
  count.rows = [...filledRows(count.rows.slice(0, half)), ...count.rows.slice(half)];
  if (count.rows.length <= MAX_ROWS * 0.75) return;
  count.rows = count.rows.slice(MAX_ROWS >>> 2);
  const first = seconds(count.rows).next().value;
  if (first !== undefined) count.from_s = first.t_s;
}

/** Returns the rows with a known value in each second between two equal values that have no gap between them. */
function filledRows(rows: readonly Row[]): Row[] {
  const filled: Row[] = [];
  let last: Second | undefined;
  const fillUntil = ({ t_s, on }: Second) => {
    if (last === undefined || last.on !== on || t_s - last.t_s > STALE_S) return;
    for (let at = last.t_s + 1; at < t_s; at++) setSecond(filled, Math.floor(at / 60), at % 60, on);
  };
  for (const row of rows) {
    const on = wholeState(row);
    if (on !== undefined) {
      fillUntil({ t_s: row[0] * 60, on });
      filled.push([...row]);
      joinNext(filled, filled.length - 2);
      last = { t_s: (row[0] + row[1]) * 60 - 1, on };
      continue;
    }
    for (const one of seconds([row])) {
      fillUntil(one);
      setSecond(filled, Math.floor(one.t_s / 60), one.t_s % 60, one.on);
      last = one;
    }
  }
  return filled;
}
