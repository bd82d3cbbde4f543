/** Decides whether the broker sends a message to a client over its connection, and with which QoS. */
import type { Aedes } from 'aedes';
import { type BrokerParts, connectionOf } from './broker-parts.ts';
import { maySubscribe } from './device-topics.ts';

export function createOutgoingPublishHandler({ options, sessions, routing, outgoing }: BrokerParts) {
  /**
   * aedes, the MQTT library, calls this function before it sends a PUBLISH to a client. Returns the packet to send, or null if the client
   * must not get it.
   */
  const authorizeForward: Aedes['authorizeForward'] = (client, packet) => {
    const connection = connectionOf(client);
    const { device } = connection;
    if (device === undefined || !maySubscribe(device.identity, packet.topic, options.access)) return null;
    // A packet that already has a packet id comes from the queue of the session, and already has the right QoS.
    if (packet.messageId !== undefined) return packet;
    const qos = Math.min(packet.qos, routing.grantedQos(client, packet.topic)) as 0 | 1 | 2; // [MQTT-3.8.4-6]
    if (qos === 0 && connection.isCongested) {
      outgoing.shed++;
      return null;
    }
    if (qos === 0) return { ...packet, qos };
    if (client.clean || packet.retain) return routing.withPacketId(client, { ...packet, qos }, connection.unstoredAcks);
    const claimed = sessions.claim(client, packet);
    return claimed === undefined ? null : ({ ...packet, qos: claimed } as typeof packet);
  };
  return authorizeForward;
}
