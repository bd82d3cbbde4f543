/**
 * A device at the other end of a bad network: it numbers, keeps and sends messages as an MQTT 3.1.1 client with QoS 1 does, and
 * keeps each until it is answered.
 */

import { type SignalName, signalRow } from '#contract/base/signals.ts';
import type { DeviceIdentity, IngestMessage } from '#contract/fleet/ingest.ts';
import {
  brokenMessage,
  type CanForm,
  canMessage,
  eventMessage,
  type Message,
  pointsMessage,
  poisonMessage,
  statusMessage,
} from './messages.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** The gateway as a device reaches it. */
export interface Door {
  /** Undefined when nobody is there; else settles as `Ingest.accept` does. */
  accept(message: Message, dup: boolean): Promise<void> | undefined;
  /** False when nobody is there. */
  connected(device: DeviceIdentity): boolean;
  disconnected(device: DeviceIdentity): void;
}

/** How bad the network is; all probabilities. */
export interface Network {
  lostRequest: number;
  lostAnswer: number;
  repeated: number;
  /** Milliseconds by which messages may overtake each other. */
  jitter: number;
}

/** Nothing is lost. */
export function goodNetwork(): Network {
  return { lostRequest: 0, lostAnswer: 0, repeated: 0, jitter: 0 };
}

/** The most that waits in a device. */
const QUEUE = 60;

/** Signals of points, by number of the device: none that frames carry, none that says whether an engine runs; meters and others. */
const POINTS = [
  'engine.idle_hours',
  'engine.coolant_temperature',
  'engine.fuel_used',
  'engine.oil_temperature',
  'vehicle.odometer',
] as const satisfies readonly SignalName[];

type Kind =
  | { readonly can: CanForm; readonly sa: number }
  | { readonly signal: SignalName; readonly times: boolean; readonly numbers: boolean };

export class Device {
  readonly identity: DeviceIdentity;
  readonly kind: Kind;
  /** Its clock minus true time, in milliseconds. */
  clockOffset = 0;
  /** False: it does not know what day it is. */
  dated = true;
  private readonly random: Random;
  private readonly scheduler: Scheduler;
  private readonly network: Network;
  private readonly door: Door;
  private readonly nextUid: () => number;
  private readonly now: () => number;
  private readonly window: number;
  private waiting: Message[] = [];
  private sent: Message[] = [];
  /** Number of the connection; 0 without one. */
  private session = 0;
  private sessions = 0;
  private packet = 0;
  private seq = 0;
  private meter: number;
  private counters = 0;
  private wrong = 0;
  private lastArrival = 0;
  private cut = false;

  constructor(
    n: number,
    parts: {
      random: Random;
      scheduler: Scheduler;
      network: Network;
      door: Door;
      nextUid: () => number;
      /** True milliseconds since 1970. */
      now: () => number;
    },
  ) {
    this.random = parts.random;
    this.scheduler = parts.scheduler;
    this.network = parts.network;
    this.door = parts.door;
    this.nextUid = parts.nextUid;
    this.now = parts.now;
    this.identity = { device: `dev_${n}`, device_id: `unit-${n}`, project_id: `prj_${n % 2}` };
    this.window = this.random.pick([1, 4, 20]);
    this.kind = this.random.chance(0.6)
      ? { can: this.random.pick(['json', 'binary', 'log', 'console'] as const), sa: n }
      : {
          signal: POINTS[n % POINTS.length] as SignalName,
          times: this.random.chance(0.6),
          numbers: this.random.chance(0.5),
        };
    this.meter = this.hasMeter ? 10_000 : 0;
  }

  /** Messages that it has to deliver. */
  get backlog(): number {
    return this.waiting.length + this.sent.length;
  }

  get online(): boolean {
    return this.session !== 0;
  }

  get isCan(): boolean {
    return 'can' in this.kind;
  }

  private get hasMeter(): boolean {
    return 'can' in this.kind || signalRow(this.kind.signal).kind === 'meter';
  }

  /** Makes a message of its kind, or now and then another. */
  make(): void {
    const uid = this.nextUid();
    const { random } = this;
    const other = random.next();
    if (other < 0.06) this.add(uid, eventMessage(random.chance(0.6) ? `own-${uid}` : null, uid, random.chance(0.1)));
    else if (other < 0.09) this.add(uid, statusMessage(uid));
    else if (other < 0.11) this.add(uid, brokenMessage(this.isCan ? 'can' : 'telemetry', uid));
    else if (other < 0.115) this.add(uid, poisonMessage(uid));
    else this.report(uid, random.int(3) + 1, random.pick([0, 6400, 12_000]));
  }

