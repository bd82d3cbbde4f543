/**
 * Last wills. This module replaces the one of aedes, which deletes a stored will by client id alone: when an old connection closes, aedes
 * would delete the will of a new connection with the same client id.
 *
 *   CONNECT: offer -> client id claimed: store, on disk -> socket closed without DISCONNECT: published, then deleted
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

/** The wills of open connections. */
export interface Wills {
  /** Keeps the will of a CONNECT in memory while the key of the client is being checked. */
  offer(connection: ConnectionFilter, will: Will): void;
  /** Stores the will of an authenticated client, or deletes the stored will if the client has none. Resolves when the change is on disk. */
  store(client: Client, connection: ConnectionFilter, identity: DeviceIdentity): Promise<void>;
  /** The connection has ended: publishes its will if `publish` is true, then deletes the stored one. */
  ended(connection: ConnectionFilter, publish: boolean): void;
  /** Forgets the will of a connection, so that it is not published. */
  drop(connection: ConnectionFilter): void;
}

/** `publish` publishes a will and calls back when it is published or refused. */
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
