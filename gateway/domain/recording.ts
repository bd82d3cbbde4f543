/**
 * A recording into what history and facts take of it: frames in, parts out, each for one machine.
 *
 *   frames -> decode -> values  -> the first of each second, of the source that held the signal then -> samples
 *                               -> the newest of each source, every change of a meter               -> facts
 *                    -> DM1     -> each change, and one a second                                     -> facts
 *                    -> VI, CI  -> each change                                                       -> facts
 *
 * Who holds a signal and what a meter may do is decided as it is live, by the same rules over facts of the recording's own. A value
 * without a date is left out: a file does not say when "now" was.
 */
import { FRAME, type FrameBatch } from '#contract/frame.ts';
import { isPlausible, SIGNAL_NAMES, type SignalName } from '#contract/signals.ts';
import type { DbcDecoder } from './dbc-decode.ts';
import type { LiveDbc, LiveTarget } from './dbc-mapping.ts';
import { createFacts, type Facts, NONE } from './facts.ts';
import { AddressBook, type ClaimMessage } from './j1939-addresses.ts';
import type { Decoder, DecodeSink } from './j1939-decode.ts';
import type { FaultMessage } from './j1939-faults.ts';
import type { IdentityMessage } from './j1939-identity.ts';
import { PARAMETERS } from './j1939-parameters.ts';
import { applyReading, OUTCOME, readingOf, type SampleOrigin, unitOf } from './latest-known.ts';
import { meterLimit } from './meter-limits.ts';
import type { SegmentColumn } from './segment.ts';
import { isDated, observedTime } from './times.ts';

/** From this time on the recording counts for this machine; null for none. */
export interface RecordingSpan {
  readonly from_us: number;
  readonly machine: string | null;
}

/** What the facts of a machine or device take, in the order in which it was heard; `frame` counts from the first of the file. */
export type RecordingFact =
  | readonly [
      kind: 'value',
      parameter: number,
      raw: number,
      value: number,
      t_us: number,
      bus: number,
      sa: number,
      frame: number,
    ]
  /** By a DBC file; the value is in our unit. */
  | readonly [
      kind: 'mapped',
      target: LiveTarget,
      raw: number,
      value: number,
      t_us: number,
      bus: number,
      sa: number,
      frame: number,
    ]
  | readonly [kind: 'faults', message: FaultMessage]
  /** DM2. */
  | readonly [kind: 'previous', message: FaultMessage]
  | readonly [kind: 'identity', message: IdentityMessage]
  /** Somebody's address is another from here on. */
  | readonly [kind: 'claim', message: ClaimMessage]
  /** Something was heard on a bus that told of faults before. */
  | readonly [kind: 'heard', bus: number, t_us: number];

/** A piece of a recording for one machine, of bounded size. */
export interface RecordingPart {
  readonly machine: string | null;
  readonly facts: readonly RecordingFact[];
  /** One sample per signal and second at most, times ascending. */
  readonly samples: readonly SegmentColumn[];
}

/** A trouble code as the recording told it. */
export interface RecordedFault {
  readonly sa: number;
  readonly spn: number | null;
  readonly fmi: number;
  readonly raw: string;
  readonly from_us: number;
  to_us: number;
}

/** What was found so far. */
export interface RecordingSummary {
  frames: number;
  /** Frames by bus. */
  readonly buses: Map<number, number>;
  /** Of frames with a date; null when there was none. */
  from_us: number | null;
  to_us: number | null;
  /** Frames without a date, or with one that lies ahead. */
  undated: number;
  /** Values by DBC files that cannot be. */
  implausible: number;
  /** Samples by signal. */
  readonly signals: Map<SignalName, number>;
  /** Samples for each machine; null stands for none. */
  readonly machines: Map<string | null, number>;
  readonly identities: Map<string, IdentityMessage>;
  readonly faults: Map<string, RecordedFault>;
}

