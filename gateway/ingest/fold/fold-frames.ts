/**
 * Applies CAN frames to the state: decodes them by J1939 and by the DBC files of the device into values, trouble codes and the bus
 * inventory (the table of the control units and messages on each bus).
 */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import { isPlausible } from '#contract/base/signals.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { isDated, observedTime } from '#domain/base/times.ts';
import { noteOffset } from '#domain/clock/live-offset.ts';
import { decodeMapped, type MappedSink } from '#domain/dbc/values.ts';
import { GNSS, type GnssSink } from '#domain/gnss/frames.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import type { DecodeSink } from '#domain/j1939/decode.ts';
import type { FaultMessage } from '#domain/j1939/faults.ts';
import { EVIDENCE, type Evidence, GNSS_EVIDENCE, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { applyFaults, applyPrevious } from '#domain/machine/machine.ts';
import { fillSourceValue, pointValue } from '#domain/machine/source-value.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { takeState, takeValue, watchCodes } from './fold-values.ts';
import type { MessageContext, MessageResult } from './message-context.ts';
import { readFrames } from './read-frames.ts';

/** Returns a copy of the message with its time of observation. If the time of the message cannot be right, its receive time is used. */
export function observed<T extends { readonly t_us: number }>({ arrival }: MessageContext, message: T): T {
  return { ...message, t_us: observedTime(message.t_us, arrival.received_us) };
}

/**
 * Returns false for a value outside the plausible range of its signal, and reports the value, because the DBC file, its mapping or the
 * setting `gnss_channels` must be wrong.
 */
export function isPossible(context: MessageContext, { signal, target }: Evidence, value: number): boolean {
  if (isPlausible(signal, value)) return true;
  context.reportError(
    `${signal} has the implausible value ${value}, decoded with ${target?.source ?? 'the layout of GNSS frames'}`,
  );
  return false;
}

/**
 * Creates a function that applies the frames of a message. Every call of this function fills the same frame batch, to allocate no memory.
 */
export function createFoldFrames(
  decodeCan: typeof decodeCanPayload,
): (context: MessageContext, reader: RecordReader) => MessageResult {
  const batch = new FrameBatch(1024);
  let context: MessageContext;
  let index: Uint32Array | undefined;

  /** Returns the index of a frame in its message, from its index in the batch. */
  const placeOf = (frame: number) => (index === undefined || frame < 0 ? frame : (index[frame] ?? frame));
  const isUndated = (frame: number) => ((batch.flags[frame] as number) & FRAME.noTime) !== 0;

  function takeFaults(kind: 'active' | 'previous', message: FaultMessage): void {
    const { device, machine, arrival, shared } = context;
    const unit = device.addresses.unitOf(message.bus, message.sa);
    device.inventory?.faults(kind, observed(context, message), unit);
    if (machine === undefined) return;
    if (kind === 'previous') applyPrevious(machine.facts, arrival, message, unit);
    else if (applyFaults(machine.facts, arrival, message, isUndated(message.frame), unit))
      watchCodes(context, machine, observedTime(message.t_us, arrival.received_us), placeOf(message.frame));
    shared.changes.equipment.add(machine.id);
  }

  /** The code fills this object again for each value, so that decoding allocates no memory. */
  const sent = pointValue(POINT_EVIDENCE[0] as Evidence, 0, 0);
  function takeDecoded(evidence: Evidence, decoded: DecodedValue): void {
    fillSourceValue(sent, evidence, decoded);
    sent.frame = placeOf(decoded.frame);
    sent.undated = isUndated(decoded.frame);
    takeValue(context, sent);
  }

  const gnssSink: GnssSink = (quantity, decoded) => {
    if (quantity === GNSS.time && !isUndated(decoded.frame)) {
      const { device, received_ms } = context;
      // A time after the receive time cannot be right: the receiver shows a wrong week.
      if (isDated(decoded.value, received_ms * 1000))
        device.offset = noteOffset(device.offset, decoded.t_us - decoded.value, received_ms);
    }
    const evidence = GNSS_EVIDENCE[quantity];
    if (evidence !== undefined && isPossible(context, evidence, decoded.value)) takeDecoded(evidence, decoded);
  };

  const sink: DecodeSink = {
    other: (frames, i) => context.device.gnss?.read(frames, i, gnssSink) === true,
    signal(parameter, decoded) {
      const evidence = EVIDENCE[parameter];
      if (evidence !== undefined) takeDecoded(evidence, decoded);
    },
    invalid(parameter, state, decoded) {
      const evidence = EVIDENCE[parameter];
      if (evidence === undefined) return;
      fillSourceValue(sent, evidence, decoded);
      takeState(context, sent, state);
    },
    faults(message) {
      takeFaults('active', message);
    },
    previous(message) {
      takeFaults('previous', message);
    },
    identity(message) {
      const { addresses, inventory, heard } = context.device;
      inventory?.identity(observed(context, message), addresses.unitOf(message.bus, message.sa));
      heard[message.kind] = message.text.slice(0, 200);
    },
    claim(message) {
      context.device.addresses.claim(observed(context, message));
    },
  };

  const mappedSink: MappedSink = (evidence, decoded) => {
    if (isPossible(context, evidence, decoded.value)) takeDecoded(evidence, decoded);
  };

  /** Returns the newest time of the frames; 0 if no frame has a time. */
  function newestTime(): number {
    let newest = 0;
    for (let i = 0; i < batch.count; i++) {
      const t = batch.t[i] as number;
      if (t > newest && !isUndated(i)) newest = t;
    }
    return newest;
  }

  function decode(): void {
    const { device, arrival, shared } = context;
    const { device_id } = device.identity;
    const { counters } = device.decoder;
    const tooLong = counters.transport.extended;
    device.inventory ??= new BusInventory();
    device.decoder.decode(batch, sink, device.inventory, arrival.received_us);
    for (const one of device.dbc) decodeMapped(one, batch, mappedSink);
    const { unknown, transport } = counters;
    if (transport.extended > tooLong)
      context.reportError(
        `a message of more than 1,785 bytes (extended transport) is not read: ${transport.extended} frames so far`,
      );
    shared.sources.set(device_id, 'unknown_pgns', unknown);
    shared.sources.set(device_id, 'transport_aborts', transport.aborted);
  }

  return (message, reader) => {
    context = message;
    const read = readFrames(decodeCan, context, reader, batch);
    const { broken, error, repeats } = read;
    index = read.index;
    if (broken > 0) context.reportUnusable(error ?? `${broken} lines are not CAN frames`, broken);
    if (repeats > 0) context.noteRepeats(repeats);
    const good = batch.count;
    context.device.counts.frames += good;
    context.shared.sources.count(context.device.identity.device_id, 'frames', good);
    if (good === 0) return { good, broken };
    context.needRun();
    const newest = newestTime();
    if (newest > 0) context.judgeClock(newest);
    decode();
    return { good, broken };
  };
}
