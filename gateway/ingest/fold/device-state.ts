/**
 * The state of one device in ingest, its live document (the current state that the store keeps for the API), and its snapshot (the stored
 * state for a restart).
 */
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { DeviceMetrics } from '#contract/fleet/device-metrics.ts';
import type { DeviceIdentity, Heard, Transport } from '#contract/fleet/ingest.ts';
import { isoTime } from '#domain/base/times.ts';
import { type LiveOffset, measuredOffset } from '#domain/clock/live-offset.ts';
import type { OpenDbc } from '#domain/dbc/values.ts';
import type { GnssReader } from '#domain/gnss/frames.ts';
import { AddressBook, type AddressSnapshot } from '#domain/j1939/addresses.ts';
import type { BusInventory } from '#domain/j1939/bus-inventory.ts';
import { createDecoder, type Decoder, type DecoderSnapshot } from '#domain/j1939/decode.ts';
import { type ConversionRule, conversionOf } from '#domain/j1939/faults.ts';
import { type Connectivity, createConnectivity, restoreConnectivity } from './connectivity.ts';
import { Dedupe } from './dedupe.ts';
import { type DbcSnapshots, snapshotDecoders } from './device-dbc.ts';
import { LatestValues } from './latest-values.ts';

/**
 * The name and version of the decoder. When the version changes, each device gets a new decode run (the stored document that describes its
 * live decoding).
 */
export const DECODER = 'j1939/1';

export interface DecodeRun {
  readonly decoder: string;
  readonly task_id: string;
  readonly run_id: string;
}

export interface Counts {
  messages: number;
  bytes: number;
  frames: number;
  broken: number;
  dropped: number;
  duplicates: number;
  late: number;
}

/** Counts the messages of the last minute, in intervals of ten seconds. */
interface Rate {
  bucket: number;
  readonly counts: number[];
}

export interface DeviceState {
  readonly identity: DeviceIdentity;
  readonly decoder: Decoder;
  /** The conversion methods (bit layouts of the SPN) for trouble codes with conversion bit 1, from the settings of the device. */
  conversion: readonly ConversionRule[];
  /** Reads the GNSS frames of the device; undefined if the settings of the device name no CAN channel with GNSS frames. */
  gnss: GnssReader | undefined;
  /** The decoders of the DBC files that are active for the device. */
  dbc: readonly OpenDbc[];
  /** The states that these decoders had before the restart. */
  readonly dbc_saved: DbcSnapshots;
  readonly addresses: AddressBook;
  /** The bus inventory (the control units and messages on each CAN bus); undefined before the first frame. */
  inventory: BusInventory | undefined;
  /** The inventory includes all messages before this position. */
  inventory_from: number;
  readonly latest: LatestValues;
  readonly dedupe: Dedupe;
  readonly counts: Counts;
  readonly rate: Rate;
  connectivity: Connectivity;
  run: DecodeRun | null;
  /** The machine to which the last message of the device belongs. */
  equipment_id: string | null;
  expected_interval_s: number | null;
  /** The time of the newest value of the device. `received_us` is the receive time of its message. */
  observed_us: number;
  received_us: number;
  position: number;
  late: boolean;
  /**
   * The clock of the device minus the clock of the gateway: the largest value of this minute. `skew_before_ms` is the largest value of the
   * minute before.
   */
  skew_ms: number | null;
  skew_before_ms: number | null;
  skew_minute: number;
  /** The clock of the device against its own GNSS time; undefined if it sent no GNSS time live. */
  offset: LiveOffset | undefined;
  buffer_depth: number | null;
  rtt_ms: number | null;
  /** The identity of the machine as its control units report it on the bus: VIN, component and software identification. */
  readonly heard: Record<string, string>;
  /**
   * The times of the last message of each topic and of the last usable data, and the last unusable part of a message. The diagnosis of the
   * device shows them.
   */
  readonly last: Heard;
  /** The transport that the device used last; null until it is known. */
  transport: Transport | null;
  /** The fields that the device reports about itself. */
  reported: Record<string, unknown>;
  address: string | null;
  connected_ms: number | null;
}

