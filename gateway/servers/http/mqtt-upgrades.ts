/** Upgrade requests for `/mqtt`: the HTTP server checks Host and Origin, and gives the socket to the broker. */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, OperationError } from '#contract/base/errors.ts';
import type { Upgrades } from '#servers/base/listener.ts';
import { checkOrigin, type OwnNames } from './origin-check.ts';
import type { PlainRequests } from './plain-requests.ts';
import { requestId } from './request-context.ts';

const PATH = /^\/mqtt(\?|$)/;

/** The broker, as far as it takes WebSockets. */
export interface WebSocketBroker {
  /** Completes the upgrade, or returns why it is refused. */
  take(request: IncomingMessage, socket: Socket, head: Buffer): 'subprotocol' | 'connections' | undefined;
  /** Closes all its WebSockets and takes no more. */
  close(): Promise<void>;
}

const REFUSALS = {
  subprotocol: () =>
    new OperationError('parameter_invalid', 'Request the subprotocol `mqtt` in the header Sec-WebSocket-Protocol.'),
  connections: () => new OperationError('rate_limited', 'Too many MQTT connections. Try again later.'),
} as const;

interface UpgradeOptions {
  /** The host names that a request may use. */
  readonly names: OwnNames;
  readonly plain: Pick<PlainRequests, 'refusesUpgrade'>;
  /** Called for each refused request. */
  readonly refused: () => void;
}

export function createMqttUpgrades(broker: WebSocketBroker, { names, plain, refused }: UpgradeOptions): Upgrades {
  return {
    wanted: ({ url, headers }) => PATH.test(url ?? '') && headers.upgrade?.toLowerCase() === 'websocket',
    take(request, socket, head) {
      try {
        checkOrigin(request, names);
        if (plain.refusesUpgrade(request))
          throw new OperationError(
            'encryption_required',
            'Use the port with TLS (wss), and replace the key of the device.',
          );
        const refusal = broker.take(request, socket, head);
        if (refusal !== undefined) throw REFUSALS[refusal]();
      } catch (error) {
        if (!(error instanceof OperationError)) throw error;
        refused();
        refuse(socket, error);
      }
    },
  };
}

/** Answers with an error object and closes the socket. */
function refuse(socket: Socket, error: OperationError): void {
  const body = JSON.stringify(errorBody(error, requestId()));
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(error.code === 'rate_limited' ? ['Retry-After: 5'] : []),
    '',
    body,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(lines.join('\r\n'), () => socket.destroy());
}
