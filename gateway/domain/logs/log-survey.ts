/**
 * Surveys a log for a person who opens it: buses, control units, parameter groups, values, trouble codes, and two curves over time.
 *
 *   batch -> counts by bus -> load          -> decoder -> inventory, codes, addresses
 *         -> parameters, one frame at a time -> curves of the engine speed and of the number of frames
 *
 * Memory does not grow with the log: every table has a limit, and the survey only counts the entries that no longer fit. Frames without a
 * date have times from 0 on. The survey shifts these times by `UNDATED_AT_US`, so that it treats all frames alike.
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { extendedBits, standardBits } from '#domain/base/frame-bits.ts';
import { AddressBook } from '#domain/j1939/addresses.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, type DecodeSink, isDecoded } from '#domain/j1939/decode.ts';
import type { FaultMessage, Lamps } from '#domain/j1939/faults.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { type InventoryUnit, unitsOf } from '#domain/j1939/inventory-units.ts';
import type { TransportCounters } from '#domain/j1939/transport.ts';
import { type ParameterStats, ParameterSurvey } from './log-parameters.ts';
import { type Course, Series } from './log-series.ts';

/** Largest number of distinct trouble codes in the result of a survey. */
const MAX_CODES = 500;
/** The survey counts each 11-bit identifier separately for at most this many buses. */
const MAX_STANDARD_BUSES = 16;
const BINS_BEGIN_US = 100_000;
const SECOND_US = 1_000_000;
/** If two neighbouring frames are further apart than this, in microseconds, the time between them counts as a pause. */
const PAUSE_US = 10_000_000;
const ENGINE_SPEED = { pgn: 61_444, byte: 3, scale: 0.125, largest: 0xfaff } as const;
/** Microseconds that the survey adds to the time of a frame without a date, and subtracts from its result. */
const UNDATED_AT_US = 2e15;

/** Counters and times of one bus of the log. */
export interface BusSurvey {
  readonly bus: number;
  frames: number;
  extended: number;
  standard: number;
  remote: number;
  fd: number;
  errors: number;
  transmitted: number;
  first_us: number;
  last_us: number;
  /** Estimated number of bits of all classic CAN data frames. */
  bits: number;
  /** Largest number of bits in one second. */
  busiest_bits: number;
  /** The bit rate of the bus, estimated from the gaps between frames; null if unknown. */
  bit_rate: number | null;
}

/** A trouble code of one control unit, with the first and the last time of a message that contained the code. */
export interface CodeSurvey {
  readonly kind: 'active' | 'previous';
  readonly bus: number;
  readonly sa: number;
  readonly spn: number | null;
  readonly fmi: number;
  readonly raw: string;
  occurrence_count: number | null;
  messages: number;
  first_us: number;
  last_us: number;
}

/** The lamp states in the last trouble code message of a control unit. */
export interface LampSurvey {
  readonly bus: number;
  readonly sa: number;
  lamps: Lamps;
  messages: number;
}

/** A pause: a time in which no frame was recorded. */
interface Pause {
  readonly from_us: number;
  readonly length_us: number;
}

/** The result of a survey. */
export interface Survey {
  readonly frames: number;
  /** Time of the first frame in microseconds; null when the log has no frames. */
  readonly first_us: number | null;
  readonly last_us: number | null;
  /**
   * Number of frames without a date. When no frame has a date, all times count from the first frame. When only some frames have a date, the
   * times of the survey come only from these frames.
   */
  readonly undated: number;
  readonly buses: readonly BusSurvey[];
  readonly units: readonly InventoryUnit[];
  readonly groups: readonly { bus: number; sa: number; pgn: number; frames: number; decoded: boolean }[];
  readonly standard: readonly { bus: number; id: number; frames: number }[];
  readonly parameters: readonly ParameterStats[];
  readonly codes: readonly CodeSurvey[];
  readonly lamps: readonly LampSurvey[];
  readonly pauses: { readonly count: number; readonly longest: Pause | null };
  readonly transport: TransportCounters;
  /** Number of frames and trouble codes that the survey left out, because their table was full. */
  readonly not_counted: number;
  readonly frame_course: Course | null;
  /** Engine speed in rpm, of the first source that sent it. */
  readonly speed_course: (Course & { readonly bus: number; readonly sa: number }) | null;
}

/** Surveys one log. The caller passes the frames of the log, one batch after another. */
export interface LogSurvey {
  /** Adds the next frames of the log. Changes the times of frames without a date in `batch`. */
  take(batch: FrameBatch): void;
  result(): Survey;
}

const DATA = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/** Creates a survey of one log. */
export function createLogSurvey(): LogSurvey {
  return new FrameSurvey();
}

function emptyBus(bus: number, t_us: number): BusSurvey {
  return {
    bus,
    frames: 0,
    extended: 0,
    standard: 0,
    remote: 0,
    fd: 0,
    errors: 0,
    transmitted: 0,
    first_us: t_us,
    last_us: t_us,
    bits: 0,
    busiest_bits: 0,
    bit_rate: null,
  };
}

