/** The listening socket: bounded in sockets and in time, and closed in bounded time. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '#contract/base/limits.ts';

export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** How many sockets are open. */
  readonly sockets: number;
  limitSockets(count: number): void;
}

/** Listens; rejects with the system's error when the port cannot be had. */
export async function openListener(options: {
  host: string;
  port: number;
  /** Sockets of one address; those over it are closed at once. */
  perAddress: number;
  /** How long requests that run have to end when closing, in ms. */
  graceMs: number;
  onRequest: RequestListener;
  /** Hears of requests that wait for `100 Continue`; absent: they get it at once. */
  onContinue?: RequestListener;
  /** Open sockets; `LIMITS.sockets` when absent. */
  maxSockets?: number;
  /** Time to send a whole request; `LIMITS.request_time` when absent, 0 for none. */
  requestMs?: number;
  onRefused: () => void;
  /** A peer sent bytes that are no HTTP, or too slowly; `code` is that of Node's parser. */
  onMalformed: (code: string, address: string) => void;
}): Promise<Listener> {
  const server = createServer({
    headersTimeout: LIMITS.header_time.value * 1_000,
    requestTimeout: options.requestMs ?? LIMITS.request_time.value * 1_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 15_000,
    maxHeaderSize: LIMITS.header.value,
    requireHostHeader: true,
  });
  const maxSockets = options.maxSockets ?? LIMITS.sockets.value;
  server.maxConnections = maxSockets;
  // A socket without traffic either way is gone; live streams beat every five seconds.
  server.setTimeout(120_000);
  const sockets = capSockets(server, options.perAddress, options.onRefused);
  /**
   * Sockets with requests that are not answered: how many, and the bytes that were written when the last came. The responses themselves
   * are not kept here: they would outlive the next collections of young objects, which made a request cost a third more.
   */
  const busy = new Map<Duplex, { open: number; written: number }>();
  const note: RequestListener = ({ socket }, response) => {
    const state = busy.get(socket) ?? { open: 0, written: 0 };
    state.open++;
    state.written = socket.bytesWritten;
    busy.set(socket, state);
    response.once('close', () => {
      if (--state.open === 0) busy.delete(socket);
    });
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const code = error.code ?? error.name;
    // A peer that goes away is everyday life.
    if (code !== 'ECONNRESET' && code !== 'EPIPE') options.onMalformed(code, (socket as Socket).remoteAddress ?? '');
    // An answer that has begun would be taken for the refusal.
    const hasBegun = (socket as Socket).bytesWritten > (busy.get(socket)?.written ?? Number.POSITIVE_INFINITY);
    if (socket.writable && !hasBegun)
      socket.write(`HTTP/1.1 ${MALFORMED[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
  });
  server.on('request', note);
  server.on('request', options.onRequest);
  if (options.onContinue !== undefined) {
    server.on('checkContinue', note);
    server.on('checkContinue', options.onContinue);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    get sockets() {
      return sockets.size;
    },
    limitSockets(count) {
      server.maxConnections = Math.min(maxSockets, count);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      const late = setTimeout(() => server.closeAllConnections(), options.graceMs);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Statuses of what is not simply malformed, as Node answers without a listener. */
const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function capSockets(server: Server, cap: number, onRefused: () => void): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const open = perAddress.get(address) ?? 0;
    if (open >= cap) {
      onRefused();
      socket.destroy();
      return;
    }
    perAddress.set(address, open + 1);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
    });
  });
  return sockets;
}
