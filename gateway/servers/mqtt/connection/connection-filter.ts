/**
 * The filter between a socket and aedes. It splits the byte stream into packets, checks each packet, and passes it on:
 *
 *   socket -> length, limit, check -+-> readable side -> aedes     CONNECT, SUBSCRIBE, QoS 2, acknowledgements
 *                                   +-> events.publish             QoS 0 and 1, acknowledged when the journal has them
 *
 * Until the client is authenticated the filter holds one CONNECT of at most 16 KiB and leaves everything after it in the socket. It never
 * holds the payload of an oversize packet. It stops reading from a connection with too many unacknowledged bytes.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { UpTopic } from '#contract/fleet/ingest.ts';
import { type AckType, ackError, ExpectedAcks } from '#servers/mqtt/protocol/expected-acks.ts';
import { bodyStart, INCOMPLETE, MALFORMED, packetEnd } from '#servers/mqtt/protocol/fixed-header.ts';
import {
  checkConnect,
  checkPacket,
  isVersion31,
  PACKET,
  readPublish,
  variableHeaderEnd,
  withoutDup,
  withSessionPresent,
} from '#servers/mqtt/protocol/packet-check.ts';
import { AckBuffer } from './ack-buffer.ts';
import type { AuthenticatedDevice } from './authenticated-device.ts';
import type { Publish } from './publish.ts';
import { Qos2Sender } from './qos2-sender.ts';
import { WriteProgress } from './write-progress.ts';

/** The largest CONNECT, and the largest packet after authentication, in bytes including the fixed header. */
const CONNECT_LIMIT = 16 * 1024;
const PACKET_LIMIT = 256 * 1024;
/** So many chunks of an incomplete packet are joined into one, because each small chunk costs memory of its own. */
const MAX_PARTS = 64;
/** The filter stops reading above so many unacknowledged bytes, and reads again below half of them. */
export const UNACKNOWLEDGED_BYTES = 512 * 1024;
const UNACKNOWLEDGED_MESSAGES = 4_000;
/** Unsent bytes of a connection: above half of this it gets no more QoS 0 messages, above all of it the connection ends. */
const UNSENT_BYTES = 1 << 20;
/** After `destroy`, unsent bytes have so many milliseconds to leave before the socket is destroyed. */
const LINGER_MS = 5_000;
/** Bytes counted for an unacknowledged message besides its payload. */
const MESSAGE_COST = UNACKNOWLEDGED_BYTES / UNACKNOWLEDGED_MESSAGES;

/** What a filter reports to the broker and asks of it. */
export interface FilterEvents {
  /** The client broke the protocol; the connection closes. */
  malformed(connection: ConnectionFilter, reason: string): void;
  /** A PUBLISH of QoS 0 or 1 came, or an oversize one of any QoS. */
  publish(connection: ConnectionFilter, publish: Publish): void;
  /** The client does not read; the connection closes. */
  stalled(connection: ConnectionFilter): void;
  /** The acknowledgement that a queued message of the connection's session needs next. */
  expectedAck(connection: ConnectionFilter, id: number): AckType | undefined;
  /** The socket is closed. Called once, as the last event. */
  closed(connection: ConnectionFilter): void;
  /** Bytes that the connection may have unacknowledged now. */
  allowance(connection: ConnectionFilter): number;
  /** Milliseconds to pause before reading on, after the last portion took `tookMs` to be acknowledged. */
  pauseMs(connection: ConnectionFilter, tookMs: number): number;
}

