/** A WebSocket as a stream of bytes, so that a connection filter can use it like a TCP socket. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { LargeMessages } from './large-messages.ts';

/** Close codes of WebSocket (RFC 6455 7.4.1). */
const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;
const TRY_AGAIN_LATER = 1013;
/** Bytes of a ping frame without its data: the header and the mask. */
const PING_HEAD = 6;
/** While more bytes than this wait to be sent, the broker answers no ping. A client could otherwise fill the memory with answers. */
const UNSENT_PONGS = 64 * 1024;

export class WebSocketStream extends Duplex {
  /** The close code that the broker sends when it ends the connection. */
  closeCode = NORMAL;
  readonly remoteAddress: string | undefined;
  private readonly raw: Socket;
  private readonly webSocket: WebSocket;

  /**
   * `refused` is called with a reason when the client violates the protocol of WebSocket, or sends a large message while `large` has no
   * place. The connection then closes.
   */
  constructor(webSocket: WebSocket, raw: Socket, large: LargeMessages, refused: (reason: string) => void) {
    super();
    this.webSocket = webSocket;
    this.raw = raw;
    this.remoteAddress = raw.remoteAddress;
    // Bytes of the message that is not complete yet.
    let unfinished = 0;
    const count = ({ length }: Buffer): void => {
      unfinished += length;
      if (large.permits(this, unfinished)) return;
      raw.off('data', count);
      refused('a large message while other clients send large messages');
      webSocket.close(TRY_AGAIN_LATER, 'other clients send large messages');
    };
    raw.prependListener('data', count);
    this.once('close', () => large.free(this));
    webSocket.on('message', (data, isBinary) => {
      unfinished = 0;
      large.free(this);
      if (isBinary) {
        if (!this.push(data)) webSocket.pause();
        return;
      }
      // [MQTT-6.0.0-1]
      refused('a text frame, but MQTT needs binary frames');
      webSocket.close(UNSUPPORTED_DATA, 'MQTT needs binary frames');
    });
    webSocket.on('ping', (data) => {
      unfinished -= data.length + PING_HEAD;
      if (raw.writableLength <= UNSENT_PONGS) webSocket.pong(data);
    });
    webSocket.on('error', (error) => refused(`WebSocket: ${error.message}`));
    webSocket.on('close', () => this.push(null));
    // The bytes that came before the end of the WebSocket are read first.
    this.once('end', () => this.destroy());
    raw.once('close', () => {
      if (this.readableLength === 0) this.destroy();
    });
  }

  setNoDelay(on: boolean): this {
    this.raw.setNoDelay(on);
    return this;
  }

  setKeepAlive(on: boolean, afterMs: number): this {
    this.raw.setKeepAlive(on, afterMs);
    return this;
  }

  /** Sends the remaining bytes and then closes the connection. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    if (this.webSocket.isPaused) this.webSocket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.webSocket.send(chunk, { binary: true }, (error) => done(error));
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map((one) => one.chunk)), '', done);
  }

  override _final(done: () => void): void {
    if (this.webSocket.readyState === this.webSocket.CLOSED) {
      done();
      return;
    }
    this.webSocket.once('close', () => done());
    this.webSocket.close(this.closeCode);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.webSocket.terminate();
    done(error);
  }
}
