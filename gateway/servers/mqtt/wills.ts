/**
 * Last wills, in the place of aedes, which removes a stored will by client id and so removes that of a successor.
 *
 *   CONNECT: offer ─▶ its turn has come: keep, on disk ─▶ socket closed without DISCONNECT: spoken, then forgotten
 */
import type { Client } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { Packet } from '#servers/mqtt/sessions/session-state.ts';
import type { ConnectionFilter } from './connection-filter.ts';
import type { Will } from './routing.ts';

/** Where wills are kept over a crash. */
interface WillStore {
  keepWill(client: Pick<Client, 'id'>, will: Packet): { readonly kept: Packet; readonly written: Promise<void> };
  forgetWill(kept: Packet): void;
  delWill(client: { readonly id: string }): Promise<unknown>;
}

/** The wills of the connections that are open. */
export interface Wills {
  /** Notes the will of a CONNECT whose key is not known yet. */
  offer(connection: ConnectionFilter, will: Will): void;
  /** Keeps the will of a client that comes in; a client without one loses what was kept for its id. Resolves when the disk has it. */
  keep(client: Client, connection: ConnectionFilter, identity: DeviceIdentity): Promise<void>;
  /** The connection has ended: its will is spoken if `say` allows it, and is no longer kept. */
  ended(connection: ConnectionFilter, say: boolean): void;
  /** The will of this connection is not spoken. */
  drop(connection: ConnectionFilter): void;
}

/** No wills yet; `speak` publishes one and calls back when it is published or refused. */
export function createWills(store: WillStore, speak: (will: Will, done: () => void) => void): Wills {
  const wills = new WeakMap<ConnectionFilter, { readonly will: Will; kept: Packet | undefined }>();
  return {
    offer: (connection, will) => void wills.set(connection, { will, kept: undefined }),
    async keep(client, connection, identity) {
      const own = wills.get(connection);
      if (own === undefined) {
        await store.delWill(client);
        return;
      }
      own.will.identity = identity;
      const { kept, written } = store.keepWill(client, own.will as Packet);
      own.kept = kept;
      await written;
    },
    ended(connection, say) {
      const own = wills.get(connection);
      if (own === undefined) return;
      wills.delete(connection);
      const { will, kept } = own;
      if (kept === undefined) return;
      const forget = (): void => store.forgetWill(kept);
      if (say) speak(will, forget);
      else forget();
    },
    drop(connection) {
      wills.delete(connection);
    },
  };
}
