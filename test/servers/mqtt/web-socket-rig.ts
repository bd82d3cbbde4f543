/** A broker that an HTTP server gives its WebSockets, and clients that send WebSocket frames. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as dial, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { type Listener, openListener } from '#servers/base/listener.ts';
import { createMqttUpgrades } from '#servers/http/mqtt-upgrades.ts';
import { ownNames } from '#servers/http/origin-check.ts';
import type { BrokerOptions } from '#servers/mqtt/broker-types.ts';
import { soon } from '#test/support/until.ts';
import { type Rig, startRig } from './broker-rig.ts';

/** The end of a WebSocket: the close code, and the HTTP status if there was no upgrade. */
export interface Ended {
  readonly code: number;
  readonly status: number | undefined;
}

export interface WebSocketClient {
  readonly webSocket: WebSocket;
  readonly ended: Promise<Ended>;
  /** Reads so many bytes of the binary frames that came. */
  read(bytes: number): Promise<Buffer>;
}

export interface WebSocketRig extends AsyncDisposable {
  readonly rig: Rig;
  readonly listener: Listener;
  readonly url: string;
  /** Number of refused upgrades. */
  refusals: number;
  open(options?: { protocols?: string[]; headers?: Record<string, string>; path?: string }): WebSocketClient;
  /** A socket after a valid upgrade, on which a test sends its own bytes. */
  upgraded(): Promise<{ readonly socket: Socket; readonly closed: Promise<Buffer> }>;
}

export async function startWebSocketRig(options: Partial<BrokerOptions> = {}): Promise<WebSocketRig> {
  const rig = await startRig(options);
  const { webSockets } = rig.broker;
  const listener = await openListener({
    host: '127.0.0.1',
    port: 0,
    perAddress: 4,
    graceMs: 4_000,
    onRequest: (_request, response) => response.end('a page'),
    onRefused: () => {},
    onMalformed: () => {},
    upgrades: createMqttUpgrades(webSockets, {
      names: ownNames([]),
      plain: { refusesUpgrade: () => false },
      refused() {
        made.refusals++;
      },
    }),
  });
  const all: { terminate(): void }[] = [];
  const made: WebSocketRig = {
    rig,
    listener,
    url: `ws://127.0.0.1:${listener.port}/mqtt`,
    refusals: 0,
    open({ protocols = ['mqtt'], headers = {}, path = '/mqtt' } = {}) {
      const webSocket = new WebSocket(`ws://127.0.0.1:${listener.port}${path}`, protocols, { headers });
      all.push(webSocket);
      let answer = Buffer.alloc(0);
      let status: number | undefined;
      webSocket.on('message', (data) => {
        answer = Buffer.concat([answer, data as Buffer]);
        webSocket.emit('more');
      });
      webSocket.on('error', () => {});
      webSocket.on('unexpected-response', (_request, response: IncomingMessage) => {
        status = response.statusCode;
        webSocket.emit('close', 0);
      });
      const ended = new Promise<Ended>((done) => {
        webSocket.once('close', (code: number) => done({ code, status }));
      });
      return {
        webSocket,
        ended: soon(ended, 'the end of the WebSocket'),
        async read(bytes) {
          while (answer.length < bytes) await soon(once(webSocket, 'more'), `${bytes} bytes of the broker`);
          const taken = answer.subarray(0, bytes);
          answer = answer.subarray(bytes);
          return taken;
        },
      };
    },
    async upgraded() {
      const socket = dial(listener.port, '127.0.0.1');
      all.push({ terminate: () => socket.destroy() });
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(
        'GET /mqtt HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n',
      );
      const [head] = (await soon(once(socket, 'data'), 'the upgrade')) as [Buffer];
      if (!String(head).startsWith('HTTP/1.1 101 ')) throw new Error(String(head));
      let rest = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk as Buffer]);
      });
      const closed = new Promise<Buffer>((done) => {
        socket.once('close', () => done(rest));
      });
      return { socket, closed: soon(closed, 'the close of the socket') };
    },
    async [Symbol.asyncDispose]() {
      for (const one of all) one.terminate();
      await webSockets.close();
      await listener[Symbol.asyncDispose]();
      await rig[Symbol.asyncDispose]();
    },
  };
  return made;
}
