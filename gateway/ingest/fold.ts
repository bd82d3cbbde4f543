/**
 * The fold: messages in journal order become facts, statuses, events and samples. No disk, no clock, no randomness: `mono` and `now`
 * are handed in, so a replay of the journal gives what it gave the first time.
 *
 *   message -> repeat? -> frames or points -> device's observation
 *                                          -> its machine's facts (from the place of the link on) -> events, samples
 *                                          -> device status
 */
import { crc32 } from 'node:zlib';
import type { decodeCanPayload } from '#codec/can-payload.ts';
import { FRAME, FrameBatch } from '#contract/frame.ts';
import type { DeviceIdentity } from '#contract/ingest.ts';
import { isPlausible, SIGNAL_NAMES, type SignalName } from '#contract/signals.ts';
import { BusCensus } from '#domain/bus-census.ts';
import type { LiveDbc, LiveTarget } from '#domain/dbc-mapping.ts';
import type { FactEvent } from '#domain/fact-events.ts';
import { NONE } from '#domain/facts.ts';
import type { ClaimMessage } from '#domain/j1939-addresses.ts';
import { createDecoder, type Decoder } from '#domain/j1939-decode.ts';
import { type ConversionRule, conversionOf, type FaultMessage } from '#domain/j1939-faults.ts';
import type { IdentityMessage } from '#domain/j1939-identity.ts';
import { PARAMETERS } from '#domain/j1939-parameters.ts';
import { OUTCOME, POINT_RANK, readingOf, unitOf } from '#domain/latest-known.ts';
import { LIVE_RULES } from '#domain/live-status.ts';
import {
  type Arrival,
  applyFaults,
  applyMapped,
  applyPoint,
  applyPrevious,
  applySignal,
  setBack,
  tick,
} from '#domain/machine.ts';
import { decodeRecording } from '#domain/recording-message.ts';
import { AHEAD_US, isDated, notBeyond, observedTime } from '#domain/times.ts';
import { noteCredential, noteMessage, noteReport, noteSession, sweep } from './connectivity.ts';
import { checksum } from './dedupe.ts';
import { type DeviceDbc, decodersOf } from './device-dbc.ts';
import { createDevice, DECODER, type DeviceState, noteRate, noteSkew } from './device-state.ts';
import { type Changes, createChanges, type FoldState } from './fold-state.ts';
import { noteGap, samplesGap } from './gaps.ts';
import { type Ids, idFrom, MAX_PER_MESSAGE } from './ids.ts';
import { senderOf } from './latest-values.ts';
import { createMachine, type MachineState } from './machine-state.ts';
import { FROM_SERVICE, fromDevice, tellFact, tellOwn, tellStatus } from './made-events.ts';
import type { Series } from './open-samples.ts';
import { type Point, parseEvents, parsePoints, parseStatus, signalName } from './payloads.ts';
import { positionOf, refOf } from './position.ts';
import type { RecordReader } from './record.ts';
import { applyRecorded } from './recorded-facts.ts';
import type { Sources } from './sources.ts';

/** Data older than this on arrival is shown as late. */
const OLD_US = 300_000_000;
/** Samples of a machine that make a segment before its minute is over. */
const SEGMENT_SAMPLES = 4096;

/** Seconds: what a machine tells this much behind its newest segment may be in history already. */
const LATE_S = 120;

/** Nothing observed under these rules is fresh. */
const NEVER_LIVE = { ...LIVE_RULES, stale_s: -1 };

const SIGNAL_INDEX = new Map<string, number>(SIGNAL_NAMES.map((name, i) => [name, i]));
const SIGNAL_AT = Int16Array.from(PARAMETERS, ({ signal }) =>
  signal === null ? -1 : (SIGNAL_INDEX.get(signal) ?? -1),
);
const RANK_AT = Uint8Array.from(PARAMETERS, ({ rank }) => rank);

export interface FoldOptions {
  readonly state: FoldState;
  readonly ids: Ids;
  readonly sources: Sources;
  /** Reads `can` payloads; `#codec/can-payload.ts`. */
  readonly decodeCan: typeof decodeCanPayload;
  /** The interval that the record of a device says, when it is heard for the first time. */
  readonly intervalOf: (device: string) => number | null;
  /** How trouble codes of a device are read whose conversion bit is set. */
  readonly conversionOf: (device: string) => readonly ConversionRule[];
  /** The DBC files that are active for a device. */
  readonly dbcOf: (device: DeviceIdentity) => readonly LiveDbc[];
  /** False while there is no room for samples: what would be a segment is a gap. True when absent. */
  readonly keepsHistory?: () => boolean;
}

