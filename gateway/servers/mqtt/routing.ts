/** Messages between clients, and from the broker to clients, through aedes. */
import type { Aedes, Client, PublishPacket } from 'aedes';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';
import type { ExpectedAcks } from '#servers/mqtt/protocol/expected-acks.ts';
import { MAX_PACKET_ID } from '#servers/mqtt/protocol/packet-check.ts';
import { matches } from '#servers/mqtt/protocol/topics.ts';
import { MessageOrder } from './message-order.ts';

type Done = (error?: Error | null) => void;

/** A last will with its device, because it may be published when the connection no longer exists. */
export type Will = PublishPacket & { identity?: DeviceIdentity };

/** A message as aedes routes it. `brokerCounter` is its number; aedes drops a message whose number is not the greatest so far. */
type Routed = PublishPacket & { clientId?: string; brokerId?: string; brokerCounter?: number };

/** The part of aedes that delivers a message to the subscribers. */
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
 * Replaces `publish` of aedes. `isAllowed` decides which messages of clients go to other clients; a client of null means a last will or
 * the broker itself.
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
        // The queues of the receivers already contain the message. Call `done` first: a sender that subscribes to its own topic must get
        // PUBREC before the message.
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

  // A device's publish is already in the journal when aedes calls this, and no device may subscribe to it, so routing it has no effect.
  // The same holds for the $SYS messages of aedes, which only other brokers of a cluster read.
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
    /** Gives a QoS 2 message its number before the message is stored. */
    reserveNumber(packet: Routed): void {
      Object.assign(packet, { brokerId: aedes.id, brokerCounter: order.reserve() });
    },
    /** Gives up the number of a message that could not be stored. */
    releaseNumber: ({ brokerCounter = 0 }: Routed): void => order.release(brokerCounter),
    /** Sends a message to one client at once, without waiting for earlier messages. */
    sendTo(client: Client, packet: PublishPacket): void {
      internals(client).deliver0({ ...packet, brokerId: null }, () => {});
    },
    /** Routes a message of QoS 0 or 1 to other clients; resolves when its sender may get an acknowledgement. */
    routePublish({ name, payload, qos, retain }: Publish, client: Client): Promise<void> {
      const topic = name.toString();
      return new Promise((done, fail) =>
        route({ cmd: 'publish', topic, payload, qos: qos as 0 | 1, retain, dup: false }, client, (error) =>
          error ? fail(error) : done(),
        ),
      );
    },
    /** Gives a message that no session stores the packet id that aedes would give it, and records which acknowledgement it needs. */
    withPacketId<T extends PublishPacket>(client: Client, packet: T, acks: ExpectedAcks): T {
      const own = internals(client);
      const messageId = own._nextId;
      own._nextId = messageId >= MAX_PACKET_ID ? 1 : messageId + 1;
      // aedes sends it with the QoS of a subscription to exactly this topic, if that is lower.
      const qos = Math.min(packet.qos, own.subscriptions[packet.topic]?.qos ?? 2);
      if (qos > 0) acks.add(messageId, qos);
      return { ...packet, messageId };
    },
    /** The greatest QoS of a client's subscriptions that match a topic; 2 when none matches. */
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
