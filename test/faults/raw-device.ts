/**
 * A device of bytes with a session, by the book (MQTT 3.1.1, 4.3 and 4.4): what is not answered is sent again after it has come back,
 * in its order, marked as a repeat; of QoS 2 what was received there is only released.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 50;

/** A length of one to four bytes (2.2.3). */
export function framed(first: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let rest = body.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}

export const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length >> 8, value.length]), Buffer.from(value)]);

/** The whole packets at the front, and how many bytes they are. */
function split(bytes: Buffer): { packets: Buffer[]; used: number } {
  const packets: Buffer[] = [];
  let at = 0;
  for (;;) {
    let length = 0;
    let body = at + 1;
    for (let shift = 0; ; shift += 7) {
      if (body >= bytes.length) return { packets, used: at };
      const byte = bytes[body++] as number;
      length += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    if (body + length > bytes.length) return { packets, used: at };
    packets.push(bytes.subarray(at, body + length));
    at = body + length;
  }
}

interface Message {
  readonly n: number;
  readonly topic: string;
  readonly payload: Buffer;
  released: boolean;
}

export interface RawDevice {
  readonly connected: boolean;
  /** Sent and not yet answered to the end. */
  readonly open: number;
  readonly subscribed: boolean;
  /** Times that it came back and no session was there. */
  readonly forgotten: number;
  publish(n: number, topic: string, payload: string): void;
  end(): void;
}

interface RawOptions {
  readonly port: number;
  readonly device_id: string;
  readonly key: string;
  readonly qos: 1 | 2;
  readonly acknowledged: (n: number) => void;
  /** A topic that it subscribes to once, and what it does with each message of it: QoS 2 once, whatever is sent again. */
  readonly subscribes?: string;
  readonly received?: (payload: Buffer) => void;
}

/** Connects, and again for as long as it is not ended. */
export function startRawDevice(options: RawOptions): RawDevice {
  const { port, device_id, key, qos, acknowledged, subscribes, received } = options;
  /** Ids of QoS 2 that came and are not released. */
  const held = new Set<number>();
  let subscribed = false;
  /** By packet id, in the order of sending. */
  const open = new Map<number, Message>();
  let socket: Socket | undefined;
  let connected = false;
  let ended = false;
  let id = 0;
  let connects = 0;
  let forgotten = 0;

  const packet = (mid: number, { topic, payload, released }: Message, dup: boolean): Buffer => {
    const number = Buffer.from([mid >> 8, mid & 255]);
    if (released) return framed(0x62, number);
    return framed(0x30 | (qos << 1) | (dup ? 8 : 0), text(topic), number, payload);
  };

  function answer(first: number, mid: number): void {
    const message = open.get(mid);
    if (first === 0x50) {
      if (message !== undefined) message.released = true;
      socket?.write(framed(0x62, Buffer.from([mid >> 8, mid & 255])));
    } else if (message !== undefined && (first === 0x40 || first === 0x70)) {
      open.delete(mid);
      acknowledged(message.n);
    }
  }

  function take(bytes: Buffer): void {
    // The length of the packet takes one or two bytes here (2.2.3).
    const body = (bytes[1] as number) < 128 ? 2 : 3;
    const level = ((bytes[0] as number) >> 1) & 3;
    const at = body + 2 + bytes.readUInt16BE(body);
    const mid = bytes.readUInt16BE(at);
    const number = bytes.subarray(at, at + 2);
    if (level === 1 || !held.has(mid)) received?.(bytes.subarray(at + 2));
    if (level === 2) held.add(mid);
    socket?.write(framed(level === 2 ? 0x50 : 0x40, number));
  }

  function complete(mid: number): void {
    held.delete(mid);
    socket?.write(framed(0x70, Buffer.from([mid >> 8, mid & 255])));
  }

  function greet(connack: Buffer): void {
    if (connack[3] !== 0) return;
    if (connack[2] === 0 && connects > 0) forgotten++;
    connects++;
    connected = true;
    if (subscribes !== undefined && !subscribed)
      socket?.write(framed(0x82, Buffer.from([0, 1]), text(subscribes), Buffer.from([qos])));
    // [MQTT-4.4.0-1]
    socket?.write(Buffer.concat([...open].map(([mid, message]) => packet(mid, message, true))));
  }

  async function live(): Promise<void> {
    while (!ended) {
      let rest = Buffer.alloc(0);
      const mine = connect(port, '127.0.0.1').setNoDelay(true);
      socket = mine;
      const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc0, 0, 60])]);
      mine.write(framed(0x10, head, text(device_id), text(device_id), text(key)));
      mine.on('error', () => {});
      mine.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk as Buffer]);
        const { packets, used } = split(rest);
        rest = rest.subarray(used);
        for (const one of packets) {
          const type = (one[0] as number) >> 4;
          if (type === 2) greet(one);
          else if (type === 3) take(one);
          else if (type === 6) complete(one.readUInt16BE(2));
          else if (type === 9) subscribed = true;
          else answer(one[0] as number, one.readUInt16BE(2));
        }
      });
      await new Promise((done) => mine.once('close', done));
      connected = false;
      if (!ended) await sleep(RETRY_MS);
    }
  }
  void live();

  return {
    get connected() {
      return connected;
    },
    get open() {
      return open.size;
    },
    get subscribed() {
      return subscribed;
    },
    get forgotten() {
      return forgotten;
    },
    publish(n, topic, payload) {
      do id = (id % 65_535) + 1;
      while (open.has(id));
      const message: Message = { n, topic, payload: Buffer.from(payload), released: false };
      open.set(id, message);
      if (connected) socket?.write(packet(id, message, false));
    },
    end() {
      ended = true;
      socket?.destroy();
    },
  };
}
