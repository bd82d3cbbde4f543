/** The queues of sessions. A queue has the messages of QoS 1 and 2 that the client of the session has not acknowledged. */
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import { type Packet, type QueuedMessage, type Session, sizeOf } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

/** Returns the copy of a published message that the broker adds to the queues. */
function queuedPacket(packet: Packet): Packet {
  const { topic = '', payload = EMPTY_BUFFER, qos = 0, brokerId = null, brokerCounter = 0 } = packet;
  // The broker clears the retain flag when it sends a message for an existing subscription. [MQTT-3.3.1-9]
  return { cmd: 'publish', brokerId, brokerCounter, topic, payload, qos, retain: false, dup: false };
}

/** Returns each client in `to` once, with the greatest QoS of its subscriptions, but at most the QoS of the message. [MQTT-3.3.5-1] */
export function qosByClient(
  to: readonly { clientId: string; qos?: number }[],
  { qos = 0 }: Packet,
): Map<string, number> {
  const clients = new Map<string, number>();
  for (const one of to)
    clients.set(one.clientId, Math.max(clients.get(one.clientId) ?? 0, Math.min(qos, one.qos ?? qos)));
  return clients;
}

/** Adds messages to the queues of sessions, and finds them there. */
export class OutgoingQueue {
  private readonly store: SessionStore;

  constructor(store: SessionStore) {
    this.store = store;
  }

  find(id: string, matches: (message: QueuedMessage) => boolean): QueuedMessage | undefined {
    return this.store.state.sessions.get(id)?.queue.find(matches);
  }

  findById(id: string, messageId: number | undefined): QueuedMessage | undefined {
    return this.find(id, (one) => one.messageId === messageId);
  }

  /** Finds the queued copy of a published message by its delivery number (`brokerCounter`). */
  findByCounter(id: string, packet: Packet): QueuedMessage | undefined {
    return this.find(
      id,
      (one) => one.packet.brokerId === packet.brokerId && one.packet.brokerCounter === packet.brokerCounter,
    );
  }

  /** Returns true if the queue of a session has space for a message of `size` bytes. An empty queue accepts a message of any size. */
  hasRoom(session: Session | undefined, size: number): boolean {
    const { messages, bytes } = this.store.limits;
    return (
      session === undefined ||
      (session.queue.length < messages && (session.bytes + size <= bytes || session.queue.length === 0))
    );
  }

  /** Returns true if a topic has subscribers with sessions and none of their queues has space for a message of `bytes` bytes. */
  isFull(topic: string, bytes: number): boolean {
    const { state } = this.store;
    const to = state.subscribers(topic);
    return to.length > 0 && to.every(({ clientId }) => !this.hasRoom(state.sessions.get(clientId), bytes));
  }

  /**
   * Adds a message to the queues of the clients in `to`, each with its QoS. If a queue is full, counts and reports that its session does
   * not get the message. Rejects if the message would exceed the byte limit of all sessions together. `alongside` is a function that makes
   * another change; the session log writes this change in the same group.
   */
  async enqueue(to: ReadonlyMap<string, number>, packet: Packet, alongside?: () => Promise<void>): Promise<void> {
    const { state, limits } = this.store;
    const size = sizeOf(packet);
    if (state.bytes + size * to.size > limits.totalBytes)
      throw new Error('the limit of queued and retained bytes is reached');
    const other = alongside?.();
    const accepted: [string, number][] = [];
    for (const [id, qos] of to) {
      // A QoS 2 message is already in the queue, because the broker adds it when the PUBLISH comes.
      if (packet.qos === 2 && this.findByCounter(id, packet) !== undefined) continue;
      if (this.hasRoom(this.store.openSession(id), size)) accepted.push([id, qos]);
      else this.store.countDropped(id, 1, 'the queue is full');
    }
    if (accepted.length === 0) return await other;
    const queued = this.store.change({
      do: 'queue',
      n: state.next,
      to: accepted,
      hour: state.hour,
      packet: queuedPacket(packet),
    });
    await Promise.all([other, queued]);
  }
}
