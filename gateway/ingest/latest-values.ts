/** The newest value of each signal that a device itself sent: its observation, whether it is linked to a machine or not. */
import type { DeviceLive } from '#contract/device.ts';
import { SIGNAL_NAMES, signalRow } from '#contract/signals.ts';
import { staleAfterUs } from '#domain/latest-known.ts';
import { isoTime } from '#domain/times.ts';
import { refOf } from './position.ts';

const COUNT = SIGNAL_NAMES.length;
const STALE_US = SIGNAL_NAMES.map((name) => staleAfterUs(name));

/** [signal, value, observed, position, frame, source, rank] */
type Row = [string, number, number, number, number, number, number];

/** Columns by signal; a source that falls silent gives way to another, a better ranked one is preferred while it speaks. */
export class LatestValues {
  private readonly value = new Float64Array(COUNT);
  private readonly observed = new Float64Array(COUNT);
  private readonly position = new Float64Array(COUNT);
  private readonly frame = new Int32Array(COUNT);
  private readonly source = new Float64Array(COUNT);
  private readonly rank = new Uint8Array(COUNT);

  /** Takes a value; `source` tells senders of one device apart. False when it is older than what is there. */
  note(
    signal: number,
    source: number,
    rank: number,
    value: number,
    t_us: number,
    position: number,
    frame: number,
  ): boolean {
    const held = this.observed[signal] as number;
    if (held !== 0) {
      if (this.source[signal] === source) {
        if (t_us < held) return false;
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
    return true;
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
      const columns = [this.value, this.observed, this.position, this.frame, this.source, this.rank];
      rows.push([name, ...columns.map((column) => column[i] as number)] as Row);
    });
    return rows;
  }

  static from(rows: readonly Row[]): LatestValues {
    const values = new LatestValues();
    for (const [name, value, observed, position, frame, source, rank] of rows) {
      const i = (SIGNAL_NAMES as readonly string[]).indexOf(name);
      if (i < 0) continue;
      values.value[i] = value;
      values.observed[i] = observed;
      values.position[i] = position;
      values.frame[i] = frame;
      values.source[i] = source;
      values.rank[i] = rank;
    }
    return values;
  }
}
