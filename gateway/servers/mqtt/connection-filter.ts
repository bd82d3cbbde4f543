/**
 * The gate between a socket and aedes: whole, checked packets pass; nothing of a stranger is kept beyond one small CONNECT, and a
 * packet over the limit is read away without ever being held.
 *
 *   socket -> [length, limit, check] -+-> Duplex -> aedes        sessions, subscriptions, QoS 2, what is sent down
 *                                     +-> events.publish         QoS 0 and 1, answered here when the journal has them
 *
 * Behind CONNECT everything waits in the socket until the client is let in. A connection with too much unanswered is not read from.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { UpTopic } from '#contract/fleet/ingest.ts';
import { type Due, ExpectedAcks, wrongKind } from '#servers/mqtt/protocol/expected-acks.ts';
import {
  checkConnect,
  checkPacket,
  headEnd,
  isVersion31,
  PACKET,
  readPublish,
  withoutDup,
  withSession,
} from '#servers/mqtt/protocol/packet-check.ts';
import type { Publish, Session } from './publish.ts';

/** The largest packet before and after authentication, in bytes with its head. */
const CONNECT_LIMIT = 16 * 1024;
const PACKET_LIMIT = 256 * 1024;
/** Small chunks are joined when there are so many, so that a dripping sender costs little. */
const MAX_PARTS = 64;
/** A connection with more than this unanswered is not read from until half is answered. */
export const UNANSWERED_BYTES = 512 * 1024;
const UNANSWERED_MESSAGES = 4_000;
/** What may wait to be sent to one connection: beyond half of it no QoS 0 message joins, beyond all of it the connection ends. */
const UNSENT_BYTES = 1 << 20;
/** Seconds in which something of it must leave. */
const UNSENT_TIMEOUT_S = 30;
/** What is still to be sent when a connection ends has so long to leave, in milliseconds; then the socket is destroyed. */
const LINGER_MS = 5_000;
/** What a message costs besides its payload while it waits. */
const MESSAGE_COST = UNANSWERED_BYTES / UNANSWERED_MESSAGES;

/** Called by a connection as things happen. */
interface FilterEvents {
  /** The packet broke the protocol; the connection is closed. */
  malformed(connection: ConnectionFilter, reason: string): void;
  /** A message of QoS 0 or 1, or one over the limit of any QoS. */
  publish(connection: ConnectionFilter, publish: Publish): void;
  /** The peer does not read what is sent to it; the connection is closed. */
  frozen(connection: ConnectionFilter): void;
  /** The acknowledgement that a message of the connection's session waits for. */
  due(connection: ConnectionFilter, id: number): Due | undefined;
  /** The socket is closed; called once, and nothing is called after it. */
  closed(connection: ConnectionFilter): void;
  /** Bytes that one connection may have unanswered now. */
  allowance(connection: ConnectionFilter): number;
  /** Milliseconds to wait before more is read, after what was read took so long to be answered. */
  rest(connection: ConnectionFilter, tookMs: number): number;
}

/** First byte of the answer to a publish: PUBACK, PUBREC. */
const ANSWER = [0, 0x40, 0x50] as const;
const NOTHING = Buffer.alloc(0);
/** A message so soon behind the end of the one before: its sender waits for each. */
const ANSWER_MS = 10;

