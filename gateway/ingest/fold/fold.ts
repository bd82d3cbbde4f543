/**
 * The fold applies the messages of the journal, one by one and in order, to a state in memory. The results are facts (the latest values,
 * meters and trouble codes of machines), statuses, events and samples.
 *
 *   message -> repeat? -> frames or points -> observation of the device
 *                                          -> facts of the machine to which the device was linked -> events, samples
 *                                          -> status of the device
 *
 * Invariants: the fold uses no disk, no clock and no randomness; the caller passes the time. So a replay of the journal gives the same
 * facts and the same ids. After each message the state is consistent, and its position is the position after that message. The content of a
 * message never makes the fold throw; if the fold throws, its code has a bug. `rebuild` does not change facts.
 */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import type { Spending } from '#contract/base/budget.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import type { DeviceIdentity, Transport } from '#contract/fleet/ingest.ts';
import { notBeyond } from '#domain/base/times.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import { gnssReaderOf } from '#domain/gnss/frames.ts';
import type { ConversionRule } from '#domain/j1939/faults.ts';
import type { FactEvent } from '#domain/machine/fact-events.ts';
import { setBack, tick } from '#domain/machine/machine.ts';
import { EMPTY_PLAN, type WatchPlan } from '#domain/watch/plan.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { noteCredential, noteMessage, noteSession, sweep } from './connectivity.ts';
import { decodersOf } from './device-dbc.ts';
import { createDevice, type DeviceState, noteRate } from './device-state.ts';
import { createFoldFrames } from './fold-frames.ts';
import { foldMeter } from './fold-meter.ts';
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

/**
 * The result of a message of topic `picture`. A picture counts as one good sample, so that a camera that sends pictures has the status
 * `transmitting`.
 */
const PICTURE: MessageResult = { good: 1, broken: 0, samples: 1 };
/** Data counts as late if it is older than this number of microseconds when the gateway receives it. */
const OLD_US = 300_000_000;

/** The state, and the parts that the fold uses. */
export interface FoldOptions {
  readonly state: FoldState;
  readonly ids: Ids;
  readonly sources: Sources;
  /** Parses the payloads of topic `can` (`#codec/can-payload.ts`). */
  readonly decodeCan: typeof decodeCanPayload;
  /**
   * Returns the expected interval between messages from the record of a device. The fold calls it when it creates the state of a device.
   */
  readonly intervalOf: (device: string) => number | null;
  /** Returns the conversion methods (bit layouts of the SPN) for trouble codes of a device that have the conversion bit 1. */
  readonly conversionOf: (device: string) => readonly ConversionRule[];
  /** Returns the CAN channels on which a device sends its own GNSS position. */
  readonly gnssOf: (device: string) => readonly GnssChannel[];
  /** Returns the DBC files that are active for a device. */
  readonly dbcOf: (device: DeviceIdentity) => readonly LiveDbc[];
  /**
   * Returns false while the disk is too full to store samples; the fold then records a gap instead of the samples. By default samples are
   * stored.
   */
  readonly storesSamples?: () => boolean;
  /** Returns what the alert rules of a project watch. By default they watch nothing. */
  readonly planOf?: (project_id: string) => WatchPlan;
  /** The storage budgets of devices and machines. */
  readonly budgets: Pick<Spending, 'spend'>;
}

/** Applies messages to one state. */
export interface Fold {
  readonly changes: Changes;
  /** Sets the monotonic time for the following calls. */
  setTime(mono: number): void;
  /** Returns the state of a device; creates the state of a new device. */
  deviceOf(identity: DeviceIdentity): DeviceState;
  /** Applies the current message of the reader. If this throws, the code of the fold has a bug, and the caller must discard the state. */
  message(reader: RecordReader): void;
  /** Reads a message again after a restart, to restore the recognition of repeated data and the samples that were not stored yet. */
  rebuild(reader: RecordReader): void;
  /** Records that a connection of the device opened or closed. */
  session(device: DeviceState, opened: boolean, address: string | null, now_ms: number): void;
  /** Records that a message of this device arrived by a transport other than MQTT. */
  reached(device: string, by: Transport): void;
  /** Records that the last key of the device was revoked, or that the device has a key again. */
  credential(device: DeviceState, revoked: boolean, now_ms: number): void;
  /** Applies the timeouts of all devices and machines at the present time. */
  sweep(now_ms: number): void;
  /** Returns the changes made so far and starts an empty set. */
  take(): Changes;
  /** Moves the samples of a machine that are not stored yet into a history segment (a document with samples), for the next commit. */
  seal(machine: MachineState): void;
}

/** Creates a fold. The fold changes the given state in place. */
export function createFold(options: FoldOptions): Fold {
  return new StateFold(options);
}

