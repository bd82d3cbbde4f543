/** The persistence object that aedes, the MQTT library, calls. It is the `Sessions` object with four replaced methods. */
import type { Client, PublishPacket } from 'aedes';
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';
import { connectionOf } from './broker-parts.ts';
import { releaseQos2 } from './on-pubrel.ts';
import type { Presence } from './presence.ts';
import type { Routing } from './routing.ts';

/**
 * Creates the persistence for aedes. `parts` has functions, because routing and presence exist only after aedes has started, and aedes
 * needs its persistence to start.
 */
export function createPersistence(sessions: Sessions, parts: { routing(): Routing; presence(): Presence }): Sessions {
  return Object.assign(Object.create(sessions), {
    /** aedes calls it when a PUBLISH of QoS 2 has come, before it sends PUBREC. */
    incomingStorePacket(client: Client, packet: PublishPacket): Promise<void> {
      // The message is in the queues of its receivers before PUBREC is sent. So until PUBREL the broker needs only the packet id.
      const stored = { ...(packet as object), payload: EMPTY_BUFFER };
      const routing = parts.routing();
      if (!routing.isAllowed(client, packet)) return sessions.incomingStorePacket(client, stored);
      routing.reserveNumber(packet);
      return sessions.receive(client, stored, packet).catch((error: unknown) => {
        routing.releaseNumber(packet);
        throw error;
      });
    },
    /** aedes calls it when a PUBREL has come, before it sends PUBCOMP. */
    incomingDelPacket: (client: Client, packet: PublishPacket): Promise<void> =>
      releaseQos2(sessions, connectionOf(client), client, packet),
    /**
     * aedes calls it also for a client that was refused, and for a client with a connection that has ended. Such a client must not delete
     * the state of another connection that now uses the same client id.
     */
    async cleanIncoming(client: Client): Promise<void> {
      if (parts.presence().isRegistered(client)) await sessions.cleanIncoming(client);
    },
    /**
     * aedes calls it before it accepts a client, and after it has published a will that an earlier process stored. When aedes accepts a
     * client, the new will of this client is already stored and must stay. The will that aedes wants to delete has another `brokerId` than
     * this new will, so compare the `brokerId` of both.
     */
    async delWill(will: { readonly id: string; readonly brokerId?: string }) {
      const stored = await sessions.getWill(will);
      return stored?.brokerId === will.brokerId ? sessions.delWill(will) : undefined;
    },
  });
}
