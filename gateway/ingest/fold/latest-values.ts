/**
 * The observation of a device: the newest value of each signal that it sent. A device has an observation even if it is linked to no
 * machine.
 */

import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import { isoTime, notBeyond, STEP_US } from '#domain/base/times.ts';
import { staleAfterUs } from '#domain/machine/latest-known.ts';
import type { SourceValue } from '#domain/machine/source-value.ts';
import { refOf } from '#ingest/journal/position.ts';

const COUNT = SIGNAL_NAMES.length;
const STALE_US = SIGNAL_NAMES.map((name) => staleAfterUs(name));

/** One signal in the snapshot (the stored state for a restart): [signal, value, observed, position, frame, source, rank, dated]. */
type Row = [string, number, number, number, number, number, number, number?];

/** Returns the source of a value as one number, computed from parameter, bus and control unit. */
export function senderOf(parameter: number, bus: number, unit: number): number {
  // Unit numbers above 255 belong to control units that changed their address; put the high bits of the unit number above the other fields.
  return parameter * 65_536 + bus * 256 + (unit & 0xff) + (unit >> 8) * 2 ** 32;
}

/**
 * The newest value of each signal, with one source for each signal. A source with a better rank replaces the present source. If the present
 * source stops sending, another source replaces it. Each field has an array, indexed by signal.
 */
export class LatestValues {
  private readonly value = new Float64Array(COUNT);
  private readonly observed = new Float64Array(COUNT);
  private readonly position = new Float64Array(COUNT);
  private readonly frame = new Int32Array(COUNT);
  private readonly source = new Float64Array(COUNT);
  private readonly rank = new Int8Array(COUNT);
  /** The newest time that the source itself sent; receive times are not included. */
  private readonly dated = new Float64Array(COUNT);
  private newest = 0;

  /**
   * Applies a value with its time `sent.observed_us`; `source` distinguishes the control units of one device. Returns false if the value is
   * older than the known value ([D16]).
   */
  note(source: number, sent: SourceValue, isDated: boolean, position: number): boolean {
    const { observed_us } = sent;
    const { index: signal, rank } = sent.evidence;
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
    this.value[signal] = sent.value;
    this.observed[signal] = t_us;
    this.position[signal] = position;
    this.frame[signal] = sent.frame;
    this.source[signal] = source;
    this.rank[signal] = rank;
    if (isDated) this.dated[signal] = t_us;
    else if (!same) this.dated[signal] = 0;
    if (t_us > this.newest) this.newest = t_us;
    return true;
  }

  /** Returns true if the signal has no value of this time or of a later time. */
  isNews(signal: number, observed_us: number): boolean {
    return (this.observed[signal] as number) < observed_us;
  }

  /** Limits all known times to `now_us`. Called when the clock of the gateway was set back to this time ([D17]). */
  setBack(now_us: number): void {
    if (this.newest <= now_us + STEP_US) return;
    this.newest = now_us;
    for (const times of [this.observed, this.dated]) times.set(times.map((t) => notBeyond(t, now_us)));
  }

  /** Returns the observation in its API form; an empty object before the first value. */
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