class StateFold implements Fold {
  private readonly shared: FoldShared;
  private readonly options: FoldOptions;
  private readonly foldFrames: (context: MessageContext, reader: RecordReader) => MessageResult;
  private readonly rebuildMessage: (context: MessageContext, reader: RecordReader) => void;

  constructor(options: FoldOptions) {
    const { state, ids, sources, decodeCan, budgets, storesSamples = () => true } = options;
    this.options = options;
    this.shared = { state, ids, sources, changes: createChanges(), mono: 0, storesSamples, budgets };
    this.foldFrames = createFoldFrames(decodeCan);
    this.rebuildMessage = createRebuild(decodeCan);
  }

  get changes(): Changes {
    return this.shared.changes;
  }

  setTime(mono: number): void {
    this.shared.mono = mono;
  }

  deviceOf(identity: DeviceIdentity): DeviceState {
    const { options } = this;
    const { devices } = options.state;
    let known = devices.get(identity.device);
    if (known === undefined) {
      known = createDevice({ ...identity }, this.shared.mono);
      known.expected_interval_s = options.intervalOf(identity.device);
      known.conversion = options.conversionOf(identity.device);
      known.gnss = gnssReaderOf(options.gnssOf(identity.device));
      known.dbc = decodersOf(options.dbcOf(identity), []);
      devices.set(identity.device, known);
    }
    return known;
  }

  message(reader: RecordReader): void {
    if (reader.topic === 'meter') {
      const { device, project_id } = reader.device;
      foldMeter(this.shared, this.machineOf(device, project_id), reader);
      return;
    }
    const device = this.deviceOf(reader.device);
    const machine = machineIdOf(reader, device);
    this.followLink(device, machine);
    const context = this.contextOf(reader, device, machine);
    if (reader.topic === 'recording') this.foldRecordingMessage(context, reader);
    else this.foldLiveMessage(context, reader);
  }

  rebuild(reader: RecordReader): void {
    if (reader.topic === 'meter') return;
    const device = this.deviceOf(reader.device);
    this.rebuildMessage(this.contextOf(reader, device, machineIdOf(reader, device)), reader);
  }

  session(device: DeviceState, opened: boolean, address: string | null, now_ms: number): void {
    const { shared } = this;
    const change = noteSession(device.connectivity, opened, now_ms, shared.mono);
    device.address = opened ? address : device.address;
    device.connected_ms = opened ? now_ms : device.connected_ms;
    if (opened) device.transport = 'mqtt';
    shared.changes.devices.add(device.identity.device);
    if (change !== undefined) addStatusEvent(shared, device, change, shared.ids.random('event', now_ms), now_ms);
  }

  reached(id: string, by: Transport): void {
    const device = this.shared.state.devices.get(id);
    if (device === undefined || device.transport === by) return;
    device.transport = by;
    this.shared.changes.devices.add(id);
  }

  credential({ connectivity, identity }: DeviceState, revoked: boolean, now_ms: number): void {
    const { changes } = this.shared;
    noteCredential(connectivity, revoked, now_ms);
    changes.devices.add(identity.device);
    changes.urgentDevices.add(identity.device);
  }

  sweep(now_ms: number): void {
    const { shared } = this;
    const { state, ids, mono, changes } = shared;
    for (const device of state.devices.values()) {
      const change = sweep(device.connectivity, device.expected_interval_s, now_ms, mono);
      if (change !== undefined) addStatusEvent(shared, device, change, ids.random('event', now_ms), now_ms);
    }
    const found: FactEvent[] = [];
    for (const machine of state.machines.values()) {
      if (!tick(machine.facts, now_ms * 1000, found)) continue;
      for (const event of found) addFactEvent(changes, machine, event, FROM_SERVICE, ids.random('event', now_ms));
      found.length = 0;
    }
  }

  take(): Changes {
    const taken = this.shared.changes;
    this.shared.changes = createChanges();
    return taken;
  }

  seal(machine: MachineState): void {
    seal(this.shared, machine);
  }

  private machineOf(id: string, project_id: string): MachineState {
    const { machines } = this.shared.state;
    let known = machines.get(id);
    if (known === undefined) {
      known = createMachine(id, project_id);
      known.watch.setPlan(this.options.planOf?.(project_id) ?? EMPTY_PLAN);
      machines.set(id, known);
    }
    return known;
  }

  /**
   * Applies a change of the link (the setting that names the machine of a device), if the link has changed since the previous message of
   * the device.
   */
  private followLink(device: DeviceState, to: string | null): void {
    if (device.equipment_id === to) return;
    // Close the history segments of both machines. Then the last segment of the old machine ends, and the first segment of the new machine
    // begins, at this message.
    for (const id of [device.equipment_id, to])
      if (id !== null) seal(this.shared, this.machineOf(id, device.identity.project_id));
    device.equipment_id = to;
  }

