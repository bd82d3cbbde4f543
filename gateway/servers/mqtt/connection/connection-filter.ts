/**
 * The filter between a socket and aedes, the MQTT library. It splits received bytes into packets, checks them, and passes them on:
 *
 *   socket -> length, limit, check -+-> readable side -> aedes     CONNECT, SUBSCRIBE, QoS 2, acknowledgements
 *                                   +-> events.publish             QoS 0 and 1, acknowledged when the journal has them
 *
 * Until the client is authenticated, the filter holds one CONNECT of at most 16 KiB and does not read on. The filter never keeps the
 * payload of an oversize packet. It stops reading from a connection with too many unacknowledged bytes.
 */
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
import type { Carrier } from './carrier.ts';
import type { Publish } from './publish.ts';
import { Qos2Sender } from './qos2-sender.ts';
import { WriteProgress } from './write-progress.ts';

/** The largest CONNECT, and the largest packet after authentication, in bytes including the fixed header. */
const CONNECT_LIMIT = 16 * 1024;
const PACKET_LIMIT = 256 * 1024;
/** The filter joins the pieces of an incomplete packet if there are more than this, because each piece needs extra memory. */
const MAX_PARTS = 64;
/** The filter stops reading above this many unacknowledged bytes, and reads again when at most half as many are left. */
export const UNACKNOWLEDGED_BYTES = 512 * 1024;
const UNACKNOWLEDGED_MESSAGES = 4_000;
/** If more bytes wait for a client, the broker closes its connection; above half of this number it sends no QoS 0 messages. */
const UNSENT_BYTES = 1 << 20;
/** Milliseconds that a closed connection has to send its remaining bytes before the filter destroys the socket. */
const LINGER_MS = 5_000;
/** Bytes counted for an unacknowledged message besides its payload. */
const MESSAGE_COST = UNACKNOWLEDGED_BYTES / UNACKNOWLEDGED_MESSAGES;

/** The functions of the broker that a connection filter calls. */
export interface FilterEvents {
  /** Called when the client violates the protocol; the filter then closes the connection. */
  malformed(connection: ConnectionFilter, reason: string): void;
  /** Called for each PUBLISH of QoS 0 or 1, and for each oversize PUBLISH of any QoS. */
  publish(connection: ConnectionFilter, publish: Publish): void;
  /** Called when the client does not read its messages; the filter then closes the connection. */
  stalled(connection: ConnectionFilter): void;
  /** Returns which acknowledgement the client must send next for the queued message with this packet id; undefined for an unknown id. */
  expectedAck(connection: ConnectionFilter, id: number): AckType | undefined;
  /** Called once, when the socket is closed. No other function is called for this connection after it. */
  closed(connection: ConnectionFilter): void;
  /** Returns how many unacknowledged bytes the connection may have at this moment. */
  allowance(connection: ConnectionFilter): number;
  /** Returns the milliseconds to pause before the filter reads again. `tookMs`: milliseconds since the filter stopped reading. */
  pauseMs(connection: ConnectionFilter, tookMs: number): number;
}

export class ConnectionFilter extends Duplex {
  /** The device of this connection; undefined until the key is known to be correct. */
  device: AuthenticatedDevice | undefined;
  readonly address: string;
  /** True if CONNACK must have the flag "session present". The broker sets it before aedes sends CONNACK. */
  sessionPresent = false;
  /** The acknowledgements that the client must still send for messages that are not in the queue of a session. */
  readonly unstoredAcks = new ExpectedAcks();
  readonly qos2 = new Qos2Sender();
  /** True after the client has sent DISCONNECT; the broker then does not publish its last will. [MQTT-3.14.4-3] */
  disconnectReceived = false;
  /** If the filter reads and gets no byte for this many seconds, it closes the connection. 0 (no limit) until CONNECT has come. */
  keepaliveTimeout = 0;
  private secondsIdle = 0;
  private readonly progress = new WriteProgress();
  private readonly acks = new AckBuffer();
  private readonly socket: Carrier;
  private readonly events: FilterEvents;
  /** new: CONNECT has not come. connecting: aedes handles the CONNECT. open: aedes has accepted the client. closed: the connection ends. */
  private state: 'new' | 'connecting' | 'open' | 'closed' = 'new';
  /** Received bytes that the filter has not processed. */
  private parts: Buffer[] = [];
  /** Number of bytes in `parts`. */
  private have = 0;
  /** Number of bytes in `parts` that the filter needs before it can process the next packet; 0 if not known. */
  private need = 0;
  /** Bytes of an oversize packet that have not come yet and that the filter will skip. */
  private toSkip = 0;
  /** Unacknowledged bytes of this connection, including `MESSAGE_COST` for each message. */
  private unacknowledged = 0;
  /** True while the filter does not read: too many bytes are unacknowledged, or the client does not read its acknowledgements. */
  private held = false;
  private heldAt = 0;
  /** The timer of the current pause; during the pause the broker reads from other devices. Undefined while there is no pause. */
  private pauseTimer: NodeJS.Timeout | undefined;
  /** Number of messages of this client that the broker is routing to other clients. */
  private routing = 0;
  /** True while a packet for aedes waits until the messages that `routing` counts are routed. */
  private blocked = false;
  private isVersion31 = false;

