/** Routes messages between clients, and messages from the broker to clients. aedes, the MQTT library, delivers the messages. */
import type { Aedes, Client, PublishPacket } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';
import type { ExpectedAcks } from '#servers/mqtt/protocol/expected-acks.ts';
import { MAX_PACKET_ID } from '#servers/mqtt/protocol/packet-check.ts';
import { matches } from '#servers/mqtt/protocol/topics.ts';
import { MessageOrder } from './message-order.ts';

type Done = (error?: Error | null) => void;

/**
 * A last will, with the identity of its device. The will has its own copy of the identity, because the connection is gone when the broker
 * publishes the will.
 */
export type Will = PublishPacket & { identity?: DeviceIdentity };

/**
 * A message in the form that aedes routes. aedes drops a message if its number `brokerCounter` is not greater than the numbers of all
 * earlier messages.
 */
type Routed = PublishPacket & { clientId?: string; brokerId?: string; brokerCounter?: number };

/** The emitter in aedes that delivers a message to its subscribers. */
interface Emitter {
  emit(packet: Routed, done: Done): void;
}

/** The private members of an aedes client that this file uses. */
interface ClientInternals {
  _nextId: number;
  readonly subscriptions: Readonly<Record<string, { readonly qos: number }>>;
  deliver0(packet: object, done: () => void): void;
}

const internals = (client: Client): ClientInternals => client as unknown as ClientInternals;

/**
 * Replaces the method `publish` of aedes. `isAllowed` returns true if a message of a client may go to other clients. Its argument `client`
 * is null for a last will and for a message of aedes itself.
 */
export function createRouting(aedes: Aedes, isAllowed: (client: Client | null, packet: Will) => boolean) {
  const numbers = aedes as unknown as { counter: number };
  const aedesPublish = aedes.publish.bind(aedes) as unknown as (
    packet: Routed,
    client: Client | null,
    done: Done,
  ) => void;
  const { mq } = aedes as unknown as { mq: Emitter };
  const emit = mq.emit.bind(mq);
  const order = new MessageOrder(() => ++numbers.counter);

  mq.emit = (packet, done) => {
    const { brokerCounter = 0 } = packet;
    if (!order.has(brokerCounter)) return emit(packet, done);
    order.ready(brokerCounter, () => {
      if (packet.qos !== 2 || packet.clientId === undefined) setImmediate(emit, packet, done);
      else {
        // The queues of the receivers already contain the message. Call `done` first, so that a sender that subscribes to its own topic
        // gets PUBREC before the message.
        done();
        setImmediate(emit, packet, () => {});
      }
    });
  };

  const route = (packet: Routed, client: Client | null, done: Done): void => {
    const brokerCounter = packet.brokerCounter ?? order.reserve();
    aedesPublish({ ...packet, brokerId: aedes.id, brokerCounter }, client, (error) => {
      order.release(brokerCounter);
      done(error);
    });
  };

  // When aedes calls this function for a message of a device, the message is already in the journal (the file of all accepted messages).
  // The broker does not route the message, because no device may subscribe to its topic. The broker does not route the $SYS messages of
  // aedes either, because only other brokers of a cluster read them.
  const publish = (packet: Will, client: Client | Done | null, done?: Done): void => {
    const finished = (typeof client === 'function' ? client : done) ?? (() => {});
    const sender = typeof client === 'function' ? null : client;
    if (isAllowed(sender, packet)) route(packet, sender, finished);
    else {
      order.release((packet as Routed).brokerCounter ?? 0);
      finished();
    }
  };
  Object.assign(aedes, { publish });

  return {
    route,
    isAllowed,
    /** Reserves the delivery number of a QoS 2 message, before the message is stored. */
    reserveNumber(packet: Routed): void {
      Object.assign(packet, { brokerId: aedes.id, brokerCounter: order.reserve() });
    },
    /** Releases the delivery number of a message that could not be stored, so that later messages do not wait for it. */
    releaseNumber: ({ brokerCounter = 0 }: Routed): void => order.release(brokerCounter),
    /** Sends a message to one client at once, without waiting for earlier messages. */
    sendTo(client: Client, packet: PublishPacket): void {
      internals(client).deliver0({ ...packet, brokerId: null }, () => {});
    },
    /** Routes a message of QoS 0 or 1 to other clients; resolves when the broker may acknowledge the message. */
    routePublish({ name, payload, qos, retain }: Publish, client: Client): Promise<void> {
      const topic = name.toString();
      return new Promise((done, fail) =>
        route({ cmd: 'publish', topic, payload, qos: qos as 0 | 1, retain, dup: false }, client, (error) =>
          error ? fail(error) : done(),
        ),
      );
    },
    /**
     * Sets the packet id of a message that is not in the queue of a session, to the same id that aedes would set. Also records which
     * acknowledgement the client must send for the message.
     */
    withPacketId<T extends PublishPacket>(client: Client, packet: T, acks: ExpectedAcks): T {
      const own = internals(client);
      const messageId = own._nextId;
      own._nextId = messageId >= MAX_PACKET_ID ? 1 : messageId + 1;
      // If the client has a subscription to exactly this topic with a lower QoS, aedes sends the message with that QoS.
      const qos = Math.min(packet.qos, own.subscriptions[packet.topic]?.qos ?? 2);
      if (qos > 0) acks.add(messageId, qos);
      return { ...packet, messageId };
    },
    /** Returns the greatest QoS of all subscriptions of a client that match a topic; 2 if no subscription matches. */
    grantedQos(client: Client, topic: string): number {
      const { subscriptions } = internals(client);
      let granted = -1;
      for (const filter in subscriptions)
        if (matches(filter, topic)) granted = Math.max(granted, subscriptions[filter]?.qos ?? 0);
      return granted < 0 ? 2 : granted;
    },
  };
}

/** Routes messages from client to client. */
export type Routing = ReturnType<typeof createRouting>;
