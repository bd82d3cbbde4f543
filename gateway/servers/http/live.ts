/**
 * Live streams as server-sent events (HTML Living Standard 9.2). A client gets a snapshot (the whole state), then the changes, and
 * heartbeats.
 *
 * A feed (the object that watches the data of one screen or project) builds each event once for all clients, and this file encodes each
 * event once. A client with more than 256 kB of unread data gets the event `resync` and is disconnected, so that its queue does not grow.
 * The client reconnects and gets a new snapshot.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OperationError } from '#contract/base/errors.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { type Feed, type FeedSource, type FeedTarget, HEARTBEAT_MS, type LiveEvents } from '#contract/site/live.ts';
import type { ProjectFeed } from '#contract/site/project-live.ts';
import { createPlaces } from '#servers/base/fair-share.ts';

export interface Live extends Disposable {
  /** Number of connected clients. */
  readonly clients: number;
  /** Number of clients that were disconnected because they read too slowly. */
  readonly dropped: number;
  /**
   * Starts a stream; throws `not_found` or `rate_limited` before it sends anything. The stream calls `allowed` whenever a key changes, and
   * ends if `allowed` returns false.
   */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    target: FeedTarget | { readonly office: string },
    allowed: () => Promise<boolean>,
    /**
     * The key or display link (a link that needs no login) of this stream, and the address of its client. The limit of open streams applies
     * to each of them.
     */
    holders: readonly string[],
  ): Promise<void>;
  /** Ends each stream with a key that no longer allows the stream. */
  recheck(): Promise<void>;
}

const MAX_CLIENTS = LIMITS.streams.value;
/** Limit for the streams of one key, display link or address. */
const EACH = 50;
const MAX_BUFFER = LIMITS.stream_backlog.value;
/**
 * After the last event of a stream, the client has this many milliseconds to read it. After that time the gateway destroys the connection.
 */
const LINGER_MS = 2_000;

interface Client {
  readonly response: ServerResponse;
  readonly allowed: () => Promise<boolean>;
  end(): void;
}

/** Creates the live streams. Heartbeats contain `build`, so that a page notices a new version of itself and reloads. */
export function createLive(options: {
  feeds: FeedSource;
  build: string;
  clock: () => number;
  maxClients?: number;
  maxBuffer?: number;
  heartbeatMs?: number;
  lingerMs?: number;
}): Live {
  const { feeds, build, clock, maxClients = MAX_CLIENTS, maxBuffer = MAX_BUFFER, lingerMs = LINGER_MS } = options;
  const clients = new Set<Client>();
  const encoded = new WeakMap<object, string>();
  const places = createPlaces({ total: maxClients, each: EACH, what: 'screens' });
  let dropped = 0;

  function encode(name: keyof LiveEvents, data: object): string {
    let text = encoded.get(data);
    if (text === undefined) {
      text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
      encoded.set(data, text);
    }
    return text;
  }

  function send(client: Client, name: keyof LiveEvents, data: object): void {
    const { response } = client;
    if (response.writableLength > maxBuffer) {
      dropped++;
      response.write(encode('resync', { reason: 'this client reads too slowly' }));
      client.end();
      return;
    }
    response.write(encode(name, data));
  }

  async function recheckOne(client: Client): Promise<void> {
    if ((await client.allowed()) || !clients.has(client)) return;
    client.response.write(encode('gone', { reason: 'the key of this page was revoked' }));
    client.end();
  }

  const beat = setInterval(() => {
    if (clients.size === 0) return;
    const data = { server_ms: clock(), build };
    for (const client of clients) send(client, 'heartbeat', data);
  }, options.heartbeatMs ?? HEARTBEAT_MS);
  beat.unref();

  return {
    get clients() {
      return clients.size;
    },
    get dropped() {
      return dropped;
    },
    async serve(request, response, target, allowed, holders) {
      const release = places.take(...holders);
      response.on('close', release);
      const wanted: Promise<Feed | ProjectFeed | undefined> =
        'office' in target ? feeds.project(target.office) : feeds.open(target);
      const feed = await wanted.catch((error: unknown) => {
        release();
        throw error;
      });
      if (feed === undefined) {
        release();
        throw new OperationError(
          'not_found',
          'There is nothing to show: this display link or board is unknown, paused, revoked or replaced.',
        );
      }
      if (response.destroyed) return release();
      response.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      request.socket.setNoDelay(true);
      let unsubscribe = () => {};
      const client: Client = {
        response,
        allowed,
        end() {
          if (!clients.delete(client)) return;
          unsubscribe();
          response.end();
          setTimeout(() => response.destroy(), lingerMs).unref();
        },
      };
      clients.add(client);
      response.on('close', () => {
        clients.delete(client);
        unsubscribe();
      });
      response.on('error', () => client.end());
      send(client, 'snapshot', feed.snapshot());
      unsubscribe = feed.subscribe((event) => {
        if (!clients.has(client)) return;
        if (event.name === 'gone' || event.name === 'resync') {
          response.write(encode(event.name, event.data));
          client.end();
        } else send(client, event.name, event.data);
      });
      // Check again. Somebody may have revoked the key while the feed was opening, and `recheck` did not know this client at that time.
      await recheckOne(client);
    },
    async recheck() {
      for (const client of [...clients]) await recheckOne(client);
    },
    [Symbol.dispose]() {
      clearInterval(beat);
      for (const client of [...clients]) client.end();
    },
  };
}
