/**
 * Registers which connection uses which client id. When a connection closes, aedes (the MQTT library) deletes the client with this client
 * id. So if an old connection closes after a new one with the same id has opened, aedes would delete the new client. This module compares
 * the connection objects, not only the client ids.
 *
 *   CONNECT with a correct key -> claim: destroy the socket of the old connection -> old connection has ended -> register -> CONNACK
 *   socket closed, and aedes has unregistered the client -> the connection has ended -> the next connection may use the client id
 */
import type { Aedes, Client } from 'aedes';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';

/** A connection that uses a client id, or waits until the earlier connection with this id has ended. */
interface Claim {
  readonly client: Client;
  readonly connection: ConnectionFilter;
  /** Resolves when the socket is closed. */
  readonly closed: PromiseWithResolvers<void>;
  /** Resolves when aedes has unregistered the client. It never resolves for a client that was not registered. */
  readonly unregistered: PromiseWithResolvers<void>;
  registered: boolean;
  /** Resolves when this connection, and all earlier ones with the same client id, have ended. */
  ended: Promise<void>;
}

/** Finds and registers the connection of each client id. */
export interface Presence {
  /**
   * Ends the earlier connection with the client id of this client, and waits until that connection has ended. Resolves with false if the
   * new connection was closed during this wait. [MQTT-3.1.4-2]
   */
  claim(client: Client, connection: ConnectionFilter): Promise<boolean>;
  /**
   * Registers the client with aedes. Call it after `claim`, and then call `done` of `authenticate` without an `await` between the two
   * calls.
   */
  register(connection: ConnectionFilter): void;
  /** Returns true if this client is registered for its client id. Returns false if another connection is registered for this client id. */
  isRegistered(client: Client): boolean;
  /** Returns true if `register` was ever called for this connection. */
  wasRegistered(connection: ConnectionFilter): boolean;
  /** Call it when the socket of a connection is closed. */
  closed(connection: ConnectionFilter): void;
}

/** The private members of aedes with which it registers clients by their client id. */
interface Registry {
  readonly clients: Record<string, Client>;
  connectedClients: number;
  registerClient(client: Client): void;
  unregisterClient(client: Client): void;
}

/**
 * Replaces the registration of clients in aedes. Calls `unregistered` when aedes unregisters a client, before another connection can use
 * the client id.
 */
export function createPresence(aedes: Aedes, unregistered: (client: Client) => void): Presence {
  const registry = aedes as unknown as Registry;
  /** The newest connection of each client id. The broker has already begun to close older connections with the same id. */
  const newest = new Map<string, Claim>();
  const claims = new WeakMap<ConnectionFilter, Claim>();

  async function endOf(claim: Claim, before: Claim | undefined): Promise<void> {
    await before?.ended;
    await claim.closed.promise;
    if (claim.registered) await claim.unregistered.promise;
    if (newest.get(claim.client.id) === claim) newest.delete(claim.client.id);
  }

  // `register` has already registered the client when aedes calls this.
  registry.registerClient = () => {};
  registry.unregisterClient = (client) => {
    if (registry.clients[client.id] !== client) return;
    unregistered(client);
    delete registry.clients[client.id];
    registry.connectedClients--;
    claims.get(client.conn as unknown as ConnectionFilter)?.unregistered.resolve();
  };

  return {
    async claim(client, connection) {
      const before = newest.get(client.id);
      const claim: Claim = {
        client,
        connection,
        closed: Promise.withResolvers(),
        unregistered: Promise.withResolvers(),
        registered: false,
        ended: Promise.resolve(),
      };
      claim.ended = endOf(claim, before);
      newest.set(client.id, claim);
      claims.set(connection, claim);
      before?.connection.abort();
      await before?.ended;
      return !connection.destroyed;
    },
    register(connection) {
      const claim = claims.get(connection) as Claim;
      claim.registered = true;
      registry.clients[claim.client.id] = claim.client;
      registry.connectedClients++;
    },
    isRegistered: (client) => registry.clients[client.id] === client,
    wasRegistered: (connection) => claims.get(connection)?.registered === true,
    closed: (connection) => claims.get(connection)?.closed.resolve(),
  };
}
