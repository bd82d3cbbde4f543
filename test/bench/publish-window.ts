/** A load of MQTT messages of QoS 1 with a window: a fixed number of messages is unacknowledged at any time. */
import type { Socket } from 'node:net';

const ACK_BYTES = 4;

interface Load {
  /** A PUBLISH packet of QoS 1. It is sent again and again, each time with the next packet id. */
  readonly packet: Buffer;
  /** The place of the packet id in the packet. */
  readonly idAt: number;
  /** Number of unacknowledged messages. */
  readonly window: number;
  /** Called with the number of messages that the broker acknowledged. */
  readonly acknowledged: (count: number) => void;
}

/** Waits for the CONNACK, fills the window, and replaces each acknowledged message by a new one. Resolves at the CONNACK. */
export function publishInWindow(socket: Socket, { packet, idAt, window, acknowledged }: Load): Promise<void> {
  let id = 0;
  const send = (count: number): void => {
    const bytes = Buffer.alloc(packet.length * count);
    for (let i = 0; i < count; i++) {
      id = (id % 65_535) + 1;
      packet.writeUInt16BE(id, idAt);
      packet.copy(bytes, i * packet.length);
    }
    socket.write(bytes);
  };
  return new Promise((connected, fail) => {
    socket.on('error', fail);
    let got = 0;
    socket.on('data', ({ length }: Buffer) => {
      const before = Math.floor(got / ACK_BYTES);
      got += length;
      let count = Math.floor(got / ACK_BYTES) - before;
      if (before === 0 && count > 0) {
        // The first answer is the CONNACK.
        count--;
        connected();
        send(window);
      }
      if (count === 0) return;
      acknowledged(count);
      send(count);
    });
  });
}
