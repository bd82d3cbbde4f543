/**
 * Decodes messages of the journal again, to find the frame from which a value came. It uses the same decoders as the fold (the code that
 * applies the messages of devices), but applies nothing: no state of a device or machine changes.
 */
import type { decodeCanPayload } from '#codec/can-payload.ts';
import { isPlausible } from '#contract/base/signals.ts';
import type { GnssChannel } from '#contract/fleet/bus.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import { MAX_POINTS } from '#contract/fleet/telemetry.ts';
import type { DecodedValue } from '#domain/base/decoded-value.ts';
import { NONE } from '#domain/base/none.ts';
import { observedTime } from '#domain/base/times.ts';
import type { LiveDbc } from '#domain/dbc/mapping.ts';
import { decodeMapped, type OpenDbc, openDbc } from '#domain/dbc/values.ts';
import { type GnssReader, type GnssSink, gnssReaderOf } from '#domain/gnss/frames.ts';
import { createDecoder, type DecodeSink } from '#domain/j1939/decode.ts';
import { EVIDENCE, type Evidence, GNSS_EVIDENCE, POINT_EVIDENCE } from '#domain/machine/evidence.ts';
import { decodeReconciliation } from '#ingest/fold/fold-meter.ts';
import { eachValue } from '#ingest/fold/fold-payloads.ts';
import { listPoints, parsePoint } from '#ingest/fold/payloads.ts';
import type { RecordReader } from '#ingest/journal/record.ts';

/** A CAN frame with its own copy of the payload, so that it stays valid when the batch is filled again. */
export interface RawFrame {
  readonly t_us: number;
  readonly bus: number;
  readonly id: number;
  readonly flags: number;
  readonly data: Uint8Array;
}

/** A value that was decoded again. */
export interface FoundValue {
  readonly evidence: Evidence;
  /** The number in the frame, before scale and offset; null for a telemetry point. */
  readonly raw: number | null;
  readonly value: number;
  /** Time of observation in microseconds since 1970. */
  readonly observed_us: number;
  readonly bus: number;
  readonly sa: number;
  /** Index of the frame in its message, or of the point in its message. */
  readonly index: number;
  /** The frame; null for a telemetry point. */
  readonly frame: RawFrame | null;
  /** The JSON text of the telemetry point; null for a frame. */
  readonly point: string | null;
  /** Present if a person read the value on the machine: who, and why. */
  readonly person?: { readonly name: string; readonly reason: string };
}

/** The decoders of one device that come from its settings. The J1939 parameters that the gateway knows are the same for all devices. */
export interface DeviceDecoders {
  readonly dbc: readonly LiveDbc[];
  /** The channels on which the device sends its own GNSS. */
  readonly channels: readonly GnssChannel[];
}

/** Returns true for a value that the caller is searching for. */
export type IsWanted = (
  evidence: Evidence,
  decoded: Pick<DecodedValue, 'bus' | 'sa' | 'frame'>,
  observed_us: number,
) => boolean;

/** A multi-packet message takes at most this many seconds. So its first frame is at most this much older than its values. */
export const LONGEST_MESSAGE_S = 60;

/** Decodes the messages of one device, in their order. */
export class ValueScan {
  readonly #decodeCan: typeof decodeCanPayload;
  readonly #batch = new FrameBatch(1024);
  readonly #decoder = createDecoder();
  readonly #dbc: readonly OpenDbc[];
  readonly #gnss: GnssReader | undefined;
  readonly #second: number | undefined;

  /**
   * If the caller searches only for values of one second, it passes this second. The scan then leaves out batches whose frames are all later
   * or much earlier.
   */
  constructor(decodeCan: typeof decodeCanPayload, { dbc, channels }: DeviceDecoders, second?: number) {
    this.#second = second;
    this.#decodeCan = decodeCan;
    this.#dbc = dbc.map((file) => openDbc(file));
    this.#gnss = gnssReaderOf(channels);
  }

