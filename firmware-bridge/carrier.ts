/**
 * Publishes the messages of a spool (a queue on disk) to the broker with QoS 1. When the broker has acknowledged a message, the carrier
 * acknowledges it in the spool. After a lost connection the carrier publishes the unacknowledged messages again.
 *
 *   spool ─ next ─▶ in flight (16) ─ PUBLISH ─▶ gateway: journal, fsync ─ PUBACK ─▶ spool.acknowledge
 *              ◀── rewind ── connection lost
 *
 * Every connection uses a new MQTT client, which does not resend messages itself. After a reconnect the messages come from the spool again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { createBackoff } from './source.ts';
import type { Spool } from './spool.ts';

export interface CarrierOptions {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly url: string;
  readonly device_id: string;
  readonly key: string;
  readonly spool: Spool;
  /** Milliseconds without an acknowledgement after which a connection with messages in flight is closed; default two minutes. */
  readonly stuckMs?: number;
  /** Returns the status message, which the carrier sends when a connection begins and every ten seconds. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly onConnected: () => void;
  /** Called with the settings of this device that the gateway sent; `config` is undefined when the message is not JSON. */
  readonly onConfig: (config: unknown) => void;
  /** Called when a time message of the gateway has come. The gateway sends a time message every minute. */
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
  /** Publishes waiting messages of the spool; call this after each append. */
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
/** Default of `stuckMs`. The time is long, because a gateway with a full disk acknowledges no message until it has deleted old data. */
const STUCK_MS = 120_000;
/** When the carrier stops, it waits this many milliseconds for the acknowledgement of the status `offline`. */
const OFFLINE_MS = 1_000;
/** When the carrier stops, it waits this many milliseconds for the spool to become empty. The remaining messages stay on disk. */
const DRAIN_MS = 2_000;
/** The CONNACK codes for a wrong device id or key: "bad user name or password" and "not authorized" [MQTT-3.2.2.3]. */
const REFUSALS: readonly unknown[] = [4, 5];

/** Connects to the broker, and reconnects until disposed. Unacknowledged messages stay in the spool. */
export function startCarrier(options: CarrierOptions): Carrier {
  return new MqttCarrier(options);
}

class MqttCarrier implements Carrier {
  private readonly options: CarrierOptions;
  private readonly prefix: string;
  private readonly backoff = createBackoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly running: Promise<void>;
  private client: MqttClient | undefined;
  private inFlight = 0;
  private progress_ms = 0;
  private statusInFlight = false;
  private state: CarrierReport['state'] = 'away';
  private detail: string | null = null;
  private acked = 0;
  private connects = 0;
  private rtt_ms: number | null = null;
  private closed = false;

  constructor(options: CarrierOptions) {
    this.options = options;
    this.prefix = `v1/devices/${options.device_id}`;
    const stuckMs = options.stuckMs ?? STUCK_MS;
    this.timers = [
      setInterval(() => this.closeStuck(stuckMs), stuckMs / 10),
      setInterval(() => this.refresh(), STATUS_MS),
    ];
    this.running = this.run();
  }

  pump(): void {
    const current = this.client;
    if (current?.connected !== true) return;
    const { spool } = this.options;
    while (this.inFlight < IN_FLIGHT) {
      const message = spool.next();
      if (message === undefined) return;
      if (this.inFlight++ === 0) this.progress_ms = performance.now();
      current.publish(`${this.prefix}/${message.kind}`, message.payload as Buffer, { qos: 1 }, (error) => {
        // If the client has changed, the connection of this message has ended. The spool was then set back to its first unacknowledged
        // message, so the carrier will publish this message again.
        if (this.client !== current) return;
        this.inFlight--;
        this.progress_ms = performance.now();
        if (!error) {
          this.acked++;
          spool.acknowledge(message.n);
        }
        this.pump();
      });
    }
  }

