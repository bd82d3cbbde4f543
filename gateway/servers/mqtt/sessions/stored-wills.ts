import { Readable } from 'node:stream';
import type { SessionClient } from './session-limits.ts';
import type { Packet } from './session-state.ts';
import { ownerOf, type SessionStore } from './session-store.ts';

/** The methods of the aedes persistence for last wills, and those that the broker calls itself. */
export function createStoredWills(store: SessionStore) {
  const { state } = store;

  function* willsOfOtherBrokers(brokers: Readonly<Record<string, unknown>>): Generator<Packet> {
    for (const will of [...state.wills.values()]) if (!brokers[will.brokerId ?? '']) yield will;
  }

  /** Stores a last will; it replaces the one that is stored for this client id. `written` resolves when it is on disk. */
  function storeWill(client: { readonly id: string }, packet: Packet) {
    packet.brokerId = store.broker.id;
    packet.clientId = client.id;
    const stored = { ...packet };
    return { stored, written: store.change({ do: 'will', packet: stored }) };
  }

  return {
    async putWill(client: SessionClient, packet: Packet): Promise<void> {
      await storeWill(client, packet).written;
    },
    getWill: async (client: { id: string }): Promise<Packet | undefined> => state.wills.get(client.id),
    async delWill(client: { id: string }): Promise<Packet | undefined> {
      const will = state.wills.get(client.id);
      if (will !== undefined) store.changeInBackground({ do: 'no will', id: client.id });
      return will;
    },
    /** The wills of brokers that are not in `brokers`. */
    streamWill: (brokers: Readonly<Record<string, unknown>> = {}) => Readable.from(willsOfOtherBrokers(brokers)),

    storeWill,
    /** Deletes a will that `storeWill` stored, unless another one has replaced it. */
    deleteWill(stored: Packet): void {
      const { clientId = '' } = stored;
      if (state.wills.get(clientId) === stored) store.changeInBackground({ do: 'no will', id: clientId });
    },
    /** Deletes the last wills of all clients of a device. */
    deleteWillsOf(device_id: string): void {
      for (const id of [...state.wills.keys()])
        if (ownerOf(id) === device_id) store.changeInBackground({ do: 'no will', id });
    },
  };
}
