/**
 * MQTT over WebSocket (MQTT 3.1.1 chapter 6). The HTTP server passes upgrade requests for `/mqtt` to this module. After the upgrade the
 * connection is handled like a TCP connection: the same filter, limits, keys and presence.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import { LargeMessages } from '#servers/mqtt/connection/large-messages.ts';
import { WebSocketStream } from '#servers/mqtt/connection/web-socket-stream.ts';

/** The subprotocols of MQTT 3.1.1 and of MQTT 3.1. A client must request one of them. [MQTT-6.0.0-3] */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1'] as const;
/** Largest WebSocket message, in bytes. A message may contain several MQTT packets, or a part of one. */
const MESSAGE_BYTES = 16 * 1024 * 1024;
/** Most fragments of a message. */
const FRAGMENTS = 1_024;
/** Most pieces in which the network delivers a frame. The largest message has 11,600 pieces if each packet of the network is a piece. */
const PIECES = 16_384;
/** Most bytes that the broker receives before the client is authenticated: its CONNECT, and what it sends without waiting for CONNACK. */
const FIRST_BYTES = 128 * 1024;
/** Milliseconds that a client has to answer a close frame. */
const CLOSE_MS = 1_000;
const GOING_AWAY = 1001;

const SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  autoPong: false,
  maxPayload: MESSAGE_BYTES,
  maxFragments: FRAGMENTS,
  maxBufferedChunks: PIECES,
  closeTimeout: CLOSE_MS,
  handleProtocols: (offered: ReadonlySet<string>) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
};

/** Why an upgrade is refused: the client requests no subprotocol of MQTT, or there are too many connections, or the gateway stops. */
type UpgradeRefusal = 'subprotocol' | 'connections';

/** Takes over sockets from the HTTP server. */
export interface WebSockets {
  /** Completes the upgrade. `head` has the bytes that followed the request. If it returns a reason, the caller closes the socket. */
  take(request: IncomingMessage, socket: Socket, head: Buffer): UpgradeRefusal | undefined;
  /** Refuses new sockets and closes all open ones, without their last wills. Resolves when they are closed. */
  close(): Promise<void>;
}

interface WebSocketOptions {
  /** Counts a new socket. Returns false if it is refused. */
  readonly admit: (raw: Socket) => boolean;
  /** Takes back the count of a socket that `admit` counted and that got no connection. `address` is the address of the client. */
  readonly release: (address: string) => void;
  /** Makes a connection of an admitted stream. */
  readonly serve: (stream: WebSocketStream, raw: Socket) => ConnectionFilter;
  readonly refused: (connection: ConnectionFilter, reason: string) => void;
}

export function createWebSockets({ admit, release, serve, refused }: WebSocketOptions): WebSockets {
  const server = new WebSocketServer(SERVER_OPTIONS);
  const open = new Map<WebSocketStream, ConnectionFilter>();
  const large = new LargeMessages();
  let closing = false;

  return {
    take(request, raw, head) {
      if (!offersMqtt(request)) return 'subprotocol';
      if (raw.destroyed) return undefined;
      const address = raw.remoteAddress ?? 'unknown';
      if (closing || !admit(raw)) return 'connections';
      // If the request is not a valid upgrade, the library answers with an error, and the socket closes without a connection.
      const unused = (): void => release(address);
      raw.once('close', unused);
      server.handleUpgrade(request, raw, head, (webSocket) => {
        raw.off('close', unused);
        const stream = new WebSocketStream(webSocket, raw, large, (reason) => refused(connection, reason));
        const connection = serve(stream, raw);
        open.set(stream, connection);
        stream.once('close', () => open.delete(stream));
        limitFirstBytes(raw, connection, () => refused(connection, 'too many bytes before the end of the login'));
      });
      return undefined;
    },
    async close() {
      closing = true;
      await Promise.all(
        [...open].map(([stream, connection]) => {
          stream.closeCode = GOING_AWAY;
          connection.disconnectReceived = true;
          const closed = new Promise((done) => stream.once('close', done));
          connection.destroy();
          return closed;
        }),
      );
    },
  };
}

/** Closes the connection if the client sends too many bytes before it is authenticated. */
function limitFirstBytes(raw: Socket, connection: ConnectionFilter, exceeded: () => void): void {
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (connection.device !== undefined) raw.off('data', count);
    else if (bytes > FIRST_BYTES) {
      raw.off('data', count);
      exceeded();
      connection.abort();
    }
  };
  raw.on('data', count);
}

function offersMqtt({ headers }: IncomingMessage): boolean {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return SUBPROTOCOLS.some((name) => offered.includes(name));
}