  constructor(socket: Carrier, events: FilterEvents) {
    super({ readableHighWaterMark: PACKET_LIMIT, writableHighWaterMark: UNSENT_BYTES });
    this.socket = socket;
    this.events = events;
    this.address = socket.remoteAddress ?? 'unknown';
    socket.setNoDelay(true);
    // A client that lost its power sends no FIN. TCP keep-alive probes let the kernel detect such a client.
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

  /** Makes the filter process the packets that follow CONNECT. The broker calls it when aedes has accepted the client. */
  accept(): void {
    if (this.state !== 'connecting') return;
    this.state = 'open';
    this.processReceived();
    this.resumeReading();
  }

  /** Makes the next packet for aedes (such as a SUBSCRIBE) wait for `message`, which settles when a message of this client is routed. */
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

  /** Adds the acknowledgement of a message to the buffer; `flushAcks` sends the buffer. */
  acknowledge(publish: Publish): void {
    this.unacknowledged -= publish.payload.length + MESSAGE_COST;
    if (publish.qos > 0) this.acks.add(publish);
  }

  /** Subtracts a message from the unacknowledged bytes, if the broker will not acknowledge the message over this connection. */
  dropUnacknowledged(publish: Publish): void {
    this.unacknowledged -= publish.payload.length + MESSAGE_COST;
    if (this.held) this.resumeReading();
  }

  /** Sends all acknowledgements in the buffer in one write. */
  flushAcks(): void {
    const bytes = this.acks.take();
    if (bytes !== undefined && this.state !== 'closed' && !this.send(bytes)) this.hold();
    if (this.held) this.resumeReading();
  }

  override _read(): void {
    this.resumeReading();
  }

  /** Does not wait until the bytes are sent: aedes serves subscribers one by one, so a slow one would delay the others. */
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
    // Send the remaining bytes first, for example a CONNACK that refuses the client. Destroy the socket later if the client does not read.
    const linger = setTimeout(() => this.socket.destroy(), LINGER_MS);
    this.socket.once('close', () => clearTimeout(linger));
    this.socket.destroySoon();
    done(null);
  }

  /** Closes the connection at once. Bytes that are not sent yet are lost. */
  abort(): void {
    this.socket.destroy();
    this.destroy();
  }

  /** True if so many bytes wait to be sent to this client that the broker drops QoS 0 messages for it. */
  get isCongested(): boolean {
    return this.socket.writableLength > UNSENT_BYTES / 2;
  }

  /** Call it once a second. Closes the connection if no byte came for too long, or if the client does not read. */
  secondPassed(): void {
    // While the filter itself does not read, bytes of the client may wait in the kernel. Such a second says nothing about the client.
    const isHeld = this.state === 'open' && this.socket.isPaused();
    if (this.keepaliveTimeout > 0 && !isHeld && ++this.secondsIdle > this.keepaliveTimeout) {
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

  /** Starts reading from the socket again, if no limit, pause or waiting packet prevents it. */
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

  /** Returns true if the client reads its acknowledgements and uses at most half of its allowed unacknowledged bytes. */
  private isBelowHalf(): boolean {
    return !this.socket.writableNeedDrain && this.unacknowledged <= this.events.allowance(this) / 2;
  }

  /** Allows the filter to read again, and processes the packets that it has received but not processed. */
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

  /** Passes CONNECT to aedes, and keeps the bytes after it. Returns an error text if the first packet is not a valid CONNECT. */
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

  /** Processes the complete packets in `bytes` and keeps the incomplete rest. Returns an error text if a packet is invalid. */
  private readPackets(bytes: Buffer): string | undefined {
    const allowance = this.events.allowance(this);
    let at = 0;
    /** The bytes from `passFrom` to `at` are checked packets that the filter has not passed to aedes yet. */
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
      // The filter needs only the topic and the packet id of an oversize PUBLISH, so it does not wait for the payload.
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

  /** Records a PUBACK, PUBREC or PUBCOMP. Returns an error text if the client must send another kind of acknowledgement for this id. */
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
