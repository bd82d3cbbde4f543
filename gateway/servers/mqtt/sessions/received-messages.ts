/**
 * Packet ids of QoS 2 messages from clients, from their PUBLISH until their PUBREL. They let the broker recognise a repeated PUBLISH.
 *
 *   PUBLISH -> incomingStorePacket -> PUBREC;  PUBREL -> incomingDelPacket -> PUBCOMP
 */
import { type OutgoingQueue, qosByClient } from './outgoing-queue.ts';
import type { SessionClient } from './session-limits.ts';
import type { Packet } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

/** The methods of the aedes persistence for received QoS 2 messages, and those that the broker calls itself. */
export function createReceivedMessages(
  store: SessionStore,
  queue: OutgoingQueue,
  closeConnection: (client: SessionClient) => void,
) {
  const { state, limits } = store;
  /** Received messages of clients with clean session 1; they are not stored. */
  const cleanClients = new Map<string, Map<number, Packet>>();

  const receivedBy = (client: SessionClient): Map<number, Packet> | undefined =>
    client.clean ? cleanClients.get(client.id) : state.sessions.get(client.id)?.received;

  /** aedes calls it before PUBREC. */
  async function incomingStorePacket(client: SessionClient, packet: Packet): Promise<void> {
    const { cmd, topic, payload, qos, retain, dup, messageId } = packet;
    const stored = { cmd, topic, payload, qos, retain, dup, messageId } as Packet;
    if (client.clean) {
      const received = cleanClients.get(client.id) ?? new Map<number, Packet>();
      cleanClients.set(client.id, received.set(messageId ?? 0, stored));
      return;
    }
    if (store.openSession(client.id).received.size >= limits.received)
      throw new Error(`${limits.received} messages of QoS 2 are not released`);
    await store.change({ do: 'received', id: client.id, packet: stored });
  }

  return {
    incomingStorePacket,
    async incomingGetPacket(client: SessionClient, packet: Packet): Promise<Packet> {
      const found = receivedBy(client)?.get(packet.messageId ?? 0);
      if (found === undefined) throw new Error('no such packet');
      return { ...found };
    },
    /** aedes calls it when PUBREL has come and before PUBCOMP. The client may then use the packet id for a new message. */
    async incomingDelPacket(client: SessionClient, packet: Packet): Promise<void> {
      const messageId = packet.messageId ?? 0;
      const received = receivedBy(client);
      if (!received?.has(messageId)) throw new Error('no such packet');
      if (client.clean) {
        received.delete(messageId);
        return;
      }
      await store.change({ do: 'completed', id: client.id, messageId }).catch((error: unknown) => {
        // aedes sends PUBCOMP even after this error. The client could then reuse the id, and after a restart the broker would take the
        // new message for a repeat and drop it. Closing the connection prevents that PUBCOMP.
        closeConnection(client);
        throw error;
      });
    },
    async cleanIncoming(client: SessionClient): Promise<void> {
      cleanClients.delete(client.id);
      const ids = [...(state.sessions.get(client.id)?.received.keys() ?? [])];
      await Promise.all(ids.map((messageId) => store.change({ do: 'completed', id: client.id, messageId })));
    },

    /** Stores a QoS 2 message for other clients. Its packet id and its place in their queues reach the disk as one group. */
    receive(client: SessionClient, stored: Packet, packet: Packet): Promise<void> {
      const to = qosByClient(state.subscribers(packet.topic ?? ''), packet);
      return queue.enqueue(to, packet, () => incomingStorePacket(client, stored));
    },
    /** Whether a QoS 2 message with this packet id was received and is not released. */
    isReceived: (client: SessionClient, messageId: number): boolean => receivedBy(client)?.has(messageId) ?? false,
  };
}
