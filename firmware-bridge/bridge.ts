/**
 * A bus on the way to the gateway: one source, one device, one spool.
 *
 *   source ─▶ batch (100 ms or 1,000 frames) ─▶ spool on disk ─▶ carrier ─▶ MQTT ─▶ gateway
 *     ▲                                                              │
 *     └───────────────── requester, only while armed ◀── config, time ┘
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBinary } from '#codec/can-binary.ts';
import { FRAME, FrameBatch } from '#contract/fleet/frame.ts';
import { type CarrierReport, startCarrier } from './carrier.ts';
import { createRequester, type Requester } from './requests.ts';
import { openSocketcanSource } from './socketcan-source.ts';
import { type CanSource, parseSource, type SourceOptions, type SourceReport, type SourceSpec } from './source.ts';
import { openSpool } from './spool.ts';
import { openTcpSource } from './tcp-source.ts';

export interface BridgeOptions {
  /** As `parseSource` reads it. */
  readonly source: string;
  /** `mqtt://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  /** Of this bridge alone; made when absent. */
  readonly folder: string;
  /** Bytes that may wait on disk while the gateway is away; 256 MiB when absent. */
  readonly maxBytes?: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** What the status says of us. */
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
  /** Given up for want of room, ever. */
  readonly lost_frames: number;
  readonly sending: ReturnType<Requester['report']>;
}

export interface Bridge extends AsyncDisposable {
  report(): BridgeReport;
}

const FLUSH_MS = 100;
const FLUSH_FRAMES = 1_000;
/** MQTT takes 256 KiB in a packet. */
const MOST_BYTES = 240 * 1024;
const METER_MS = 5_000;
/** News of the bus is told so soon, and not more often. */
const NEWS_MS = 1_000;
/** So many messages wait when the gateway was away or is slow; that it caught up is news. */
const BEHIND = 5;
/** Bits of a frame without its data and with the gap behind it, ISO 11898-1; stuffing adds 9 to 10 % on real buses. */
const FRAME_BITS = { standard: 47, extended: 67 } as const;
const STUFFING = 1.095;

async function openSource(spec: SourceSpec, options: SourceOptions): Promise<CanSource> {
  switch (spec.kind) {
    case 'slcan':
      // The driver is loaded where there is an adapter.
      return (await import('./serial-source.ts')).openSerialSource(spec, options);
    case 'socketcan':
      return openSocketcanSource(spec, options);
    case 'candump-tcp':
      return openTcpSource(spec, options);
  }
}

/** Starts to listen and to carry; throws `SourceError` and `SpoolError`. */
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
  const batch = new FrameBatch(FLUSH_FRAMES * 2);
  let frames = 0;
  let bits = 0;
  let seen = 0;
  /** Over the last whole interval. */
  let frames_per_s = 0;
  let bits_per_s = 0;
  let metered = { at: performance.now(), frames: 0, bits: 0 };

  function filled(): void {
    const { count, len, flags, id } = batch;
    for (let i = seen; i < count; i++) {
      bits +=
        8 * (len[i] as number) + ((flags[i] as number) & FRAME.extended ? FRAME_BITS.extended : FRAME_BITS.standard);
      if (requester.active && ((flags[i] as number) & (FRAME.extended | FRAME.error | FRAME.remote)) === FRAME.extended)
        requester.heard(id[i] as number, batch.payload(i));
    }
    frames += count - seen;
    seen = count;
    if (count >= FLUSH_FRAMES || batch.longUsed > MOST_BYTES / 4) flush();
  }

  function flush(): void {
    if (batch.count === 0) return;
    store(batch);
    batch.clear();
    seen = 0;
    carrier.pump();
  }

  /** Into the spool, in as many messages as it takes. */
  function store(part: FrameBatch): void {
    const payload = encodeBinary(part, spool.nextNumber);
    const { count, t } = part;
    if (payload.length > MOST_BYTES && count > 1) {
      const half = count >> 1;
      for (const [from, to] of [
        [0, half],
        [half, count],
      ] as const) {
        const piece = new FrameBatch(to - from);
        for (let i = from; i < to; i++) {
          const data = part.payload(i);
          piece.push(
            t[i] as number,
            part.bus[i] as number,
            part.id[i] as number,
            part.flags[i] as number,
            data,
            0,
            data.length,
          );
        }
        store(piece);
      }
      return;
    }
    spool.append({ kind: 'can', payload, frames: count, first_us: t[0] as number, last_us: t[count - 1] as number });
  }

  function meter(): void {
    const at = performance.now();
    const seconds = (at - metered.at) / 1000;
    frames_per_s = Math.round((frames - metered.frames) / seconds);
    bits_per_s = (bits - metered.bits) / seconds;
    metered = { at, frames, bits };
  }

  function report(): BridgeReport {
    const bus = source.report();
    const load_pct = bus.bitrate === null ? null : Math.round((1000 * bits_per_s * STUFFING) / bus.bitrate) / 10;
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
      // What cannot come right by itself wants a person.
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

  const source = await openSource(spec, { sink: { batch, filled }, clock, log });
  // Nothing below waits: frames and messages find everything there.
  const carrier = parts.use(
    startCarrier({
      ...options,
      spool,
      status,
      onConnected: () => requester.connected(),
      onConfig: (config) => requester.setArmed(isArmed(config)),
      onTime: () => requester.alive(),
    }),
  );
  parts.defer(async () => {
    await source[Symbol.asyncDispose]();
    flush();
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

  let told = '';
  let behind = false;
  const timers = [
    setInterval(() => {
      flush();
      requester.tick();
    }, FLUSH_MS),
    setInterval(() => {
      const { state, bus_state, bitrate } = source.report();
      const { messages } = spool.waiting;
      behind = behind ? messages > 0 : messages > BEHIND;
      const now = `${state} ${bus_state} ${bitrate} ${requester.active} ${behind}`;
      if (now !== told) carrier.tell();
      told = now;
    }, NEWS_MS),
    setInterval(meter, METER_MS),
  ];
  parts.defer(() => timers.forEach(clearInterval));
  const running = parts.move();
  return { report, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** `{"bus_requests": {"armed": true}}` and nothing less. */
function isArmed(config: unknown): boolean {
  if (typeof config !== 'object' || config === null || !('bus_requests' in config)) return false;
  const { bus_requests: told } = config;
  return typeof told === 'object' && told !== null && 'armed' in told && told.armed === true;
}
