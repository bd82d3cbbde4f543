/**
 * The fold: messages in journal order become facts, statuses, events and samples.
 *
 *   message -> repeat? -> frames or points -> device's observation
 *                                          -> its machine's facts (from the place of the link on) -> events, samples
 *                                          -> device status
 *
 * Invariants: no disk, no clock, no randomness (`mono` and `now` are handed in), so a replay of the journal gives what it gave the
 * first time, ids included; after a message the state is whole, and its position is behind that message; nothing is thrown for what
 * a message holds, only where this code is wrong; `rebuild` moves no fact.
 */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import type { Spending } from '#contract/base/budget.ts';
import type { DeviceIdentity, Transport } from '#contract/fleet/ingest.ts';
import { notBeyond } from '#domain/base/times.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import type { ConversionRule } from '#domain/j1939/faults.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { setBack, tick } from '#domain/machine/machine.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { noteCredential, noteMessage, noteSession, sweep } from './connectivity.ts';
import { decodersOf } from './device-dbc.ts';
import { createDevice, type DeviceState, noteRate } from './device-state.ts';
import { createFoldFrames } from './fold-frames.ts';
import { foldEvents, foldPoints, foldStatus } from './fold-payloads.ts';
import { foldRecording, readRecording } from './fold-recording.ts';
import { type Changes, createChanges, type FoldState } from './fold-state.ts';
import { type Ids, MAX_PER_MESSAGE } from './ids.ts';
import { createMachine, type MachineState } from './machine-state.ts';
import { addFactEvent, addStatusEvent, FACT_BYTES, FROM_SERVICE, fromDevice } from './made-events.ts';
import { type FoldShared, MessageContext, type MessageResult } from './message-context.ts';
import { createRebuild } from './rebuild.ts';
import { seal, sealFull } from './seal.ts';
import type { Sources } from './sources.ts';

/** A picture is to a camera what a value is to a logger (D-19). */
const PICTURE: MessageResult = { good: 1, broken: 0, samples: 1 };
/** Data older than this on arrival is shown as late. */
const OLD_US = 300_000_000;

/** The state, and what the fold asks of others. */
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
  readonly storesSamples?: () => boolean;
  /** What devices may have stored. */
  readonly budgets: Pick<Spending, 'spend'>;
}

