/**
 * What is in a log, for a person who opens it: buses, control units, groups, values, codes, and two courses over time.
 *
 *   batch -> counts by bus -> load          -> decoder -> inventory, codes, who is who
 *         -> parameters, one frame at a time -> courses of engine speed and of frames
 *
 * Nothing here grows with the log: every table has a bound, and what finds no room is counted. Times without a date are moved to a
 * year of their own and back, so that they are treated like any other.
 */
import { FRAME, type FrameBatch } from '#contract/fleet/frame.ts';
import { extendedBits, standardBits } from '#domain/base/frame-bits.ts';
import { AddressBook } from '#domain/j1939/addresses.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, isDecoded } from '#domain/j1939/decode.ts';
import type { FaultMessage, Lamps } from '#domain/j1939/faults.ts';
import { pgnOf } from '#domain/j1939/identifier.ts';
import { type InventoryUnit, unitsOf } from '#domain/j1939/inventory-units.ts';
import type { TransportCounters } from '#domain/j1939/transport.ts';
import { type ParameterStats, ParameterSurvey } from './log-parameters.ts';
import { type Course, Series } from './log-series.ts';

/** Trouble codes that are told apart. */
const MAX_CODES = 500;
/** Buses of which short identifiers are counted one by one. */
const MAX_STANDARD_BUSES = 16;
const BINS_BEGIN_US = 100_000;
const SECOND_US = 1_000_000;
/** Frames further apart are a pause. */
const PAUSE_US = 10_000_000;
const ENGINE_SPEED = { pgn: 61_444, byte: 3, scale: 0.125, largest: 0xfaff } as const;
/** Recordings without a date lie here while they are looked at. */
const UNDATED_AT_US = 2e15;

/** One bus of the log. */
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
  /** Bits of all classic data frames. */
  bits: number;
  /** Bits in the second that had most. */
  busiest_bits: number;
  /** What the gaps between frames speak for. */
  bit_rate: number | null;
}

/** A trouble code, from when to when it was told. */
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

/** The lamps of a unit as it told them last. */
export interface LampSurvey {
  readonly bus: number;
  readonly sa: number;
  lamps: Lamps;
  messages: number;
}

/** Frames that stood still. */
interface Pause {
  readonly from_us: number;
  readonly length_us: number;
}

/** Everything that was found. */
export interface Survey {
  readonly frames: number;
  /** Null without frames. */
  readonly first_us: number | null;
  readonly last_us: number | null;
  /** Frames without a date. Where all are, times count from the first; where some are, they tell of the others. */
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
  /** Frames and codes beyond a bound, which are in no table. */
  readonly not_counted: number;
  readonly frame_course: Course | null;
  /** Engine speed, rpm, of the first source that told it. */
  readonly speed_course: (Course & { readonly bus: number; readonly sa: number }) | null;
}

/** A survey under way. */
export interface LogSurvey {
  /** Takes the next frames; the times of undated ones are changed. */
  take(batch: FrameBatch): void;
  result(): Survey;
}

const DATA = FRAME.extended | FRAME.remote | FRAME.error | FRAME.fd;

