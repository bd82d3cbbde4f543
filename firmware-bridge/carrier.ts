/**
 * Publishes the messages of a spool to the broker with QoS 1, and acknowledges them in the spool. After a lost connection it publishes
 * the unacknowledged messages again.
 *
 *   spool ─ next ─▶ in flight (16) ─ PUBLISH ─▶ gateway: journal, fsync ─ PUBACK ─▶ spool.acknowledge
 *              ◀── rewind ── connection lost
 *
 * Every connection has a new MQTT client that never resends by itself; only the spool decides which messages are sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { createBackoff } from './source.ts';
import type { Spool } from './spool.ts';

export interface CarrierOptions {
  /** `mqtt://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  readonly spool: Spool;
  /** A connection with messages in flight is closed after this time without an acknowledgement; two minutes when absent. */
  readonly stuckMs?: number;
  /** The status message; it is sent when a connection begins and every ten seconds. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly onConnected: () => void;
  /** The gateway sent the settings of this device; undefined when they are not JSON. */
  readonly onConfig: (config: unknown) => void;
  /** The gateway sent the time, as it does every minute. */
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
  /** Publishes messages of the spool; to be called after each append. */
  pump(): void;
  /** Sends the status now. */
  sendStatus(): void;
  report(): CarrierReport;
}

const IN_FLIGHT = 16;
const STATUS_MS = 10_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
const CONNECT_MS = 10_000;
const KEEPALIVE_S = 30;
/** A gateway whose disk is full may acknowledge nothing for a long time. */
const STUCK_MS = 120_000;
/** A stop waits this long for the acknowledgement of the status `offline`. */
const OFFLINE_MS = 1_000;
/** A stop waits this long for the spool to empty; the remaining messages stay on disk. */
const DRAIN_MS = 2_000;
/** CONNACK: bad user name or password, not authorized [MQTT-3.2.2.3]. */
const REFUSALS: readonly unknown[] = [4, 5];

/** Connects, and reconnects, until disposed. Unacknowledged messages stay in the spool. */
export function startCarrier(options: CarrierOptions): Carrier {
  const { spool, log } = options;
  const prefix = `v1/devices/${options.device_id}`;
  const backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let client: MqttClient | undefined;
  let inFlight = 0;
  let progress_ms = 0;
  let statusInFlight = false;
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

  function sendStatus(): void {
    const current = client;
    if (current?.connected !== true || statusInFlight) return;
    statusInFlight = true;
    const sent = performance.now();
    current.publish(`${prefix}/status`, JSON.stringify(options.status()), { qos: 1 }, (error) => {
      if (client !== current) return;
      statusInFlight = false;
      if (!error) rtt_ms = Math.round(performance.now() - sent);
    });
  }

  function connected(current: MqttClient): void {
    client = current;
    connects++;
    inFlight = 0;
    statusInFlight = false;
    progress_ms = performance.now();
    if (state !== 'connected') log('info', 'connected to the gateway', { url: options.url });
    state = 'connected';
    detail = null;
    backoff.reset();
    options.onConnected();
    current.subscribe([`${prefix}/config`, `${prefix}/time`], { qos: 1 }, () => {});
    spool.rewind();
    reportLoss(spool);
    sendStatus();
    pump();
  }

  /** Opens one connection and resolves when it has ended. */
  async function connection(): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const current = mqtt.connect(options.url, clientOptions(options, prefix));
    let why: Error | undefined;
    current.on('error', (error) => {
      why = error;
    });
    current.on('connect', () => connected(current));
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
    log('warn', 'the gateway acknowledges nothing; closing the connection to open a new one');
    client.end(true);
  }, stuckMs / 10);
  const statusTimer = setInterval(() => {
    if (client?.connected === true) reportLoss(spool);
    sendStatus();
    pump();
  }, STATUS_MS);
  const running = run();

  return {
    pump,
    sendStatus,
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
      if (current?.connected === true) await sendOffline(current, `${prefix}/status`);
      current?.end(true);
      backoff.stop();
      await running;
    },
  };
}

function clientOptions({ device_id, key }: CarrierOptions, prefix: string): IClientOptions {
  return {
    protocolVersion: 4,
    username: device_id,
    password: key,
    clientId: device_id,
    clean: true,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_MS,
    keepalive: KEEPALIVE_S,
    will: { topic: `${prefix}/status`, payload: Buffer.from('{"status":"offline"}'), qos: 1, retain: false },
  };
}

/** Puts an entry into the log of the device when the spool has lost messages. */
function reportLoss(spool: Spool): void {
  const { lost } = spool;
  if (lost === null) return;
  const time = (us: number | null) => (us === null ? null : new Date(us / 1000).toISOString());
  const { n, messages, frames, from_us, to_us } = lost;
  const data = { messages, frames, from: time(from_us), to: time(to_us) };
  const payload = Buffer.from(JSON.stringify({ type: 'x.frames.lost', id: `lost-${n}-${from_us ?? 0}`, data }));
  if (spool.append({ kind: 'events', payload, frames: 0, first_us: 0, last_us: 0 })) spool.forgetLost(lost);
}

/** Sends the status `offline`; resolves when it is acknowledged, or after a second. */
async function sendOffline(client: MqttClient, topic: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, OFFLINE_MS);
  client.publish(topic, '{"status":"offline"}', { qos: 1 }, () => resolve());
  await promise;
  clearTimeout(timer);
}

/** JSON, or undefined. */
function parse(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return undefined;
  }
}
