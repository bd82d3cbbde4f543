/**
 * After a start, reads some messages of the journal again. The values of these messages are already in the restored state. This restores
 * the samples that were not stored, and the data that the fold remembers to recognise repeated messages. It also counts frames that the
 * stored bus inventory (the list of control units and messages on each CAN bus) does not include. The code in this file does not change the
 * values of machines.
 *
 * A decoder keeps a state between messages, and the decoders in the restored state have already decoded these messages. So each device gets
 * a second decoder here, which starts at the first message that is read again.
 */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { decodeMapped, type MappedSink, type OpenDbc } from '#domain/dbc/values.ts';
import type { GnssSink } from '#domain/gnss/frames.ts';
import { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, type Decoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { conversionOf, type FaultMessage } from '#domain/j1939/faults.ts';
import { EVIDENCE, type Evidence, GNSS_EVIDENCE, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { fillSourceValue, pointValue } from '#domain/machine/source-value.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { decodersOf } from './device-dbc.ts';
import type { DeviceState } from './device-state.ts';
import { isPossible, observed } from './fold-frames.ts';
import { eachValue, seenPacket, seenPoint } from './fold-payloads.ts';
import { sampleAgain, takeState } from './fold-values.ts';
import type { MessageContext } from './message-context.ts';
import { parsePoints } from './payloads.ts';
import { readFrames } from './read-frames.ts';

/** Creates a function that reads one message again. */
export function createRebuild(
  decodeCan: typeof decodeCanPayload,
): (context: MessageContext, reader: RecordReader) => void {
  const batch = new FrameBatch(1024);
  const decoders = new WeakMap<DeviceState, Decoder>();
  const mapped = new WeakMap<DeviceState, readonly OpenDbc[]>();
  let context: MessageContext;
  /** The bus inventory that must count the message; undefined if the stored inventory already includes the message. */
  let inventory: BusInventory | undefined;

  function decoderOf(device: DeviceState): Decoder {
    let known = decoders.get(device);
    if (known === undefined) {
      known = createDecoder({ conversion: (bus, sa) => conversionOf(device.conversion, bus, sa) });
      decoders.set(device, known);
    }
    return known;
  }

  function mappedOf(device: DeviceState): readonly OpenDbc[] {
    const files = device.dbc.map(({ file }) => file);
    const known = decodersOf(files, mapped.get(device) ?? []);
    if (known.length > 0) mapped.set(device, known);
    return known;
  }

  function countFaults(kind: 'active' | 'previous', message: FaultMessage): void {
    inventory?.faults(kind, observed(context, message), context.device.addresses.unitOf(message.bus, message.sa));
  }

  /** The code fills this object again for each value, so that decoding allocates no memory. */
  const sent = pointValue(POINT_EVIDENCE[0] as Evidence, 0, 0);
  function sampleDecoded(evidence: Evidence, decoded: DecodedValue): void {
    fillSourceValue(sent, evidence, decoded);
    sampleAgain(context, sent);
  }

  const gnssSink: GnssSink = (quantity, decoded) => {
    const evidence = GNSS_EVIDENCE[quantity];
    if (evidence !== undefined && isPossible(context, evidence, decoded.value)) sampleDecoded(evidence, decoded);
  };

  const sink: DecodeSink = {
    other: (frames, i) => context.device.gnss?.read(frames, i, gnssSink) === true,
    signal(parameter, decoded) {
      const evidence = EVIDENCE[parameter];
      if (evidence !== undefined) sampleDecoded(evidence, decoded);
    },
    invalid(parameter, state, decoded) {
      const evidence = EVIDENCE[parameter];
      if (evidence === undefined) return;
      fillSourceValue(sent, evidence, decoded);
      takeState(context, sent, state);
    },
    faults: (message) => countFaults('active', message),
    previous: (message) => countFaults('previous', message),
    identity(message) {
      inventory?.identity(observed(context, message), context.device.addresses.unitOf(message.bus, message.sa));
    },
  };

  const mappedSink: MappedSink = (evidence, decoded) => {
    if (isPossible(context, evidence, decoded.value)) sampleDecoded(evidence, decoded);
  };

  function frames(reader: RecordReader): void {
    const { device, position, arrival } = context;
    readFrames(decodeCan, context, reader, batch);
    if (batch.count === 0) return;
    if (position >= device.inventory_from) device.inventory ??= new BusInventory();
    inventory = position >= device.inventory_from ? device.inventory : undefined;
    decoderOf(device).decode(batch, sink, inventory, arrival.received_us);
    for (const one of mappedOf(device)) decodeMapped(one, batch, mappedSink);
  }

  function points(reader: RecordReader): void {
    const { device, arrival } = context;
    const parsed = parsePoints(reader.payload);
    if (parsed === undefined || seenPacket(device, reader)) return;
    for (const point of parsed.points) {
      if (seenPoint(device, point)) continue;
      eachValue(point, arrival.received_us, (value) => sampleAgain(context, value));
    }
  }

  return (message, reader) => {
    context = message;
    if (reader.topic === 'can') frames(reader);
    else if (reader.topic === 'telemetry') points(reader);
    else seenPacket(context.device, reader);
  };
}