  /** Returns the values of the current message of the reader for which `isWanted` is true. */
  read({ topic, payload, received_at_ms }: RecordReader, isWanted: IsWanted): FoundValue[] {
    const received_us = received_at_ms * 1000;
    if (topic === 'telemetry') return readPoints(payload, received_us, isWanted);
    if (topic === 'meter') return readPerson(payload, received_us, isWanted);
    if (topic !== 'can') return [];
    this.#batch.clear();
    this.#decodeCan(payload, received_us, this.#batch);
    return this.decode(this.#batch, received_us, isWanted);
  }

  /**
   * Decodes the frames of a batch, and returns the values for which `isWanted` is true. The index of a value is the index of its frame in
   * the batch.
   */
  decode(batch: FrameBatch, received_us: number, isWanted: IsWanted): FoundValue[] {
    const found: FoundValue[] = [];
    if (this.#second !== undefined && !hasFrameNear(batch, received_us, this.#second)) return found;
    const take = (evidence: Evidence | undefined, decoded: DecodedValue) => {
      if (evidence === undefined) return;
      const observed_us = observedTime(decoded.t_us, received_us);
      if (!isWanted(evidence, decoded, observed_us)) return;
      const { raw, value, bus, sa, frame: index } = decoded;
      found.push({ evidence, raw, value, observed_us, bus, sa, index, frame: frameAt(batch, index), point: null });
    };
    const takePossible = (evidence: Evidence | undefined, decoded: DecodedValue) => {
      if (evidence !== undefined && isPlausible(evidence.signal, decoded.value)) take(evidence, decoded);
    };
    const gnssSink: GnssSink = (quantity, decoded) => takePossible(GNSS_EVIDENCE[quantity], decoded);
    const sink: DecodeSink = {
      other: (frames, i) => this.#gnss?.read(frames, i, gnssSink) === true,
      signal: (parameter, decoded) => take(EVIDENCE[parameter], decoded),
      faults() {},
    };
    this.#decoder.decode(batch, sink, undefined, received_us);
    for (const one of this.#dbc) decodeMapped(one, batch, takePossible);
    return found;
  }

  /** Returns a frame of the message that was read last; undefined if the message has no such frame. */
  frameOf(index: number): RawFrame | undefined {
    return index < this.#batch.count ? frameAt(this.#batch, index) : undefined;
  }
}

/** True if the batch has a frame from which a value of this second may come, or the first frame of a message with such a value. */
function hasFrameNear(batch: FrameBatch, received_us: number, second: number): boolean {
  const [from_us, to_us] = [(second - LONGEST_MESSAGE_S) * 1e6, (second + 1) * 1e6];
  for (let i = 0; i < batch.count; i++) {
    const observed_us = observedTime(batch.t[i] as number, received_us);
    if (observed_us >= from_us && observed_us < to_us) return true;
  }
  return false;
}

/** Returns a copy of a frame of the batch. */
export function frameAt(batch: FrameBatch, i: number): RawFrame {
  return {
    t_us: batch.t[i] as number,
    bus: batch.bus[i] as number,
    id: batch.id[i] as number,
    flags: batch.flags[i] as number,
    data: batch.payload(i).slice(),
  };
}

const MOST_POINT_TEXT = 2_000;

/** Returns the values of telemetry points for which `isWanted` is true, each with the JSON text of its point. */
function readPoints(payload: Uint8Array, received_us: number, isWanted: IsWanted): FoundValue[] {
  const found: FoundValue[] = [];
  for (const [index, one] of (listPoints(payload) ?? []).slice(0, MAX_POINTS).entries()) {
    const parsed = parsePoint(one);
    if (parsed === undefined) continue;
    eachValue(parsed.point, received_us, ({ evidence, value, t_us, bus, sa }) => {
      const observed_us = observedTime(t_us, received_us);
      if (!isWanted(evidence, { bus, sa, frame: index }, observed_us)) return;
      const point = JSON.stringify(one).slice(0, MOST_POINT_TEXT);
      found.push({ evidence, raw: null, value, observed_us, bus, sa, index, frame: null, point });
    });
  }
  return found;
}

/** Returns the meter reading of a person. */
function readPerson(payload: Uint8Array, received_us: number, isWanted: IsWanted): FoundValue[] {
  const made = decodeReconciliation(payload);
  if (made === undefined) return [];
  const evidence = POINT_EVIDENCE.find(({ signal }) => signal === made.signal);
  if (evidence === undefined) return [];
  const observed_us = observedTime(made.observed_ms * 1000, received_us);
  if (!isWanted(evidence, { bus: NONE, sa: NONE, frame: NONE }, observed_us)) return [];
  const { value, by, reason } = made;
  const point = JSON.stringify(made).slice(0, MOST_POINT_TEXT);
  const person = { name: by.name ?? 'A person', reason };
  return [{ evidence, raw: null, value, observed_us, bus: NONE, sa: NONE, index: 0, frame: null, point, person }];
}
