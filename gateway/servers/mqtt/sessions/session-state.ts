/**
 * The state of all sessions in memory. The broker applies each change to this state and appends the change to the session log. At the next
 * start the broker reads the log and applies the same changes again.
 */
import { type Subscriber, type Subscription, SubscriptionIndex } from './subscription-index.ts';

/** A message in the form that aedes, the MQTT library, uses. `brokerCounter` is the delivery number of the message. */
export interface Packet {
  cmd?: string;
  topic?: string;
  payload?: Uint8Array | string;
  qos?: number;
  retain?: boolean;
  dup?: boolean;
  messageId?: number | undefined;
  brokerId?: string | null;
  brokerCounter?: number;
  clientId?: string;
}

/** A message of QoS 1 or 2 in the queue of a session. It stays there until the client has acknowledged it. */
export interface QueuedMessage {
  /** Number of the message. It is larger than the numbers of all earlier queued messages, also after a restart. */
  readonly n: number;
  readonly packet: Packet;
  /** The value of `SessionState.hour` when the message was queued. */
  readonly hour: number;
  /** The packet id; undefined until the broker sends the message for the first time. */
  messageId: number | undefined;
  /** True if the client has sent PUBREC for this QoS 2 message. After a reconnect the broker then resends PUBREL instead of the message. */
  released: boolean;
  /** True after the message was removed from the queue. */
  removed: boolean;
  /** The aedes client to which the broker last sent the message; undefined after a restart. Each connection has its own client object. */
  sentTo: object | undefined;
}

export interface Session {
  readonly id: string;
  readonly subscriptions: Map<string, Subscription>;
  queue: QueuedMessage[];
  /** Bytes of all messages in `queue`. */
  bytes: number;
  /** QoS 2 messages from the client, by packet id, for which the client has not sent PUBREL. */
  readonly received: Map<number, Packet>;
  /** The value of `SessionState.hour` when the client was last connected. */
  lastSeenHour: number;
  /** The connected aedes client; undefined while the client is not connected. */
  connection: object | undefined;
}

/** A change of the state, as the log stores it. Do not rename its fields or the values of `do`: existing log files contain them. */
export type Change =
  | { readonly do: 'open' | 'end' | 'no will'; readonly id: string }
  | { readonly do: 'seen'; readonly id: string; readonly hour: number }
  | { readonly do: 'subscribe'; readonly id: string; readonly subscriptions: readonly Subscription[] }
  | { readonly do: 'unsubscribe'; readonly id: string; readonly filters: readonly string[] }
  | { readonly do: 'retain' | 'will'; readonly packet: Packet }
  | {
      readonly do: 'queue';
      readonly n: number;
      readonly to: readonly (readonly [id: string, qos: number])[];
      readonly hour: number;
      readonly packet: Packet;
      readonly messageId?: number;
      readonly released?: boolean;
    }
  | { readonly do: 'sent'; readonly id: string; readonly n: number; readonly messageId: number; readonly qos: number }
  | { readonly do: 'released' | 'gone'; readonly id: string; readonly n: number }
  | { readonly do: 'received'; readonly id: string; readonly packet: Packet }
  | { readonly do: 'completed'; readonly id: string; readonly messageId: number }
  | { readonly do: 'hour'; readonly hour: number };

/** Bytes that are added to the payload when the size of a message is counted, for its other fields. */
const MESSAGE_COST = 200;

export const sizeOf = (packet: Packet): number => MESSAGE_COST + (packet.payload?.length ?? 0);

export class SessionState {
  readonly sessions = new Map<string, Session>();
  readonly retained = new Map<string, Packet>();
  readonly wills = new Map<string, Packet>();
  /** Bytes of all queued and retained messages. */
  bytes = 0;
  /** Number of queued messages. */
  queued = 0;
  /** Hours that this gateway has run. Ages are counted in these hours, so that a wrong clock cannot end a session or drop a message. */
  hour = 0;
  /** The number `n` of the next message that is queued. */
  next = 1;
  private readonly index = new SubscriptionIndex();

  /** Returns the subscriptions of sessions that match a topic and have QoS 1 or 2. Subscriptions with wildcards come first. */
  subscribers(topic: string): Subscriber[] {
    return this.index.match(topic);
  }