/** The trouble codes and lamps of a log. */
class CodeTable {
  readonly codes = new Map<string, CodeSurvey>();
  readonly lamps = new Map<number, LampSurvey>();
  /** Codes that were not counted because the table was full. */
  lost = 0;

  add(kind: 'active' | 'previous', { bus, sa, t_us, lamps, dtcs }: FaultMessage): void {
    if (kind === 'active') this.addLamps(bus, sa, lamps);
    for (const { spn, fmi, raw, occurrence_count } of dtcs) {
      // The fourth byte of a trouble code is its occurrence count. Two codes that differ only in this byte are the same code, so the key
      // leaves it out.
      const key = `${kind} ${bus} ${sa} ${raw.slice(0, 6)}`;
      const known = this.codes.get(key);
      const span = { messages: 1, first_us: t_us, last_us: t_us };
      if (known !== undefined) {
        known.messages++;
        known.last_us = t_us;
        known.occurrence_count = occurrence_count;
      } else if (this.codes.size < MAX_CODES)
        this.codes.set(key, { kind, bus, sa, spn, fmi, raw, occurrence_count, ...span });
      else this.lost++;
    }
  }

  private addLamps(bus: number, sa: number, lamps: Lamps): void {
    const known = this.lamps.get(bus * 256 + sa);
    if (known === undefined) this.lamps.set(bus * 256 + sa, { bus, sa, lamps, messages: 1 });
    else {
      known.lamps = lamps;
      known.messages++;
    }
  }
}

class FrameSurvey implements LogSurvey {
  private readonly buses: (BusSurvey | undefined)[] = [];
  /** For each bus, the second in which its last frame was recorded, and the number of bits of all its frames in that second. */
  private readonly second = new Float64Array(256).fill(-1);
  private readonly secondBits = new Float64Array(256);
  private readonly standard = new Map<number, Float64Array>();
  private readonly parameters = new ParameterSurvey();
  private readonly inventory = new BusInventory();
  private readonly book = new AddressBook();
  private readonly decoder = createDecoder();
  private readonly table = new CodeTable();
  private readonly frameSeries = new Series(BINS_BEGIN_US);
  private readonly speedSeries = new Series(BINS_BEGIN_US);
  private readonly sink: DecodeSink;
  private speedSource = -1;
  private frames = 0;
  private first_us = Number.NaN;
  private last_us = Number.NaN;
  private dated_first_us = Number.NaN;
  private dated_last_us = Number.NaN;
  private undated = 0;
  private pauses = 0;
  private longest: Pause | null = null;
  /** 11-bit frames that were not counted because the table was full. */
  private lost = 0;

  constructor() {
    const { book, inventory } = this;
    this.sink = {
      signal() {},
      faults: (message) => this.takeFaults('active', message),
      previous: (message) => this.takeFaults('previous', message),
      identity: (message) => inventory.identity(message, book.unitOf(message.bus, message.sa)),
      claim: (message) => void book.claim(message),
    };
  }

  take(batch: FrameBatch): void {
    const { count, t, flags } = batch;
    const first = this.frames === 0;
    for (let i = 0; i < count; i++) {
      if ((flags[i] as number) & FRAME.noTime) {
        t[i] = (t[i] as number) + UNDATED_AT_US;
        this.undated++;
      }
      // Both curves begin at the first frame of the log.
      if (first && i === 0) this.speedSeries.begin(t[0] as number);
      this.takeFrame(batch, i);
    }
    this.frames += count;
    this.decoder.decode(batch, this.sink, this.inventory);
  }

  result(): Survey {
    const { frames, undated, inventory, parameters, table, longest, speedSource } = this;
    const shift_us = undated === frames ? UNDATED_AT_US : 0;
    // When only some frames have a date, the frames have no common time axis, so the result has no curves.
    const mixed = undated > 0 && undated < frames;
    const rates = new Map(inventory.buses().map(({ bus, bit_rate }) => [bus, bit_rate]));
    const shifted = (t_us: number) => t_us - shift_us;
    const span = <T extends { readonly first_us: number; readonly last_us: number }>(one: T): T => ({
      ...one,
      first_us: shifted(one.first_us),
      last_us: shifted(one.last_us),
    });
    const courseOf = (series: Series): Course | null => {
      const course = series.course();
      return course === null || mixed ? null : { ...course, from_us: shifted(course.from_us) };
    };
    const speed = courseOf(this.speedSeries);
    return {
      frames,
      first_us: frames === 0 ? null : mixed ? this.dated_first_us : shifted(this.first_us),
      last_us: frames === 0 ? null : mixed ? this.dated_last_us : shifted(this.last_us),
      undated,
      buses: this.buses
        .filter((one) => one !== undefined)
        .map((one) => ({ ...span(one), bit_rate: rates.get(one.bus) ?? null })),
      units: unitsOf(inventory, this.book),
      groups: inventory
        .groups()
        .map(({ bus, sa, pgn, frames: count }) => ({ bus, sa, pgn, frames: count, decoded: isDecoded(pgn) }))
        .sort((a, b) => a.bus - b.bus || a.pgn - b.pgn || a.sa - b.sa),
      standard: [...this.standard].flatMap(([bus, counts]) =>
        [...counts].flatMap((count, id) => (count > 0 ? [{ bus, id, frames: count }] : [])),
      ),
      parameters: parameters.found().map((one) => ({
        ...one,
        first: one.first && { ...one.first, t_us: shifted(one.first.t_us) },
        last: one.last && { ...one.last, t_us: shifted(one.last.t_us) },
      })),
      codes: [...table.codes.values()].map(span),
      lamps: [...table.lamps.values()],
      pauses: { count: this.pauses, longest: longest && { ...longest, from_us: shifted(longest.from_us) } },
      transport: this.decoder.counters.transport,
      not_counted: this.lost + table.lost + parameters.overflow + inventory.overflow,
      frame_course: courseOf(this.frameSeries),
      speed_course: speed && { ...speed, bus: speedSource >> 8, sa: speedSource & 0xff },
    };
  }

