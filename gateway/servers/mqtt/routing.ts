/** What aedes carries between clients, and from this node to them. */
import type { Aedes, Client, PublishPacket } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { ExpectedAcks } from '#servers/mqtt/protocol/expected-acks.ts';
import { matches } from '#servers/mqtt/protocol/topics.ts';
import type { Publish } from './publish.ts';

/** The greatest packet id. */
const MAX_ID = 65_535;

type Done = (error?: Error | null) => void;
/** A last will, with the device whose it is: it may be spoken when the connection is long forgotten. */
export type Will = PublishPacket & { identity?: DeviceIdentity };

type Routed = PublishPacket & { clientId?: string; brokerId?: string; brokerCounter?: number };

interface Emitter {
  emit(packet: Routed, done: Done): void;
}

/** Takes over what `broker` publishes of its own accord; `carries` says what clients may send to clients. */
export function createRouting(broker: Aedes, carries: (client: Client | null, packet: Will) => boolean) {
  const numbers = broker as unknown as { counter: number };
  const publishNow = broker.publish.bind(broker) as unknown as (
    packet: Routed,
    client: Client | null,
    done: Done,
  ) => void;
  const { mq } = broker as unknown as { mq: Emitter };
  const emit = mq.emit.bind(mq);

  /** Messages that were begun, in their order, and what sends those whose sessions are written. */
  const begun = new Map<number, (() => void) | undefined>();

  /** A place in the order. aedes takes a message that comes behind one with a higher number for a repeat, and drops it. */
  function reserve(): number {
    const number = ++numbers.counter;
    begun.set(number, undefined);
    return number;
  }

  function flush(): void {
    for (const [number, send] of begun) {
      if (send === undefined) return;
      begun.delete(number);
      send();
    }
  }

  /** It goes no further. */
  function release(number: number): void {
    if (begun.delete(number)) flush();
  }

  mq.emit = (packet, done) => {
    const { brokerCounter = 0 } = packet;
    if (!begun.has(brokerCounter)) return emit(packet, done);
    begun.set(brokerCounter, () => {
      if (packet.qos !== 2 || packet.clientId === undefined) setImmediate(emit, packet, done);
      else {
        // Sessions have the message by now; a sender that subscribes to its own hears of it behind its PUBREC.
        done();
        setImmediate(emit, packet, () => {});
      }
    });
    flush();
  };

  const route = (packet: Routed, client: Client | null, done: Done): void => {
    const brokerCounter = packet.brokerCounter ?? reserve();
    publishNow({ ...packet, brokerId: broker.id, brokerCounter }, client, (error) => {
      release(brokerCounter);
      done(error);
    });
  };

  // What devices publish is in the journal once it was authorized, and no device may subscribe to it: routing it would be work for nobody.
  // The same holds for aedes' own $SYS news, which only a cluster reads.
  const publish = (packet: Will, client: Client | Done | null, done?: Done): void => {
    const then = (typeof client === 'function' ? client : done) ?? (() => {});
    const from = typeof client === 'function' ? null : client;
    if (carries(from, packet)) route(packet, from, then);
    else {
      release((packet as Routed).brokerCounter ?? 0);
      then();
    }
  };
  Object.assign(broker, { publish });

  return {
    route,
    carries,
    /** Gives a message of QoS 2 its place before it is stored. */
    number(packet: Routed): Routed {
      return Object.assign(packet, { brokerId: broker.id, brokerCounter: reserve() });
    },
    /** It was not stored. */
    forget: ({ brokerCounter = 0 }: Routed): void => release(brokerCounter),
    /** To one client, beside the order. */
    tell(client: Client, packet: PublishPacket): void {
      const { deliver0 } = client as unknown as { deliver0(packet: object, done: () => void): void };
      deliver0({ ...packet, brokerId: null }, () => {});
    },
    /** Hands a message on; resolves when its sender may be answered. */
    pass({ name, payload, qos, retain }: Publish, client: Client): Promise<void> {
      const topic = name.toString();
      return new Promise((done, fail) =>
        route({ cmd: 'publish', topic, payload, qos: qos as 0 | 1, retain, dup: false }, client, (error) =>
          error ? fail(error) : done(),
        ),
      );
    },
    /** A message that goes out and that no session keeps, with the packet id that aedes would give it, so that its acknowledgement can be checked. */
    numbered<T extends PublishPacket>(client: Client, packet: T, sent: ExpectedAcks): T {
      const own = client as unknown as {
        _nextId: number;
        readonly subscriptions: Readonly<Record<string, { readonly qos: number }>>;
      };
      const messageId = own._nextId;
      own._nextId = messageId >= MAX_ID ? 1 : messageId + 1;
      // aedes lowers it to the QoS of the subscription that names the very topic.
      const qos = Math.min(packet.qos, own.subscriptions[packet.topic]?.qos ?? 2);
      if (qos > 0) sent.add(messageId, qos);
      return { ...packet, messageId };
    },
    /** The greatest QoS that a client's subscriptions have for a topic; 2 when none matches. */
    grantedQos(client: Client, topic: string): number {
      const { subscriptions } = client as unknown as {
        subscriptions: Readonly<Record<string, { readonly qos: number }>>;
      };
      let granted = -1;
      for (const filter in subscriptions)
        if (matches(filter, topic)) granted = Math.max(granted, subscriptions[filter]?.qos ?? 0);
      return granted < 0 ? 2 : granted;
    },
  };
}

/** Hands messages from client to client. */
export type Routing = ReturnType<typeof createRouting>;
