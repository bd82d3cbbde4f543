/**
 * A proxy between the gateway and PostgreSQL that reads the messages of the protocol (version 3) and harms them by a seed:
 *
 *   - statements that other databases do not have are refused, before they reach the server: advisory locks, transaction ids, sequences,
 *     triggers; so the tests show that the gateway uses none of them
 *   - a statement inside a transaction fails with 40001 or 40P01
 *   - the server ends a new connection in the same packet that accepts it, as a server that stops does
 *   - the connection is cut at a COMMIT: before it reaches the server, or after the server has committed and before its answer arrives
 *   - the server refuses to say which transactions were committed
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { Random } from '#test/sim/random.ts';

/** What only PostgreSQL has, or only some databases that speak its protocol. */
const REFUSED =
  /\bpg_(?:try_)?advisory|\bxid8?\b|\btxid_|pg_current_(?:xact|snapshot)|pg_snapshot|\bxmin\b|\bctid\b|nextval\(|(?<=\s)(?:big|small)?serial\b|CREATE (?:SEQUENCE|TRIGGER|FUNCTION)|LOCK TABLE/i;

export interface PostgresHarm {
  /** Chance that a new connection is ended in the packet that accepts it. */
  readonly login: number;
  /** Chance that a statement of a transaction fails as if it ran into another one. */
  readonly conflict: number;
  /** Chance that a connection is cut before its COMMIT has arrived. */
  readonly before: number;
  /** Chance that a connection is cut after its COMMIT has succeeded. */
  readonly after: number;
  /** Chance that the user may not read which transactions were committed. */
  readonly denied?: number;
}

export const NO_POSTGRES_HARM: PostgresHarm = { login: 0, conflict: 0, before: 0, after: 0 };

export interface PostgresProxy extends AsyncDisposable {
  readonly port: number;
  readonly counts: { statements: number; logins: number; conflicts: number; before: number; after: number };
  /** The statements that were refused. */
  readonly refused: string[];
  harm: PostgresHarm;
  /** Cuts all connections. */
  cut(): void;
  /** Returns the address of a database through the proxy. */
  through(url: string): string;
}

/** Splits a stream into messages. The first message of a client has no type. */
class Messages {
  #bytes = Buffer.alloc(0);
  #first: boolean;

  constructor(hasFirst: boolean) {
    this.#first = hasFirst;
  }

  *take(chunk: Buffer): Generator<{ readonly type: string; readonly bytes: Buffer }> {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const head = this.#first ? 0 : 1;
      if (this.#bytes.length < head + 4) return;
      const end = head + this.#bytes.readInt32BE(head);
      if (this.#bytes.length < end) return;
      const bytes = this.#bytes.subarray(0, end);
      yield { type: this.#first ? '' : String.fromCharCode(bytes[0] as number), bytes };
      this.#first = false;
      this.#bytes = this.#bytes.subarray(end);
    }
  }
}

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const failure = (code: string, text: string): Buffer =>
  message('E', Buffer.from(`SERROR\0VERROR\0C${code}\0M${text}\0\0`));

/** Starts a proxy before a server on this computer. */
export async function startPostgresProxy(target: number, seed: number): Promise<PostgresProxy> {
  const random = new Random(seed);
  const sockets = new Set<Socket>();
  const counts = { statements: 0, logins: 0, conflicts: 0, before: 0, after: 0 };
  const refused: string[] = [];
  let harm = NO_POSTGRES_HARM;

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  function serve(client: Socket): void {
    const upstream = dial(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const state = { isNew: true, isInside: false, skips: false, cutsAfter: false };
    const fromClient = new Messages(true);
    const fromServer = new Messages(false);

    /** Answers a statement in place of the server. The server gets what ends the transaction, so both ends agree. */
    function fail(code: string, text: string, isSimple: boolean): void {
      client.write(failure(code, text));
      if (!isSimple) state.skips = true;
      else client.write(message('Z', Buffer.from(state.isInside ? 'E' : 'I')));
    }

    client.on('data', (chunk) => {
      for (const { type, bytes } of fromClient.take(chunk)) {
        if (state.skips) {
          if (type !== 'S') continue;
          state.skips = false;
          client.write(message('Z', Buffer.from(state.isInside ? 'E' : 'I')));
          continue;
        }
        if (type !== 'Q' && type !== 'P') {
          upstream.write(bytes);
          continue;
        }
        const [name = '', statement = ''] = bytes.toString('utf8', 5).split('\0');
        const text = type === 'Q' ? name : statement;
        counts.statements++;
        if (REFUSED.test(text)) {
          refused.push(text);
          fail('0A000', 'this database does not have this', type === 'Q');
          continue;
        }
        if (/^SELECT .+ FROM \S+commits /i.test(text) && random.chance(harm.denied ?? 0)) {
          fail('42501', 'permission denied for table commits', type === 'Q');
          continue;
        }
        if (/^BEGIN/i.test(text)) state.isInside = true;
        if (/^(?:COMMIT|ROLLBACK$)/i.test(text)) {
          state.isInside = false;
          if (/^COMMIT/i.test(text)) {
            if (random.chance(harm.before)) {
              counts.before++;
              client.destroy();
              return;
            }
            if (random.chance(harm.after)) state.cutsAfter = true;
          }
        } else if (
          state.isInside &&
          !/^(?:BEGIN|SAVEPOINT|RELEASE|ROLLBACK)/i.test(text) &&
          random.chance(harm.conflict)
        ) {
          counts.conflicts++;
          fail(random.chance(0.5) ? '40001' : '40P01', 'could not serialize access', type === 'Q');
          continue;
        }
        upstream.write(bytes);
      }
    });
    upstream.on('data', (chunk) => {
      for (const { type, bytes } of fromServer.take(chunk)) {
        if (state.cutsAfter && type === 'C') {
          counts.after++;
          client.destroy();
          return;
        }
        if (type === 'Z' && state.isNew) {
          state.isNew = false;
          if (random.chance(harm.login)) {
            counts.logins++;
            client.end(Buffer.concat([bytes, failure('57P01', 'terminating connection due to administrator command')]));
            return;
          }
        }
        client.write(bytes);
      }
    });
  }

  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    counts,
    refused,
    get harm() {
      return harm;
    },
    set harm(next) {
      harm = next;
    },
    cut,
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