export interface Recording {
  readonly summary: RecordingSummary;
  /** Takes the next frames of the file. */
  decode(batch: FrameBatch): void;
  /** Parts that are large enough, or that others follow; with `all`, everything that is left. */
  take(all?: boolean): RecordingPart[];
}

/** Samples, and facts, that make a part. */
const PART_SAMPLES = 8_192;
const PART_FACTS = 2_000;
/** Identities and trouble codes that are told apart; further ones are not told. */
const MAX_TOLD = 500;
/** Sources of values; a bus has some dozens. */
const MAX_SOURCES = 20_000;
/** Buses whose sources are found without a search. */
const NEAR_BUSES = 4;

const SECOND_US = 1_000_000;

/** What a source tells: a signal of ours, by a parameter of ours or by a DBC file. */
interface Told {
  readonly signal: number;
  readonly name: SignalName;
  readonly pgn: number;
  readonly spn: number;
  readonly rank: number;
  readonly isMeter: boolean;
  readonly by: number | LiveTarget;
}

const TOLD = PARAMETERS.map(({ signal, pgn, spn, rank }, by): Told | undefined =>
  signal === null
    ? undefined
    : {
        signal: SIGNAL_NAMES.indexOf(signal),
        name: signal,
        pgn,
        spn,
        rank,
        isMeter: meterLimit(signal) !== undefined,
        by,
      },
);

function toldBy(target: LiveTarget): Told {
  const { to: name, pgn, key: spn, rank } = target;
  const isMeter = meterLimit(name) !== undefined;
  return { signal: SIGNAL_NAMES.indexOf(name), name, pgn, spn, rank, isMeter, by: target };
}

interface Source {
  readonly told: Told;
  readonly bus: number;
  readonly sa: number;
}

/** Sources of values, numbered as they are heard; -1 stands for one that there is no room for. */
class Sources {
  readonly list: Source[] = [];
  private readonly near = new Int32Array(PARAMETERS.length * NEAR_BUSES * 256).fill(-1);
  private readonly far = new Map<number, number>();
  private readonly mapped = new Map<LiveTarget, Map<number, number>>();

  idOf(parameter: number, bus: number, sa: number): number {
    if (bus >= NEAR_BUSES)
      return this.search(this.far, parameter * 65_536 + bus * 256 + sa, TOLD[parameter] as Told, bus, sa);
    const slot = (parameter * NEAR_BUSES + bus) * 256 + sa;
    let id = this.near[slot] as number;
    if (id < 0) {
      id = this.add(TOLD[parameter] as Told, bus, sa);
      this.near[slot] = id;
    }
    return id;
  }

  idOfMapped(target: LiveTarget, bus: number, sa: number): number {
    const ids = this.mapped.get(target) ?? new Map<number, number>();
    this.mapped.set(target, ids);
    return ids.get(bus * 512 + sa) ?? this.search(ids, bus * 512 + sa, toldBy(target), bus, sa);
  }

  private search(ids: Map<number, number>, key: number, told: Told, bus: number, sa: number): number {
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = this.add(told, bus, sa);
    if (id >= 0) ids.set(key, id);
    return id;
  }

  private add(told: Told, bus: number, sa: number): number {
    return this.list.length < MAX_SOURCES ? this.list.push({ told, bus, sa }) - 1 : -1;
  }
}

interface Column {
  t: number[];
  v: number[];
  newest: number;
  sorted: boolean;
}

/** The newest reading of one source, and what of it was handed on. */
interface Last {
  second: number;
  t_us: number;
  raw: number;
  value: number;
  frame: number;
  /** Not handed on yet. */
  due: boolean;
  told: number;
}

/** What one machine gets of the recording. */
class Share {
  readonly machine: string | null;
  readonly facts: Facts = createFacts();
  readonly last: (Last | undefined)[] = [];
  rows: RecordingFact[] = [];
  samples = 0;
  private due: number[] = [];
  private columns: (Column | undefined)[] = [];
  /** Second of the last thing heard, by bus; only of buses that told of faults. */
  readonly heard = new Map<number, number>();
  /** Last DM1, and DM2, by bus and source address: its second, and what it said. */
  readonly faults = new Map<string, { second: number; said: string }>();
  readonly identities = new Map<string, string>();