/** A fold over one state. */
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
  /** A message of this device came by another way than MQTT. */
  reached(device: string, by: Transport): void;
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
  const { state, ids, sources, decodeCan, budgets, storesSamples = () => true } = options;
  const shared: FoldShared = { state, ids, sources, changes: createChanges(), mono: 0, storesSamples, budgets };
  const foldFrames = createFoldFrames(decodeCan);
  const rebuild = createRebuild(decodeCan);

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
      known = createDevice({ ...identity }, shared.mono);
      known.expected_interval_s = options.intervalOf(identity.device);
      known.conversion = options.conversionOf(identity.device);
      known.dbc = decodersOf(options.dbcOf(identity), []);
      state.devices.set(identity.device, known);
    }
    return known;
  }

  /** The device was put on another machine, or off, before this message. */
  function followLink(device: DeviceState, to: string | null): void {
    if (device.equipment_id === to) return;
    // No segment spans a link, so that a machine's history ends where the next one's begins.
    for (const id of [device.equipment_id, to])
      if (id !== null) seal(shared, machineOf(id, device.identity.project_id));
    device.equipment_id = to;
  }

  function contextOf(reader: RecordReader, device: DeviceState, on: string | null): MessageContext {
    const machine = on === null ? undefined : machineOf(on, device.identity.project_id);
    return new MessageContext(shared, device, machine, reader);
  }

  /** The machine that the message counts for; segments of earlier builds do not say. */
  const machineBy = (reader: RecordReader, device: DeviceState) =>
    reader.machine === undefined ? device.equipment_id : reader.machine;

  /** Takes along what is known when this gateway's clock was set back ([D17]). */
  function noteClock({ device, machine, arrival }: MessageContext): void {
    const { received_us } = arrival;
    device.latest.setBack(received_us);
    device.inventory?.setBack(received_us);
    device.observed_us = notBeyond(device.observed_us, received_us);
    if (machine !== undefined && setBack(machine.facts, received_us)) shared.changes.equipment.add(machine.id);
  }

  function foldTopic(at: MessageContext, reader: RecordReader): MessageResult | undefined {
    if (reader.topic === 'can') return foldFrames(at, reader);
    if (reader.topic === 'telemetry') return foldPoints(at, reader);
    if (reader.topic === 'events') return foldEvents(at, reader);
    if (reader.topic === 'picture') return PICTURE;
    return foldStatus(at, reader);
  }

  /** Moves what the device was heard to say, when the message had values. */
  function noteObservation({ device, machine, position, arrival, values, late, newest_us }: MessageContext): void {
    if (values === 0) return;
    if (late === values) {
      device.counts.late++;
      sources.count(device.identity.device_id, 'late');
    }
    device.observed_us = Math.max(device.observed_us, newest_us);
    device.received_us = arrival.received_us;
    device.position = position;
    device.late = late === values || arrival.received_us - newest_us > OLD_US;
    if (machine !== undefined) shared.changes.equipment.add(machine.id);
  }

  /** Has what happened on the machine in its log, as far as ids reach. */
  function addFactEvents(at: MessageContext, machine: MachineState): void {
    const { device, arrival } = at;
    const room = MAX_PER_MESSAGE - at.made;
    const lost = arrival.events.length - room;
    if (lost > 0) at.reportUnusable(`${lost} events of one message are not in the log: ${room} are`, 1);
    for (const event of arrival.events.slice(0, room)) {
      const id = at.nextId();
      if (!at.charge('facts', FACT_BYTES)) continue;
      addFactEvent(shared.changes, machine, event, fromDevice(device, arrival.run_id), id);
    }
  }

  function message(at: MessageContext, reader: RecordReader): void {
    const { device, machine, received_ms } = at;
    const { identity, counts, connectivity } = device;
    const { changes, mono } = shared;
    noteClock(at);
    counts.messages++;
    counts.bytes += reader.payload.length;
    noteRate(device.rate, mono);
    sources.count(identity.device_id, 'messages');
    const result = foldTopic(at, reader);
    device.last.topics[reader.topic] = received_ms;
    if (result !== undefined) {
      if (at.values > 0 || result.samples !== undefined || (reader.topic === 'can' && result.good > 0))
        device.last.usable_ms = received_ms;
      const change = noteMessage(connectivity, { samples: at.values, ...result }, received_ms, mono);
      if (change !== undefined) addStatusEvent(shared, device, change, at.nextId(), received_ms);
    }
    noteObservation(at);
    changes.devices.add(identity.device);
    state.position = at.position + 1;
    if (machine === undefined) return;
    addFactEvents(at, machine);
    sealFull(shared, machine);
  }

  /** A part of a file: where it counts was decided by the time of the data, not by where the device is now. */
  function recording(at: MessageContext, reader: RecordReader): void {
    state.position = at.position + 1;
    at.device.connectivity.reported_ms ??= at.received_ms;
    const part = readRecording(at, reader);
    if (part === undefined) return;
    at.machine = part.machine === null ? undefined : machineOf(part.machine, at.device.identity.project_id);
    noteClock(at);
    foldRecording(at, part, at.machine);
  }

  return {
    get changes() {
      return shared.changes;
    },
    setTime(now) {
      shared.mono = now;
    },
    deviceOf,
    message(reader) {
      const device = deviceOf(reader.device);
      const on = machineBy(reader, device);
      followLink(device, on);
      const at = contextOf(reader, device, on);
      if (reader.topic === 'recording') recording(at, reader);
      else message(at, reader);
    },
    rebuild(reader) {
      const device = deviceOf(reader.device);
      rebuild(contextOf(reader, device, machineBy(reader, device)), reader);
    },
    session(device, opened, address, now_ms) {
      const change = noteSession(device.connectivity, opened, now_ms, shared.mono);
      device.address = opened ? address : device.address;
      device.connected_ms = opened ? now_ms : device.connected_ms;
      if (opened) device.transport = 'mqtt';
      shared.changes.devices.add(device.identity.device);
      if (change !== undefined) addStatusEvent(shared, device, change, ids.random('event', now_ms), now_ms);
    },
    reached(id, by) {
      const device = state.devices.get(id);
      if (device === undefined || device.transport === by) return;
      device.transport = by;
      shared.changes.devices.add(id);
    },
    credential({ connectivity, identity }, revoked, now_ms) {
      noteCredential(connectivity, revoked, now_ms);
      shared.changes.devices.add(identity.device);
      shared.changes.urgentDevices.add(identity.device);
    },
    sweep(now_ms) {
      for (const device of state.devices.values()) {
        const change = sweep(device.connectivity, device.expected_interval_s, now_ms, shared.mono);
        if (change !== undefined) addStatusEvent(shared, device, change, ids.random('event', now_ms), now_ms);
      }
      const found: FactEvent[] = [];
      for (const machine of state.machines.values()) {
        if (!tick(machine.facts, now_ms * 1000, found)) continue;
        for (const event of found)
          addFactEvent(shared.changes, machine, event, FROM_SERVICE, ids.random('event', now_ms));
        found.length = 0;
      }
    },
    take() {
      const taken = shared.changes;
      shared.changes = createChanges();
      return taken;
    },
    seal: (machine) => seal(shared, machine),
  };
}
