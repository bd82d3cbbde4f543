/**
 * The values of one machine since its last segment (a stored document with samples): samples, at most one for each signal and second, the
 * statistics of all values, and the states that control units reported instead of values.
 */
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import { SecondColumn } from '#domain/base/second-column.ts';
import { MinuteColumn, type MinuteSeries } from '#domain/history/minutes.ts';
import { type Origin, Origins } from '#domain/history/origins.ts';
import type { SampleSeries } from '#domain/history/samples.ts';
import { StateColumn, type StateRuns } from '#domain/history/states.ts';
import { type Evidence, parameterOrigin } from '#domain/machine/evidence.ts';
import type { SourceValue } from '#domain/machine/source-value.ts';

/** The device that sent a value, and its run (the stored document that describes the decoding). */
export interface Sender {
  readonly device: string;
  readonly run_id: string | null;
}

/** The message of a value. */
export interface SampleMessage {
  readonly arrival: Sender;
  readonly position: number;
  /** `mono` is the present monotonic time in milliseconds. */
  readonly shared: { readonly mono: number };
}

/** The source of the last sample of a signal, and the index of the origin of this sample in `origins`. */
interface LastOrigin {
  readonly evidence: Evidence;
  readonly bus: number;
  readonly sa: number;
  readonly device: string;
  readonly run: string | null;
  readonly index: number;
}

export class OpenSamples {
  /** The number of samples and of runs of states. */
  count = 0;
  /** The journal position of the first message whose samples may be in this object. */
  from: number;
  /** The monotonic time of the first sample in milliseconds; NaN if there is none. */
  since = Number.NaN;
  /**
   * Readings that were held back as implausible. They are not samples, and a restart must not turn them into samples when it reads the
   * journal again.
   */
  readonly withheld = new Set<string>();
  private columns: (SecondColumn | undefined)[] = [];
  private minuteColumns: (MinuteColumn | undefined)[] = [];
  private stateColumns: (StateColumn | undefined)[] = [];
  private sources = new Origins();
  private readonly last: (LastOrigin | undefined)[] = [];

  constructor(from: number, withheld: Iterable<string> = []) {
    this.from = from;
    for (const key of withheld) this.withheld.add(key);
  }

  /** Records an implausible reading, which must not become a sample. */
  withhold(signal: number, t_us: number, value: number): void {
    this.withheld.add(`${signal} ${t_us} ${value}`);
  }

  isWithheld(signal: number, t_us: number, value: number): boolean {
    return this.withheld.size > 0 && this.withheld.has(`${signal} ${t_us} ${value}`);
  }

  /**
   * Adds a value with its time `sent.observed_us` to the statistics of its minute. Also adds the value as a sample, unless the signal
   * already has a sample in the same second.
   */
  add(message: SampleMessage, sent: SourceValue): void {
    const { observed_us } = sent;
    const { index: signal, signal: name } = sent.evidence;
    let column = this.columns[signal];
    let minutes = this.minuteColumns[signal];
    if (column === undefined || minutes === undefined) {
      column = new SecondColumn();
      this.columns[signal] = column;
      minutes = new MinuteColumn(name);
      this.minuteColumns[signal] = minutes;
    }
    const origin = this.originOf(message.arrival, sent);
    minutes.add(observed_us, sent.value, origin);
    const second = Math.floor(observed_us / 1_000_000);
    if (column.add(second, sent.value, origin)) this.countOne(message);
  }

  /** Adds a state that a control unit reported instead of a value. `state` is its index in STORED_STATES. */
  addState(
    message: SampleMessage,
    source: Pick<SourceValue, 'evidence' | 'bus' | 'sa'>,
    state: number,
    observed_us: number,
  ): void {
    const { index, signal } = source.evidence;
    const column = this.stateColumns[index] ?? new StateColumn(signal);
    this.stateColumns[index] = column;
    const second = Math.floor(observed_us / 1_000_000);
    if (column.add(second, state, this.originOf(message.arrival, source))) this.countOne(message);
  }

  /** Counts a sample or a run of a state. The first one sets the time and position from which this object has content. */
  private countOne({ position, shared }: SampleMessage): void {
    if (this.count++ > 0) return;
    this.since = shared.mono;
    this.from = position;
  }

  /** The origins (device, run, bus and parameter) to which the samples refer by index. */
  get origins(): readonly Origin[] {
    return this.sources.list;
  }

  /** Returns the samples of each signal that has samples. */
  series(): SampleSeries[] {
    return SIGNAL_NAMES.flatMap((signal, i) => {
      const column = this.columns[i];
      return column === undefined || column.isEmpty ? [] : [{ signal, ...column.ordered() }];
    });
  }

  /** Returns the statistics of each minute, for each signal that has values. */
  minutes(): MinuteSeries[] {
    // The columns are in the order of SIGNAL_NAMES, and signals without values have none.
    return this.minuteColumns.flatMap((column) => column?.series() ?? []);
  }

  /** Returns the states of each signal that has states. */
  states(): StateRuns[] {
    return this.stateColumns.flatMap((column) => column?.series() ?? []);
  }

  /** Returns the samples of one signal; empty arrays if there are none. */
  one(signal: number): { t: number[]; v: number[]; o: number[] } {
    const column = this.columns[signal];
    return column === undefined ? { t: [], v: [], o: [] } : column.ordered();
  }

  /** Removes all samples, because the samples of all messages before this position are in segments. */
  clear(from: number): void {
    this.count = 0;
    this.from = from;
    this.since = Number.NaN;
    this.columns = [];
    this.minuteColumns = [];
    this.stateColumns = [];
    this.sources = new Origins();
    this.last.length = 0;
    this.withheld.clear();
  }

  private originOf(
    { device, run_id }: Sender,
    { evidence, bus, sa }: Pick<SourceValue, 'evidence' | 'bus' | 'sa'>,
  ): number {
    const last = this.last[evidence.index];
    if (
      last !== undefined &&
      last.evidence === evidence &&
      last.bus === bus &&
      last.sa === sa &&
      last.device === device &&
      last.run === run_id
    )
      return last.index;
    const index = this.sources.indexOf({ device, run: run_id, artifact: null, ...parameterOrigin(evidence, bus, sa) });
    this.last[evidence.index] = { evidence, bus, sa, device, run: run_id, index };
    return index;
  }
}
