/**
 * A TCP proxy that harms connections by a seed: it delays bytes, stalls, cuts a connection before the request has arrived or after it has
 * arrived and before the answer, and sends a request a second time.
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Random } from '#test/sim/random.ts';

export interface Harm {
  /** Chance that a request is cut before all of it has arrived. */
  readonly before: number;
  /** Chance that the answer to a request is dropped and the connection is cut. */
  readonly after: number;
  /** Chance that a request is sent again on another connection, whose answer nobody reads. */
  readonly again: number;
  /** Longest delay of each piece of bytes, in ms. */
  readonly delay_ms: number;
}

export const NO_HARM: Harm = { before: 0, after: 0, again: 0, delay_ms: 0 };

export interface CutProxy extends AsyncDisposable {
  readonly port: number;
  /** What happened so far; `up` and `down` are bytes. */
  readonly counts: { connections: number; before: number; after: number; again: number; up: number; down: number };
  /** Changes what happens to requests from now on. */
  harm: Harm;
  /** Refuses all connections, as a site without a link. */
  cut(): void;
  open(): void;
}

/** Starts a proxy before a port of this computer. */
export async function startCutProxy(target: number, seed: number): Promise<CutProxy> {
  const random = new Random(seed);
  const sockets = new Set<Socket>();
  const counts = { connections: 0, before: 0, after: 0, again: 0, up: 0, down: 0 };
  let isCut = false;
  let harm = NO_HARM;

  /** Does things one after the other, each after a delay. */
  const inOrder = () => {
    let last = Promise.resolve();
    return (work: () => void): void => {
      const ms = random.between(0, harm.delay_ms);
      last = last
        .then(() => (ms === 0 ? undefined : new Promise<void>((resolve) => void setTimeout(resolve, ms))))
        .then(work);
    };
  };

  /** Sends a request once more, and reads nothing of its answer but its end. */
  function repeat(request: Buffer): void {
    counts.again++;
    const socket = dial(target, '127.0.0.1', () => socket.end(request));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  }

  const server: Server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    counts.connections++;
    const upstream = dial(target, '127.0.0.1');
    const both = [client, upstream];
    const end = (): void => {
      for (const socket of both) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    const [up, down] = [inOrder(), inOrder()];
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', end);
    }
    client.on('close', end);
    // What the server sent before it closed the connection still arrives.
    upstream.on('close', () => down(end));
    let dropsAnswer = false;
    client.on('data', (chunk) => {
      counts.up += chunk.length;
      // The begin of a message of the replication: only these requests are harmed.
      const isMessage = chunk.includes('POST /api/v1/sync/messages');
      if (isMessage && random.chance(harm.before)) {
        counts.before++;
        up(() => {
          upstream.write(chunk.subarray(0, random.int(chunk.length)));
          end();
        });
        return;
      }
      if (isMessage && random.chance(harm.after)) {
        counts.after++;
        dropsAnswer = true;
      }
      if (isMessage && random.chance(harm.again)) repeat(chunk);
      // While a piece waits, the link takes no more: its bytes would be lost with a cut.
      client.pause();
      up(() => {
        upstream.write(chunk);
        client.resume();
      });
    });
    upstream.on('data', (chunk) => {
      counts.down += chunk.length;
      if (dropsAnswer) end();
      else down(() => client.write(chunk));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    port: address.port,
    counts,
    get harm() {
      return harm;
    },
    set harm(next: Harm) {
      harm = next;
    },
    cut() {
      isCut = true;
      for (const socket of [...sockets]) socket.destroy();
    },
    open() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...sockets]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
