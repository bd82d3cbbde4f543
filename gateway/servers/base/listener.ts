/**
 * Opens the listening sockets of an HTTP server: one without and one with TLS, under the same limits. Limits the number of sockets, the time
 * of a request, and the time to close the server.
 */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '#contract/base/limits.ts';
import { type IsExposed, isExposed, openPlainPort } from '#servers/tls/exposure.ts';
import type { Tls } from '#servers/tls/tls.ts';
import { limitTime } from './request-time.ts';

export interface Listener extends AsyncDisposable {
  readonly port: number;
  /** Port of the listener with TLS; 0 if there is none. */
  readonly tlsPort: number;
  /** Number of open sockets. */
  readonly sockets: number;
  limitSockets(count: number): void;
  /** Accepts sockets without TLS from this computer only, or from every computer. Open sockets stay open. */
  restrict(on: boolean): void;
  /** Closes all exposed sockets. Returns the addresses of their clients. */
  closeExposed(): ReadonlySet<string>;
}

/** A listener with TLS beside the one without. */
export interface TlsListening {
  readonly tls: Tls;
  readonly port: number;
}

/** How a server treats exposed sockets: those without TLS from other computers. */
export interface Exposure {
  /** True if the server starts with TLS only. */
  readonly encryptedOnly: boolean;
  /** Default: decides by the addresses of the socket. */
  readonly isExposed?: IsExposed | undefined;
}

/** Sockets that leave HTTP and continue with another protocol (RFC 9110 7.8). */
export interface Upgrades {
  /** Returns true if the request asks for a protocol that the server offers. Any other request is answered as a normal request. */
  readonly wanted: (request: IncomingMessage) => boolean;
  /** Takes over the socket. The listener no longer counts it. `head` has the bytes that followed the request. */
  readonly take: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** Opens the listening sockets; rejects with the system error if a port cannot be used. */
export async function openListener(options: {
  host: string;
  port: number;
  /** Default: no listener with TLS. */
  secure?: TlsListening | undefined;
  /** Largest number of open sockets per client address. The server closes further sockets at once. */
  perAddress: number;
  /** Milliseconds that running requests have to end when the listener closes. */
  graceMs: number;
  onRequest: RequestListener;
  /** Called instead of `onRequest` for requests with `Expect: 100-continue`. Without it, Node answers `100 Continue` at once. */
  onContinue?: RequestListener;
  /** True if the server accepts no exposed sockets at its start. Default: false. */
  restricted?: boolean;
  isExposed?: IsExposed | undefined;
  /** Called when the port without TLS could not be opened again. */
  onPortError?: (error: Error) => void;
  /** Default: the server ignores the header `Upgrade`. */
  upgrades?: Upgrades | undefined;
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
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 15_000,
    maxHeaderSize: LIMITS.header.value,
    requireHostHeader: true,
    shouldUpgradeCallback: (request) => options.upgrades?.wanted(request) ?? false,
  });
  const maxSockets = options.maxSockets ?? LIMITS.sockets.value;
  // Close a socket without traffic. This closes no live stream, because the gateway sends a heartbeat to it every five seconds.
  server.setTimeout(120_000);
  const sockets = new SocketCounts(options.perAddress, maxSockets, options.onRefused);
  const exposed = options.isExposed ?? isExposed;
  let restricted = options.restricted ?? false;
  server.on('connection', (socket) => {
    const isPlain = restricted && exposed(socket);
    if (isPlain) options.onRefused();
    // The sockets of the listener with TLS were counted before their handshake.
    if (isPlain || (!sockets.has(socket) && !sockets.admit(socket))) socket.destroy();
  });
  const { busy, note } = createBusySockets();
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
  const time = limitTime(server, options.requestMs ?? LIMITS.request_time.value * 1_000);
  server.on('request', note).on('request', time).on('request', options.onRequest);
  if (options.onContinue !== undefined) {
    server.on('checkContinue', note).on('checkContinue', time).on('checkContinue', options.onContinue);
  }
  server.on('upgrade', (request, stream, head) => {
    const socket = stream as Socket;
    socket.setTimeout(0);
    sockets.forget(socket);
    options.upgrades?.take(request, socket, head);
  });
  const plain = await openPlainPort(server, { ...options, restricted, failed: options.onPortError ?? (() => {}) });
  const closeServer = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const door = await options.secure?.tls
    .open({
      host: options.host,
      port: options.secure.port,
      alpn: ['http/1.1'],
      admit: (raw) => sockets.admit(raw),
      secured(socket, raw) {
        sockets.replace(raw, socket);
        server.emit('connection', socket);
      },
      failed: options.onMalformed,
    })
    .catch(async (error: unknown) => {
      await closeServer();
      throw error;
    });
  return {
    port: plain.port,
    tlsPort: door?.port ?? 0,
    get sockets() {
      return sockets.size;
    },
    limitSockets(count) {
      sockets.limit = Math.min(maxSockets, count);
    },
    restrict(on) {
      restricted = on;
      plain.restrict(on);
    },
    closeExposed() {
      const found = [...sockets.open()].filter(exposed);
      const addresses = new Set(found.map(({ remoteAddress = 'unknown' }) => remoteAddress));
      for (const socket of found) socket.destroy();
      return addresses;
    },
    async [Symbol.asyncDispose]() {
      plain[Symbol.dispose]();
      const closed = Promise.all([closeServer(), door?.close()]);
      for (const socket of sockets.open()) if (!busy.has(socket)) socket.destroy();
      const late = setTimeout(() => server.closeAllConnections(), options.graceMs);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Knows the sockets with unanswered requests. */
function createBusySockets() {
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
  return { busy, note };
}

/** The HTTP status for some errors of the HTTP parser; all other errors have the status 400. Node.js uses the same statuses. */
const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Counts the open sockets of an HTTP server, and limits the number of all sockets and of those of one address. */
class SocketCounts {
  /** Largest number of open sockets. */
  limit: number;
  private readonly perAddress: number;
  private readonly onRefused: () => void;
  /** The open sockets with the addresses of their clients. */
  private readonly sockets = new Map<Socket, string>();
  private readonly addresses = new Map<string, number>();

  constructor(perAddress: number, limit: number, onRefused: () => void) {
    this.perAddress = perAddress;
    this.limit = limit;
    this.onRefused = onRefused;
  }

  get size(): number {
    return this.sockets.size;
  }

  has(socket: Socket): boolean {
    return this.sockets.has(socket);
  }

  open(): Iterable<Socket> {
    return this.sockets.keys();
  }

  /** Counts a new socket until it closes, or until it is forgotten. Returns false, without counting it, if a limit is reached. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? '';
    const open = this.addresses.get(address) ?? 0;
    if (open >= this.perAddress || this.sockets.size >= this.limit) {
      this.onRefused();
      return false;
    }
    this.addresses.set(address, open + 1);
    this.sockets.set(socket, address);
    socket.once('close', () => this.forget(socket));
    return true;
  }

  /** Counts the encrypted socket instead of the TCP socket that carries it. */
  replace(raw: Socket, encrypted: Socket): void {
    const address = this.sockets.get(raw);
    if (address === undefined) return;
    this.sockets.delete(raw);
    this.sockets.set(encrypted, address);
    encrypted.once('close', () => this.forget(encrypted));
  }

  /** Counts the socket no longer. */
  forget(socket: Socket): void {
    const address = this.sockets.get(socket);
    if (address === undefined) return;
    this.sockets.delete(socket);
    const left = (this.addresses.get(address) ?? 1) - 1;
    if (left === 0) this.addresses.delete(address);
    else this.addresses.set(address, left);
  }
}