  sendStatus(): void {
    const current = this.client;
    if (current?.connected !== true || this.statusInFlight) return;
    this.statusInFlight = true;
    const sent = performance.now();
    current.publish(`${this.prefix}/status`, JSON.stringify(this.options.status()), { qos: 1 }, (error) => {
      if (this.client !== current) return;
      this.statusInFlight = false;
      if (!error) this.rtt_ms = Math.round(performance.now() - sent);
    });
  }

  report(): CarrierReport {
    const { state, detail, acked, connects, rtt_ms } = this;
    return { state, detail, acked, connects, rtt_ms };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed) return this.running;
    const began = performance.now();
    const { spool } = this.options;
    this.pump();
    while (this.client?.connected === true && spool.waiting.messages > 0 && performance.now() - began < DRAIN_MS)
      await sleep(20);
    this.closed = true;
    this.timers.forEach(clearInterval);
    const current = this.client;
    if (current?.connected === true) await sendOffline(current, `${this.prefix}/status`);
    current?.end(true);
    this.backoff.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      await this.connect();
      if (!this.closed) await this.backoff.wait();
    }
  }

  /** Opens one connection; resolves when the connection has ended. */
  private async connect(): Promise<void> {
    const { options, prefix } = this;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const current = mqtt.connect(options.url, clientOptions(options, prefix));
    let why: Error | undefined;
    current.on('error', (error) => {
      why = error;
    });
    current.on('connect', () => this.connected(current));
    current.on('message', (topic, payload) => {
      if (topic === `${prefix}/time`) options.onTime();
      else if (topic === `${prefix}/config`) options.onConfig(parse(payload));
    });
    current.on('close', end);
    await ended;
    if (this.client === current) this.client = undefined;
    current.end(true);
    if (!this.closed) this.noteEnd(why);
  }

  private connected(current: MqttClient): void {
    const { options, prefix } = this;
    this.client = current;
    this.connects++;
    this.inFlight = 0;
    this.statusInFlight = false;
    this.progress_ms = performance.now();
    if (this.state !== 'connected') options.log('info', 'connected to the gateway', { url: options.url });
    this.state = 'connected';
    this.detail = null;
    this.backoff.reset();
    options.onConnected();
    current.subscribe([`${prefix}/config`, `${prefix}/time`], { qos: 1 }, () => {});
    options.spool.rewind();
    reportLoss(options.spool);
    this.sendStatus();
    this.pump();
  }

  /**
   * Stores why a connection ended, and logs the reason when the state changes. `refused`: a person must do something. `away`: there is no
   * connection.
   */
  private noteEnd(why: Error | undefined): void {
    const { device_id, url, log } = this.options;
    const refused = why !== undefined && 'code' in why && REFUSALS.includes(why.code);
    const next = refused ? 'refused' : 'away';
    this.detail = refused
      ? `The gateway refuses the device ${device_id}: it has no such device, or the key is wrong.`
      : `The gateway at ${url} cannot be reached${why === undefined ? '' : `: ${why.message || String('code' in why && why.code)}`}.`;
    if (this.state !== next) log('warn', this.detail);
    this.state = next;
  }

  private closeStuck(stuckMs: number): void {
    const { client } = this;
    if (client?.connected !== true || this.inFlight === 0 || performance.now() - this.progress_ms <= stuckMs) return;
    this.options.log(
      'warn',
      'the gateway acknowledges no messages; the bridge closes the connection and opens a new one',
    );
    client.end(true);
  }

  /** Reports losses, sends the status, and publishes waiting messages of the spool. */
  private refresh(): void {
    if (this.client?.connected === true) reportLoss(this.options.spool);
    this.sendStatus();
    this.pump();
  }
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

/** When the spool has lost messages, appends the event `x.frames.lost` for the log of the device to the spool. */
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

/** Returns the parsed JSON of a message; undefined if the message is not JSON. */
function parse(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return undefined;
  }
}
