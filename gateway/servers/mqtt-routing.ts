/** What aedes carries between clients, and from this node to them. */
import type { Aedes, Client, PublishPacket } from 'aedes';
import type { DeviceIdentity } from '#contract/ingest.ts';
import type { Publish } from './mqtt-guard.ts';
import { matches } from './mqtt-topics.ts';

type Done = (error?: Error | null) => void;
/** A last will, with the device whose it is: it may be spoken when the connection is long forgotten. */
export type Will = PublishPacket & { identity?: DeviceIdentity };

interface Emitter {
  emit(packet: PublishPacket & { clientId?: string }, done: Done): void;
}

/** Takes over what `broker` publishes of its own accord; `carries` says what clients may send to clients. */
export function createRouting(broker: Aedes, carries: (client: Client | null, packet: Will) => boolean) {
  const route = broker.publish.bind(broker) as unknown as (
    packet: PublishPacket,
    client: Client | null,
    done: Done,
  ) => void;

  // What devices publish is in the journal once it was authorized, and no device may subscribe to it: routing it would be work for nobody.
  // The same holds for aedes' own $SYS news, which only a cluster reads.
  const publish = (packet: Will, client: Client | Done | null, done?: Done): void => {
    const then = (typeof client === 'function' ? client : done) ?? (() => {});
    const from = typeof client === 'function' ? null : client;
    if (carries(from, packet)) route(packet, from, then);
    else then();
  };
  Object.assign(broker, { publish });

  // Sessions have the message by now; a sender that subscribes to its own hears of it behind its PUBREC.
  const { mq } = broker as unknown as { mq: Emitter };
  const emit = mq.emit.bind(mq);
  mq.emit = (packet, done) => {
    if (packet.qos !== 2 || packet.clientId === undefined) return emit(packet, done);
    done();
    setImmediate(emit, packet, () => {});
  };

  return {
    route,
    /** Hands a message on; resolves when its sender may be answered. */
    pass({ name, payload, qos, retain }: Publish, client: Client): Promise<void> {
      const topic = name.toString();
      return new Promise((done, fail) =>
        route({ cmd: 'publish', topic, payload, qos: qos as 0 | 1, retain, dup: false }, client, (error) =>
          error ? fail(error) : done(),
        ),
      );
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