export class ConnectionFilter extends Duplex {
  /** The device, as soon as its key is known to be correct. */
  device: AuthenticatedDevice | undefined;
  readonly address: string;
  /** Whether CONNACK must have the session present flag. Set it before the client is accepted. */
  sessionPresent = false;
  /** Messages sent over this connection that no session stores. */
  readonly unstoredAcks = new ExpectedAcks();
  readonly qos2 = new Qos2Sender();
  /** DISCONNECT has come, so the last will must not be published. [MQTT-3.14.4-3] */
  disconnectReceived = false;
  /** Seconds without a byte after which the connection ends; 0 until CONNECT has come. */
  keepaliveTimeout = 0;
  private secondsIdle = 0;
  private readonly progress = new WriteProgress();
  private readonly acks = new AckBuffer();
  private readonly socket: Socket;
  private readonly events: FilterEvents;
  /** new: no CONNECT yet; connecting: aedes has the CONNECT; open: the client is accepted. */
  private state: 'new' | 'connecting' | 'open' | 'closed' = 'new';
  /** Received bytes that are not processed yet, their number, and how many of them the next packet needs. */
  private parts: Buffer[] = [];
  private have = 0;
  private need = 0;
  /** Bytes of an oversize packet that are still to be skipped. */
  private toSkip = 0;
  private unacknowledged = 0;
  /** Reading is stopped: too many bytes are unacknowledged, or the client does not read its acknowledgements. */
  private held = false;
  private heldAt = 0;
  /** Set while the device pauses so that others can send. */
  private pauseTimer: NodeJS.Timeout | undefined;
  /** Messages of this client that are being routed to other clients. */
  private routing = 0;
  /** A packet waits until those messages are routed. */
  private blocked = false;
  private isVersion31 = false;

  constructor(socket: Socket, events: FilterEvents) {
    super({ readableHighWaterMark: PACKET_LIMIT, writableHighWaterMark: UNSENT_BYTES });
    this.socket = socket;
    this.events = events;
    this.address = socket.remoteAddress ?? 'unknown';
    socket.setNoDelay(true);
    // The kernel probes silent peers. A peer that lost its power sends no FIN.
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', () => this.destroy());
    socket.on('close', () => {
      this.destroy();
      events.closed(this);
    });
    socket.on('drain', () => this.resumeReading());
  }

  /** Call it when the client is accepted: the packets after its CONNECT are processed. */
  accept(): void {
    if (this.state !== 'connecting') return;
    this.state = 'open';
    this.processReceived();
    this.resumeReading();
  }

  /** Holds back the next packet for aedes, for example a SUBSCRIBE, until this message of the client has reached other clients. */
  blockUntilRouted(message: Promise<unknown>): void {
    this.routing++;
    const routed = (): void => {
      if (--this.routing > 0 || !this.blocked) return;
      this.blocked = false;
      this.processReceived();
      this.resumeReading();
    };
    message.then(routed, routed);
  }

  /** Prepares the acknowledgement of a message; `flushAcks` sends it. */
  acknowledge(publish: Publish): void {
    this.unacknowledged -= publish.payload.length + MESSAGE_COST;
    if (publish.qos > 0) this.acks.add(publish);
  }

  /** Stops counting a message that will not be acknowledged over this connection. */
  dropUnacknowledged(publish: Publish): void {
    this.unacknowledged -= publish.payload.length + MESSAGE_COST;
    if (this.held) this.resumeReading();
  }

  /** Sends the prepared acknowledgements in one write. */
  flushAcks(): void {
    const bytes = this.acks.take();
    if (bytes !== undefined && this.state !== 'closed' && !this.send(bytes)) this.hold();
    if (this.held) this.resumeReading();
  }

  override _read(): void {
    this.resumeReading();
  }

