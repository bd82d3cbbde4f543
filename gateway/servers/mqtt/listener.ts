/**
 * The listeners of the broker: TCP without and with TLS, and WebSockets that the HTTP server accepted. All have the same limits. When the
 * broker stops, it closes all connections.
 */
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Aedes } from 'aedes';
import type { Carrier } from '#servers/mqtt/connection/carrier.ts';
import {
  ConnectionFilter,
  type FilterEvents,
  UNACKNOWLEDGED_BYTES,
} from '#servers/mqtt/connection/connection-filter.ts';
import { isExposed, openPlainPort } from '#servers/tls/exposure.ts';
import { type BrokerParts, clientOf } from './broker-parts.ts';
import { createCloseHandler } from './on-close.ts';
import { createPublishHandler } from './on-publish.ts';
import { createWebSockets, type WebSockets } from './web-sockets.ts';

/** If all connections together have more unacknowledged bytes than this, each connection may have only `SMALL_ALLOWANCE` bytes. */
const PENDING_BYTES = 32 << 20;
const SMALL_ALLOWANCE = 16 * 1024;
const ENCRYPTED_ONLY = 'a connection without TLS, but MQTT is encrypted only';

export interface Listener {
  readonly port: number;
  /** Port of the listener with TLS; 0 if there is none. */
  readonly tlsPort: number;
  readonly webSockets: WebSockets;
  /** Accepts connections without TLS from this computer only, or from every computer. Open connections stay open. */
  restrict(on: boolean): void;
  /** Sets the largest number of open sockets. The server refuses new sockets above this number. */
  limitSockets(count: number): void;
  /** Stops accepting sockets. Resolves when the server has closed and the port is free. */
  close(): Promise<void>;
  /** Ends all connections; resolves when their sockets are closed. */
  closeConnections(): Promise<void>;
}

function createFilterEvents(parts: BrokerParts, lastClosed: () => void): FilterEvents {
  const { sessions, devices, refusals, publishAcks } = parts;
  return {
    malformed: (connection, reason) => refusals.protocolError(connection, reason),
    publish: createPublishHandler(parts),
    stalled: (connection) => refusals.stalledConnection(connection),
    expectedAck: (connection, id) => sessions.expectedAck(clientOf(connection), id),
    closed: createCloseHandler(parts, lastClosed),
    allowance({ device }) {
      if (publishAcks.pendingBytes > PENDING_BYTES || device === undefined) return SMALL_ALLOWANCE;
      return devices.allowance(device.identity.device_id, device.share, UNACKNOWLEDGED_BYTES);
    },
    pauseMs: ({ device }, tookMs) => (device === undefined ? 0 : devices.pauseMs(device.share, tookMs)),
  };
}

/** Starts the listeners. Rejects with Node's error, for example EADDRINUSE, if a port cannot be used. */
export async function listen(aedes: Aedes, parts: BrokerParts): Promise<Listener> {
  const { options, limits, admission, refusals, connections, warn } = parts;
  const allClosed = Promise.withResolvers<void>();
  const events = createFilterEvents(parts, allClosed.resolve);

  let mostSockets = limits.sockets;
  const exposed = options.isExposed ?? isExposed;
  let restricted = options.encryptedOnly ?? false;
  /** TCP sockets with a TLS handshake that has not ended. */
  const handshaking = new Set<Socket>();

  /** Counts a new TCP socket. Returns false if it is refused. */
  function admit(socket: Socket): boolean {
    if (connections.size + handshaking.size >= mostSockets) {
      refusals.connections++;
      return false;
    }
    const address = socket.remoteAddress ?? 'unknown';
    const refusal = parts.stopping ? 'the gateway stops' : admission.admit(address);
    if (refusal !== undefined) refusals.socket(address, refusal);
    return refusal === undefined;
  }

  function serve(carrier: Carrier, raw: Socket): ConnectionFilter {
    const connection = new ConnectionFilter(carrier, events);
    if (exposed(raw)) parts.exposed.set(connection, carrier === raw ? 'socket' : 'web_socket');
    connections.add(connection);
    aedes.handle(connection as Duplex);
    return connection;
  }

  const server = createServer({ pauseOnConnect: false }, (socket) => {
    if (restricted && exposed(socket)) refusals.socket(socket.remoteAddress ?? 'unknown', ENCRYPTED_ONLY);
    else if (admit(socket)) return void serve(socket, socket);
    socket.destroy();
  });
  const plain = await openPlainPort(server, {
    host: options.host,
    port: options.port,
    restricted,
    failed: (error) => warn('the broker could not take a connection', { error: error.message }),
  });
  const closeServer = () => new Promise<void>((done) => server.close(() => done()));
  const door = await options.secure?.tls
    .open({
      host: options.host,
      port: options.secure.port,
      alpn: ['mqtt'],
      admit(raw) {
        if (!admit(raw)) return false;
        const from = raw.remoteAddress ?? 'unknown';
        handshaking.add(raw);
        // After the handshake the connection filter reports the close of the socket.
        raw.once('close', () => {
          if (handshaking.delete(raw)) admission.release(from, false);
        });
        return true;
      },
      secured(socket, raw) {
        handshaking.delete(raw);
        serve(socket, socket);
      },
      failed: (code, from) => refusals.handshake(from, code),
    })
    .catch(async (error: unknown) => {
      await closeServer();
      throw error;
    });

  return {
    port: plain.port,
    tlsPort: door?.port ?? 0,
    webSockets: createWebSockets({
      admit,
      release: (from) => admission.release(from, false),
      serve,
      refused: events.malformed,
    }),
    restrict(on) {
      restricted = on;
      plain.restrict(on);
    },
    limitSockets(count) {
      mostSockets = Math.min(limits.sockets, count);
    },
    close: async () => {
      plain[Symbol.dispose]();
      await Promise.all([closeServer(), door?.close()]);
    },
    async closeConnections() {
      for (const connection of connections) connection.destroy();
      // `server.close` may call back before the connection filters have handled the close of their sockets.
      if (connections.size > 0) await allClosed.promise;
    },
  };
}
