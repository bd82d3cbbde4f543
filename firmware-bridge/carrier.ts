/**
 * Carries what waits in a spool to the broker: QoS 1, so many at once, acknowledged in the spool; again over each connection.
 *
 *   spool ─ next ─▶ in flight (16) ─ PUBLISH ─▶ gateway: journal, fsync ─ PUBACK ─▶ spool.acknowledge
 *              ◀── rewind ── connection lost
 *
 * Every connection is a client of its own that sends nothing again by itself: what has to be sent again is the spool's to say.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt, { type MqttClient } from 'mqtt';
import { createBackoff } from './source.ts';
import type { Spool } from './spool.ts';

export interface CarrierOptions {
  /** `mqtt://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  readonly spool: Spool;
  /** How long nothing may be acknowledged before the connection is taken for dead; two minutes when absent. */
  readonly stuckMs?: number;
  /** What is told of us when a connection begins and every ten seconds. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly onConnected: () => void;
  /** The gateway's settings for this device came; undefined: not JSON. */
  readonly onConfig: (config: unknown) => void;
  /** The gateway spoke: it does so every minute. */
  readonly onTime: () => void;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

export interface CarrierReport {
  readonly state: 'connected' | 'away' | 'refused';
  readonly detail: string | null;
  readonly acked: number;
  readonly connects: number;
  readonly rtt_ms: number | null;
}

export interface Carrier extends AsyncDisposable {
  /** Something was appended to the spool. */
  pump(): void;
  /** Tells the status now. */
  tell(): void;
  report(): CarrierReport;
}

const IN_FLIGHT = 16;
const STATUS_MS = 10_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
const CONNECT_MS = 10_000;
const KEEPALIVE_S = 30;
/** A gateway without room answers nothing for long. */
const STUCK_MS = 120_000;
const FAREWELL_MS = 1_000;
/** A stop waits so long for what is in the spool; the rest waits there. */
const DRAIN_MS = 2_000;
/** CONNACK: bad user name or password, not authorized [MQTT-3.2.2.3]. */
const REFUSALS: readonly unknown[] = [4, 5];

/** Connects, and again, until disposed; what is not acknowledged then stays in the spool. */
export function startCarrier(options: CarrierOptions): Carrier {
  const { spool, log } = options;
  const prefix = `v1/devices/${options.device_id}`;
  const backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let client: MqttClient | undefined;
  let inFlight = 0;
  let progress_ms = 0;
  let telling = false;
  let state: CarrierReport['state'] = 'away';
  let detail: string | null = null;
  let acked = 0;
  let connects = 0;
  let rtt_ms: number | null = null;
  let closed = false;

  function pump(): void {
    const current = client;
    if (current?.connected !== true) return;
    while (inFlight < IN_FLIGHT) {
      const message = spool.next();
      if (message === undefined) return;
      if (inFlight++ === 0) progress_ms = performance.now();
      current.publish(`${prefix}/${message.kind}`, message.payload as Buffer, { qos: 1 }, (error) => {
        // The spool was rewound when the connection went.
        if (client !== current) return;
        inFlight--;
        progress_ms = performance.now();
        if (!error) {
          acked++;
          spool.acknowledge(message.n);
        }
        pump();
      });
    }
  }

  function tell(): void {
    const current = client;
    if (current?.connected !== true || telling) return;
    telling = true;
    const sent = performance.now();
    current.publish(`${prefix}/status`, JSON.stringify(options.status()), { qos: 1 }, (error) => {
      if (client !== current) return;
      telling = false;
      if (!error) rtt_ms = Math.round(performance.now() - sent);
    });
  }

  /** What was lost for want of room goes into the device's log. */
  function tellLost(): void {
    const { lost } = spool;
    if (lost === null) return;
    const time = (us: number | null) => (us === null ? null : new Date(us / 1000).toISOString());
    const { n, messages, frames, from_us, to_us } = lost;
    const data = { messages, frames, from: time(from_us), to: time(to_us) };
    const payload = Buffer.from(JSON.stringify({ type: 'x.frames.lost', id: `lost-${n}-${from_us ?? 0}`, data }));
    if (spool.append({ kind: 'events', payload, frames: 0, first_us: 0, last_us: 0 })) spool.forgetLost(lost);
  }

  /** One connection, from the first try to its end. */
  async function connection(): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const current = mqtt.connect(options.url, {
      protocolVersion: 4,
      username: options.device_id,
      password: options.key,
      clientId: options.device_id,
      clean: true,
      reconnectPeriod: 0,
      connectTimeout: CONNECT_MS,
      keepalive: KEEPALIVE_S,
      will: { topic: `${prefix}/status`, payload: Buffer.from('{"status":"offline"}'), qos: 1, retain: false },
    });
    let why: Error | undefined;
    current.on('error', (error) => {
      why = error;
    });
    current.on('connect', () => {
      client = current;
      connects++;
      inFlight = 0;
      telling = false;
      progress_ms = performance.now();
      if (state !== 'connected') log('info', 'connected to the gateway', { url: options.url });
      state = 'connected';
      detail = null;
      backoff.reset();
      options.onConnected();
      current.subscribe([`${prefix}/config`, `${prefix}/time`], { qos: 1 }, () => {});
      spool.rewind();
      tellLost();
      tell();
      pump();
    });
    current.on('message', (topic, payload) => {
      if (topic === `${prefix}/time`) options.onTime();
      else if (topic === `${prefix}/config`) options.onConfig(parse(payload));
    });
    current.on('close', end);
    await ended;
    if (client === current) client = undefined;
    current.end(true);
    if (closed) return;
    const refused = why !== undefined && 'code' in why && REFUSALS.includes(why.code);
    const next = refused ? 'refused' : 'away';
    detail = refused
      ? `The gateway does not know the device ${options.device_id}, or not by this key.`
      : `The gateway at ${options.url} is away${why === undefined ? '' : `: ${why.message || String('code' in why && why.code)}`}.`;
    if (state !== next) log('warn', detail);
    state = next;
  }

  async function run(): Promise<void> {
    while (!closed) {
      await connection();
      if (!closed) await backoff.wait();
    }
  }

  const stuckMs = options.stuckMs ?? STUCK_MS;
  const stuckTimer = setInterval(() => {
    if (client?.connected !== true || inFlight === 0 || performance.now() - progress_ms <= stuckMs) return;
    log('warn', 'the gateway acknowledges nothing; the connection begins anew');
    client.end(true);
  }, stuckMs / 10);
  const statusTimer = setInterval(() => {
    if (client?.connected === true) tellLost();
    tell();
    pump();
  }, STATUS_MS);
  const running = run();

  return {
    pump,
    tell,
    report: () => ({ state, detail, acked, connects, rtt_ms }),
    async [Symbol.asyncDispose]() {
      if (closed) return running;
      const began = performance.now();
      pump();
      while (client?.connected === true && spool.waiting.messages > 0 && performance.now() - began < DRAIN_MS)
        await sleep(20);
      closed = true;
      clearInterval(statusTimer);
      clearInterval(stuckTimer);
      const current = client;
      if (current?.connected === true) {
        const patience = Promise.withResolvers<void>();
        const timer = setTimeout(patience.resolve, FAREWELL_MS);
        current.publish(`${prefix}/status`, '{"status":"offline"}', { qos: 1 }, () => patience.resolve());
        await patience.promise;
        clearTimeout(timer);
      }
      current?.end(true);
      backoff.stop();
      await running;
    },
  };
}

function parse(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return undefined;
  }
}
