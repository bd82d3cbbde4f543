/**
 * Computes by how much a signal has risen (or fallen) within a window: the newest value minus the lowest (or highest) value of the window.
 *
 * For a rise, the list of kept values is ascending: a value that is not lower than a later value can never be the lowest value again, so
 * the list drops it. For a fall, the list is descending. The window is divided into 60 parts, and the list has at most one value of each
 * part. So this class may miss a change that takes longer than 59/60 of the window. It never reports a change that did not happen: both
 * values of a change arrived, and both lie within the window.
 */

import { type EarlierValue, fullRef, type WatchedPoint } from './point.ts';

/** A change that a rule watches: within `within_seconds` the signal rises or falls. */
export interface ChangeSpec {
  readonly direction: 'rise' | 'fall';
  readonly within_seconds: number;
  /**
   * True if values before and after a pause may be compared. A pause is a time without data that is longer than the stale limit of the
   * signal.
   */
  readonly across_gaps: boolean;
}

/** The window is divided into this number of parts. */
const PARTS = 60;

/** The values of the window in their stored form: value, time in microseconds, and reference. */
export type WindowSnapshot = readonly (readonly [value: number, observed_us: number, ref: string | null])[];

export class ChangeWindow {
  private readonly window_us: number;
  private readonly part_us: number;
  private readonly sign: 1 | -1;
  private readonly gap_us: number;
  private values: EarlierValue[] = [];
  private newest_us = 0;
  /** The source of the values: its device, bus, control unit and parameter. */
  private source: string | null = null;

  /** `stale_us` is the time after which the signal is stale. */
  constructor({ direction, within_seconds, across_gaps }: ChangeSpec, stale_us: number) {
    this.window_us = within_seconds * 1_000_000;
    this.part_us = this.window_us / PARTS;
    this.sign = direction === 'rise' ? 1 : -1;
    this.gap_us = across_gaps ? Number.POSITIVE_INFINITY : stale_us;
  }

  /**
   * Adds the value `level` of the point, and sets `value` of the point to the change within the window. A value from another source begins
   * a new window, because two sensors may show different values of the same quantity. A value that is older than the value before it also
   * begins a new window.
   */
  add(point: WatchedPoint, source: string): void {
    const { level: value, observed_us } = point;
    const pause_us = observed_us - this.newest_us;
    if (source !== this.source || pause_us < 0 || pause_us > this.gap_us) this.values = [];
    this.source = source;
    this.newest_us = observed_us;
    const { values, sign, window_us, part_us } = this;
    while (values.length > 0 && (values[0] as EarlierValue).observed_us < observed_us - window_us) values.shift();
    while (values.length > 0 && sign * ((values.at(-1) as EarlierValue).value - value) >= 0) values.pop();
    const last = values.at(-1);
    const samePart = last !== undefined && Math.floor(last.observed_us / part_us) === Math.floor(observed_us / part_us);
    if (!samePart) values.push({ value, observed_us, ref: point.ref, frame: point.frame });
    const from = values[0] as EarlierValue;
    point.value = sign === 1 ? value - from.value : from.value - value;
    point.from = from;
  }

  snapshot(): { readonly source: string | null; readonly newest_us: number; readonly values: WindowSnapshot } {
    const values = this.values.map((one) => [one.value, one.observed_us, fullRef(one)] as const);
    return { source: this.source, newest_us: this.newest_us, values };
  }

  restore({ source, newest_us, values }: ReturnType<ChangeWindow['snapshot']>): void {
    this.source = source;
    this.newest_us = newest_us;
    this.values = values.map(([value, observed_us, ref]) => ({ value, observed_us, ref, frame: -1 }));
  }
}