  private contextOf(reader: RecordReader, device: DeviceState, machine: string | null): MessageContext {
    const { project_id } = device.identity;
    return new MessageContext(
      this.shared,
      device,
      machine === null ? undefined : this.machineOf(machine, project_id),
      reader,
    );
  }

  /** Limits all known times to the present time if the clock of this gateway was set back ([D17]). */
  private noteClock({ device, machine, arrival }: MessageContext): void {
    const { received_us } = arrival;
    device.latest.setBack(received_us);
    device.inventory?.setBack(received_us);
    device.observed_us = notBeyond(device.observed_us, received_us);
    if (machine !== undefined && setBack(machine.facts, received_us)) this.shared.changes.equipment.add(machine.id);
  }

  private foldLiveMessage(context: MessageContext, reader: RecordReader): void {
    const { device, machine, received_ms } = context;
    const { identity, counts, connectivity } = device;
    const { shared } = this;
    const { changes, mono, sources, state } = shared;
    this.noteClock(context);
    counts.messages++;
    counts.bytes += reader.payload.length;
    noteRate(device.rate, mono);
    sources.count(identity.device_id, 'messages');
    const result = this.foldTopic(context, reader);
    device.last.topics[reader.topic] = received_ms;
    if (result !== undefined) {
      if (context.values > 0 || result.samples !== undefined || (reader.topic === 'can' && result.good > 0))
        device.last.usable_ms = received_ms;
      const change = noteMessage(connectivity, { samples: context.values, ...result }, received_ms, mono);
      if (change !== undefined) addStatusEvent(shared, device, change, context.nextId(), received_ms);
    }
    this.noteObservation(context);
    changes.devices.add(identity.device);
    state.position = context.position + 1;
    if (machine === undefined) return;
    this.addFactEvents(context, machine);
    sealFull(shared, machine);
  }

  /** Applies a part of a recorded file. The part names the machine to which the device was linked when the data was recorded. */
  private foldRecordingMessage(context: MessageContext, reader: RecordReader): void {
    const { device } = context;
    this.shared.state.position = context.position + 1;
    device.connectivity.reported_ms ??= context.received_ms;
    const part = readRecording(context, reader);
    if (part === undefined) return;
    context.machine = part.machine === null ? undefined : this.machineOf(part.machine, device.identity.project_id);
    this.noteClock(context);
    foldRecording(context, part, context.machine);
  }

  private foldTopic(context: MessageContext, reader: RecordReader): MessageResult | undefined {
    if (reader.topic === 'can') return this.foldFrames(context, reader);
    if (reader.topic === 'telemetry') return foldPoints(context, reader);
    if (reader.topic === 'events') return foldEvents(context, reader);
    if (reader.topic === 'picture') return PICTURE;
    return foldStatus(context, reader);
  }

  /** Updates the time of the last observation of the device, if the message had values. */
  private noteObservation({ device, machine, position, arrival, values, late, newest_us }: MessageContext): void {
    if (values === 0) return;
    if (late === values) {
      device.counts.late++;
      this.shared.sources.count(device.identity.device_id, 'late');
    }
    device.observed_us = Math.max(device.observed_us, newest_us);
    device.received_us = arrival.received_us;
    device.position = position;
    device.late = late === values || arrival.received_us - newest_us > OLD_US;
    if (machine !== undefined) this.shared.changes.equipment.add(machine.id);
  }

  /**
   * Adds the events of the message to the log of the machine. A message can have at most 1,024 event ids. Events above this limit are
   * dropped and counted.
   */
  private addFactEvents(context: MessageContext, machine: MachineState): void {
    const { device, arrival } = context;
    if (arrival.events.length === 0) return;
    const free = MAX_PER_MESSAGE - context.made;
    const lost = arrival.events.length - free;
    if (lost > 0)
      context.reportUnusable(`one message caused too many events: ${free} events are in the log, ${lost} are not`, 1);
    for (const event of arrival.events.slice(0, free)) {
      const id = context.nextId();
      if (!context.charge('facts', FACT_BYTES)) continue;
      addFactEvent(this.shared.changes, machine, event, fromDevice(device, arrival.run_id), id);
    }
  }
}

/**
 * Returns the machine to which the message belongs. Journal segments of earlier builds do not name it; the machine to which the device is
 * linked now is then used.
 */
function machineIdOf(reader: RecordReader, device: DeviceState): string | null {
  return reader.machine === undefined ? device.equipment_id : reader.machine;
}
