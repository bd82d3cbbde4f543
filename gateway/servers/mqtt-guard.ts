/**
 * The gate between a socket and aedes: whole, checked packets pass, one chunk at a time; nothing of a stranger is kept beyond one small
 * CONNECT, and a packet over the limit is read away without ever being held.
 *
 *   socket -> [length, limit, check] -> Duplex -> aedes
 *
 * Behind CONNECT everything waits in the socket until the client is let in.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { DeviceIdentity, UpTopic } from '#contract/ingest.ts';
import { checkConnect, checkPacket, PACKET } from './mqtt-frame.ts';

/** The largest packet before and after authentication, in bytes with its head. */
export const CONNECT_LIMIT = 16 * 1024;
export const PACKET_LIMIT = 256 * 1024;
/** Small chunks are joined when there are so many, so that a dripping sender costs little. */
const MAX_PARTS = 64;

/** Who is behind a connection once the key was right. */
export interface Session {
  readonly identity: DeviceIdentity;
  /** The topics that it may publish to. */
  readonly topics: ReadonlyMap<string, UpTopic>;
}

interface GuardEvents {
  /** The packet broke the protocol; the connection is closed. */
  malformed(guard: Guard, reason: string): void;
  /** A publish over the limit is being read away. */
  oversize(guard: Guard): void;
}

export class Guard extends Duplex {
  session: Session | undefined;
  readonly address: string;
  /** Seconds without a byte; the broker counts. */
  idle = 0;
  /** Seconds after which silence ends the connection; 0: not yet known. */
  patience = 0;
  /** Packets over the limit that were read away, by packet id; their empty stand-ins are on the way through aedes. */
  private readonly oversized = new Set<number>();
  private readonly socket: Socket;
  private readonly events: GuardEvents;
  private state: 'new' | 'waiting' | 'open' | 'closed' = 'new';
  private parts: Buffer[] = [];
  private have = 0;
  private need = 0;
  /** Bytes of an oversize packet still to be read away. */
  private discard = 0;

  constructor(socket: Socket, events: GuardEvents) {
    super({ readableHighWaterMark: PACKET_LIMIT, writableHighWaterMark: 64 * 1024 });
    this.socket = socket;
    this.events = events;
    this.address = socket.remoteAddress ?? 'unknown';
    socket.setNoDelay(true);
    // A peer that lost its power leaves no trace: the kernel asks.
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** The client is let in: what waited behind its CONNECT goes on. */
  open(): void {
    if (this.state !== 'waiting') return;
    this.state = 'open';
    this.proceed();
    if (!this.destroyed) this.socket.resume();
  }

  /** True when this packet stands for one that was over the limit; asked once. */
  wasOversize(packetId: number): boolean {
    return this.oversized.size > 0 && this.oversized.delete(packetId);
  }

  override _read(): void {
    if (this.state !== 'waiting') this.socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.socket.destroyed || this.socket.write(chunk)) done();
    else this.socket.once('drain', () => done());
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
    this.parts = [];
    this.have = 0;
    // A CONNACK that refuses must still reach its client.
    this.socket.destroySoon();
    done(null);
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
    if (this.have < this.need || this.state === 'waiting') {
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

  /** Lets the whole packets at the front through and keeps the rest; the reason when one must not pass. */
  private scan(): string | undefined {
    let bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    let at = 0;
    this.need = 0;
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
      if (this.state === 'new') {
        if (first !== PACKET.connect << 4) return 'the first packet is not CONNECT'; // [MQTT-3.1.0-1]
        if (end - at > CONNECT_LIMIT) return 'CONNECT over 16 KiB';
      } else if (end - at > PACKET_LIMIT) {
        if (first >> 4 !== PACKET.publish) return 'packet over 256 KiB';
        const stand = this.standIn(first, bytes, at, body);
        if (stand === undefined) break;
        if (typeof stand === 'string') return stand;
        this.events.oversize(this);
        if (at > 0) this.push(bytes.subarray(0, at));
        if (stand.length > 0) this.push(stand);
        this.discard = Math.max(0, end - bytes.length);
        bytes = bytes.subarray(Math.min(end, bytes.length));
        at = 0;
        continue;
      }
      if (end > bytes.length) {
        this.need = end - at;
        break;
      }
      if (this.state === 'new') {
        const refusal = checkConnect(bytes, body, end);
        if (refusal !== undefined) {
          if (refusal.code !== undefined) this.socket.write(Buffer.from([0x20, 2, 0, refusal.code]));
          return refusal.reason;
        }
        this.state = 'waiting';
        this.socket.pause();
        this.keep(bytes.subarray(end));
        this.push(bytes.subarray(at, end));
        return undefined;
      }
      const reason = checkPacket(first, bytes, body, end);
      if (reason !== undefined) return reason;
      at = end;
    }
    this.keep(bytes.subarray(at));
    if (at > 0 && !this.push(bytes.subarray(0, at))) this.socket.pause();
    return undefined;
  }

  private keep(rest: Buffer): void {
    this.parts = rest.length > 0 ? [rest] : [];
    this.have = rest.length;
  }

  /**
   * An empty PUBLISH with the topic and packet id of one over the limit, so that it is answered in turn: closing would make its sender
   * send it for ever. Empty for QoS 0, which is not answered; undefined while its head has not arrived.
   */
  private standIn(first: number, bytes: Buffer, at: number, body: number): Buffer | string | undefined {
    if (body + 2 > bytes.length) {
      this.need = body + 2 - at;
      return undefined;
    }
    const qos = (first >> 1) & 3;
    const head = 2 + bytes.readUInt16BE(body) + (qos > 0 ? 2 : 0);
    if (body + head > bytes.length) {
      this.need = body + head - at;
      return undefined;
    }
    const reason = checkPacket(first, bytes, body, body + head);
    if (reason !== undefined) return reason;
    if (qos === 0) return Buffer.alloc(0);
    const length = [];
    for (let rest = head; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 0x7f) | 0x80 : rest);
      if (rest < 128) break;
    }
    this.oversized.add(bytes.readUInt16BE(body + head - 2));
    return Buffer.concat([Buffer.from([first, ...length]), bytes.subarray(body, body + head)]);
  }
}
