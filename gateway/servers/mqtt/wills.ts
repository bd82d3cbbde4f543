/**
 * Stores and publishes last wills. This module does not use the code for wills of aedes, the MQTT library, because aedes finds a stored
 * will by its client id alone. When an old connection closes, aedes would delete the will of a new connection with the same client id.
 *
 *   CONNECT: `offer` -> no other connection uses the client id: `store` -> socket closed without DISCONNECT: publish, then delete the will
 */
import type { Client } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Packet } from '#servers/mqtt/sessions/session-state.ts';
import type { Will } from './routing.ts';

/** Stores wills so that they survive a crash. */
interface WillStore {
  storeWill(client: Pick<Client, 'id'>, will: Packet): { readonly stored: Packet; readonly written: Promise<void> };
  deleteWill(stored: Packet): void;
  delWill(client: { readonly id: string }): Promise<unknown>;
}

/** Keeps the last will of each open connection. */
export interface Wills {
  /** Keeps the will of a CONNECT in memory while the key of the client is being checked. */
  offer(connection: ConnectionFilter, will: Will): void;
  /** Stores the will of an authenticated client, or deletes the stored will if the client has none. Resolves when the change is on disk. */
  store(client: Client, connection: ConnectionFilter, identity: DeviceIdentity): Promise<void>;
  /** Call it when a connection has ended. Publishes the will of the connection if `publish` is true, and then deletes the stored will. */
  ended(connection: ConnectionFilter, publish: boolean): void;
  /** Removes the will of a connection from memory, so that the broker does not publish it. */
  drop(connection: ConnectionFilter): void;
}

/** Creates the holder of last wills. The function `publish` publishes a will, and calls `done` when the will is published or refused. */
export function createWills(store: WillStore, publish: (will: Will, done: () => void) => void): Wills {
  const wills = new WeakMap<ConnectionFilter, { readonly will: Will; stored: Packet | undefined }>();
  return {
    offer: (connection, will) => void wills.set(connection, { will, stored: undefined }),
    async store(client, connection, identity) {
      const own = wills.get(connection);
      if (own === undefined) {
        await store.delWill(client);
        return;
      }
      own.will.identity = identity;
      const { stored, written } = store.storeWill(client, own.will as Packet);
      own.stored = stored;
      await written;
    },
    ended(connection, mayPublish) {
      const own = wills.get(connection);
      if (own === undefined) return;
      wills.delete(connection);
      const { will, stored } = own;
      if (stored === undefined) return;
      const remove = (): void => store.deleteWill(stored);
      if (mayPublish) publish(will, remove);
      else remove();
    },
    drop(connection) {
      wills.delete(connection);
    },
  };
}