export class ConnectionFilter extends Duplex {
  session: Session | undefined;
  readonly address: string;
  /** Set before the client is let in: it has a session here. */
  sessionPresent = false;
  /** Messages sent over this connection that no session keeps. */
  readonly sent = new ExpectedAcks();
  /** DISCONNECT has come: its last will is not spoken. [MQTT-3.14.4-3] */
  farewell = false;
  /** Seconds after which silence ends the connection; 0: not yet known. */
  keepaliveTimeout = 0;
  /** Seconds without a byte. */
  private idle = 0;
  /** Bytes given to the socket, those of them that had left when last looked at, and the seconds since that has moved. */
  private given = 0;
  private left = 0;
  private stuck = 0;
  private readonly socket: Socket;
  private readonly events: FilterEvents;
  private state: 'new' | 'waiting' | 'open' | 'closed' = 'new';
  private parts: Buffer[] = [];
  private have = 0;
  private need = 0;
  /** Bytes of an oversize packet still to be read away. */
  private discard = 0;
  /** Bytes of messages that are not answered. */
  private unanswered = 0;
  /** Too much is unanswered, or the peer does not read its answers. */
  private held = false;
  private heldAt = 0;
  /** Set while its device leaves the gateway to others. */
  private resting: NodeJS.Timeout | undefined;
  /** Messages that are being handed on between clients; what this client asks next waits for them. */
  private passing = 0;
  private repeated = { id: 0, times: 0 };
  /** When its last message of QoS 2 was over, and whether the next came right behind that. */
  private over = { at: Number.NEGATIVE_INFINITY, answered: false };
  private blocked = false;
  /** MQTT 3.1, where DUP of a request marks its repeat. */
  private old = false;
  private answers = NOTHING;
  private answered = 0;

  constructor(socket: Socket, events: FilterEvents) {
    super({ readableHighWaterMark: PACKET_LIMIT, writableHighWaterMark: UNSENT_BYTES });
    this.socket = socket;
    this.events = events;
    this.address = socket.remoteAddress ?? 'unknown';
    socket.setNoDelay(true);
    // A peer that lost its power leaves no trace: the kernel asks.
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', () => this.destroy());
    socket.on('close', () => {
      this.destroy();
      events.closed(this);
    });
    socket.on('drain', () => this.release());
  }

  /** The client is let in: what waited behind its CONNECT goes on. */
  open(): void {
    if (this.state !== 'waiting') return;
    this.state = 'open';
    this.proceed();
    this.release();
  }

  /** Notes that a message of QoS 2 came, for the first time or again; how often it came again, one after the other. */
  repeats(id: number, again: boolean): number {
    const { id: last, times } = this.repeated;
    this.repeated = { id, times: again ? (last === id ? times : 0) + 1 : 0 };
    return this.repeated.times;
  }

  /** Notes that a message of QoS 2 is over: PUBCOMP goes out. */
  completes(): void {
    this.over.at = performance.now();
  }

  /** A message of QoS 2 came; true when this client sends each only behind the PUBCOMP of the one before. Once may be chance. */
  waits(): boolean {
    const answers = performance.now() - this.over.at < ANSWER_MS;
    const waits = answers && this.over.answered;
    this.over.answered = answers;
    return waits;
  }

  /** What this client asks next, a subscription say, is looked at when its message has been handed on. */
  handsOn(message: Promise<unknown>): void {
    this.passing++;
    const over = (): void => {
      if (--this.passing > 0 || !this.blocked) return;
      this.blocked = false;
      this.proceed();
      this.release();
    };
    message.then(over, over);
  }

  /** Notes that a message is answered; `flush` writes it. */
  answer(publish: Publish): void {
    this.unanswered -= publish.payload.length + MESSAGE_COST;
    if (publish.qos === 0) return;
    if (this.answers.length < this.answered + 4) {
      const wider = Buffer.allocUnsafe(Math.max(64, this.answers.length * 2));
      this.answers.copy(wider, 0, 0, this.answered);
      this.answers = wider;
    }
    const { answers, answered: at } = this;
    answers[at] = ANSWER[publish.qos] as number;
    answers[at + 1] = 2;
    answers[at + 2] = publish.id >>> 8;
    answers[at + 3] = publish.id & 0xff;
    this.answered += 4;
  }

  /** A message gets no answer over this connection; what comes behind it is read. */
  forget(publish: Publish): void {
    this.unanswered -= publish.payload.length + MESSAGE_COST;
    if (this.held) this.release();
  }

  /** Writes the answers noted so far, in one piece. */
  flush(): void {
    if (this.answered > 0) {
      const bytes = this.answers.subarray(0, this.answered);
      this.answers = NOTHING;
      this.answered = 0;
      if (this.state !== 'closed' && !this.send(bytes)) this.hold();
    }
    if (this.held) this.release();
  }

  override _read(): void {
    this.release();
  }

