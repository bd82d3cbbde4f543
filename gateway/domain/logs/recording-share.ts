/** The part of a recording for one machine: its facts in the order of the file, and its samples. */
import { SIGNAL_NAMES } from '#contract/base/signals.ts';
import { SecondColumn } from '#domain/base/second-column.ts';
import type { ParameterOrigin } from '#domain/history/origins.ts';
import type { SampleSeries } from '#domain/history/samples.ts';
import type { ClaimMessage } from '#domain/j1939/addresses.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import type { IdentityMessage } from '#domain/j1939/identity.ts';
import { type LiveTarget, parameterOrigin } from '#domain/machine/evidence.ts';
import { createFacts, type Facts } from '#domain/machine/facts.ts';
import type { Source, Sources } from './recording-sources.ts';

/**
 * A value with its raw number, by a parameter of ours or by a DBC file; the value is in our unit. `frame` counts from
 * the first frame of the file.
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

/** A fact for a machine or device. */
export type RecordingFact =
  | ValueFact<'value', number>
  | ValueFact<'mapped', LiveTarget>
  | readonly [kind: 'faults', message: FaultMessage]
  /** DM2. */
  | readonly [kind: 'previous', message: FaultMessage]
  | readonly [kind: 'identity', message: IdentityMessage]
  /** A control unit has another address from here on. */
  | readonly [kind: 'claim', message: ClaimMessage]
  /** A bus that sent trouble codes before sent a frame. */
  | readonly [kind: 'heard', bus: number, t_us: number];

/** A piece of a recording for one machine, of limited size. */
export interface RecordingPart {
  readonly machine: string | null;
  readonly facts: readonly RecordingFact[];
  /** At most one sample per signal and second, in ascending order. */
  readonly samples: readonly SampleSeries[];
  /** The origins of the samples, to which `samples[].o` refers. */
  readonly origins: readonly ParameterOrigin[];
}

/** The numbers of samples, and of facts, that fill a part. */
const PART_SAMPLES = 8_192;
const PART_FACTS = 2_000;

const SECOND_US = 1_000_000;

/** The newest reading of one source, and whether it was emitted. */
interface Last {
  second: number;
  t_us: number;
  raw: number;
  value: number;
  frame: number;
  /** True while it was not emitted. */
  due: boolean;
  /** The last emitted value of a meter. */
  told: number;
}

/** The share of one machine, or of no machine. */
export class Share {
  readonly machine: string | null;
  /** Facts by the rules for live data, from the recording alone. */
  readonly facts: Facts = createFacts();
  /** The last DM1 and DM2, by bus and source address: second and content. */
  private readonly faults = new Map<string, { second: number; said: string }>();
  readonly identities = new Map<string, string>();
  private readonly sources: Sources;
  private rows: RecordingFact[] = [];
  private readonly last: (Last | undefined)[] = [];
  private due: number[] = [];
  private readonly columns: (SecondColumn | undefined)[] = [];
  private samples = 0;
  /** The second of the last frame, by bus; only of buses that sent trouble codes. */
  private readonly heard = new Map<number, number>();

  constructor(machine: string | null, sources: Sources) {
    this.machine = machine;
    this.sources = sources;
  }

  /** True when there is enough for a part. */
  get isFull(): boolean {
    return this.samples >= PART_SAMPLES || this.rows.length >= PART_FACTS;
  }

  /** Adds a fact unchanged. */
  add(fact: RecordingFact): void {
    this.rows.push(fact);
  }

  /** Notes a reading of a source; true for the first of a second. */
  note(id: number, t_us: number, raw: number, value: number, frame: number): boolean {
    const second = Math.floor(t_us / SECOND_US);
    let last = this.last[id];
    if (last === undefined) {
      last = { second: -1, t_us: -1, raw: 0, value: 0, frame: 0, due: false, told: Number.NaN };
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
   * Adds a reading of a meter to the facts when it is the newest of its source and differs from the last emitted one.
   */
  tellMeter(id: number, t_us: number, raw: number, value: number, frame: number): void {
    const last = this.last[id] as Last;
    if (last.told === value || last.t_us !== t_us) return;
    last.told = value;
    this.tell(this.sources.at(id), raw, value, t_us, frame);
  }

  /** Adds the newest reading of each source to the facts, if it was not emitted yet. */
  tellValues(): void {
    for (const id of this.due) {
      const one = this.last[id] as Last;
      one.due = false;
      this.tell(this.sources.at(id), one.raw, one.value, one.t_us, one.frame);
    }
    this.due = [];
  }

  /** Adds a sample of a source unless the second has one. */
  sample(signal: number, id: number, t_us: number, value: number): boolean {
    let column = this.columns[signal];
    if (column === undefined) {
      column = new SecondColumn();
      this.columns[signal] = column;
    }
    if (!column.add(Math.floor(t_us / SECOND_US), value, id)) return false;
    this.samples++;
    return true;
  }

  /** Notes a frame on a bus; adds a fact once a second if the bus sent trouble codes. */
  hear(bus: number, t_us: number): void {
    const second = Math.floor(t_us / SECOND_US);
    const before = this.heard.get(bus);
    if (before === undefined || second <= before) return;
    this.heard.set(bus, second);
    this.rows.push(['heard', bus, t_us]);
  }

  /** Adds codes to the facts, unless the same source sent the same codes in this second. */
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

  /** Returns everything since the last part; undefined when there is nothing. */
  take(): RecordingPart | undefined {
    this.tellValues();
    const { machine, rows: facts } = this;
    const origins = new Map<number, number>();
    const originOf = (id: number): number => {
      const index = origins.get(id) ?? origins.size;
      origins.set(id, index);
      return index;
    };
    const samples = SIGNAL_NAMES.flatMap((signal, i) => {
      const column = this.columns[i];
      if (column === undefined || column.isEmpty) return [];
      const { t, v, o } = column.ordered();
      // A second that spans two parts still gets only one sample.
      column.empty();
      return [{ signal, t, v, o: o.map(originOf) }];
    });
    this.rows = [];
    this.samples = 0;
    if (facts.length === 0 && samples.length === 0) return undefined;
    return { machine, facts, samples, origins: [...origins.keys()].map((id) => this.originOf(id)) };
  }

  private originOf(id: number): ParameterOrigin {
    const { evidence, bus, sa } = this.sources.at(id);
    return parameterOrigin(evidence, bus, sa);
  }

  private tell({ evidence, bus, sa }: Source, raw: number, value: number, t_us: number, frame: number): void {
    const { key, target } = evidence;
    if (target === undefined) this.rows.push(['value', key, raw, value, t_us, bus, sa, frame]);
    else this.rows.push(['mapped', target, raw, value, t_us, bus, sa, frame]);
  }
}
