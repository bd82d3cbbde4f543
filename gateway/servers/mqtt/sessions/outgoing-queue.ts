/** The queues of QoS 1 and 2 messages that sessions have not acknowledged yet. */
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import { type Packet, type QueuedMessage, type Session, sizeOf } from './session-state.ts';
import type { SessionStore } from './session-store.ts';

/** The copy of a published message that goes into the queues. */
function queuedPacket(packet: Packet): Packet {
  const { topic = '', payload = EMPTY_BUFFER, qos = 0, brokerId = null, brokerCounter = 0 } = packet;
  // A message for an existing subscription does not carry the retain flag. [MQTT-3.3.1-9]
  return { cmd: 'publish', brokerId, brokerCounter, topic, payload, qos, retain: false, dup: false };
}

/** Each client of the subscribers once, with the greatest QoS of its subscriptions. [MQTT-3.3.5-1] */
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

  /** Finds a message by the number that aedes gave it when it was published. */
  findByCounter(id: string, packet: Packet): QueuedMessage | undefined {
    return this.find(
      id,
      (one) => one.packet.brokerId === packet.brokerId && one.packet.brokerCounter === packet.brokerCounter,
    );
  }

  /** Whether the queue of a session takes a message of so many bytes. An empty queue takes a message of any size. */
  hasRoom(session: Session | undefined, size: number): boolean {
    const { messages, bytes } = this.store.limits;
    return (
      session === undefined ||
      (session.queue.length < messages && (session.bytes + size <= bytes || session.queue.length === 0))
    );
  }

  /** Whether a message of so many bytes has subscribers with sessions, and the queues of all of them are full. */
  isFull(topic: string, bytes: number): boolean {
    const { state } = this.store;
    const to = state.subscribers(topic);
    return to.length > 0 && to.every(({ clientId }) => !this.hasRoom(state.sessions.get(clientId), bytes));
  }

  /**
   * Queues a message for these clients, each with its QoS. A full session does not get it; that is counted. Rejects when all sessions
   * together are full. `alongside` makes a change that must reach the disk in the same group.
   */
  async enqueue(to: ReadonlyMap<string, number>, packet: Packet, alongside?: () => Promise<void>): Promise<void> {
    const { state, limits } = this.store;
    const size = sizeOf(packet);
    if (state.bytes + size * to.size > limits.totalBytes)
      throw new Error('the limit of queued and retained bytes is reached');
    const other = alongside?.();
    const accepted: [string, number][] = [];
    for (const [id, qos] of to) {
      // A QoS 2 message was already queued when its PUBLISH came in.
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
