/**
 * A device may be mounted on several machines during a recording. This class collects the share of the recording that belongs to one
 * machine: its facts in the order of the file, and its samples.
 */
import { SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import type { SampleClock } from '#domain/base/sample-clock.ts';
import { SecondColumn } from '#domain/base/second-column.ts';
import { MinuteColumn, type MinuteSeries } from '#domain/history/minutes.ts';
import type { RecordedOrigin } from '#domain/history/origins.ts';
import type { SampleSeries } from '#domain/history/samples.ts';
import { StateColumn, type StateRuns } from '#domain/history/states.ts';
import type { ClaimMessage } from '#domain/j1939/addresses.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import { type Evidence, type LiveTarget, parameterOrigin } from '#domain/machine/evidence.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import { MAX_SOURCES, type Source, type Sources } from './recording-sources.ts';

/**
 * A value with its raw number. `by` names the parameter of the gateway's own table, or the signal of a DBC file, that decoded the value.
 * `value` is in the unit of the gateway's signal. `frame` is the index of the frame in the file.
 */
type ValueFact<Kind, By> = readonly [
  kind: Kind,
  by: By,
  raw: number,
  value: number,
  t_us: number,
  bus: number,
  sa: number,
  frame: number,
];

/** One fact about a machine or device that was read from the recording, for example a value or a set of trouble codes. */
export type RecordingFact =
  | ValueFact<'value', number>
  | ValueFact<'mapped', LiveTarget>
  | readonly [kind: 'faults', message: FaultMessage]
  /** A DM2 message: the previously active trouble codes of a control unit. */
  | readonly [kind: 'previous', message: FaultMessage]
  | readonly [kind: 'identity', message: IdentityMessage]
  /** The control unit has claimed another address. The address applies to all later facts. */
  | readonly [kind: 'claim', message: ClaimMessage]
  /**
   * A frame came from this bus at `t_us`. This fact is added only for a bus from which trouble codes came before, because it shows that the
   * gateway would have received further codes.
   */
  | readonly [kind: 'heard', bus: number, t_us: number];

/** The facts and samples of one machine that `Share.take` returns at a time. */
export interface RecordingPart {
  readonly machine: string | null;
  readonly facts: readonly RecordingFact[];
  /** The samples by signal: at most one for each second, in the order of their times. */
  readonly samples: readonly SampleSeries[];
  /** The statistics of each minute, computed from all values of the recording and not only from its samples. */
  readonly minutes: readonly MinuteSeries[];
  /** The states that control units reported instead of values. */
  readonly states: readonly StateRuns[];
  /** The origins of the samples, statistics and states. Their field `o` has indexes into this list. */
  readonly origins: readonly RecordedOrigin[];
}

/**
 * Returns the number of an origin: a source, and the label of the correction of its times. The label is an index in the list of corrections
 * of the recording.
 */
export const originNumber = (source: number, label: number): number => label * MAX_SOURCES + source;

/** A part is full if it has this number of samples, or this number of facts. */
const PART_SAMPLES = 8_192;
const PART_FACTS = 2_000;

const SECOND_US = 1_000_000;

/** The newest reading of one source, and whether the share has added it to the facts. */
interface Last {
  second: number;
  t_us: number;
  raw: number;
  value: number;
  frame: number;
  /** True if the newest reading was not added to the facts yet. */
  due: boolean;
  /** For a meter: the value that was last added to the facts. */
  told: number;
  /**
   * True if the first value of the present second belongs to history (the stored samples). All other values of this second then belong to
   * history, too.
   */
  belongs: boolean;
}

/**
 * The share of a recording for one machine. If `machine` is null, it is the share of the times in which the device was linked to no
 * machine.
 */
export class Share {
  readonly machine: string | null;
  /** The state of the machine, computed from this recording alone by the rules for live data. */
  readonly facts: Facts = createFacts();
  /**
   * The last DM1 and the last DM2 of each control unit: the second in which it was sent, and its content. The key is the kind of message,
   * the bus and the source address.
   */
  private readonly faults = new Map<string, { second: number; said: string }>();
  readonly identities = new Map<string, string>();
  private readonly sources: Sources;
  private readonly corrections: readonly (SampleClock | null)[];
  private rows: RecordingFact[] = [];
  private readonly last: (Last | undefined)[] = [];
  private due: number[] = [];
  private readonly columns: (SecondColumn | undefined)[] = [];
  private readonly minuteColumns: (MinuteColumn | undefined)[] = [];
  private readonly stateColumns: (StateColumn | undefined)[] = [];
  /** The number of samples and of runs of states. */
  private samples = 0;
  /** The second of the last frame of each bus that has sent trouble codes. */
  private readonly heard = new Map<number, number>();

  constructor(machine: string | null, sources: Sources, corrections: readonly (SampleClock | null)[]) {
    this.machine = machine;
    this.sources = sources;
    this.corrections = corrections;
  }

  /** True when enough samples or facts were collected for a part, so that the caller must call `take`. */
  get isFull(): boolean {
    return this.samples >= PART_SAMPLES || this.rows.length >= PART_FACTS;
  }

  /** Adds a fact unchanged. */
  add(fact: RecordingFact): void {
    this.rows.push(fact);
  }

  /** Records a reading of the source `id`. Returns true if the reading is the first of its source in this second. */
  note(id: number, t_us: number, raw: number, value: number, frame: number): boolean {
    const second = Math.floor(t_us / SECOND_US);
    let last = this.last[id];
    if (last === undefined) {
      last = { second: -1, t_us: -1, raw: 0, value: 0, frame: 0, due: false, told: Number.NaN, belongs: false };
      this.last[id] = last;
    }
    if (t_us >= last.t_us) {
      last.t_us = t_us;
      last.raw = raw;
      last.value = value;
      last.frame = frame;
      if (!last.due) {
        last.due = true;
        this.due.push(id);
      }
    }
    if (second === last.second) return false;
    last.second = second;
    return true;
  }

  /**
   * Adds a reading of a meter to the facts if it is the newest reading of its source, and its value differs from the value that was added
   * last.
   */
  tellMeter(id: number, t_us: number, raw: number, value: number, frame: number): void {
    const last = this.last[id] as Last;
    if (last.told === value || last.t_us !== t_us) return;
    last.told = value;
    this.tell(this.sources.at(id), raw, value, t_us, frame);
  }

  /** Adds the newest reading of each source to the facts, unless the facts already contain it. */
  tellValues(): void {
    for (const id of this.due) {
      const one = this.last[id] as Last;
      one.due = false;
      this.tell(this.sources.at(id), one.raw, one.value, one.t_us, one.frame);
    }
    this.due = [];
  }

  /**
   * Adds the first value of an origin in a second: to the statistics, and as a sample. Returns false if the newest second of the signal
   * already has a sample.
   */
  sample(signal: SignalName, index: number, origin: number, t_us: number, value: number): boolean {
    this.count(signal, index, origin, t_us, value);
    let column = this.columns[index];
    if (column === undefined) {
      column = new SecondColumn();
      this.columns[index] = column;
    }
    if (!column.add(Math.floor(t_us / SECOND_US), value, origin)) return false;
    this.samples++;
    return true;
  }

  /** Records whether the values of the source `id` in the present second belong to history. */
  decide(id: number, belongs: boolean): void {
    (this.last[id] as Last).belongs = belongs;
  }

  /** True if the values of the source `id` in the present second belong to history. */
  belongs(id: number): boolean {
    return (this.last[id] as Last).belongs;
  }

  /** Adds a value to the statistics of its minute. */
  count(signal: SignalName, index: number, origin: number, t_us: number, value: number): void {
    let column = this.minuteColumns[index];
    if (column === undefined) {
      column = new MinuteColumn(signal);
      this.minuteColumns[index] = column;
    }
    column.add(t_us, value, origin);
  }

  /** Adds a state that a control unit reported instead of a value. `state` is its index in STORED_STATES. */
  addState({ signal, index }: Evidence, origin: number, t_us: number, state: number): void {
    const column = this.stateColumns[index] ?? new StateColumn(signal);
    this.stateColumns[index] = column;
    if (column.add(Math.floor(t_us / SECOND_US), state, origin)) this.samples++;
  }

  /** Records that a frame came from a bus. If the bus has sent trouble codes, adds at most one `heard` fact a second. */
  hear(bus: number, t_us: number): void {
    const second = Math.floor(t_us / SECOND_US);
    const before = this.heard.get(bus);
    if (before === undefined || second <= before) return;
    this.heard.set(bus, second);
    this.rows.push(['heard', bus, t_us]);
  }

  /** Adds a trouble code message to the facts, unless the same control unit has sent the same codes in this second. */
  tellFaults(kind: 'faults' | 'previous', message: FaultMessage): void {
    const { t_us, bus, sa } = message;
    const second = Math.floor(t_us / SECOND_US);
    const said = JSON.stringify([message.lamps, message.dtcs]);
    const key = `${kind} ${bus} ${sa}`;
    const before = this.faults.get(key);
    if (before?.second === second && before.said === said) return;
    this.faults.set(key, { second, said });
    this.heard.set(bus, Math.max(second, this.heard.get(bus) ?? second));
    this.rows.push([kind, message]);
  }

  /** Returns and removes all facts and samples that were collected since the last call; undefined if there are none. */
  take(): RecordingPart | undefined {
    this.tellValues();
    const { machine, rows: facts } = this;
    const origins = new Map<number, number>();
    const originOf = (origin: number): number => {
      const index = origins.get(origin) ?? origins.size;
      origins.set(origin, index);
      return index;
    };
    const samples = SIGNAL_NAMES.flatMap((signal, i) => {
      const column = this.columns[i];
      if (column === undefined || column.isEmpty) return [];
      const { t, v, o } = column.ordered();
      // After `empty`, the column still refuses another sample for its newest second. So a second that is in two parts gets only one
      // sample.
      column.empty();
      return [{ signal, t, v, o: o.map(originOf) }];
    });
    const minutes = this.minuteColumns.flatMap((column) => {
      if (column === undefined || column.isEmpty) return [];
      const series = column.series(originOf);
      column.clear();
      return [series];
    });
    const states = this.stateColumns.flatMap((column) => {
      if (column === undefined || column.isEmpty) return [];
      const runs = column.series(originOf);
      column.clear();
      return [runs];
    });
    this.rows = [];
    this.samples = 0;
    if ([facts, samples, minutes, states].every(({ length }) => length === 0)) return undefined;
    return {
      machine,
      facts,
      samples,
      minutes,
      states,
      origins: [...origins.keys()].map((origin) => this.originOf(origin)),
    };
  }

  private originOf(origin: number): RecordedOrigin {
    const { evidence, bus, sa } = this.sources.at(origin % MAX_SOURCES);
    const clock = this.corrections[Math.floor(origin / MAX_SOURCES)] ?? null;
    return { ...parameterOrigin(evidence, bus, sa), ...(clock === null ? {} : { clock }) };
  }

  private tell({ evidence, bus, sa }: Source, raw: number, value: number, t_us: number, frame: number): void {
    const { key, target } = evidence;
    if (target === undefined) this.rows.push(['value', key, raw, value, t_us, bus, sa, frame]);
    else this.rows.push(['mapped', target, raw, value, t_us, bus, sa, frame]);
  }
}
