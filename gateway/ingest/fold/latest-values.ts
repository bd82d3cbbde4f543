/** The newest value of each signal that a device itself sent: its observation, whether it is linked to a machine or not. */

import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import { isoTime, notBeyond, STEP_US } from '#domain/base/times.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import { refOf } from '#ingest/journal/position.ts';

const COUNT = SIGNAL_NAMES.length;
const STALE_US = SIGNAL_NAMES.map((name) => staleAfterUs(name));

/** [signal, value, observed, position, frame, source, rank, dated] */
type Row = [string, number, number, number, number, number, number, number?];

/** The sender of a value as one number: parameter, bus and control unit. */
export function senderOf(parameter: number, bus: number, unit: number): number {
  // Units beyond 255 are those that moved; they stand above what the others take.
  return parameter * 65_536 + bus * 256 + (unit & 0xff) + (unit >> 8) * 2 ** 32;
}

/** Columns by signal; a source that falls silent gives way to another, a better ranked one is preferred while it speaks. */
export class LatestValues {
  private readonly value = new Float64Array(COUNT);
  private readonly observed = new Float64Array(COUNT);
  private readonly position = new Float64Array(COUNT);
  private readonly frame = new Int32Array(COUNT);
  private readonly source = new Float64Array(COUNT);
  private readonly rank = new Int8Array(COUNT);
  /** Newest date that the source itself told. */
  private readonly dated = new Float64Array(COUNT);
  private newest = 0;

  /** Takes a value; `source` tells senders of one device apart. False when it is older than what is there; [D16] says what older is. */
  note(
    signal: number,
    source: number,
    rank: number,
    value: number,
    observed_us: number,
    isDated: boolean,
    position: number,
    frame: number,
  ): boolean {
    const held = this.observed[signal] as number;
    const same = held !== 0 && this.source[signal] === source;
    const t_us = same && !isDated ? Math.max(observed_us, held) : observed_us;
    if (held !== 0) {
      if (same) {
        if (isDated && t_us < (this.dated[signal] as number)) return false;
      } else {
        const stale = STALE_US[signal] as number;
        if (t_us < held - stale) return false;
        if (t_us <= held + stale && rank >= (this.rank[signal] as number)) return t_us >= held;
      }
    }
    this.value[signal] = value;
    this.observed[signal] = t_us;
    this.position[signal] = position;
    this.frame[signal] = frame;
    this.source[signal] = source;
    this.rank[signal] = rank;
    if (isDated) this.dated[signal] = t_us;
    else if (!same) this.dated[signal] = 0;
    if (t_us > this.newest) this.newest = t_us;
    return true;
  }

  /** False when the signal has a value of this time or a later one. */
  isNews(signal: number, observed_us: number): boolean {
    return (this.observed[signal] as number) < observed_us;
  }

  /** The receiver's clock says now: nothing is from beyond ([D17]). */
  setBack(now_us: number): void {
    if (this.newest <= now_us + STEP_US) return;
    this.newest = now_us;
    for (const times of [this.observed, this.dated]) times.set(times.map((t) => notBeyond(t, now_us)));
  }

  /** As the wire carries it; {} when nothing was ever heard. */
  signals(): NonNullable<DeviceLive['observation']>['signals'] {
    const out: NonNullable<DeviceLive['observation']>['signals'] = {};
    SIGNAL_NAMES.forEach((name, i) => {
      const observed = this.observed[i] as number;
      if (observed === 0) return;
      const frame = this.frame[i] as number;
      out[name] = {
        value: this.value[i] as number,
        unit: signalRow(name).unit,
        observed_at: isoTime(observed),
        ref: refOf(this.position[i] as number, frame < 0 ? undefined : frame),
      };
    });
    return out;
  }

  toJSON(): Row[] {
    const rows: Row[] = [];
    SIGNAL_NAMES.forEach((name, i) => {
      if (this.observed[i] === 0) return;
      const columns = [this.value, this.observed, this.position, this.frame, this.source, this.rank, this.dated];
      rows.push([name, ...columns.map((column) => column[i] as number)] as Row);
    });
    return rows;
  }

  static from(rows: readonly Row[]): LatestValues {
    const values = new LatestValues();
    for (const [name, value, observed, position, frame, source, rank, dated = observed] of rows) {
      const i = (SIGNAL_NAMES as readonly string[]).indexOf(name);
      if (i < 0) continue;
      values.value[i] = value;
      values.observed[i] = observed;
      values.position[i] = position;
      values.frame[i] = frame;
      values.source[i] = source;
      values.rank[i] = rank;
      values.dated[i] = dated;
      values.newest = Math.max(values.newest, observed);
    }
    return values;
  }
}
