/** Connections whose bytes another computer on the network can read, and the ports on which they arrive. */
import type { Server, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Decides whether a socket is exposed: it has no TLS, and its other end is on another computer. */
export type IsExposed = (socket: Socket) => boolean;

export const isExposed: IsExposed = (socket) => !(socket instanceof TLSSocket) && !isOwnComputer(socket);

/** Returns true if both ends are on this computer: the client has a loopback address, or the same address as the gateway. */
function isOwnComputer({ remoteAddress = '', localAddress }: Socket): boolean {
  const address = remoteAddress.replace(/^::ffff:/, '');
  return address === '::1' || address.startsWith('127.') || remoteAddress === localAddress;
}

/** The time after which the gateway tries again to open a port that it could not open. */
const AGAIN_MS = 1_000;
const OWN_COMPUTER = '127.0.0.1';

export interface PlainPort extends Disposable {
  readonly port: number;
  /**
   * Closes the port for other computers, or opens it again. Programs on this computer may use it in both cases. If the port cannot be
   * opened, `failed` is called, and the gateway tries again until it succeeds.
   */
  restrict(on: boolean): void;
}

/**
 * Opens the port of a server without TLS. `restricted`: only this computer may use it. If the server would listen on all addresses, a
 * restricted port listens only on the loopback address. So another computer cannot connect, and its client sends no key.
 * If `host` is one address, a restricted port stays open, and the server must close exposed sockets.
 */
export async function openPlainPort(
  server: Server,
  options: { host: string; port: number; restricted: boolean; failed: (error: Error) => void },
): Promise<PlainPort> {
  const { host, failed } = options;
  const isWide = host === '0.0.0.0' || host === '::' || host === '';
  const hostFor = (restricted: boolean) => (isWide && restricted ? OWN_COMPUTER : host);
  let wanted = hostFor(options.restricted);
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, wanted, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  server.on('error', (error) => {
    failed(error);
    if (!server.listening) timer = setTimeout(listen, AGAIN_MS);
  });
  function listen(): void {
    server.listen(port, wanted);
  }
  return {
    port,
    restrict(on) {
      const next = hostFor(on);
      if (next === wanted) return;
      wanted = next;
      clearTimeout(timer);
      if (server.listening) server.close();
      listen();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