  /** Reports values of its machine; speed in steps of 0.125 rpm. */
  report(uid: number, count: number, speed: number): void {
    const { kind, random } = this;
    const end = this.now() + this.clockOffset;
    const instants = Array.from({ length: count }, (_, i) => {
      // Neither two messages nor two instants of one are of the same microsecond.
      const t_us = Math.floor(end - (count - 1 - i) * 400) * 1000 + 500 + ((uid * 3 + i) % 500);
      const spn = random.chance(0.7) ? 0 : random.pick([100, 110, 190]);
      return { t_us, hours: this.nextMeter(), speed, spn };
    });
    const seq = ++this.seq;
    if ('can' in kind) this.add(uid, canMessage(instants, kind.sa, kind.can, seq, this.dated));
    else {
      const points = instants.map(({ t_us, hours }) => ({
        t_ms: Math.floor(t_us / 1000),
        value: hours,
        seq: this.seq++,
      }));
      this.add(uid, pointsMessage(kind.signal, points, { ...kind, times: kind.times && this.dated }));
    }
  }

  /** Counts up; now and then one reading is wrong, or the counter itself is another from now on. */
  private nextMeter(): number {
    const { random } = this;
    this.meter++;
    if (!this.hasMeter) return this.meter;
    const odd = random.next();
    // No value comes twice: one that does, without a date, after the numbers began anew, is a repeat to anybody.
    if (odd < 0.01) this.meter = random.pick([1_000, 100_000]) * ++this.counters;
    return odd > 0.97 ? random.pick([0, 5_000_000]) + ++this.wrong : this.meter;
  }

  private add(uid: number, content: Omit<Message, 'uid' | 'device' | 'packet_id'>): void {
    if (this.waiting.length >= QUEUE) this.waiting.shift();
    this.packet = (this.packet % 65_535) + 1;
    this.waiting.push({ ...content, uid, device: this.identity, packet_id: this.packet });
    this.pump();
  }

  /** Finds the gateway, again and again. */
  connect(): void {
    if (this.session !== 0) return;
    if (this.cut || !this.door.connected(this.identity)) {
      this.scheduler.after(this.random.between(500, 3_000), `${this.identity.device} retry`, () => this.connect());
      return;
    }
    this.session = ++this.sessions;
    this.lastArrival = this.scheduler.now;
    for (const message of this.sent) this.transmit(message, true);
    this.pump();
  }

  /** The connection is gone; the gateway learns of it where there is one. */
  disconnect(): void {
    if (this.session === 0) return;
    this.session = 0;
    this.scheduler.after(this.random.between(0, 400), `${this.identity.device} left`, () => {
      this.door.disconnected(this.identity);
    });
    this.scheduler.after(this.random.between(500, 3_000), `${this.identity.device} back`, () => this.connect());
  }

  /** Nothing goes through for so long. */
  partition(ms: number): void {
    this.cut = true;
    this.disconnect();
    this.scheduler.after(ms, `${this.identity.device} reachable`, () => {
      this.cut = false;
    });
  }

  /** It loses what it had in memory and counts anew. */
  reboot(): void {
    this.waiting = [];
    this.sent = [];
    this.packet = 0;
    this.seq = 0;
    this.disconnect();
  }

  private pump(): void {
    while (this.session !== 0 && this.sent.length < this.window && this.waiting.length > 0) {
      const message = this.waiting.shift() as Message;
      this.sent.push(message);
      this.transmit(message, false);
    }
  }

  private transmit(message: Message, dup: boolean): void {
    const { random, network, session } = this;
    const label = `${this.identity.device} message ${message.uid}${dup ? ' again' : ''}`;
    const jitter = random.next() * network.jitter;
    const at = Math.max(this.scheduler.now + random.spread(0.2, 40), jitter > 0 ? 0 : this.lastArrival) + jitter;
    if (jitter === 0) this.lastArrival = at + 0.01;
    const arrive = (): void => {
      if (session !== this.session) return;
      const answer = random.chance(network.lostRequest) ? undefined : this.door.accept(message, dup);
      if (answer === undefined) this.disconnect();
      answer?.then(
        () => this.answered(message, session),
        () => this.refused(session),
      );
    };
    this.scheduler.after(at - this.scheduler.now, label, arrive);
    if (!message.plain && random.chance(network.repeated)) {
      this.scheduler.after(random.spread(1, 20_000), `${label} twice`, () => {
        this.door.accept(message, false)?.catch(() => {});
      });
    }
  }

  private answered(message: Message, session: number): void {
    const { random } = this;
    this.scheduler.after(random.spread(0.2, 40), `${this.identity.device} answer ${message.uid}`, () => {
      if (session !== this.session) return;
      if (random.chance(this.network.lostAnswer)) {
        this.disconnect();
        return;
      }
      this.sent = this.sent.filter((one) => one !== message);
      this.pump();
    });
  }

  private refused(session: number): void {
    if (session === this.session) this.disconnect();
  }
}

/** What the gateway's broker makes of a message. */
export function arrived(message: Message, dup: boolean, received_at_ms: number): IngestMessage {
  const { device, topic, payload, packet_id } = message;
  return { ...device, topic, payload, received_at_ms, dup, packet_id };
}