  private takeFaults(kind: 'active' | 'previous', message: FaultMessage): void {
    this.inventory.faults(kind, message, this.book.unitOf(message.bus, message.sa));
    this.table.add(kind, message);
  }

  private takeFrame(batch: FrameBatch, i: number): void {
    const t_us = batch.t[i] as number;
    const channel = batch.bus[i] as number;
    const flags = batch.flags[i] as number;
    let bus = this.buses[channel];
    if (bus === undefined) {
      bus = emptyBus(channel, t_us);
      this.buses[channel] = bus;
    }
    bus.frames++;
    if (t_us > bus.last_us) bus.last_us = t_us;
    if (t_us < bus.first_us) bus.first_us = t_us;
    if (flags & FRAME.transmitted) bus.transmitted++;
    const kind = flags & DATA;
    if (kind & FRAME.error) bus.errors++;
    else if (kind & FRAME.remote) bus.remote++;
    else if (kind & FRAME.fd || (batch.len[i] as number) > 8) bus.fd++;
    else if (kind === FRAME.extended) this.takeExtended(bus, batch, i, t_us);
    else {
      this.countBits(bus, standardBits(1, batch.len[i] as number), t_us);
      bus.standard++;
      this.countStandard(channel, (batch.id[i] as number) & 0x7ff);
    }
    this.noteTime(t_us, (flags & FRAME.noTime) === 0);
    this.frameSeries.add(t_us, 0);
  }

  private takeExtended(bus: BusSurvey, { id, len, data }: FrameBatch, i: number, t_us: number): void {
    const identifier = id[i] as number;
    const length = len[i] as number;
    this.countBits(bus, extendedBits(1, length), t_us);
    bus.extended++;
    const pgn = pgnOf(identifier);
    this.parameters.take(pgn, identifier & 0xff, bus.bus, t_us, data, i * 8, length);
    if (pgn !== ENGINE_SPEED.pgn || length < ENGINE_SPEED.byte + 2) return;
    const at = i * 8 + ENGINE_SPEED.byte;
    const raw = (data[at] as number) | ((data[at + 1] as number) << 8);
    const source = bus.bus * 256 + (identifier & 0xff);
    if (raw > ENGINE_SPEED.largest || (this.speedSource >= 0 && this.speedSource !== source)) return;
    this.speedSource = source;
    this.speedSeries.add(t_us, raw * ENGINE_SPEED.scale);
  }

  private countBits(bus: BusSurvey, bits: number, t_us: number): void {
    const { second, secondBits } = this;
    const channel = bus.bus;
    bus.bits += bits;
    const now = Math.floor(t_us / SECOND_US);
    if (second[channel] === now) secondBits[channel] = (secondBits[channel] as number) + bits;
    else {
      second[channel] = now;
      secondBits[channel] = bits;
    }
    if ((secondBits[channel] as number) > bus.busiest_bits) bus.busiest_bits = secondBits[channel] as number;
  }

  private countStandard(bus: number, id: number): void {
    let counts = this.standard.get(bus);
    if (counts === undefined) {
      if (this.standard.size >= MAX_STANDARD_BUSES) {
        this.lost++;
        return;
      }
      counts = new Float64Array(0x800);
      this.standard.set(bus, counts);
    }
    counts[id] = (counts[id] as number) + 1;
  }

  /** Updates the pauses and the first and last times. Before the first frame these times are NaN, and each comparison with NaN is false. */
  private noteTime(t_us: number, isDated: boolean): void {
    const gap_us = t_us - this.last_us;
    if (gap_us > PAUSE_US) {
      this.pauses++;
      if (this.longest === null || gap_us > this.longest.length_us)
        this.longest = { from_us: this.last_us, length_us: gap_us };
    }
    if (!(t_us <= this.last_us)) this.last_us = t_us;
    if (!(t_us >= this.first_us)) this.first_us = t_us;
    if (!isDated) return;
    if (!(t_us <= this.dated_last_us)) this.dated_last_us = t_us;
    if (!(t_us >= this.dated_first_us)) this.dated_first_us = t_us;
  }
}
