/**
 * Applies messages without CAN frames to the state: points (values in the units of the gateway's signals), events of a device, and status
 * reports.
 */
import { crc32 } from 'node:zlib';
import { DOCUMENT_BYTES } from '#contract/base/budget.ts';
import { type Evidence, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { pointValue, type SourceValue } from '#domain/machine/source-value.ts';
import type { RecordReader } from '#ingest/journal/record.ts';
import { noteReport } from './connectivity.ts';
import type { Dedupe } from './dedupe.ts';
import { takeValue } from './fold-values.ts';
import { idFrom } from './ids.ts';
import { addDeviceEvent, addStatusEvent } from './made-events.ts';
import type { MessageContext, MessageResult } from './message-context.ts';
import { type Point, parseEvents, parsePoints, parseStatus } from './payloads.ts';

/** Returns true if the sender set the DUP flag and the same packet id and checksum were received before. */
export function seenPacket({ dedupe }: { readonly dedupe: Dedupe }, reader: RecordReader): boolean {
  return dedupe.seenPacket(reader.packet_id, reader.repeat, reader.payload);
}

/**
 * Returns true if a point with the same number, time and values was received before. Returns false for a point without a number and a time.
 */
export function seenPoint({ dedupe }: { readonly dedupe: Dedupe }, { seq, ms, values }: Point): boolean {
  if (seq === null && ms === null) return false;
  return dedupe.seenNumber(seq === null ? -(ms ?? 0) - 1 : seq * 2 + 1, crc32(JSON.stringify([ms, values])));
}

/** Calls `take` for each value of a point, with the time of the point or, if it has none, with the receive time. */
export function eachValue({ ms, values }: Point, received_us: number, take: (sent: SourceValue) => void): void {
  const t_us = ms === null ? received_us : ms * 1000;
  for (const [signal, value] of values) take(pointValue(POINT_EVIDENCE[signal] as Evidence, value, t_us, ms === null));
}

/** Applies a message of topic `telemetry`. */
export function foldPoints(context: MessageContext, reader: RecordReader): MessageResult {
  const { device, arrival } = context;
  const parsed = parsePoints(reader.payload);
  if (parsed === undefined) {
    context.reportUnusable('telemetry payload is not JSON points', 1);
    return { good: 0, broken: 1 };
  }
  const { points, broken } = parsed;
  if (seenPacket(device, reader)) {
    context.noteRepeats(points.length);
    return { good: 0, broken: 0 };
  }
  if (broken > 0) context.reportUnusable(`${broken} points or values could not be read`, broken);
  let good = 0;
  for (const point of points) {
    if (seenPoint(device, point)) {
      context.noteRepeats(1);
      continue;
    }
    good++;
    if (point.values.length === 0) continue;
    context.needRun();
    if (point.ms !== null) context.judgeClock(point.ms * 1000);
    eachValue(point, arrival.received_us, (sent) => takeValue(context, sent));
  }
  return { good, broken };
}

/** Applies a message of topic `events`. */
export function foldEvents(context: MessageContext, reader: RecordReader): MessageResult {
  const { device, arrival, received_ms, shared } = context;
  const { project_id, device: key, device_id } = device.identity;
  const { events, broken, reason } = parseEvents(reader.payload);
  if (reason !== null) context.reportUnusable(reason, broken);
  if (seenPacket(device, reader)) {
    context.noteRepeats(events.length);
    return { good: 0, broken };
  }
  for (const event of events) {
    // Compute the id in the same way as for events over HTTP, so that an event that a device sends over both is stored once.
    const id =
      event.id === null ? context.nextId() : idFrom('event', [project_id, key, device_id, event.id].join('\n'));
    const bytes = DOCUMENT_BYTES + Buffer.byteLength(JSON.stringify(event.data));
    if (context.charge('events', bytes)) addDeviceEvent(shared.changes, device, event, arrival.run_id, received_ms, id);
  }
  return { good: events.length, broken };
}

/**
 * Applies a message of topic `status`. For an invalid report it returns the number of broken payloads, from which the caller computes the
 * status of the device. For a valid report it returns undefined, because the report already names the status.
 */
export function foldStatus(context: MessageContext, reader: RecordReader): MessageResult | undefined {
  const { device, received_ms, shared } = context;
  const report = parseStatus(reader.payload);
  if (report === undefined) {
    context.reportUnusable('status payload is not {"status": "online" | "offline" | "fault"}', 1);
    return { good: 0, broken: 1 };
  }
  // A report without other fields must not erase the fields of the last one.
  if (Object.keys(report.rest).length > 0) device.reported = report.rest;
  device.buffer_depth = report.buffer_depth ?? device.buffer_depth;
  device.rtt_ms = report.rtt_ms ?? device.rtt_ms;
  const change = noteReport(device.connectivity, report.status, received_ms, shared.mono);
  if (change !== undefined) addStatusEvent(shared, device, change, context.nextId(), received_ms);
  return undefined;
}
