/**
 * Packet ids of QoS 2 messages from clients. The broker keeps each id from PUBLISH until PUBREL, so that it recognises a repeated PUBLISH.
 *
 *   PUBLISH -> incomingStorePacket -> PUBREC;  PUBREL -> incomingDelPacket -> PUBCOMP
 */
import { type OutgoingQueue, qosByClient } from './outgoing-queue.ts';
import type { SessionClient } from './session-limits.ts';
import type { Packet } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Creates the methods for received QoS 2 messages. aedes (the MQTT library) calls the methods of its persistence interface, and the broker
 * calls the other methods.
 */
export function createReceivedMessages(
  store: SessionStore,
  queue: OutgoingQueue,
  closeConnection: (client: SessionClient) => void,
) {
  const { state, limits } = store;
  /** Received messages of clients with clean session 1, by client id and packet id. They are in memory only. */
  const cleanClients = new Map<string, Map<number, Packet>>();

  const receivedBy = (client: SessionClient): Map<number, Packet> | undefined =>
    client.clean ? cleanClients.get(client.id) : state.sessions.get(client.id)?.received;

  /** aedes calls it for a QoS 2 PUBLISH, before it sends PUBREC. */
  async function incomingStorePacket(client: SessionClient, packet: Packet): Promise<void> {
    const { cmd, topic, payload, qos, retain, dup, messageId } = packet;
    const stored = { cmd, topic, payload, qos, retain, dup, messageId } as Packet;
    if (client.clean) {
      const received = cleanClients.get(client.id) ?? new Map<number, Packet>();
      cleanClients.set(client.id, received.set(messageId ?? 0, stored));
      return;
    }
    if (store.openSession(client.id).received.size >= limits.received)
      throw new Error(`the client has not sent PUBREL for ${limits.received} messages of QoS 2`);
    await store.change({ do: 'received', id: client.id, packet: stored });
  }

  return {
    incomingStorePacket,
    async incomingGetPacket(client: SessionClient, packet: Packet): Promise<Packet> {
      const found = receivedBy(client)?.get(packet.messageId ?? 0);
      if (found === undefined) throw new Error('no such packet');
      return { ...found };
    },
    /** aedes calls it for PUBREL, before it sends PUBCOMP. After PUBCOMP the client may use the packet id for a new message. */
    async incomingDelPacket(client: SessionClient, packet: Packet): Promise<void> {
      const messageId = packet.messageId ?? 0;
      const received = receivedBy(client);
      if (!received?.has(messageId)) throw new Error('no such packet');
      if (client.clean) {
        received.delete(messageId);
        return;
      }
      await store.change({ do: 'completed', id: client.id, messageId }).catch((error: unknown) => {
        // aedes sends PUBCOMP even after this error, and the client may then use the packet id again. After a restart the broker would
        // still know the id, and drop the new message as a repeat. So close the connection, which prevents the PUBCOMP.
        closeConnection(client);
        throw error;
      });
    },
    async cleanIncoming(client: SessionClient): Promise<void> {
      cleanClients.delete(client.id);
      const ids = [...(state.sessions.get(client.id)?.received.keys() ?? [])];
      await Promise.all(ids.map((messageId) => store.change({ do: 'completed', id: client.id, messageId })));
    },

    /** Stores a QoS 2 message for other clients. The log writes its packet id and its copies in the queues as one group. */
    receive(client: SessionClient, stored: Packet, packet: Packet): Promise<void> {
      const to = qosByClient(state.subscribers(packet.topic ?? ''), packet);
      return queue.enqueue(to, packet, () => incomingStorePacket(client, stored));
    },
    /** Returns true if the client has sent a QoS 2 message with this packet id and has not sent its PUBREL. */
    isReceived: (client: SessionClient, messageId: number): boolean => receivedBy(client)?.has(messageId) ?? false,
  };
}