export interface DeviceSnapshot {
  readonly identity: DeviceIdentity;
  readonly decoder: DecoderSnapshot;
  /** The field is absent if no control unit has sent its NAME (address claim). */
  readonly addresses?: AddressSnapshot;
  /** Absent while no multi-packet message of a DBC file is open. */
  readonly dbc?: DbcSnapshots;
  readonly latest: ReturnType<LatestValues['toJSON']>;
  readonly counts: Counts;
  readonly connectivity: Connectivity;
  readonly run: DecodeRun | null;
  readonly equipment_id: string | null;
  readonly observed_us: number;
  readonly received_us: number;
  readonly position: number;
  readonly late: boolean;
  readonly heard: Record<string, string>;
  readonly reported: Record<string, unknown>;
  /** Absent if the device sent no GNSS time. */
  readonly offset?: LiveOffset;
  /** Absent in snapshots of earlier builds. */
  readonly last?: Heard;
  readonly transport?: Transport | null;
}

const BUCKET_MS = 10_000;
const BUCKETS = 6;

/** Creates the state of a device. `saved` has the decoder states and the bus addresses from a snapshot. */
export function createDevice(
  identity: DeviceIdentity,
  mono: number,
  saved?: Pick<DeviceSnapshot, 'decoder' | 'addresses' | 'dbc'>,
): DeviceState {
  const device: DeviceState = {
    identity,
    decoder: createDecoder({
      ...(saved && { snapshot: saved.decoder }),
      conversion: (bus, sa) => conversionOf(device.conversion, bus, sa),
    }),
    conversion: [],
    gnss: undefined,
    dbc: [],
    dbc_saved: saved?.dbc ?? {},
    addresses: saved?.addresses === undefined ? new AddressBook() : AddressBook.from(saved.addresses),
    inventory: undefined,
    inventory_from: 0,
    latest: new LatestValues(),
    dedupe: new Dedupe(),
    counts: { messages: 0, bytes: 0, frames: 0, broken: 0, dropped: 0, duplicates: 0, late: 0 },
    rate: { bucket: 0, counts: new Array<number>(BUCKETS).fill(0) },
    connectivity: createConnectivity('provisioned', mono),
    run: null,
    equipment_id: null,
    expected_interval_s: null,
    observed_us: 0,
    received_us: 0,
    position: 0,
    late: false,
    skew_ms: null,
    skew_before_ms: null,
    skew_minute: 0,
    offset: undefined,
    buffer_depth: null,
    rtt_ms: null,
    heard: {},
    last: { topics: {}, usable_ms: null, unusable: null },
    transport: null,
    reported: {},
    address: null,
    connected_ms: null,
  };
  return device;
}

export function snapshotDevice(device: DeviceState): DeviceSnapshot {
  const { identity, counts, connectivity, run, equipment_id, observed_us, received_us, position, late } = device;
  const addresses = device.addresses.toJSON();
  const dbc = snapshotDecoders(device.dbc);
  return {
    identity,
    decoder: device.decoder.snapshot(),
    ...(addresses.names.length > 0 ? { addresses } : {}),
    ...(dbc === undefined ? {} : { dbc }),
    latest: device.latest.toJSON(),
    counts,
    connectivity,
    run,
    equipment_id,
    observed_us,
    received_us,
    position,
    late,
    heard: device.heard,
    reported: device.reported,
    last: device.last,
    transport: device.transport,
    ...(device.offset === undefined ? {} : { offset: device.offset }),
  };
}

export function restoreDevice(saved: DeviceSnapshot, mono: number): DeviceState {
  const { identity, decoder, addresses: _, dbc: __, latest, connectivity, ...rest } = saved;
  const device = createDevice(identity, mono, saved);
  return Object.assign(device, rest, {
    latest: LatestValues.from(latest),
    connectivity: restoreConnectivity(connectivity, mono),
  });
}