  constructor(machine: string | null) {
    this.machine = machine;
  }

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

  /** A sample unless the second has one. */
  sample(signal: number, second: number, value: number): boolean {
    let column = this.columns[signal];
    if (column === undefined) {
      column = { t: [], v: [], newest: -1, sorted: true };
      this.columns[signal] = column;
    }
    if (second === column.newest) return false;
    if (second > column.newest) column.newest = second;
    else column.sorted = false;
    column.t.push(second);
    column.v.push(value);
    this.samples++;
    return true;
  }

  tell({ told: { by }, bus, sa }: Source, raw: number, value: number, t_us: number, frame: number): void {
    if (typeof by === 'number') this.rows.push(['value', by, raw, value, t_us, bus, sa, frame]);
    else this.rows.push(['mapped', by, raw, value, t_us, bus, sa, frame]);
  }

  /** The newest reading of each source that has one since the last time, among the facts. */
  tellValues(sources: Sources): void {
    for (const id of this.due) {
      const one = this.last[id] as Last;
      one.due = false;
      const { raw, value, t_us, frame } = one;
      this.tell(sources.list[id] as Source, raw, value, t_us, frame);
    }
    this.due = [];
  }

  part(sources: Sources): RecordingPart {
    this.tellValues(sources);
    const { machine, rows, columns } = this;
    const samples = SIGNAL_NAMES.flatMap((signal, i) => {
      const column = columns[i];
      return column === undefined || column.t.length === 0 ? [] : [{ signal, ...ordered(column) }];
    });
    // A second that goes over the end of a part is one still.
    for (const column of columns) {
      if (column === undefined) continue;
      column.t = [];
      column.v = [];
      column.sorted = true;
    }
    this.rows = [];
    this.samples = 0;
    return { machine, facts: rows, samples };
  }
}

/** Ascending in microseconds, the first of each second. */
function ordered({ t, v, sorted }: Column): { t: Float64Array; v: Float64Array } {
  const order = t.map((_, i) => i);
  if (!sorted) order.sort((a, b) => (t[a] as number) - (t[b] as number) || a - b);
  const kept = sorted ? order : order.filter((at, i) => i === 0 || t[at] !== t[order[i - 1] as number]);
  return {
    t: Float64Array.from(kept, (at) => (t[at] as number) * SECOND_US),
    v: Float64Array.from(kept, (at) => v[at] as number),
  };
}

/** A DBC file, and a decoder by it. */
interface RecordingDbc {
  readonly file: LiveDbc;
  readonly decoder: DbcDecoder;
}

export interface RecordingOptions {
  /** A decoder of its own, from the first frame on. */
  readonly decoder: Decoder;
  /** The DBC files of the device. */
  readonly dbc?: readonly LiveDbc[];
  /** The device that recorded. */
  readonly device: string;
  /** When the file is read, by the receiver's clock: nothing can have been observed later. */
  readonly received_us: number;
  /** Ascending; before the first the recording counts for none. */
  readonly spans: readonly RecordingSpan[];
}

