/**
 * Registers which connection uses which client id. aedes deletes a client by its id alone: when an old connection closes after a new one
 * with the same id has opened, aedes would delete the new one. This module identifies each connection by its socket instead.
 *
 *   CONNECT with a correct key -> claim: the holder's socket is destroyed -> the holder has ended -> register -> CONNACK
 *   socket closed and aedes has unregistered the client -> ended -> the next connection may hold the id
 */
import type { Aedes, Client } from 'aedes';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';

/** A connection that uses a client id, or waits until the earlier connection with this id has ended. */
interface Claim {
  readonly client: Client;
  readonly connection: ConnectionFilter;
  /** Resolves when the socket is closed. */
  readonly closed: PromiseWithResolvers<void>;
  /** Resolves when aedes has unregistered the client. Only a registered client is known to aedes. */
  readonly unregistered: PromiseWithResolvers<void>;
  registered: boolean;
  /** Resolves when this connection, and all earlier ones with the same client id, have ended. */
  ended: Promise<void>;
}

/** The connections by client id. */
export interface Presence {
  /**
   * Ends the earlier connection with the id of this client, and waits until it has ended. Returns false if the new connection ended in
   * the meantime. [MQTT-3.1.4-2]
   */
  claim(client: Client, connection: ConnectionFilter): Promise<boolean>;
  /** Registers the client with aedes. Call it after `claim`, in the same turn of the event loop in which aedes gets its answer. */
  register(connection: ConnectionFilter): void;
  /** Whether this client, and not another connection, is registered for its id now. */
  isRegistered(client: Client): boolean;
  /** Whether this connection was registered at any time. */
  wasRegistered(connection: ConnectionFilter): boolean;
  /** Call it when the socket of a connection is closed. */
  closed(connection: ConnectionFilter): void;
}

/** The private members of aedes that register clients by id. */
interface Registry {
  readonly clients: Record<string, Client>;
  connectedClients: number;
  registerClient(client: Client): void;
  unregisterClient(client: Client): void;
}

/**
 * Takes over the registration of clients from aedes. `unregistered` is called when aedes unregisters a client, before another
 * connection can hold its id.
 */
export function createPresence(aedes: Aedes, unregistered: (client: Client) => void): Presence {
  const registry = aedes as unknown as Registry;
  /** The newest connection of each client id. The older ones of that id are ending. */
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
