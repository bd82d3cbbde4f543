/**
 * Messages of QoS 1 and 2 from the broker to clients with sessions. A message stays in the queue of the session until the client
 * acknowledges it.
 *
 * The broker may send a QoS 1 message before the packet id of the message is on disk. If the gateway crashes between these two events, the
 * broker later resends the message without the DUP flag.
 */
import { Readable } from 'node:stream';
import { type AckType, expectedAck } from '#servers/mqtt/protocol/expected-acks.ts';
import { type OutgoingQueue, qosByClient } from './outgoing-queue.ts';
import type { SessionClient } from './session-limits.ts';
import type { Packet, QueuedMessage } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

/** Returns the packet to send for a queued message. It is a new object, because aedes changes the packets that it sends. */
function toPacket({ packet, messageId, released }: QueuedMessage): Packet {
  return released ? { cmd: 'pubrel', messageId } : { ...packet, messageId };
}

/**
 * Creates the methods for messages to clients. aedes (the MQTT library) calls the methods of its persistence interface, and the broker
 * calls the other methods.
 */
export function createOutgoingMessages(store: SessionStore, queue: OutgoingQueue) {
  const { state } = store;

  /** Returns the queued messages of a client. Leaves out the messages that the broker has already sent over the present connection. */
  function* unsent(client: SessionClient): Generator<Packet> {
    const session = state.sessions.get(client.id);
    for (const message of [...(session?.queue ?? [])]) {
      if (message.removed) continue;
      const packet = toPacket(message);
      if (session?.connection === client) {
        if (message.sentTo === client) continue;
        markRepeat(message, packet);
        message.sentTo = client;
      }
      yield packet;
    }
  }

  /** Sets the DUP flag of a message which the broker has already sent over an earlier connection. [MQTT-3.3.1-1] */
  function markRepeat(message: QueuedMessage, packet: Packet): void {
    if (message.messageId !== undefined && !message.released) packet.dup = true;
  }

  return {
    outgoingEnqueue(to: { clientId: string; qos?: number }, packet: Packet): Promise<void> {
      const qos = packet.qos ?? 0;
      return queue.enqueue(new Map([[to.clientId, Math.min(qos, to.qos ?? qos)]]), packet);
    },
    async outgoingEnqueueCombi(to: readonly { clientId: string; qos?: number }[], packet: Packet): Promise<void> {
      if (to.length > 0) await queue.enqueue(qosByClient(to, packet), packet);
    },
    /** aedes calls it before it sends a PUBLISH, to store the packet id. It also calls it with a PUBREL, when PUBREC has come. */
    async outgoingUpdate(client: SessionClient, packet: Packet): Promise<void> {
      const { id } = client;
      const { messageId } = packet;
      if (packet.cmd === 'pubrel') {
        const message = queue.findById(id, messageId);
        // A retained message of QoS 2 is not in the queue, so no queued message has its packet id. aedes sends PUBREL for it too.
        if (message !== undefined && message.packet.qos === 2 && !message.released)
          await store.change({ do: 'released', id, n: message.n });
        return;
      }
      const message = queue.findByCounter(id, packet) ?? queue.findById(id, messageId);
      if (message === undefined || messageId === undefined) throw new Error('no such packet');
      if (message.sentTo !== client) markRepeat(message, packet);
      message.sentTo = client;
      const qos = packet.qos ?? 0;
      if (message.messageId === messageId && message.packet.qos === qos) return;
      const written = store.change({ do: 'sent', id, n: message.n, messageId, qos });
      if (qos === 2) await written;
      else written.catch(() => {});
    },
    /** aedes calls it for PUBACK and PUBCOMP. Removes the message from the queue and returns the message. */
    async outgoingClearMessageId(client: SessionClient, packet: Packet): Promise<Packet | undefined> {
      const { cmd, messageId } = packet;
      if (messageId === undefined) return undefined;
      const message = queue.findById(client.id, messageId);
      if (message === undefined) return undefined;
      // A PUBACK for a QoS 2 message, or a PUBCOMP before PUBREC, has no effect.
      if (cmd === 'puback' ? message.packet.qos === 2 : cmd === 'pubcomp' && !message.released) return undefined;
      const acknowledged = toPacket(message);
      store.changeInBackground({ do: 'gone', id: client.id, n: message.n });
      return acknowledged;
    },
    outgoingStream: (client: SessionClient) => Readable.from(unsent(client)),

    /** Returns which acknowledgement the client must send next for a queued message; undefined if no queued message has this packet id. */
    expectedAck(client: SessionClient, messageId: number): AckType | undefined {
      const message = queue.findById(client.id, messageId);
      return message && expectedAck(message.packet.qos ?? 0, message.released);
    },
    /**
     * Marks a queued message as sent over this connection and returns its QoS. Returns undefined if the message is not in the queue of the
     * client, or if the broker has already sent it over this connection.
     */
    claim(client: SessionClient, packet: Packet): number | undefined {
      const message = queue.findByCounter(client.id, packet);
      if (message === undefined || message.sentTo === client) return undefined;
      message.sentTo = client;
      return message.packet.qos ?? 0;
    },
    isFull: (topic: string, bytes: number): boolean => queue.isFull(topic, bytes),
  };
}
