/** Opens the listening socket of an HTTP server. Limits the number of sockets, the time of a request, and the time to close the server. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '#contract/base/limits.ts';

export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** Number of open sockets. */
  readonly sockets: number;
  limitSockets(count: number): void;
}

/** Opens the listening socket; rejects with the system error if the port cannot be used. */
export async function openListener(options: {
  host: string;
  port: number;
  /** Largest number of open sockets per client address. The server closes further sockets at once. */
  perAddress: number;
  /** Milliseconds that running requests have to end when the listener closes. */
  graceMs: number;
  onRequest: RequestListener;
  /** Called instead of `onRequest` for requests with `Expect: 100-continue`. Without it, Node answers `100 Continue` at once. */
  onContinue?: RequestListener;
  /** Largest number of open sockets; default: `LIMITS.sockets`. */
  maxSockets?: number;
  /** Milliseconds in which a client must send its whole request; default: `LIMITS.request_time`; 0 for no limit. */
  requestMs?: number;
  onRefused: () => void;
  /** Called when a client sends bytes that are not HTTP, or sends too slowly. `code` is the error code of Node.js. */
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
  // Close a socket without traffic. This closes no live stream, because the gateway sends a heartbeat to it every five seconds.
  server.setTimeout(120_000);
  const sockets = capSockets(server, options.perAddress, options.onRefused);
  /**
   * For each socket with unanswered requests: the number of these requests, and how many bytes were written to the socket before the last
   * of these requests arrived. Do not store the response objects here: the garbage collector would move them to the old generation, and
   * each request would take a third more processor time.
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
    // A client that disconnects is not an error, so do not report it.
    if (code !== 'ECONNRESET' && code !== 'EPIPE') options.onMalformed(code, (socket as Socket).remoteAddress ?? '');
    // Do not write an error after an answer has begun: the client would read the error as part of that answer.
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

/** The HTTP status for some errors of the HTTP parser; all other errors have the status 400. Node.js uses the same statuses. */
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
