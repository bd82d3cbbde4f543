/**
 * What the broker remembers between connections, as values and changes of them: each change is applied here and appended to the log,
 * and reading the log applies the same changes again.
 */
import { isWild, matches } from '#servers/mqtt/protocol/topics.ts';

/** A message as aedes hands it over; fields that are absent were absent. */
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

export interface Subscription {
  readonly topic: string;
  readonly qos: number;
  readonly rh?: number;
  readonly rap?: boolean;
  readonly nl?: boolean;
  readonly subscriptionIdentifier?: number;
}

/** A message that a session has not acknowledged. */
export interface Entry {
  /** Grows with every message, over restarts too. */
  readonly n: number;
  readonly packet: Packet;
  /** The hour of running in which it came. */
  readonly hour: number;
  /** Given when it was first sent. */
  messageId: number | undefined;
  /** QoS 2: received there, PUBREL is what remains. */
  released: boolean;
  /** No longer in the queue. */
  gone: boolean;
  /** The connection that it was last sent over; not remembered over a restart. */
  sentTo: object | undefined;
}

export interface Session {
  readonly id: string;
  readonly subscriptions: Map<string, Subscription>;
  queue: Entry[];
  bytes: number;
  /** QoS 2 messages that came and are not released. */
  readonly received: Map<number, Packet>;
  /** The hour of running in which its client was last there. */
  seen: number;
  /** The connection, while there is one. */
  online: object | undefined;
}

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

/** What a message costs besides its payload. */
const MESSAGE_COST = 200;

export const sizeOf = (packet: Packet): number => MESSAGE_COST + (packet.payload?.length ?? 0);

export interface SessionState {
  readonly sessions: ReadonlyMap<string, Session>;
  readonly retained: ReadonlyMap<string, Packet>;
  readonly wills: ReadonlyMap<string, Packet>;
  /** Bytes of all queued and retained messages. */
  readonly bytes: number;
  readonly queued: number;
  /** Hours that this node has run; a wrong clock makes nothing old. */
  readonly hour: number;
  /** The number of the next message. */
  readonly next: number;
  apply(change: Change): void;
  /** The state as changes from nothing. */
  all(): Change[];
  /** Subscriptions with a QoS above 0 that match, those with wildcards first. */
  subscribers(topic: string): (Subscription & { readonly clientId: string })[];
}