  /** Never applies back pressure: aedes delivers a message to one subscriber after the other, so a slow one would delay all. */
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.send(this.sessionPresent && this.state === 'connecting' ? withSessionPresent(chunk) : chunk);
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
    clearTimeout(this.pauseTimer);
    this.parts = [];
    this.have = 0;
    // A refusing CONNACK must reach its client. A client that does not read must not keep the socket open.
    const linger = setTimeout(() => this.socket.destroy(), LINGER_MS);
    this.socket.once('close', () => clearTimeout(linger));
    this.socket.destroySoon();
    done(null);
  }

  /** Ends the connection at once and drops unsent bytes. */
  abort(): void {
    this.socket.destroy();
    this.destroy();
  }

  /** Whether so much is unsent that QoS 0 messages are dropped. */
  get isCongested(): boolean {
    return this.socket.writableLength > UNSENT_BYTES / 2;
  }

  /** Call once a second: ends the connection when the client is silent or does not read. */
  secondPassed(): void {
    if (this.keepaliveTimeout > 0 && ++this.secondsIdle > this.keepaliveTimeout) {
      this.destroy();
      return;
    }
    if (this.progress.secondPassed(this.socket.writableLength)) this.endStalled();
  }

  private send(bytes: Buffer): boolean {
    if (this.socket.destroyed) return true;
    this.progress.add(bytes.length);
    const flows = this.socket.write(bytes);
    if (this.socket.writableLength > UNSENT_BYTES) this.endStalled();
    return flows;
  }

  private endStalled(): void {
    this.events.stalled(this);
    this.abort();
  }

  private hold(): void {
    this.held = true;
    this.heldAt = performance.now();
  }

  /** Reads from the socket again when nothing prevents it. */
  private resumeReading(): void {
    if (this.held && this.pauseTimer === undefined && this.isBelowHalf()) {
      const pause = this.events.pauseMs(this, performance.now() - this.heldAt);
      if (pause === 0) this.endHold();
      else
        this.pauseTimer = setTimeout(() => {
          this.pauseTimer = undefined;
          if (this.isBelowHalf()) this.endHold();
          this.resumeReading();
        }, pause);
    }
    if (!this.held && !this.blocked && this.state !== 'connecting' && this.socket.isPaused()) this.socket.resume();
  }

  /** Whether the client reads its acknowledgements and half of its allowance is free. */
  private isBelowHalf(): boolean {
    return !this.socket.writableNeedDrain && this.unacknowledged <= this.events.allowance(this) / 2;
  }

  /** Processes the packets that came in the same chunk as the message that exceeded the allowance. */
  private endHold(): void {
    this.held = false;
    if (!this.blocked && this.state === 'open' && this.have > 0 && this.have >= this.need) this.processReceived();
  }

  private receive(chunk: Buffer): void {
    if (this.state === 'closed') return;
    this.secondsIdle = 0;
    let bytes = chunk;
    if (this.toSkip > 0) {
      const skipped = Math.min(this.toSkip, bytes.length);
      this.toSkip -= skipped;
      bytes = bytes.subarray(skipped);
      if (bytes.length === 0) return;
    }
    this.parts.push(bytes);
    this.have += bytes.length;
    if (this.have < this.need || this.state === 'connecting' || this.blocked || this.held) {
      if (this.parts.length > MAX_PARTS) this.parts = [Buffer.concat(this.parts)];
      return;
    }
    this.processReceived();
  }

  private processReceived(): void {
    if (this.have === 0) return;
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.need = 0;
    const error = this.state === 'new' ? this.readConnect(bytes) : this.readPackets(bytes);
    if (error === undefined) return;
    this.events.malformed(this, error);
    this.destroy();
  }

  /** Passes the CONNECT, and nothing after it, to aedes. Returns the error when the first packet is not a valid CONNECT. */
  private readConnect(bytes: Buffer): string | undefined {
    const body = bodyStart(bytes, 0);
    if (body === MALFORMED) return 'malformed length';
    if (body === INCOMPLETE) {
      this.keep(bytes);
      return undefined;
    }
    const end = packetEnd(bytes, 0, body);
    const first = bytes[0] as number;
    if (first >> 4 !== PACKET.connect) return 'the first packet is not CONNECT'; // [MQTT-3.1.0-1]
    if (end > CONNECT_LIMIT) return 'CONNECT over 16 KiB';
    if (end > bytes.length) {
      this.need = end;
      this.keep(bytes);
      return undefined;
    }
    const refusal = checkConnect(first, bytes, body, end);
    if (refusal !== undefined) {
      if (refusal.code !== undefined) this.socket.write(Buffer.from([0x20, 2, 0, refusal.code]));
      return refusal.reason;
    }
    this.isVersion31 = isVersion31(bytes, body);
    if (this.isVersion31) {
      // MQTT-3.1 clients may set bits that 3.1.1 reserves. mqtt-packet rejects those bits, so clear them.
      bytes[0] = PACKET.connect << 4;
      const flags = body + 2 + bytes.readUInt16BE(body) + 1;
      bytes[flags] = (bytes[flags] as number) & 0xfe;
    }
    this.state = 'connecting';
    this.socket.pause();
    this.keep(bytes.subarray(end));
    this.push(bytes.subarray(0, end));
    return undefined;
  }

  /** Processes the complete packets at the front and keeps the rest. Returns the error when a packet is invalid. */
  private readPackets(bytes: Buffer): string | undefined {
    const allowance = this.events.allowance(this);
    let at = 0;
    /** The packets from here to `at` are for aedes. */
    let passFrom = 0;
    while (at < bytes.length) {
      const body = bodyStart(bytes, at);
      if (body === MALFORMED) return 'malformed length';
      if (body === INCOMPLETE) break;
      const end = packetEnd(bytes, at, body);
      const first = bytes[at] as number;
      const type = first >> 4;
      const isPublish = type === PACKET.publish;
      const oversize = end - at > PACKET_LIMIT;
      // Of an oversize PUBLISH only the topic and the packet id are needed.
      const needed = !oversize ? end : isPublish ? variableHeaderEnd(first, bytes, body) : Number.NaN;
      if (Number.isNaN(needed)) return 'packet over 256 KiB';
      if (needed > bytes.length) {
        this.need = needed - at;
        break;
      }
      const error = checkPacket(this.isVersion31 ? withoutDup(first) : first, bytes, body, needed);
      if (error !== undefined) return error;
      if (type === PACKET.puback || type === PACKET.pubrec || type === PACKET.pubcomp) {
        const wrongAck = this.checkAck(type, bytes.readUInt16BE(body));
        if (wrongAck !== undefined) return wrongAck;
      }
      if (isPublish && (oversize || (first & 6) < 4)) {
        if (passFrom < at) this.push(bytes.subarray(passFrom, at));
        this.reportPublish(first, bytes, body, needed, oversize);
        passFrom = end;
        if (this.unacknowledged > allowance) {
          this.hold();
          at = end;
          break;
        }
      } else if (this.routing > 0) {
        this.blocked = true;
        break;
      } else if (type === PACKET.disconnect) this.disconnectReceived = true;
      else if (this.isVersion31) bytes[at] = withoutDup(first);
      at = end;
    }
    if (passFrom < at) this.push(bytes.subarray(passFrom, at));
    this.toSkip = Math.max(0, at - bytes.length);
    this.keep(bytes.subarray(Math.min(at, bytes.length)));
    if (this.held || this.blocked || this.readableLength > this.readableHighWaterMark) this.socket.pause();
    return undefined;
  }

  /** Records PUBACK, PUBREC or PUBCOMP. Returns the error when the message needs another one next. */
  private checkAck(type: number, id: number): string | undefined {
    const error = ackError(type, this.unstoredAcks.get(id) ?? this.events.expectedAck(this, id));
    if (error === undefined) this.unstoredAcks.acknowledge(type, id);
    return error;
  }

  private keep(rest: Buffer): void {
    this.parts = rest.length > 0 ? [rest] : [];
    this.have = rest.length;
  }

  private reportPublish(first: number, bytes: Buffer, body: number, end: number, oversize: boolean): void {
    const { name, ...publish } = readPublish(first, bytes, body, end, oversize);
    const cost = publish.payload.length + MESSAGE_COST;
    this.unacknowledged += cost;
    if (this.device !== undefined) this.device.share.sent += cost;
    this.events.publish(this, { topic: oversize ? null : this.ownTopic(name), name, ...publish });
  }

  private ownTopic(name: Buffer): UpTopic | undefined {
    for (const own of this.device?.topics ?? []) if (own.name.equals(name)) return own.topic;
    return undefined;
  }
}