/** Counts messages that arrived at this time. */
export function noteRate(rate: Rate, mono: number, by = 1): void {
  const bucket = Math.floor(mono / BUCKET_MS);
  for (let i = Math.max(rate.bucket + 1, bucket - BUCKETS + 1); i <= bucket; i++) rate.counts[i % BUCKETS] = 0;
  rate.bucket = bucket;
  const at = bucket % BUCKETS;
  rate.counts[at] = (rate.counts[at] ?? 0) + by;
}

/**
 * Records the skew: the clock of the device minus the clock of the gateway. A delay in the network makes the clock of the device look late.
 * So the largest skew of a minute, which belongs to the frame with the shortest delay, is the most exact.
 */
export function noteSkew(device: DeviceState, skew_ms: number, received_ms: number): void {
  const minute = Math.floor(received_ms / 60_000);
  if (minute !== device.skew_minute) {
    device.skew_before_ms = minute === device.skew_minute + 1 ? device.skew_ms : null;
    device.skew_ms = null;
    device.skew_minute = minute;
  }
  device.skew_ms = Math.max(device.skew_ms ?? Number.NEGATIVE_INFINITY, skew_ms);
}

function metricsOf(device: DeviceState, mono: number): DeviceMetrics {
  const { counts, rate } = device;
  noteRate(rate, mono, 0);
  const offset = measuredOffset(device.offset);
  const skews = [device.skew_ms, device.skew_before_ms].filter((skew) => skew !== null);
  return {
    messages_total: counts.messages,
    bytes_total: counts.bytes,
    frames_total: counts.frames,
    decode_errors_total: counts.broken,
    dropped_total: counts.dropped,
    duplicates_total: counts.duplicates,
    late_total: counts.late,
    buffer_depth: device.buffer_depth,
    ...(offset === undefined
      ? {}
      : {
          gnss_clock: {
            ahead_ms: offset.ahead_ms,
            uncertainty_ms: offset.uncertainty_ms,
            measured_at: new Date(offset.measured_ms).toISOString(),
          },
        }),
    clock_skew_ms: skews.length === 0 ? null : Math.round(Math.max(...skews)),
    last_rtt_ms: device.rtt_ms,
    rate_per_min: rate.counts.reduce((sum, count) => sum + count, 0),
  };
}

const orIso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** Returns the part of the live document about the CAN buses: identities, frame counts, and multi-packet messages by parameter group. */
function busOf(device: DeviceState): Record<string, unknown> {
  const { frames, ignored, unknown, transport } = device.decoder.counters;
  const { completed_pgns, ...transported } = transport;
  return {
    ...device.heard,
    frames,
    ignored,
    unknown,
    transport: transported,
    transport_completed: { ...completed_pgns },
  };
}

/**
 * Returns the connection for the live document. While an MQTT session is open, the transport is MQTT, even if other messages arrived over
 * HTTP.
 */
function connectivityOf({ connectivity, transport, address, connected_ms }: DeviceState) {
  if (connectivity.sessions === 0 && transport !== null && transport !== 'mqtt')
    return { session: 'none', address: null, since: null, transport };
  const session = connectivity.sessions > 0 ? 'open' : 'closed';
  return { session, address, since: orIso(connected_ms), transport: session === 'open' ? 'mqtt' : transport };
}

/** Returns the live document of a device; `mono` is the present monotonic time. */
export function deviceLive(device: DeviceState, observationId: (position: number) => string, mono: number): DeviceLive {
  const { connectivity } = device;
  return {
    status: connectivity.status,
    status_reported_at: orIso(connectivity.reported_ms),
    last_seen_at: orIso(connectivity.seen_ms),
    state: {
      connectivity: connectivityOf(device),
      ...(device.decoder.counters.frames > 0 || Object.keys(device.heard).length > 0 ? { bus: busOf(device) } : {}),
      ...(Object.keys(device.reported).length > 0 ? { reported: { ...device.reported } } : {}),
    },
    observation:
      device.observed_us === 0
        ? null
        : {
            id: observationId(device.position),
            observed_at: isoTime(device.observed_us),
            received_at: isoTime(device.received_us),
            late: device.late,
            signals: device.latest.signals(),
          },
    timeline_changes: [...connectivity.timeline],
    metrics: metricsOf(device, mono),
  };
}