/** A survey of one log. */
export function createLogSurvey(): LogSurvey {
  const buses: (BusSurvey | undefined)[] = [];
  /** Second and its bits, by bus. */
  const second = new Float64Array(256).fill(-1);
  const secondBits = new Float64Array(256);
  const standard = new Map<number, Float64Array>();
  const parameters = new ParameterSurvey();
  const inventory = new BusInventory();
  const book = new AddressBook();
  const decoder = createDecoder();
  const codes = new Map<string, CodeSurvey>();
  const lamps = new Map<number, LampSurvey>();
  const frameSeries = new Series(BINS_BEGIN_US);
  const speedSeries = new Series(BINS_BEGIN_US);
  let speedSource = -1;
  let frames = 0;
  let first_us = Number.NaN;
  let last_us = Number.NaN;
  let dated_first_us = Number.NaN;
  let dated_last_us = Number.NaN;
  let undated = 0;
  let pauses = 0;
  let longest: Pause | null = null;
  let lost = 0;

  function faults(kind: 'active' | 'previous', message: FaultMessage): void {
    const { bus, sa, t_us, dtcs } = message;
    const unit = book.unitOf(bus, sa);
    inventory.faults(kind, message, unit);
    if (kind === 'active') {
      const known = lamps.get(bus * 256 + sa);
      if (known === undefined) lamps.set(bus * 256 + sa, { bus, sa, lamps: message.lamps, messages: 1 });
      else {
        known.lamps = message.lamps;
        known.messages++;
      }
    }
    for (const { spn, fmi, raw, occurrence_count } of dtcs) {
      // The count is no part of which code it is.
      const key = `${kind} ${bus} ${sa} ${raw.slice(0, 6)}`;
      const known = codes.get(key);
      if (known !== undefined) {
        known.messages++;
        known.last_us = t_us;
        known.occurrence_count = occurrence_count;
      } else if (codes.size < MAX_CODES)
        codes.set(key, {
          kind,
          bus,
          sa,
          spn,
          fmi,
          raw,
          occurrence_count,
          messages: 1,
          first_us: t_us,
          last_us: t_us,
        });
      else lost++;
    }
  }

  function busOf(bus: number, t_us: number): BusSurvey {
    const made: BusSurvey = {
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
    buses[bus] = made;
    return made;
  }

  function countStandard(bus: number, id: number): void {
    let counts = standard.get(bus);
    if (counts === undefined) {
      if (standard.size >= MAX_STANDARD_BUSES) {
        lost++;
        return;
      }
      counts = new Float64Array(0x800);
      standard.set(bus, counts);
    }
    counts[id] = (counts[id] as number) + 1;
  }

  /** Counts one frame. */
  function takeFrame({ t, id, flags, bus, len, data }: FrameBatch, i: number): void {
    const t_us = t[i] as number;
    const channel = bus[i] as number;
    const set = flags[i] as number;
    const length = len[i] as number;
    const one = buses[channel] ?? busOf(channel, t_us);
    one.frames++;
    if (t_us > one.last_us) one.last_us = t_us;
    if (t_us < one.first_us) one.first_us = t_us;
    if (set & FRAME.transmitted) one.transmitted++;
    const kind = set & DATA;
    if (kind & FRAME.error) one.errors++;
    else if (kind & FRAME.remote) one.remote++;
    else if (kind & FRAME.fd || length > 8) one.fd++;
    else {
      const bits = kind === FRAME.extended ? extendedBits(1, length) : standardBits(1, length);
      one.bits += bits;
      const now = Math.floor(t_us / SECOND_US);
      if (second[channel] === now) secondBits[channel] = (secondBits[channel] as number) + bits;
      else {
        second[channel] = now;
        secondBits[channel] = bits;
      }
      if ((secondBits[channel] as number) > one.busiest_bits) one.busiest_bits = secondBits[channel] as number;
      const identifier = id[i] as number;
      if (kind === FRAME.extended) {
        one.extended++;
        const pgn = pgnOf(identifier);
        parameters.take(pgn, identifier & 0xff, channel, t_us, data, i * 8, length);
        if (pgn === ENGINE_SPEED.pgn && length >= ENGINE_SPEED.byte + 2) {
          const at = i * 8 + ENGINE_SPEED.byte;
          const raw = (data[at] as number) | ((data[at + 1] as number) << 8);
          const source = channel * 256 + (identifier & 0xff);
          if (raw <= ENGINE_SPEED.largest && (speedSource < 0 || speedSource === source)) {
            speedSource = source;
            speedSeries.add(t_us, raw * ENGINE_SPEED.scale);
          }
        }
      } else {
        one.standard++;
        countStandard(channel, identifier & 0x7ff);
      }
    }
    if (t_us - last_us > PAUSE_US) {
      pauses++;
      if (longest === null || t_us - last_us > longest.length_us)
        longest = { from_us: last_us, length_us: t_us - last_us };
    }
    if (!(t_us <= last_us)) last_us = t_us;
    if (!(t_us >= first_us)) first_us = t_us;
    if ((set & FRAME.noTime) === 0) {
      if (!(t_us <= dated_last_us)) dated_last_us = t_us;
      if (!(t_us >= dated_first_us)) dated_first_us = t_us;
    }
    frameSeries.add(t_us, 0);
  }

  return {
    take(batch) {
      const { count, t, flags } = batch;
      const first = frames === 0;
      for (let i = 0; i < count; i++) {
        if ((flags[i] as number) & FRAME.noTime) {
          t[i] = (t[i] as number) + UNDATED_AT_US;
          undated++;
        }
        // Both courses begin with the log.
        if (first && i === 0) speedSeries.begin(t[0] as number);
        takeFrame(batch, i);
      }
      frames += count;
      decoder.decode(
        batch,
        {
          signal() {},
          faults: (message) => faults('active', message),
          previous: (message) => faults('previous', message),
          identity: (message) => inventory.identity(message, book.unitOf(message.bus, message.sa)),
          claim: (message) => void book.claim(message),
        },
        inventory,
      );
    },
    result() {
      const back = undated === frames ? UNDATED_AT_US : 0;
      // Where only some have a date, there is no one time to draw over.
      const mixed = undated > 0 && undated < frames;
      const rates = new Map(inventory.buses().map(({ bus, bit_rate }) => [bus, bit_rate]));
      const moved = <T extends Course | null>(course: T) =>
        course === null || mixed ? null : { ...course, from_us: course.from_us - back };
      const speed = moved(speedSeries.course());
      const since = (t_us: number) => t_us - back;
      return {
        frames,
        first_us: frames === 0 ? null : mixed ? dated_first_us : since(first_us),
        last_us: frames === 0 ? null : mixed ? dated_last_us : since(last_us),
        undated,
        buses: buses
          .filter((one) => one !== undefined)
          .map((one) => ({
            ...one,
            first_us: since(one.first_us),
            last_us: since(one.last_us),
            bit_rate: rates.get(one.bus) ?? null,
          })),
        units: unitsOf(inventory, book),
        groups: inventory
          .groups()
          .map(({ bus, sa, pgn, frames: heard }) => ({ bus, sa, pgn, frames: heard, decoded: isDecoded(pgn) }))
          .sort((a, b) => a.bus - b.bus || a.pgn - b.pgn || a.sa - b.sa),
        standard: [...standard].flatMap(([bus, counts]) =>
          [...counts].flatMap((heard, id) => (heard > 0 ? [{ bus, id, frames: heard }] : [])),
        ),
        parameters: parameters.found().map((one) => ({
          ...one,
          first: one.first && { ...one.first, t_us: since(one.first.t_us) },
          last: one.last && { ...one.last, t_us: since(one.last.t_us) },
        })),
        codes: [...codes.values()].map((one) => ({
          ...one,
          first_us: since(one.first_us),
          last_us: since(one.last_us),
        })),
        lamps: [...lamps.values()],
        pauses: { count: pauses, longest: longest && { ...longest, from_us: since(longest.from_us) } },
        transport: decoder.counters.transport,
        not_counted: lost + parameters.overflow + inventory.overflow,
        frame_course: moved(frameSeries.course()),
        speed_course: speed && { ...speed, bus: speedSource >> 8, sa: speedSource & 0xff },
      };
    },
  };
}
