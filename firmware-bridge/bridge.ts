/**
 * Sends the frames of one bus to the gateway as one MQTT device. A spool (a queue on disk) keeps each message until the gateway has
 * acknowledged it. The carrier publishes the messages of the spool. The requester asks control units for values. It may send on the bus
 * only while a person allows this; the code then calls the requester "armed".
 *
 *   source ─▶ batch (100 ms or 1,000 frames) ─▶ spool on disk ─▶ carrier ─▶ MQTT ─▶ gateway
 *     ▲                                                              │
 *     └───────────────── requester, only while armed ◀── config, time ┘
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { BusMeter } from './bus-meter.ts';
import { type CarrierReport, startCarrier } from './carrier.ts';
import { createRequester, type Requester } from './requests.ts';
import { openSocketcanSource } from './socketcan-source.ts';
import {
  type CanSource,
  type FrameSink,
  parseSource,
  type SourceOptions,
  type SourceReport,
  type SourceSpec,
} from './source.ts';
import { openSpool, type Spool } from './spool.ts';
import { MAX_MESSAGE_BYTES, spoolFrames } from './spool-frames.ts';
import { openTcpSource } from './tcp-source.ts';

export interface BridgeOptions {
  /** The name of the CAN source, for example `socketcan:can0`; `parseSource` lists the valid forms. */
  readonly source: string;
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  /** Folder of the spool, which only this bridge may use. The bridge creates the folder when it does not exist. */
  readonly folder: string;
  /** Largest size of the spool on disk in bytes; default 256 MiB. */
  readonly maxBytes?: number;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** Version of this program, which the bridge sends in its status message. */
  readonly firmware: string;
}

export interface BridgeReport {
  readonly source: string;
  readonly device_id: string;
  readonly bus: SourceReport & {
    readonly frames: number;
    readonly frames_per_s: number;
    readonly load_pct: number | null;
  };
  readonly gateway: CarrierReport;
  readonly waiting: { readonly messages: number; readonly bytes: number };
  /**
   * Number of frames that the spool deleted because it was full, or could not store. It counts since the folder of the spool was created.
   */
  readonly lost_frames: number;
  readonly sending: ReturnType<Requester['report']>;
}

export interface Bridge extends AsyncDisposable {
  report(): BridgeReport;
}

const FLUSH_MS = 100;
const FLUSH_FRAMES = 1_000;
const METER_MS = 5_000;
/** Interval in milliseconds at which the bridge checks whether its status has changed; it sends a changed status at once. */
const STATUS_CHECK_MS = 1_000;
/**
 * The bridge has a backlog when more than this number of messages are unsent. When the backlog is gone, the bridge sends its status at
 * once.
 */
const BACKLOG = 5;

async function openSource(spec: SourceSpec, options: SourceOptions): Promise<CanSource> {
  switch (spec.kind) {
    case 'slcan':
      // The serial driver is a native module, so the bridge loads it only when a serial adapter is configured.
      return (await import('./serial-source.ts')).openSerialSource(spec, options);
    case 'socketcan':
      return openSocketcanSource(spec, options);
    case 'candump-tcp':
      return openTcpSource(spec, options);
  }
}

/** Functions that the frame collector calls, so that the other parts of the bridge learn of new frames. */
interface FrameFollower {
  /** Returns true while the bridge sends requests on the bus. */
  readonly isRequesting: () => boolean;
  /** Called with each data frame with a 29-bit identifier, but only while `isRequesting` returns true. */
  readonly receive: (id: number, data: Uint8Array) => void;
  /** Called after each batch of frames was written to the spool. */
  readonly spooled: () => void;
}

/** Collects the frames of the source in a batch, counts them for the bus load, and writes the batch to the spool. */
class FrameCollector implements FrameSink {
  readonly batch = new FrameBatch(FLUSH_FRAMES * 2);
  readonly meter = new BusMeter();
  private readonly spool: Spool;
  private readonly follower: FrameFollower;
  /** Number of frames at the start of the batch that the bus meter has already counted. */
  private metered = 0;

  constructor(spool: Spool, follower: FrameFollower) {
    this.spool = spool;
    this.follower = follower;
  }

