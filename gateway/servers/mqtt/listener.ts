/** The TCP server of the broker. It accepts sockets within their limits, and closes all connections when the broker stops. */
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Aedes } from 'aedes';
import {
  ConnectionFilter,
  type FilterEvents,
  UNACKNOWLEDGED_BYTES,
} from '#servers/mqtt/connection/connection-filter.ts';
import { type BrokerParts, clientOf } from './broker-parts.ts';
import { createCloseHandler } from './on-close.ts';
import { createPublishHandler } from './on-publish.ts';

/** If all connections together have more unacknowledged bytes than this, each connection may have only `SMALL_ALLOWANCE` bytes. */
const PENDING_BYTES = 32 << 20;
const SMALL_ALLOWANCE = 16 * 1024;

export interface Listener {
  readonly port: number;
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

/** Starts the TCP server. Rejects with Node's error, for example EADDRINUSE, if the server cannot listen on the port. */
export async function listen(aedes: Aedes, parts: BrokerParts): Promise<Listener> {
  const { options, limits, admission, refusals, connections, warn } = parts;
  const allClosed = Promise.withResolvers<void>();
  const events = createFilterEvents(parts, allClosed.resolve);

  function onSocket(socket: Socket): void {
    const address = socket.remoteAddress ?? 'unknown';
    const refusal = parts.stopping ? 'the gateway stops' : admission.admit(address);
    if (refusal !== undefined) {
      refusals.socket(address, refusal);
      socket.destroy();
      return;
    }
    const connection = new ConnectionFilter(socket, events);
    connections.add(connection);
    aedes.handle(connection as Duplex);
  }

  const server = createServer({ pauseOnConnect: false }, onSocket);
  server.maxConnections = limits.sockets;
  server.on('drop', () => {
    refusals.connections++;
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(options.port, options.host, () => {
      server.off('error', fail);
      server.on('error', (error) => warn('the broker could not take a connection', { error: error.message }));
      done();
    });
  });
  const address = server.address();

  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    limitSockets(count) {
      server.maxConnections = Math.min(limits.sockets, count);
    },
    close: () => new Promise<void>((done) => server.close(() => done())),
    async closeConnections() {
      for (const connection of connections) connection.destroy();
      // `server.close` may call back before the connection filters have handled the close of their sockets.
      if (connections.size > 0) await allClosed.promise;
    },
  };
}
