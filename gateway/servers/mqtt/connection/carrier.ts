import type { Duplex } from 'node:stream';

/** What carries the bytes of a connection: a TCP socket, a TLS socket or a WebSocket. */
export interface Carrier extends Duplex {
  readonly remoteAddress?: string | undefined;
  setNoDelay(on: boolean): unknown;
  setKeepAlive(on: boolean, afterMs: number): unknown;
  /** Sends the remaining bytes and then closes the connection. */
  destroySoon(): void;
}
