/**
 * Handles SUBSCRIBE. A device may subscribe to its own topics by their full names. When it subscribes to `time`, the broker sends the time
 * at once.
 */
import type { Aedes, Client, Subscription } from 'aedes';
import { type BrokerParts, connectionOf } from './broker-parts.ts';
import { downTopicName, maySubscribe, timePacket } from './device-topics.ts';

export function createSubscribeHandler({ options, refusals, routing }: BrokerParts) {
  const authorizeSubscribe: Aedes['authorizeSubscribe'] = (client, subscription, done) => {
    const { device } = connectionOf(client);
    if (device === undefined) return done(new Error('not accepted'));
    if (maySubscribe(device.identity, subscription.topic, options.access)) return done(null, subscription);
    refusals.foreignSubscription(device.identity, subscription.topic);
    done(null, null); // aedes answers with SUBACK 0x80.
  };

  /** aedes, the MQTT library, calls this function after it has sent SUBACK. */
  function subscribed(subscriptions: readonly Subscription[], client: Client): void {
    const { device } = connectionOf(client);
    if (device === undefined) return;
    const { device_id } = device.identity;
    const topic = downTopicName(device_id, 'time');
    if (subscriptions.some((one) => one.topic === topic))
      routing.sendTo(client, timePacket(device_id, options.clock()));
  }

  return { authorizeSubscribe, subscribed };
}
