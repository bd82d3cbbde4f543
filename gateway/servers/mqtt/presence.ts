/**
 * Which connection holds which client id. aedes deletes a client by its id, so a connection that ends late would delete its successor;
 * here each connection is known by its socket.
 *
 *   CONNECT with the right key ─▶ claim: the holder's socket is destroyed ─▶ the holder has ended ─▶ hold ─▶ CONNACK
 *                                 socket closed, and aedes has let the client go ─▶ ended ─▶ the next one may hold the id
 */
import type { Aedes, Client } from 'aedes';
import type { ConnectionFilter } from './connection-filter.ts';

/** A connection that holds a client id, or waits for it. */
interface Place {
  readonly client: Client;
  readonly connection: ConnectionFilter;
  /** Resolves when the socket is closed. */
  readonly closed: PromiseWithResolvers<void>;
  /** Resolves when aedes has unsubscribed the client; only a client that held its id is known to aedes. */
  readonly released: PromiseWithResolvers<void>;
  held: boolean;
  /** Resolves when this connection and all before it with the same client id have ended. */
  ended: Promise<void>;
}

/** The holders of client ids. */
export interface Presence {
  /** Ends the connection that holds this client's id, and resolves when that has ended; false when this one ended meanwhile. [MQTT-3.1.4-2] */
  claim(client: Client, connection: ConnectionFilter): Promise<boolean>;
  /** Makes the client known to aedes. Call it behind `claim`, in the same turn in which aedes is answered. */
  hold(connection: ConnectionFilter): void;
  /** Whether this client, and not another connection, holds its id now. */
  holds(client: Client): boolean;
  /** Whether this connection held its id at any time. */
  cameIn(connection: ConnectionFilter): boolean;
  /** Call it when the socket of a connection is closed. */
  closed(connection: ConnectionFilter): void;
}

/** What aedes does by id. */
interface Registry {
  readonly clients: Record<string, Client>;
  connectedClients: number;
  registerClient(client: Client): void;
  unregisterClient(client: Client): void;
}

/** Takes over from `broker` who is registered; `released` is called when aedes lets a client go, before the next holds its id. */
export function createPresence(broker: Aedes, released: (client: Client) => void): Presence {
  const registry = broker as unknown as Registry;
  /** The newest connection of each client id; the older ones of the id are ending. */
  const newest = new Map<string, Place>();
  const places = new WeakMap<ConnectionFilter, Place>();

  async function endOf(place: Place, before: Place | undefined): Promise<void> {
    await before?.ended;
    await place.closed.promise;
    if (place.held) await place.released.promise;
    if (newest.get(place.client.id) === place) newest.delete(place.client.id);
  }

  // A client is registered by `hold`, before aedes comes to it.
  registry.registerClient = () => {};
  registry.unregisterClient = (client) => {
    if (registry.clients[client.id] !== client) return;
    released(client);
    delete registry.clients[client.id];
    registry.connectedClients--;
    places.get(client.conn as unknown as ConnectionFilter)?.released.resolve();
  };

  return {
    async claim(client, connection) {
      const before = newest.get(client.id);
      const place: Place = {
        client,
        connection,
        closed: Promise.withResolvers(),
        released: Promise.withResolvers(),
        held: false,
        ended: Promise.resolve(),
      };
      place.ended = endOf(place, before);
      newest.set(client.id, place);
      places.set(connection, place);
      before?.connection.cut();
      await before?.ended;
      return !connection.destroyed;
    },
    hold(connection) {
      const place = places.get(connection) as Place;
      place.held = true;
      registry.clients[place.client.id] = place.client;
      registry.connectedClients++;
    },
    holds: (client) => registry.clients[client.id] === client,
    cameIn: (connection) => places.get(connection)?.held === true,
    closed: (connection) => places.get(connection)?.closed.resolve(),
  };
}
