import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { SessionClient } from './session-limits.ts';
import type { SessionStore } from './session-store.ts';
import type { Subscription } from './subscription-index.ts';

/** Creates the methods for subscriptions, as the persistence interface of aedes (the MQTT library) defines them. */
export function createSubscriptions(
  store: SessionStore,
  maySubscribe: (client: SessionClient, filter: string) => boolean,
) {
  const { state, limits } = store;

  function* clientsWith(filter: string): Generator<string> {
    for (const { id, subscriptions } of state.sessions.values()) if (subscriptions.has(filter)) yield id;
  }

  return {
    async addSubscriptions(client: SessionClient, subscriptions: readonly Subscription[]): Promise<void> {
      const session = store.openSession(client.id);
      const granted: Subscription[] = [];
      for (const { topic, qos, rh, rap, nl, subscriptionIdentifier } of subscriptions) {
        // If a SUBSCRIBE has both allowed and refused subscriptions, aedes passes all of them.
        if (!maySubscribe(client, topic)) continue;
        if (session.subscriptions.size + granted.length >= limits.subscriptions && !session.subscriptions.has(topic))
          throw new Error('too many subscriptions');
        const all = Object.entries({ topic, qos, rh, rap, nl, subscriptionIdentifier });
        // Remove undefined fields: JSON drops them, and the state must equal what a restart reads from the log.
        granted.push(Object.fromEntries(all.filter(([, value]) => value !== undefined)) as unknown as Subscription);
      }
      // For a SUBSCRIBE with several subscriptions aedes calls this function several times, each time with all subscriptions.
      const known = granted.every((one) => isDeepStrictEqual(session.subscriptions.get(one.topic), one));
      if (!known) await store.change({ do: 'subscribe', id: client.id, subscriptions: granted });
    },
    async removeSubscriptions(client: SessionClient, filters: readonly string[]): Promise<void> {
      if (state.sessions.has(client.id)) await store.change({ do: 'unsubscribe', id: client.id, filters });
    },
    async subscriptionsByClient(client: SessionClient): Promise<Subscription[]> {
      return [...(state.sessions.get(client.id)?.subscriptions.values() ?? [])].map((one) => ({ ...one }));
    },
    async countOffline(): Promise<{ subsCount: number; clientsCount: number }> {
      let subsCount = 0;
      let clientsCount = 0;
      for (const { subscriptions } of state.sessions.values()) {
        if (subscriptions.size > 0) clientsCount++;
        for (const { qos } of subscriptions.values()) if (qos > 0) subsCount++;
      }
      return { subsCount, clientsCount };
    },
    subscriptionsByTopic: async (topic: string) => state.subscribers(topic),
    /** aedes calls it when a client connects with clean session 1. Ends the session of the client. [MQTT-3.1.2-6] */
    cleanSubscriptions: (client: SessionClient): Promise<void> => store.endSession(client.id, undefined),
    getClientList: (filter: string) => Readable.from(clientsWith(filter)),
  };
}
