/**
 * A TLS listener. It accepts TCP sockets within the limits of its owner, makes the handshakes in turns, and gives the encrypted sockets to the
 * owner. All TLS options of the gateway are in this file.
 *
 *   TCP socket -> admit -> complete ClientHello -> turn -> handshake -> secured
 */
import { constants } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Certificates } from './certificates.ts';
import type { HandshakeTurns } from './handshake-turns.ts';

/** Versions, ciphers and curves of all TLS listeners: those of the "intermediate" profile of Mozilla with forward secrecy and AEAD. */
const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  honorCipherOrder: true,
  ecdhCurve: 'X25519:P-256:P-384',
  // A client could renegotiate a TLS 1.2 connection, and so make handshakes that no limit counts.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  /** Seconds for which a client can resume its session without a full handshake. */
  sessionTimeout: 86_400,
} as const;
/** Milliseconds that a client has to send its ClientHello, and then to complete the handshake. */
const HELLO_MS = 5_000;
const HANDSHAKE_MS = 5_000;
/** A TLS record has a header of 5 bytes. A ClientHello must fit into one record, so it has at most 16 KiB. */
const RECORD_HEADER = 5;
const MAX_RECORD = 16_384;
const HANDSHAKE_RECORD = 22;
/** A handshake message begins with its type (1 byte) and its length (3 bytes). */
const HANDSHAKE_HEADER = 4;

export interface DoorOptions {
  readonly host: string;
  readonly port: number;
  /** Protocols that a client may select with ALPN (RFC 7301). A client without ALPN is accepted, too. */
  readonly alpn: readonly string[];
  /** Counts a new TCP socket. Returns false if it is refused; the listener then destroys it. */
  readonly admit: (raw: Socket) => boolean;
  /** Called when a handshake has succeeded. */
  readonly secured: (socket: TLSSocket, raw: Socket) => void;
  /** Called when a client sent no valid handshake. Not called for a client that only disconnects. */
  readonly failed: (code: string, address: string) => void;
}

export interface Door {
  readonly port: number;
  /** Stops listening and ends unfinished handshakes. Resolves when the owner has closed all encrypted sockets, too. */
  close(): Promise<void>;
}

/** Opens a TLS listener. Rejects with the system error if the port cannot be used. */
export async function openDoor(certificates: Certificates, turns: HandshakeTurns, options: DoorOptions): Promise<Door> {
  const tlsOptions = () => {
    const { key, certificate } = certificates.current();
    return { ...TLS_OPTIONS, key, cert: certificate };
  };
  /** Makes the handshakes. It does not listen itself. */
  const handshakes = createTlsServer({
    ...tlsOptions(),
    ALPNProtocols: [...options.alpn],
    handshakeTimeout: HANDSHAKE_MS,
  });
  const unwatch = certificates.watch(() => handshakes.setSecureContext(tlsOptions()));
  /** TCP sockets before the end of their handshake, by the address and port of the client. */
  const starting = new Map<string, { readonly raw: Socket; leave: () => void }>();

  function begin(raw: Socket): void {
    const peer = peerOf(raw);
    const address = raw.remoteAddress ?? '';
    const entry = { raw, leave: () => {} };
    starting.set(peer, entry);
    const late = setTimeout(() => fail('hello_timeout'), HELLO_MS);
    const fail = (code: string): void => {
      options.failed(code, address);
      raw.destroy();
    };
    raw.on('error', () => raw.destroy());
    raw.once('close', () => {
      clearTimeout(late);
      if (starting.get(peer) !== entry) return;
      starting.delete(peer);
      entry.leave();
    });
    onHello(raw, (refusal) => {
      clearTimeout(late);
      if (refusal !== undefined) return fail(refusal);
      const leave = turns.enter(address, () => handshakes.emit('connection', raw));
      if (leave === undefined) fail('too_many_handshakes');
      else entry.leave = leave;
    });
  }

  handshakes.on('secureConnection', (socket) => {
    const peer = peerOf(socket);
    const entry = starting.get(peer);
    if (entry === undefined) {
      socket.destroy();
      return;
    }
    starting.delete(peer);
    entry.leave();
    options.secured(socket, entry.raw);
  });
  handshakes.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const code = error.code ?? error.name;
    if (code !== 'ECONNRESET' && code !== 'EPIPE') options.failed(code, socket.remoteAddress ?? '');
    socket.destroy();
  });

  const server = createServer((raw) => {
    if (options.admit(raw)) begin(raw);
    else raw.destroy();
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    unwatch();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      unwatch();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { raw } of starting.values()) raw.destroy();
      await closed;
    },
  };
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/**
 * Calls `done` when the complete ClientHello has arrived, or with a reason if the client sends something else. The bytes stay readable. So a
 * client cannot start many handshakes slowly and let them all do their work at the same moment.
 */
function onHello(raw: Socket, done: (refusal?: string) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  raw.on('readable', function read() {
    const chunk = raw.read() as Buffer | null;
    if (chunk === null) return;
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const refusal = helloRefusal(bytes);
    if (refusal === undefined && bytes.length < RECORD_HEADER) return;
    if (refusal === undefined && bytes.length < RECORD_HEADER + bytes.readUInt16BE(3)) return;
    raw.off('readable', read);
    if (refusal === undefined) raw.unshift(bytes);
    done(refusal);
  });
}

/** Returns why the first bytes of a client are not a ClientHello in one TLS record (RFC 8446 5.1); undefined if they may be one. */
function helloRefusal(bytes: Buffer): string | undefined {
  if (bytes[0] !== HANDSHAKE_RECORD) return 'not_tls';
  if (bytes.length < RECORD_HEADER + HANDSHAKE_HEADER) return undefined;
  const length = bytes.readUInt16BE(3);
  if (length > MAX_RECORD) return 'record_too_long';
  return HANDSHAKE_HEADER + bytes.readUIntBE(RECORD_HEADER + 1, 3) > length ? 'hello_in_parts' : undefined;
}