  /** Applies a change. A change that refers to an unknown session or message has no effect. */
  apply(change: Change): void {
    switch (change.do) {
      case 'open':
        this.openSession(change.id);
        break;
      case 'end':
        this.endSession(change.id);
        break;
      case 'seen': {
        const session = this.sessions.get(change.id);
        if (session !== undefined) session.lastSeenHour = change.hour;
        break;
      }
      case 'subscribe':
        this.subscribe(this.openSession(change.id), change.subscriptions);
        break;
      case 'unsubscribe': {
        const session = this.sessions.get(change.id);
        if (session !== undefined) for (const filter of change.filters) this.unsubscribe(session, filter);
        break;
      }
      case 'retain':
        this.retain(change.packet);
        break;
      case 'will':
        this.wills.set(change.packet.clientId ?? '', change.packet);
        break;
      case 'no will':
        this.wills.delete(change.id);
        break;
      case 'queue':
        this.enqueue(change);
        break;
      case 'sent': {
        const message = this.queuedMessage(change.id, change.n);
        if (message === undefined) break;
        message.messageId = change.messageId;
        message.packet.qos = change.qos;
        break;
      }
      case 'released': {
        const message = this.queuedMessage(change.id, change.n);
        if (message !== undefined) message.released = true;
        break;
      }
      case 'gone': {
        const message = this.queuedMessage(change.id, change.n);
        if (message !== undefined) this.dequeue(this.sessions.get(change.id) as Session, message);
        break;
      }
      case 'received':
        this.openSession(change.id).received.set(change.packet.messageId ?? 0, change.packet);
        break;
      case 'completed':
        this.sessions.get(change.id)?.received.delete(change.messageId);
        break;
      case 'hour':
        this.hour = change.hour;
        break;
    }
  }

  /** Returns a list of changes. A reader that applies these changes to an empty state gets this state. */
  asChanges(): Change[] {
    const changes: Change[] = [{ do: 'hour', hour: this.hour }];
    for (const packet of this.retained.values()) changes.push({ do: 'retain', packet });
    for (const packet of this.wills.values()) changes.push({ do: 'will', packet });
    for (const { id, subscriptions, queue, received, lastSeenHour } of this.sessions.values()) {
      changes.push({ do: 'open', id }, { do: 'seen', id, hour: lastSeenHour });
      if (subscriptions.size > 0) changes.push({ do: 'subscribe', id, subscriptions: [...subscriptions.values()] });
      for (const { n, packet, hour, messageId, released } of queue) {
        const sent = messageId === undefined ? {} : { messageId };
        changes.push({ do: 'queue', n, to: [[id, packet.qos ?? 0]], hour, packet, released, ...sent });
      }
      for (const packet of received.values()) changes.push({ do: 'received', id, packet });
    }
    return changes;
  }

  private openSession(id: string): Session {
    let session = this.sessions.get(id);
    if (session === undefined) {
      session = {
        id,
        subscriptions: new Map(),
        queue: [],
        bytes: 0,
        received: new Map(),
        lastSeenHour: this.hour,
        connection: undefined,
      };
      this.sessions.set(id, session);
    }
    return session;
  }

  private endSession(id: string): void {
    const session = this.sessions.get(id);
    if (session === undefined) return;
    for (const filter of [...session.subscriptions.keys()]) this.unsubscribe(session, filter);
    for (const message of session.queue) this.dequeue(session, message);
    this.sessions.delete(id);
  }

  private subscribe(session: Session, subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) {
      session.subscriptions.set(subscription.topic, subscription);
      this.index.set(session.id, subscription);
    }
  }

  private unsubscribe(session: Session, filter: string): void {
    if (session.subscriptions.delete(filter)) this.index.delete(session.id, filter);
  }

  private retain(packet: Packet): void {
    const topic = packet.topic ?? '';
    const old = this.retained.get(topic);
    if (old !== undefined) this.bytes -= sizeOf(old);
    // An empty payload deletes the retained message. [MQTT-3.3.1-10], [MQTT-3.3.1-11]
    if ((packet.payload?.length ?? 0) === 0) this.retained.delete(topic);
    else {
      this.retained.set(topic, packet);
      this.bytes += sizeOf(packet);
    }
  }

  private enqueue(change: Extract<Change, { readonly do: 'queue' }>): void {
    this.next = Math.max(this.next, change.n + 1);
    for (const [id, qos] of change.to) {
      const session = this.openSession(id);
      const packet = { ...change.packet, qos };
      session.queue.push({
        n: change.n,
        packet,
        hour: change.hour,
        messageId: change.messageId,
        released: change.released ?? false,
        removed: false,
        sentTo: undefined,
      });
      session.bytes += sizeOf(packet);
      this.bytes += sizeOf(packet);
      this.queued++;
    }
  }

  private dequeue(session: Session, message: QueuedMessage): void {
    session.queue = session.queue.filter((one) => one !== message);
    message.removed = true;
    const size = sizeOf(message.packet);
    session.bytes -= size;
    this.bytes -= size;
    this.queued--;
  }

  private queuedMessage(id: string, n: number): QueuedMessage | undefined {
    return this.sessions.get(id)?.queue.find((one) => one.n === n);
  }
}