export function createSessionState(): SessionState {
  const sessions = new Map<string, Session>();
  const retained = new Map<string, Packet>();
  const wills = new Map<string, Packet>();
  /** Filter to client id to subscription, QoS above 0; those with wildcards apart, because they are searched. */
  const exact = new Map<string, Map<string, Subscription>>();
  const wild = new Map<string, Map<string, Subscription>>();
  let bytes = 0;
  let queued = 0;
  let hour = 0;
  let next = 1;

  function open(id: string): Session {
    let session = sessions.get(id);
    if (session === undefined) {
      session = {
        id,
        subscriptions: new Map(),
        queue: [],
        bytes: 0,
        received: new Map(),
        seen: hour,
        online: undefined,
      };
      sessions.set(id, session);
    }
    return session;
  }

  function index(id: string, subscription: Subscription): void {
    const to = isWild(subscription.topic) ? wild : exact;
    const those = to.get(subscription.topic);
    if (subscription.qos > 0) to.set(subscription.topic, (those ?? new Map()).set(id, subscription));
    else if (those?.delete(id) && those.size === 0) to.delete(subscription.topic);
  }

  function unsubscribe(session: Session, filter: string): void {
    if (session.subscriptions.delete(filter)) index(session.id, { topic: filter, qos: 0 });
  }

  function forget(session: Session, entry: Entry): void {
    session.queue = session.queue.filter((one) => one !== entry);
    entry.gone = true;
    const size = sizeOf(entry.packet);
    session.bytes -= size;
    bytes -= size;
    queued--;
  }

  function entryOf(id: string, n: number): Entry | undefined {
    return sessions.get(id)?.queue.find((one) => one.n === n);
  }

  function retain(packet: Packet): void {
    const topic = packet.topic ?? '';
    const old = retained.get(topic);
    if (old !== undefined) bytes -= sizeOf(old);
    // [MQTT-3.3.1-10], [MQTT-3.3.1-11]
    if ((packet.payload?.length ?? 0) === 0) retained.delete(topic);
    else {
      retained.set(topic, packet);
      bytes += sizeOf(packet);
    }
  }

  function apply(change: Change): void {
    switch (change.do) {
      case 'open':
        open(change.id);
        break;
      case 'end': {
        const session = sessions.get(change.id);
        if (session === undefined) break;
        for (const filter of [...session.subscriptions.keys()]) unsubscribe(session, filter);
        for (const entry of session.queue) forget(session, entry);
        sessions.delete(change.id);
        break;
      }
      case 'seen': {
        const session = sessions.get(change.id);
        if (session !== undefined) session.seen = change.hour;
        break;
      }
      case 'subscribe': {
        const session = open(change.id);
        for (const subscription of change.subscriptions) {
          session.subscriptions.set(subscription.topic, subscription);
          index(change.id, subscription);
        }
        break;
      }
      case 'unsubscribe': {
        const session = sessions.get(change.id);
        if (session !== undefined) for (const filter of change.filters) unsubscribe(session, filter);
        break;
      }
      case 'retain':
        retain(change.packet);
        break;
      case 'will':
        wills.set(change.packet.clientId ?? '', change.packet);
        break;
      case 'no will':
        wills.delete(change.id);
        break;
      case 'queue':
        next = Math.max(next, change.n + 1);
        for (const [id, qos] of change.to) {
          const session = open(id);
          const packet = { ...change.packet, qos };
          session.queue.push({
            n: change.n,
            packet,
            hour: change.hour,
            messageId: change.messageId,
            released: change.released ?? false,
            gone: false,
            sentTo: undefined,
          });
          session.bytes += sizeOf(packet);
          bytes += sizeOf(packet);
          queued++;
        }
        break;
      case 'sent': {
        const entry = entryOf(change.id, change.n);
        if (entry === undefined) break;
        entry.messageId = change.messageId;
        entry.packet.qos = change.qos;
        break;
      }
      case 'released': {
        const entry = entryOf(change.id, change.n);
        if (entry !== undefined) entry.released = true;
        break;
      }
      case 'gone': {
        const entry = entryOf(change.id, change.n);
        if (entry !== undefined) forget(sessions.get(change.id) as Session, entry);
        break;
      }
      case 'received':
        open(change.id).received.set(change.packet.messageId ?? 0, change.packet);
        break;
      case 'completed':
        sessions.get(change.id)?.received.delete(change.messageId);
        break;
      case 'hour':
        hour = change.hour;
        break;
    }
  }

  function all(): Change[] {
    const changes: Change[] = [{ do: 'hour', hour }];
    for (const packet of retained.values()) changes.push({ do: 'retain', packet });
    for (const packet of wills.values()) changes.push({ do: 'will', packet });
    for (const { id, subscriptions, queue, received, seen } of sessions.values()) {
      changes.push({ do: 'open', id }, { do: 'seen', id, hour: seen });
      if (subscriptions.size > 0) changes.push({ do: 'subscribe', id, subscriptions: [...subscriptions.values()] });
      for (const { n, packet, hour, messageId, released } of queue) {
        const sent = messageId === undefined ? {} : { messageId };
        changes.push({ do: 'queue', n, to: [[id, packet.qos ?? 0]], hour, packet, released, ...sent });
      }
      for (const packet of received.values()) changes.push({ do: 'received', id, packet });
    }
    return changes;
  }

  return {
    sessions,
    retained,
    wills,
    get bytes() {
      return bytes;
    },
    get queued() {
      return queued;
    },
    get hour() {
      return hour;
    },
    get next() {
      return next;
    },
    apply,
    all,
    subscribers(topic) {
      const found: (Subscription & { readonly clientId: string })[] = [];
      for (const [filter, those] of wild) {
        if (!matches(filter, topic)) continue;
        for (const [clientId, subscription] of those) found.push({ clientId, ...subscription });
      }
      for (const [clientId, subscription] of exact.get(topic) ?? []) found.push({ clientId, ...subscription });
      return found;
    },
  };
}
