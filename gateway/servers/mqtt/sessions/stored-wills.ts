import { Readable } from 'node:stream';
import type { SessionClient } from './session-limits.ts';
import type { Packet } from './session-state.ts';
import { ownerOf, type SessionStore } from './session-store.ts';

/**
 * Creates the methods for last wills. aedes (the MQTT library) calls the methods of its persistence interface, and the broker calls the
 * other methods.
 */
export function createStoredWills(store: SessionStore) {
  const { state } = store;

  function* willsOfOtherBrokers(brokers: Readonly<Record<string, unknown>>): Generator<Packet> {
    for (const will of [...state.wills.values()]) if (!brokers[will.brokerId ?? '']) yield will;
  }

  /** Stores a last will, which replaces the stored will of this client id. `written` resolves when the will is on disk. */
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
    /**
     * Returns the wills that other broker instances stored, for example the broker before the last restart. `brokers` has the ids of the
     * brokers to leave out.
     */
    streamWill: (brokers: Readonly<Record<string, unknown>> = {}) => Readable.from(willsOfOtherBrokers(brokers)),

    storeWill,
    /** Deletes a will that `storeWill` has stored. Does nothing if a newer will of the same client id has replaced it. */
    deleteWill(stored: Packet): void {
      const { clientId = '' } = stored;
      if (state.wills.get(clientId) === stored) store.changeInBackground({ do: 'no will', id: clientId });
    },
    /** Deletes the stored last wills of all clients of a device. */
    deleteWillsOf(device_id: string): void {
      for (const id of [...state.wills.keys()])
        if (ownerOf(id) === device_id) store.changeInBackground({ do: 'no will', id });
    },
  };
}