  readonly filled = (): void => {
    const { batch, follower } = this;
    const { count, flags, id } = batch;
    if (follower.isRequesting())
      for (let i = this.metered; i < count; i++)
        if (((flags[i] as number) & (FRAME.extended | FRAME.error | FRAME.remote)) === FRAME.extended)
          follower.receive(id[i] as number, batch.payload(i));
    this.meter.add(batch, this.metered);
    this.metered = count;
    if (count >= FLUSH_FRAMES || batch.longUsed > MAX_MESSAGE_BYTES / 4) this.flush();
  };

  flush(): void {
    if (this.batch.count === 0) return;
    spoolFrames(this.spool, this.batch);
    this.batch.clear();
    this.metered = 0;
    this.follower.spooled();
  }
}

/**
 * Starts the source and the connection to the gateway. Throws a `SourceError` when `options.source` is invalid, and a `SpoolError` when
 * the folder cannot be used.
 */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { clock, log } = options;
  const spec = parseSource(options.source);
  await using parts = new AsyncDisposableStack();
  mkdirSync(options.folder, { recursive: true });
  const spool = parts.use(
    openSpool({
      folder: options.folder,
      log,
      ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    }),
  );
  const collector = new FrameCollector(spool, {
    isRequesting: () => requester.active,
    receive: (id, data) => requester.receive(id, data),
    spooled: () => carrier.pump(),
  });

  function report(): BridgeReport {
    const bus = source.report();
    const { frames, frames_per_s } = collector.meter;
    const load_pct = collector.meter.loadAt(bus.bitrate);
    return {
      source: options.source,
      device_id: options.device_id,
      bus: { ...bus, frames, frames_per_s, load_pct },
      gateway: carrier.report(),
      waiting: spool.waiting,
      lost_frames: spool.lostFrames,
      sending: requester.report(),
    };
  }

  function status(): Record<string, unknown> {
    const { bus, gateway, waiting, lost_frames, sending } = report();
    return {
      // In the state `refused` the source needs a person, for example to plug in another adapter. So the status message reports a fault.
      status: bus.state === 'refused' ? 'fault' : 'online',
      firmware: options.firmware,
      buffer_depth: waiting.messages,
      rtt_ms: gateway.rtt_ms,
      bridge: { source: options.source, ...bus, waiting_bytes: waiting.bytes, lost_frames, requests: sending },
    };
  }

  function event(type: string, data: Readonly<Record<string, unknown>>): boolean {
    const now = clock();
    const id = `${type}-${now}-${spool.nextNumber}`;
    const payload = Buffer.from(JSON.stringify({ type, id, occurred_at: new Date(now).toISOString(), data }));
    const kept = spool.append({ kind: 'events', payload, frames: 0, first_us: now * 1000, last_us: now * 1000 });
    carrier.pump();
    return kept;
  }

  const source = await openSource(spec, { sink: collector, clock, log });
  // Do not use `await` below: a callback of the source or the carrier could then run before the constants that it uses are defined.
  const carrier = parts.use(
    startCarrier({
      ...options,
      spool,
      status,
      onConnected: () => requester.connected(),
      onConfig: (config) => requester.setArmed(isArmed(config)),
      onTime: () => requester.renewLease(),
    }),
  );
  parts.defer(async () => {
    await source[Symbol.asyncDispose]();
    collector.flush();
  });
  const requester = parts.use(
    createRequester({
      source,
      device_id: options.device_id,
      file: join(options.folder, 'requests.json'),
      event,
      clock,
      monotonic: () => performance.now(),
    }),
  );

  let sentKey = '';
  let behind = false;
  function sendChangedStatus(): void {
    const { state, bus_state, bitrate } = source.report();
    const { messages } = spool.waiting;
    behind = behind ? messages > 0 : messages > BACKLOG;
    const key = `${state} ${bus_state} ${bitrate} ${requester.active} ${behind}`;
    if (key !== sentKey) carrier.sendStatus();
    sentKey = key;
  }

  const timers = [
    setInterval(() => {
      collector.flush();
      requester.tick();
    }, FLUSH_MS),
    setInterval(sendChangedStatus, STATUS_CHECK_MS),
    setInterval(() => collector.meter.measure(), METER_MS),
  ];
  parts.defer(() => timers.forEach(clearInterval));
  const running = parts.move();
  return { report, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** Returns true only if the settings of the device allow bus requests: `{"bus_requests": {"armed": true}}`. */
function isArmed(config: unknown): boolean {
  if (typeof config !== 'object' || config === null || !('bus_requests' in config)) return false;
  const { bus_requests: requests } = config;
  return typeof requests === 'object' && requests !== null && 'armed' in requests && requests.armed === true;
}