export interface Fold {
  readonly changes: Changes;
  /** The clock that never goes back, for what follows. */
  setTime(mono: number): void;
  /** The device's state, made when it is new. */
  deviceOf(identity: DeviceIdentity): DeviceState;
  /** Takes the reader's current message in. Throws only when this code is wrong; the state is then not to be trusted. */
  message(reader: RecordReader): void;
  /** Reads a message that is in the facts already, for repeats and for samples that are in no segment yet. */
  rebuild(reader: RecordReader): void;
  session(device: DeviceState, opened: boolean, address: string | null, now_ms: number): void;
  /** The device lost its last key, or has one again. */
  credential(device: DeviceState, revoked: boolean, now_ms: number): void;
  /** Lets time pass for everybody. */
  sweep(now_ms: number): void;
  /** Hands out the changes made so far and begins anew. */
  take(): Changes;
  /** Moves the open samples of a machine into a segment. */
  seal(machine: MachineState): void;
}

/** A fold over this state, which it changes in place. */
export function createFold(options: FoldOptions): Fold {
  const { state, ids, sources, decodeCan } = options;
  const batch = new FrameBatch(1024);
  const before = new WeakMap<DeviceState, Decoder>();
  const dbcBefore = new WeakMap<DeviceState, readonly DeviceDbc[]>();
  let changes = createChanges();
  let mono = 0;

  // What the sink needs to know of the message at hand.
  let device: DeviceState;
  let machine: MachineState | undefined;
  let arrival: Arrival & { rules: typeof LIVE_RULES; events: FactEvent[] } = {
    device: '',
    run_id: null,
    ref: null,
    received_us: 0,
    events: [],
    rules: LIVE_RULES,
  };
  let position = 0;
  let made = 0;
  let samples = 0;
  let late = 0;
  let newest_us = 0;
  let index: Uint32Array | undefined;
  let samplesOnly = false;

  const frameOf = (frame: number) => (index === undefined || frame < 0 ? frame : (index[frame] ?? frame));

  const isUndated = (frame: number) => ((batch.flags[frame] as number) & FRAME.noTime) !== 0;

  function sample(signal: number, observed_us: number, value: number): void {
    if (machine === undefined || position < machine.samples.from) return;
    if (samplesOnly && machine.samples.isWithheld(signal, observed_us, value)) return;
    machine.samples.add(signal, observed_us, value, position, mono);
  }

  /** True when the census does not have the message at hand yet. */
  const isCounted = () => !samplesOnly || position >= device.census_from;

  /** The message with the time that it counts under. */
  const observed = <T extends { readonly t_us: number }>(message: T): T => ({
    ...message,
    t_us: observedTime(message.t_us, arrival.received_us),
  });

  /** True when the machine's signal is held by the very sender of this value. */
  function isHolder(name: SignalName, spn: number, bus: number, sa: number): boolean {
    const holder = machine === undefined ? undefined : readingOf(machine.facts, name);
    return (
      holder !== undefined &&
      holder.spn === spn &&
      holder.bus === bus &&
      holder.device === arrival.device &&
      // Addresses are those of now, further on than messages that are read again.
      (unitOf(holder) === device.addresses.unitOf(bus, sa) ||
        (samplesOnly && device.addresses.hasBeen(unitOf(holder), bus, sa)))
    );
  }

  const sink = {
    signal(parameter: number, raw: number, value: number, t_us: number, bus: number, sa: number, frame: number): void {
      const signal = SIGNAL_AT[parameter] as number;
      if (signal < 0) return;
      const observed_us = observedTime(t_us, arrival.received_us);
      if (samplesOnly) {
        const row = PARAMETERS[parameter];
        if (row?.signal && isHolder(row.signal, row.spn, bus, sa)) sample(signal, observed_us, value);
        return;
      }
      samples++;
      if (observed_us > newest_us) newest_us = observed_us;
      const undated = isUndated(frame);
      const dated = !undated && isDated(t_us, arrival.received_us);
      const at = frameOf(frame);
      const unit = device.addresses.unitOf(bus, sa);
      const source = senderOf(parameter, bus, unit);
      const rank = RANK_AT[parameter] as number;
      const moved = device.latest.note(signal, source, rank, value, observed_us, dated, position, at);
      if (machine === undefined) {
        if (!moved) late++;
        return;
      }
      const outcome = applySignal(machine.facts, arrival, parameter, raw, value, t_us, bus, sa, at, undated, unit);
      if (outcome === OUTCOME.moved) sample(signal, observed_us, value);
      else if (outcome === OUTCOME.held) machine.samples.withhold(signal, observed_us, value);
      else if (outcome === OUTCOME.late) {
        late++;
        const row = PARAMETERS[parameter];
        // What comes late still belongs to history, where its sender is the one that speaks for the signal.
        if (row?.signal && isHolder(row.signal, row.spn, bus, sa)) sample(signal, observed_us, value);
      }
    },
    faults(message: FaultMessage): void {
      const unit = device.addresses.unitOf(message.bus, message.sa);
      if (isCounted()) device.census?.faults('active', observed(message), unit);
      if (samplesOnly || machine === undefined) return;
      applyFaults(machine.facts, arrival, message, isUndated(message.frame), unit);
      changes.equipment.add(machine.id);
    },
    previous(message: FaultMessage): void {
      const unit = device.addresses.unitOf(message.bus, message.sa);
      if (isCounted()) device.census?.faults('previous', observed(message), unit);
      if (samplesOnly || machine === undefined) return;
      applyPrevious(machine.facts, arrival, message, unit);
      changes.equipment.add(machine.id);
    },
    identity(message: IdentityMessage): void {
      if (isCounted()) {
        const unit = device.addresses.unitOf(message.bus, message.sa);
        device.census?.identity(observed(message), unit);
      }
      if (!samplesOnly) device.heard[message.kind] = message.text.slice(0, 200);
    },
    claim(message: ClaimMessage): void {
      if (!samplesOnly) device.addresses.claim(observed(message));
    },
  };

  /** A value that a DBC file told, in the signal's unit. */
  function mapped(
    target: LiveTarget,
    raw: number,
    value: number,
    t_us: number,
    bus: number,
    address: number,
    frame: number,
  ): void {
    const { to, pgn, key, rank, source } = target;
    if (!isPlausible(to, value)) {
      const reason = `${to} cannot be ${value}, as ${source} has it`;
      sources.error(device.identity.device_id, reason, Math.round(arrival.received_us / 1_000));
      return;
    }
    const signal = SIGNAL_INDEX.get(to) as number;
    const observed_us = observedTime(t_us, arrival.received_us);
    // Only J1939 says who speaks.
    const sa = pgn < 0 ? NONE : address;
    const unit = pgn < 0 ? NONE : device.addresses.unitOf(bus, sa);
    if (samplesOnly) {
      if (isHolder(to, key, bus, sa)) sample(signal, observed_us, value);
      return;
    }
    samples++;
    if (observed_us > newest_us) newest_us = observed_us;
    const undated = isUndated(frame);
    const dated = !undated && isDated(t_us, arrival.received_us);
    const at = frameOf(frame);
    const moved = device.latest.note(signal, senderOf(key, bus, unit), rank, value, observed_us, dated, position, at);
    if (machine === undefined) {
      if (!moved) late++;
      return;
    }
    const outcome = applyMapped(machine.facts, arrival, target, raw, value, t_us, bus, sa, at, undated, unit);
    if (outcome === OUTCOME.held) machine.samples.withhold(signal, observed_us, value);
    else if (outcome === OUTCOME.late) late++;
    if (outcome === OUTCOME.moved || (outcome === OUTCOME.late && isHolder(to, key, bus, sa)))
      sample(signal, observed_us, value);
  }

  /** The frames at hand by the DBC files of the device. */
  function decodeMapped(decoders: readonly DeviceDbc[]): void {
    for (const { file, decoder } of decoders)
      decoder.decode(batch, {
        value(signal, raw, value, state, t_us, bus, sa, frame) {
          const target = file.targets[signal];
          if (target === undefined || state !== 0) return;
          mapped(target, raw, value * target.factor + target.offset, t_us, bus, sa, frame);
        },
      });
  }

  function machineOf(id: string, project_id: string): MachineState {
    let known = state.machines.get(id);
    if (known === undefined) {
      known = createMachine(id, project_id);
      state.machines.set(id, known);
    }
    return known;
  }

  function deviceOf(identity: DeviceIdentity): DeviceState {
    let known = state.devices.get(identity.device);
    if (known === undefined) {
      known = createDevice({ ...identity }, mono);
      known.expected_interval_s = options.intervalOf(identity.device);
      known.conversion = options.conversionOf(identity.device);
      known.dbc = decodersOf(options.dbcOf(identity), []);
      state.devices.set(identity.device, known);
    }
    return known;
  }

  /** The device was put on another machine, or off, before this message. */
  function followLink(to: string | null): void {
    if (device.equipment_id === to) return;
    // No segment spans a link, so that a machine's history ends where the next one's begins.
    for (const id of [device.equipment_id, to]) if (id !== null) seal(machineOf(id, device.identity.project_id));
    device.equipment_id = to;
  }

  function begin(reader: RecordReader): void {
    position = positionOf(reader.segment, reader.offset);
    device = deviceOf(reader.device);
    const on = reader.machine === undefined ? device.equipment_id : reader.machine;
    if (!samplesOnly) followLink(on);
    machine = on === null ? undefined : machineOf(on, device.identity.project_id);
    made = samples = late = newest_us = 0;
    index = undefined;
    arrival = {
      device: device.identity.device,
      run_id: device.run?.run_id ?? null,
      ref: refOf(position),
      received_us: reader.received_at_ms * 1000,
      events: [],
      rules: LIVE_RULES,
    };
  }

  /** Takes along what is known when this gateway's clock was set back ([D17]). */
  function noteClock(): void {
    const { received_us } = arrival;
    device.latest.setBack(received_us);
    device.census?.setBack(received_us);
    device.observed_us = notBeyond(device.observed_us, received_us);
    if (machine !== undefined && setBack(machine.facts, received_us)) changes.equipment.add(machine.id);
  }

  /** The id of the next event of the message at hand. */
  function nextId(reader: RecordReader): string {
    return ids.at('event', reader.received_at_ms, position, made++);
  }

  function complain(reason: string, count: number, received_ms: number): void {
    device.counts.broken += count;
    sources.count(device.identity.device_id, 'unparsable', count);
    sources.error(device.identity.device_id, reason, received_ms);
  }

  /** The device's own decoder stands where the facts stand, further on. */
  function decoderBefore(of: DeviceState): Decoder {
    let known = before.get(of);
    if (known === undefined) {
      known = createDecoder({ conversion: (bus, sa) => conversionOf(of.conversion, bus, sa) });
      before.set(of, known);
    }
    return known;
  }

  /** As `decoderBefore`, by DBC files. */
  function dbcDecodersBefore(of: DeviceState): readonly DeviceDbc[] {
    const files = of.dbc.map(({ file }) => file);
    const known = decodersOf(files, dbcBefore.get(of) ?? []);
    if (known.length > 0) dbcBefore.set(of, known);
    return known;
  }

  function repeated(count: number): void {
    device.counts.duplicates += count;
    sources.count(device.identity.device_id, 'duplicates', count);
  }

  /** Frames of the message into the batch, without repeats; how many were read and how many lines were none. */
  function readFrames(reader: RecordReader, counting: boolean): { frames: number; broken: number } {
    const { payload } = reader;
    batch.clear();
    const result = decodeCan(payload, arrival.received_us, batch);
    if (counting && result.unparsable > 0) {
      complain(result.error ?? `${result.unparsable} lines are no frames`, result.unparsable, reader.received_at_ms);
    }
    const before = batch.count;
    if (result.seq !== null ? device.dedupe.seenNumber(result.seq * 2, checksum(payload)) : seenPacket(reader)) {
      batch.clear();
      if (counting) repeated(Math.max(1, before));
    } else if (result.seq === null) {
      const kept = device.dedupe.dropSeenFrames(batch);
      index = kept.index;
      if (counting && kept.duplicates > 0) repeated(kept.duplicates);
    }
    return { frames: batch.count, broken: result.unparsable };
  }

  function seenPacket(reader: RecordReader): boolean {
    return device.dedupe.seenPacket(reader.packet_id, reader.repeat, reader.payload);
  }

  /** Judges the clock that stamped the batch. */
  function judgeClock(received_ms: number): void {
    let last = 0;
    for (let i = 0; i < batch.count; i++) {
      const t = batch.t[i] as number;
      if (t > last && ((batch.flags[i] as number) & FRAME.noTime) === 0) last = t;
    }
    if (last > 0) judgeTime(last, received_ms);
  }

  function judgeTime(t_us: number, received_ms: number): void {
    const ahead = t_us - arrival.received_us;
    noteSkew(device, ahead / 1000, received_ms);
    if (ahead <= AHEAD_US) return;
    arrival.rules = NEVER_LIVE;
    const reason = `its clock is ${Math.round(ahead / 1e6)} s ahead of this gateway's: values are taken, nothing becomes live`;
    sources.error(device.identity.device_id, reason, received_ms);
  }

  function needRun(received_ms: number): void {
    if (device.run?.decoder === DECODER) return;
    device.run = {
      decoder: DECODER,
      task_id: ids.at('task', received_ms, position, 0),
      run_id: ids.at('run', received_ms, position, 0),
    };
    arrival = { ...arrival, run_id: device.run.run_id };
    changes.runs.push({ ...device.run, device: device.identity, started_ms: received_ms });
  }

  function can(reader: RecordReader): { good: number; broken: number } {
    const { frames, broken } = readFrames(reader, true);
    device.counts.frames += frames;
    sources.count(device.identity.device_id, 'frames', frames);
    if (frames > 0) {
      needRun(reader.received_at_ms);
      judgeClock(reader.received_at_ms);
      const { counters } = device.decoder;
      const tooLong = counters.transport.extended;
      device.census ??= new BusCensus();
      device.decoder.decode(batch, sink, device.census, arrival.received_us);
      decodeMapped(device.dbc);
      const { unknown, transport } = counters;
      if (transport.extended > tooLong) {
        const reason = `a message of more than 1,785 bytes (extended transport) is not read: ${transport.extended} frames so far`;
        sources.error(device.identity.device_id, reason, reader.received_at_ms);
      }
      sources.set(device.identity.device_id, 'unknown_pgns', unknown);
      sources.set(device.identity.device_id, 'transport_aborts', transport.aborted);
    }
    return { good: frames, broken };
  }

  function seenPoint(point: Point): boolean {
    if (point.seq === null && point.ms === null) return false;
    const sum = crc32(JSON.stringify([point.ms, point.values]));
    return device.dedupe.seenNumber(point.seq === null ? -(point.ms ?? 0) - 1 : point.seq * 2 + 1, sum);
  }

  function telemetry(reader: RecordReader): { good: number; broken: number } {
    const parsed = parsePoints(reader.payload);
    if (parsed === undefined || seenPacket(reader)) {
      if (parsed === undefined) complain('telemetry payload is not JSON points', 1, reader.received_at_ms);
      else repeated(parsed.points.length);
      return { good: 0, broken: parsed === undefined ? 1 : 0 };
    }
    if (parsed.broken > 0)
      complain(`${parsed.broken} points or values could not be read`, parsed.broken, reader.received_at_ms);
    let good = 0;
    for (const point of parsed.points) {
      if (seenPoint(point)) {
        repeated(1);
        continue;
      }
      good++;
      if (point.values.length === 0) continue;
      needRun(reader.received_at_ms);
      const t_us = point.ms === null ? arrival.received_us : point.ms * 1000;
      if (point.ms !== null) judgeTime(t_us, reader.received_at_ms);
      for (const [signal, value] of point.values) takePoint(signal, value, t_us, point.ms === null);
    }
    return { good, broken: parsed.broken };
  }

  function takePoint(signal: number, value: number, t_us: number, undated: boolean): void {
    const observed_us = observedTime(t_us, arrival.received_us);
    if (samplesOnly) {
      if (isHolder(signalName(signal), NONE, NONE, NONE)) sample(signal, observed_us, value);
      return;
    }
    samples++;
    if (observed_us > newest_us) newest_us = observed_us;
    const dated = !undated && isDated(t_us, arrival.received_us);
    const moved = device.latest.note(signal, NONE, POINT_RANK, value, observed_us, dated, position, NONE);
    if (machine === undefined) {
      if (!moved) late++;
      return;
    }
    const outcome = applyPoint(machine.facts, arrival, signalName(signal), value, t_us, undated);
    if (outcome === OUTCOME.late) late++;
    else if (outcome === OUTCOME.held) machine.samples.withhold(signal, observed_us, value);
    if (outcome === OUTCOME.moved || (outcome === OUTCOME.late && isHolder(signalName(signal), NONE, NONE, NONE))) {
      sample(signal, observed_us, value);
    }
  }

  function events(reader: RecordReader): { good: number; broken: number } {
    const { identity } = device;
    const parsed = parseEvents(reader.payload);
    if (parsed.reason !== null) complain(parsed.reason, parsed.broken, reader.received_at_ms);
    if (seenPacket(reader)) {
      repeated(parsed.events.length);
      return { good: 0, broken: parsed.broken };
    }
    for (const event of parsed.events) {
      // The same recipe as for events over HTTP, so that one said at both doors is one.
      const id =
        event.id === null
          ? nextId(reader)
          : idFrom('event', [identity.project_id, identity.device, identity.device_id, event.id].join('\n'));
      tellOwn(changes, device, event, arrival.run_id, reader.received_at_ms, id);
    }
    return { good: parsed.events.length, broken: parsed.broken };
  }

  function status(reader: RecordReader): { good: number; broken: number } | undefined {
    const report = parseStatus(reader.payload);
    if (report === undefined) {
      complain('status payload is not {"status": "online" | "offline" | "fault"}', 1, reader.received_at_ms);
      return { good: 0, broken: 1 };
    }
    // A bare sign of life says nothing new of the device.
    if (Object.keys(report.rest).length > 0) device.reported = report.rest;
    device.buffer_depth = report.buffer_depth ?? device.buffer_depth;
    device.rtt_ms = report.rtt_ms ?? device.rtt_ms;
    const change = noteReport(device.connectivity, report.status, reader.received_at_ms, mono);
    if (change !== undefined) tellStatus(changes, device, change, nextId(reader));
    return undefined;
  }

  function seal(of: MachineState): void {
    if (of.samples.count > 0) keep(of, of.samples.series(), null);
    of.samples.clear(state.position);
  }

  /** Samples into a segment, `run` being that which read them from a file. */
  function keep(of: MachineState, series: readonly Series[], run: string | null): void {
    if (options.keepsHistory?.() === false) {
      noteGap(state.gaps, samplesGap(of.id, of.project_id, series));
      return;
    }
    const first = Math.min(...series.map(({ t }) => t[0] as number));
    const last = Math.max(...series.map(({ t }) => t.at(-1) as number));
    const mayRepeat = run !== null || first < of.stored_s - LATE_S;
    of.stored_s = Math.max(of.stored_s, last);
    changes.segments.push({ project_id: of.project_id, equipment_id: of.id, series, mayRepeat, run });
  }

  /** A part of a file that the device recorded. */
  function recording(reader: RecordReader): void {
    const { received_at_ms } = reader;
    const message = decodeRecording(reader.payload);
    state.position = position + 1;
    if (message === undefined) {
      complain('a part of a recording could not be read', 1, received_at_ms);
      return;
    }
    const { artifact, run, facts, samples: columns } = message;
    const { project_id } = device.identity;
    // Where it counts for was decided by the time of the data, not by where the device is now.
    machine = message.machine === null ? undefined : machineOf(message.machine, project_id);
    noteClock();
    arrival = { ...arrival, run_id: run, ref: artifact, rules: NEVER_LIVE };
    if (applyRecorded(device, machine?.facts, arrival, facts, position)) changes.devices.add(device.identity.device);
    if (machine === undefined) return;
    changes.equipment.add(machine.id);
    const origin = fromDevice(device, run);
    for (const event of arrival.events.slice(0, MAX_PER_MESSAGE))
      tellFact(
        changes,
        machine,
        event,
        { ...origin, context: { ...origin.context, media: [artifact] } },
        nextId(reader),
      );
    const series = columns.flatMap(({ signal, t, v }) => {
      const name = SIGNAL_NAMES.find((one) => one === signal);
      return name === undefined ? [] : [{ signal: name, t: Array.from(t, (t_us) => t_us / 1_000_000), v: [...v] }];
    });
    if (series.length > 0) keep(machine, series, run);
  }

  return {
    get changes() {
      return changes;
    },
    setTime(now) {
      mono = now;
    },
    deviceOf,
    message(reader) {
      begin(reader);
      const { received_at_ms, payload, topic } = reader;
      if (topic === 'recording') return recording(reader);
      noteClock();
      device.counts.messages++;
      device.counts.bytes += payload.length;
      noteRate(device.rate, mono);
      sources.count(device.identity.device_id, 'messages');
      const read =
        topic === 'can'
          ? can(reader)
          : topic === 'telemetry'
            ? telemetry(reader)
            : topic === 'events'
              ? events(reader)
              : status(reader);
      if (read !== undefined) {
        const change = noteMessage(device.connectivity, { samples, ...read }, received_at_ms, mono);
        if (change !== undefined) tellStatus(changes, device, change, nextId(reader));
      }
      if (samples > 0) {
        if (late === samples) {
          device.counts.late++;
          sources.count(device.identity.device_id, 'late');
        }
        device.observed_us = Math.max(device.observed_us, newest_us);
        device.received_us = arrival.received_us;
        device.position = position;
        device.late = late === samples || arrival.received_us - newest_us > OLD_US;
        if (machine !== undefined) changes.equipment.add(machine.id);
      }
      changes.devices.add(device.identity.device);
      if (machine !== undefined) {
        const room = MAX_PER_MESSAGE - made;
        if (arrival.events.length > room) {
          const lost = arrival.events.length - room;
          complain(`${lost} events of one message are not in the log: ${room} are`, 1, received_at_ms);
        }
        for (const event of arrival.events.slice(0, room)) {
          tellFact(changes, machine, event, fromDevice(device, arrival.run_id), nextId(reader));
        }
      }
      state.position = position + 1;
      if (machine !== undefined && machine.samples.count + machine.samples.withheld.size >= SEGMENT_SAMPLES)
        seal(machine);
    },
    rebuild(reader) {
      samplesOnly = true;
      try {
        begin(reader);
        if (reader.topic === 'can') {
          if (readFrames(reader, false).frames > 0) {
            if (isCounted()) device.census ??= new BusCensus();
            const census = isCounted() ? device.census : undefined;
            decoderBefore(device).decode(batch, sink, census, arrival.received_us);
            decodeMapped(dbcDecodersBefore(device));
          }
        } else if (reader.topic === 'telemetry') {
          const parsed = parsePoints(reader.payload);
          if (parsed !== undefined && !seenPacket(reader)) {
            for (const point of parsed.points) {
              if (seenPoint(point)) continue;
              for (const [signal, value] of point.values) {
                takePoint(signal, value, point.ms === null ? arrival.received_us : point.ms * 1000, point.ms === null);
              }
            }
          }
        } else seenPacket(reader);
      } finally {
        samplesOnly = false;
      }
    },
    session(of, opened, address, now_ms) {
      const change = noteSession(of.connectivity, opened, now_ms, mono);
      of.address = opened ? address : of.address;
      of.connected_ms = opened ? now_ms : of.connected_ms;
      changes.devices.add(of.identity.device);
      if (change !== undefined) tellStatus(changes, of, change, ids.random('event', now_ms));
    },
    credential(of, revoked, now_ms) {
      noteCredential(of.connectivity, revoked, now_ms);
      changes.devices.add(of.identity.device);
      changes.urgentDevices.add(of.identity.device);
    },
    sweep(now_ms) {
      for (const of of state.devices.values()) {
        const change = sweep(of.connectivity, of.expected_interval_s, now_ms, mono);
        if (change !== undefined) tellStatus(changes, of, change, ids.random('event', now_ms));
      }
      const found: FactEvent[] = [];
      for (const of of state.machines.values()) {
        if (!tick(of.facts, now_ms * 1000, found)) continue;
        for (const event of found) tellFact(changes, of, event, FROM_SERVICE, ids.random('event', now_ms));
        found.length = 0;
      }
    },
    take() {
      const taken = changes;
      changes = createChanges();
      return taken;
    },
    seal,
  };
}
