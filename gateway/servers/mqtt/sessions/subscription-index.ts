import { isWild, matches } from '#servers/mqtt/protocol/topics.ts';

/** A subscription in the form that aedes, the MQTT library, uses. The field `topic` has the topic filter. */
export interface Subscription {
  readonly topic: string;
  readonly qos: number;
  readonly rh?: number;
  readonly rap?: boolean;
  readonly nl?: boolean;
  readonly subscriptionIdentifier?: number;
}

/** A subscription together with the id of its client. */
export type Subscriber = Subscription & { readonly clientId: string };

/**
 * Finds the subscriptions with QoS 1 or 2 that match a topic. The index compares a topic with each filter that has wildcards. It finds the
 * other filters with one lookup in a map.
 */
export class SubscriptionIndex {
  /** Subscriptions to filters without wildcards, by filter and client id. */
  private readonly exact = new Map<string, Map<string, Subscription>>();
  /** Subscriptions to filters with wildcards, by filter and client id. */
  private readonly wild = new Map<string, Map<string, Subscription>>();

  /** Adds a subscription, or replaces the client's subscription to the same filter. QoS 0 removes it from the index. */
  set(clientId: string, subscription: Subscription): void {
    const index = this.indexOf(subscription.topic);
    const clients = index.get(subscription.topic);
    if (subscription.qos > 0) index.set(subscription.topic, (clients ?? new Map()).set(clientId, subscription));
    else this.delete(clientId, subscription.topic);
  }

  delete(clientId: string, filter: string): void {
    const index = this.indexOf(filter);
    const clients = index.get(filter);
    if (clients?.delete(clientId) && clients.size === 0) index.delete(filter);
  }

  /** Returns the subscriptions that match a topic. Subscriptions with wildcards come first. */
  match(topic: string): Subscriber[] {
    const found: Subscriber[] = [];
    for (const [filter, clients] of this.wild) {
      if (!matches(filter, topic)) continue;
      for (const [clientId, subscription] of clients) found.push({ clientId, ...subscription });
    }
    for (const [clientId, subscription] of this.exact.get(topic) ?? []) found.push({ clientId, ...subscription });
    return found;
  }

  private indexOf(filter: string): Map<string, Map<string, Subscription>> {
    return isWild(filter) ? this.wild : this.exact;
  }
}
