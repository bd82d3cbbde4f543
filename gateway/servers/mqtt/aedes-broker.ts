import { Aedes, type Client } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';
import { type BrokerParts, connectionOf } from './broker-parts.ts';
import type { BrokerOptions } from './broker-types.ts';
import { createConnectHandler } from './on-connect.ts';
import { createQos2PublishHandler } from './on-publish-qos2.ts';
import { createSubscribeHandler } from './on-subscribe.ts';
import { createOutgoingPublishHandler } from './outgoing-publish.ts';
import { createPersistence } from './persistence.ts';
import { createPresence } from './presence.ts';
import { createRouting } from './routing.ts';
import { createWills } from './wills.ts';

// Switch off the number cache of the library mqtt-packet. The cache has one buffer for each number up to 65,535, and takes 10 MB of memory.
writeToStream.cacheNumbers = false;

/**
 * Milliseconds between two heartbeats of aedes, the MQTT library. When the gateway starts again after a crash, aedes waits for four
 * heartbeats. Then it publishes the stored wills of the clients that have not reconnected.
 */
const HEARTBEAT_MS = 30_000;

/**
 * Starts aedes with the gateway's own sessions. Replaces the parts of aedes that route messages, register clients and publish last wills.
 */
export async function createAedes(sessions: Sessions, options: BrokerOptions, maxReceived: number) {
  const aedes = await Aedes.createBroker({
    persistence: createPersistence(sessions, { routing: () => routing, presence: () => presence }),
    concurrency: 1000,
    connectTimeout: 5_000,
    drainTimeout: 15_000,
    maxInflightInbound: maxReceived,
    maxTopicLevels: 12,
    queueLimit: 100,
    maxClientsIdLength: 1000,
    heartbeatInterval: HEARTBEAT_MS,
  });
  // aedes publishes the stored wills of each broker id that is not in `aedes.brokers`. Without the id of this broker in the list, aedes
  // would publish the wills of clients that are connected.
  (aedes.brokers as Record<string, number>)[aedes.id] = Number.POSITIVE_INFINITY;

  const routing = createRouting(aedes, (client, packet) => {
    const identity = client === null ? packet.identity : connectionOf(client).device?.identity;
    return identity !== undefined && options.access?.publish(identity, packet.topic) === true;
  });
  const presence = createPresence(aedes, (client) => {
    if (client.clean) sessions.cleanIncoming(client).catch(() => {});
  });
  const wills = createWills(sessions, (will, done) => {
    aedes.authorizePublish(null, will, (error) => {
      if (error) done();
      else aedes.publish(will, done);
    });
  });
  return { aedes, routing, presence, wills };
}

/** Registers the gateway's packet handlers with aedes. Call it before the first connection. */
export function attachHandlers(aedes: Aedes, parts: BrokerParts) {
  const connect = createConnectHandler(parts);
  const subscribe = createSubscribeHandler(parts);
  aedes.preConnect = connect.preConnect;
  aedes.authenticate = connect.authenticate;
  aedes.authorizePublish = createQos2PublishHandler(parts);
  aedes.authorizeSubscribe = subscribe.authorizeSubscribe;
  aedes.authorizeForward = createOutgoingPublishHandler(parts);
  aedes.on('clientReady', connect.accepted);
  aedes.on('subscribe', subscribe.subscribed);
  aedes.on('clientError', (client: Client, error) =>
    parts.warn('a device connection failed', { client: client.id, error: error.message }),
  );
  aedes.on('connectionError', (client: Client, error) =>
    parts.warn('a connection failed', { address: connectionOf(client).address, error: error.message }),
  );
  (aedes as unknown as NodeJS.EventEmitter).on('error', (error: Error) =>
    parts.warn('the broker failed', { error: error.message }),
  );
  return connect;
}