  /**
   * Always takes what it gets: aedes hands a message to all its subscribers before the next, so one that made it wait would make
   * all wait.
   */
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.send(this.sessionPresent && this.state === 'waiting' ? withSession(chunk) : chunk);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map((one) => one.chunk)), '', done);
  }

  override _final(done: () => void): void {
    this.socket.end();
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.state = 'closed';
    clearTimeout(this.resting);
    this.parts = [];
    this.have = 0;
    // A CONNACK that refuses must still reach its client, but a client that does not read keeps no socket open.
    const late = setTimeout(() => this.socket.destroy(), LINGER_MS);
    this.socket.once('close', () => clearTimeout(late));
    this.socket.destroySoon();
    done(null);
  }

  /** Ends the connection at once; what is still to be sent is dropped. */
  cut(): void {
    this.socket.destroy();
    this.destroy();
  }

  private send(bytes: Buffer): boolean {
    if (this.socket.destroyed) return true;
    this.given += bytes.length;
    const flows = this.socket.write(bytes);
    if (this.socket.writableLength > UNSENT_BYTES) this.freeze();
    return flows;
  }

  private freeze(): void {
    this.events.frozen(this);
    this.cut();
  }

  /** Too much waits for this peer to add what may be lost. */
  get congested(): boolean {
    return this.socket.writableLength > UNSENT_BYTES / 2;
  }

  /** Call once a second: ends a connection whose peer is silent, or does not read. */
  secondPassed(): void {
    if (this.keepaliveTimeout > 0 && ++this.idle > this.keepaliveTimeout) {
      this.destroy();
      return;
    }
    const left = this.given - this.socket.writableLength;
    this.stuck = left === this.left && this.socket.writableLength > 0 ? this.stuck + 1 : 0;
    this.left = left;
    if (this.stuck > UNSENT_TIMEOUT_S) this.freeze();
  }

  private hold(): void {
    this.held = true;
    this.heldAt = performance.now();
  }

  /** Reads on when nothing stands against it. */
  private release(): void {
    if (this.held && this.resting === undefined && this.isAnswered()) {
      const rest = this.events.rest(this, performance.now() - this.heldAt);
      if (rest === 0) this.readOn();
      else
        this.resting = setTimeout(() => {
          this.resting = undefined;
          if (this.isAnswered()) this.readOn();
          this.release();
        }, rest);
    }
    if (!this.held && !this.blocked && this.state !== 'waiting' && this.socket.isPaused()) this.socket.resume();
  }

  /** True when its peer reads, and half of what it may have unanswered is free. */
  private isAnswered(): boolean {
    return !this.socket.writableNeedDrain && this.unanswered <= this.events.allowance(this) / 2;
  }

  /** Goes on with what came in the same chunk as the message that was too much. */
  private readOn(): void {
    this.held = false;
    if (!this.blocked && this.state === 'open' && this.have > 0 && this.have >= this.need) this.proceed();
  }

  private receive(chunk: Buffer): void {
    if (this.state === 'closed') return;
    this.idle = 0;
    let bytes = chunk;
    if (this.discard > 0) {
      const away = Math.min(this.discard, bytes.length);
      this.discard -= away;
      bytes = bytes.subarray(away);
      if (bytes.length === 0) return;
    }
    this.parts.push(bytes);
    this.have += bytes.length;
    if (this.have < this.need || this.state === 'waiting' || this.blocked || this.held) {
      if (this.parts.length > MAX_PARTS) this.parts = [Buffer.concat(this.parts)];
      return;
    }
    this.proceed();
  }

  private proceed(): void {
    const reason = this.have === 0 ? undefined : this.scan();
    if (reason === undefined) return;
    this.events.malformed(this, reason);
    this.destroy();
  }

  /** Takes the whole packets at the front and keeps the rest; the reason when one must not pass. */
  private scan(): string | undefined {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.need = 0;
    const most = this.events.allowance(this);
    let at = 0;
    /** Packets from here to `at` are for aedes. */
    let run = 0;
    while (at < bytes.length) {
      // MQTT 3.1.1 2.2.3: at most four bytes of length.
      let length = 0;
      let body = at + 1;
      let last = 0x80;
      for (let shift = 0; shift < 28 && body < bytes.length && last & 0x80; shift += 7) {
        last = bytes[body++] as number;
        length += (last & 0x7f) * 2 ** shift;
      }
      if (last & 0x80) {
        if (body - at > 4) return 'malformed length';
        break;
      }
      const end = body + length;
      const first = bytes[at] as number;
      const isPublish = first >> 4 === PACKET.publish;
      if (this.state === 'new') {
        if (first >> 4 !== PACKET.connect) return 'the first packet is not CONNECT'; // [MQTT-3.1.0-1]
        if (end > CONNECT_LIMIT) return 'CONNECT over 16 KiB';
        if (end > bytes.length) {
          this.need = end;
          break;
        }
        return this.enter(bytes, body, end);
      }
      const over = end - at > PACKET_LIMIT;
      // Of one that is too large the head is enough.
      const needed = !over ? end : isPublish ? headEnd(first, bytes, body) : Number.NaN;
      if (Number.isNaN(needed)) return 'packet over 256 KiB';
      if (needed > bytes.length) {
        this.need = needed - at;
        break;
      }
      const reason = checkPacket(this.old ? withoutDup(first) : first, bytes, body, needed);
      if (reason !== undefined) return reason;
      const type = first >> 4;
      if (type === PACKET.puback || type === PACKET.pubrec || type === PACKET.pubcomp) {
        const wrong = this.acknowledge(type, bytes.readUInt16BE(body));
        if (wrong !== undefined) return wrong;
      }
      if (isPublish && (over || (first & 6) < 4)) {
        if (run < at) this.push(bytes.subarray(run, at));
        this.deliver(first, bytes, body, needed, over);
        run = end;
        if (this.unanswered > most) {
          this.hold();
          at = end;
          break;
        }
      } else if (this.passing > 0) {
        this.blocked = true;
        break;
      } else if (first >> 4 === PACKET.disconnect) this.farewell = true;
      else if (this.old) bytes[at] = withoutDup(first);
      at = end;
    }
    if (run < at) this.push(bytes.subarray(run, at));
    this.discard = Math.max(0, at - bytes.length);
    this.keep(bytes.subarray(Math.min(at, bytes.length)));
    if (this.held || this.blocked || this.readableLength > this.readableHighWaterMark) this.socket.pause();
    return undefined;
  }

  /** Takes note of PUBACK, PUBREC or PUBCOMP; the reason when another of them is due. */
  private acknowledge(type: number, id: number): string | undefined {
    const reason = wrongKind(type, this.sent.dueFor(id) ?? this.events.due(this, id));
    if (reason === undefined) this.sent.took(type, id);
    return reason;
  }

  /** Lets the CONNECT in, which is the first packet, and nothing behind it. */
  private enter(bytes: Buffer, body: number, end: number): string | undefined {
    const refusal = checkConnect(bytes[0] as number, bytes, body, end);
    if (refusal !== undefined) {
      if (refusal.code !== undefined) this.socket.write(Buffer.from([0x20, 2, 0, refusal.code]));
      return refusal.reason;
    }
    this.old = isVersion31(bytes, body);
    if (this.old) {
      bytes[0] = PACKET.connect << 4;
      const flags = body + 2 + bytes.readUInt16BE(body) + 1;
      bytes[flags] = (bytes[flags] as number) & 0xfe;
    }
    this.state = 'waiting';
    this.socket.pause();
    this.keep(bytes.subarray(end));
    this.push(bytes.subarray(0, end));
    return undefined;
  }

  private keep(rest: Buffer): void {
    this.parts = rest.length > 0 ? [rest] : [];
    this.have = rest.length;
  }

  private deliver(first: number, bytes: Buffer, body: number, end: number, over: boolean): void {
    const { name, ...publish } = readPublish(first, bytes, body, end, over);
    const cost = publish.payload.length + MESSAGE_COST;
    this.unanswered += cost;
    if (this.session !== undefined) this.session.share.sent += cost;
    this.events.publish(this, { topic: over ? null : this.topicOf(name), name, ...publish });
  }

  private topicOf(name: Buffer): UpTopic | undefined {
    for (const own of this.session?.topics ?? []) if (own.name.equals(name)) return own.topic;
    return undefined;
  }
}