/** Reads one recording, batch by batch in the order of the file. */
export function createRecording({ decoder, dbc = [], device, received_us, spans }: RecordingOptions): Recording {
  const mapped = dbc.map((file): RecordingDbc => ({ file, decoder: file.plan.decoder() }));
  const sources = new Sources();
  const addresses = new AddressBook();
  const shares = new Map<string | null, Share>();
  const summary: RecordingSummary = {
    frames: 0,
    buses: new Map(),
    from_us: null,
    to_us: null,
    undated: 0,
    implausible: 0,
    signals: new Map(),
    machines: new Map(),
    identities: new Map(),
    faults: new Map(),
  };
  const counts = new Uint32Array(256);
  const origin: SampleOrigin & { readonly events: unknown[] } = {
    device,
    run_id: null,
    ref: null,
    received_us,
    events: [],
  };
  let batch: FrameBatch;
  // The share of the time between `from` and `to`, so that it is not looked for each time.
  let share: Share = new Share(null);
  let from = 0;
  let to = 0;

  function shareAt(t_us: number): Share {
    if (t_us >= from && t_us < to) return share;
    const at = spans.findLastIndex(({ from_us }) => from_us <= t_us);
    const machine = spans[at]?.machine ?? null;
    from = spans[at]?.from_us ?? Number.NEGATIVE_INFINITY;
    to = spans[at + 1]?.from_us ?? Number.POSITIVE_INFINITY;
    share = shares.get(machine) ?? new Share(machine);
    shares.set(machine, share);
    return share;
  }

  const dated = (t_us: number, frame: number) =>
    ((batch.flags[frame] as number) & FRAME.noTime) === 0 && isDated(t_us, received_us);

  function hear(of: Share, bus: number, t_us: number): void {
    const second = Math.floor(t_us / SECOND_US);
    const before = of.heard.get(bus);
    if (before === undefined || second <= before) return;
    of.heard.set(bus, second);
    of.rows.push(['heard', bus, t_us]);
  }

  /** A value of a source. */
  function value(id: number, raw: number, number: number, time_us: number, frame: number): void {
    if (id < 0) return;
    const t_us = observedTime(time_us, received_us);
    const of = shareAt(t_us);
    const at = summary.frames + frame;
    if (!of.note(id, t_us, raw, number, at)) return;
    const source = sources.list[id] as Source;
    first(of, source, raw, number, t_us);
    const last = of.last[id] as Last;
    if (!source.told.isMeter || last.told === number || last.t_us !== t_us) return;
    last.told = number;
    of.tell(source, raw, number, t_us, at);
  }

  /** The first value of a source in a second: a sample when its source holds the signal. */
  function first(of: Share, { told, bus, sa }: Source, raw: number, value: number, t_us: number): void {
    const { name, pgn, spn, rank } = told;
    const unit = sa === NONE ? NONE : addresses.unitOf(bus, sa);
    const outcome = applyReading(of.facts, origin, name, value, t_us, true, raw, bus, sa, pgn, spn, rank, 0, unit);
    origin.events.length = 0;
    const holder = readingOf(of.facts, name);
    const holds = holder !== undefined && holder.spn === spn && holder.bus === bus && unitOf(holder) === unit;
    if (outcome === OUTCOME.moved || (outcome === OUTCOME.late && holds)) {
      if (of.sample(told.signal, Math.floor(t_us / SECOND_US), value)) {
        summary.signals.set(name, (summary.signals.get(name) ?? 0) + 1);
        summary.machines.set(of.machine, (summary.machines.get(of.machine) ?? 0) + 1);
      }
    }
    hear(of, bus, t_us);
  }

  /** A DM1 or DM2 among the facts, unless it says what was said in the same second; the time that it counts under, undefined where it counts for nothing. */
  function tellFaults(kind: 'faults' | 'previous', message: FaultMessage): number | undefined {
    if (!dated(message.t_us, message.frame)) return undefined;
    const t_us = observedTime(message.t_us, received_us);
    const of = shareAt(t_us);
    const { bus, sa } = message;
    const second = Math.floor(t_us / SECOND_US);
    const said = JSON.stringify([message.lamps, message.dtcs]);
    const key = `${kind} ${bus} ${sa}`;
    const before = of.faults.get(key);
    if (before?.second === second && before.said === said) return t_us;
    of.faults.set(key, { second, said });
    of.heard.set(bus, Math.max(second, of.heard.get(bus) ?? second));
    of.rows.push([kind, { ...message, t_us, frame: summary.frames + message.frame }]);
    return t_us;
  }

  const sink: DecodeSink = {
    signal(parameter, raw, number, t_us, bus, sa, frame) {
      if (dated(t_us, frame)) value(sources.idOf(parameter, bus, sa), raw, number, t_us, frame);
    },
    faults(message) {
      const t_us = tellFaults('faults', message);
      if (t_us === undefined) return;
      const { sa } = message;
      for (const { spn, fmi, raw } of message.dtcs) {
        const key = `${sa} ${spn ?? raw.slice(0, 6)} ${fmi}`;
        const known = summary.faults.get(key);
        if (known !== undefined) known.to_us = Math.max(known.to_us, t_us);
        else if (summary.faults.size < MAX_TOLD)
          summary.faults.set(key, { sa, spn, fmi, raw, from_us: t_us, to_us: t_us });
      }
    },
    previous(message) {
      tellFaults('previous', message);
    },
    claim(message) {
      if (!dated(message.t_us, message.frame) || !addresses.claim(message)) return;
      const t_us = observedTime(message.t_us, received_us);
      // What was said from the address until now was said by who had it.
      for (const one of shares.values()) one.tellValues(sources);
      shareAt(t_us).rows.push(['claim', { ...message, t_us, frame: summary.frames + message.frame }]);
    },
    identity(message) {
      // Who a machine is does not depend on when: the last frame's time finds its share when it has none of its own.
      const t_us = isDated(message.t_us, received_us) ? message.t_us : received_us;
      const of = shareAt(t_us);
      const key = `${message.bus} ${message.sa} ${message.kind}`;
      if (of.identities.get(key) === message.text) return;
      if (of.identities.size >= MAX_TOLD && !of.identities.has(key)) return;
      of.identities.set(key, message.text);
      summary.identities.set(key, message);
      of.rows.push(['identity', { ...message, t_us }]);
    },
  };

  /** The frames at hand by the DBC files of the device. */
  function decodeMapped({ file, decoder: by }: RecordingDbc): void {
    by.decode(batch, {
      value(signal, raw, number, state, t_us, bus, address, frame) {
        const target = file.targets[signal];
        if (target === undefined || state !== 0 || !dated(t_us, frame)) return;
        const ours = number * target.factor + target.offset;
        // Only J1939 says who speaks.
        const sa = target.pgn < 0 ? NONE : address;
        if (isPlausible(target.to, ours)) value(sources.idOfMapped(target, bus, sa), raw, ours, t_us, frame);
        else summary.implausible++;
      },
    });
  }

  function look({ count, bus, t, flags }: FrameBatch): void {
    counts.fill(0);
    let undated = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      (counts[bus[i] as number] as number)++;
      const t_us = t[i] as number;
      if (((flags[i] as number) & FRAME.noTime) !== 0 || !isDated(t_us, received_us)) undated++;
      else {
        if (t_us < least) least = t_us;
        if (t_us > most) most = t_us;
      }
    }
    for (let b = 0; b < 256; b++) {
      const more = counts[b] as number;
      if (more > 0) summary.buses.set(b, (summary.buses.get(b) ?? 0) + more);
    }
    summary.undated += undated;
    if (least <= most) {
      summary.from_us = Math.min(summary.from_us ?? least, least);
      summary.to_us = Math.max(summary.to_us ?? most, most);
    }
  }

  return {
    summary,
    decode(next) {
      batch = next;
      look(batch);
      decoder.decode(batch, sink);
      for (const one of mapped) decodeMapped(one);
      summary.frames += batch.count;
    },
    take(all = false) {
      const full: RecordingPart[] = [];
      for (const one of shares.values()) {
        // What counts for another machine than what follows goes ahead of it.
        if (!all && one === share && one.samples < PART_SAMPLES && one.rows.length < PART_FACTS) continue;
        const part = one.part(sources);
        if (part.facts.length > 0 || part.samples.length > 0) full.push(part);
      }
      return full;
    },
  };
}
