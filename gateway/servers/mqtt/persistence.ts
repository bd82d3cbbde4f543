/** The persistence that aedes calls: the sessions, with the changes that routing, presence and wills need. */
import type { Client, PublishPacket } from 'aedes';
import { EMPTY_BUFFER } from '#servers/mqtt/protocol/packet-check.ts';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';
import { connectionOf } from './broker-parts.ts';
import { releaseQos2 } from './on-pubrel.ts';
import type { Presence } from './presence.ts';
import type { Routing } from './routing.ts';

/** `routing` and `presence` are functions because aedes, which they wrap, needs its persistence first. */
export function createPersistence(sessions: Sessions, parts: { routing(): Routing; presence(): Presence }): Sessions {
  return Object.assign(Object.create(sessions), {
    /** aedes calls it for a PUBLISH of QoS 2 before PUBREC. */
    incomingStorePacket(client: Client, packet: PublishPacket): Promise<void> {
      // Receivers get the message before PUBREC, so until PUBREL the broker needs only its packet id.
      const stored = { ...(packet as object), payload: EMPTY_BUFFER };
      const routing = parts.routing();
      if (!routing.isAllowed(client, packet)) return sessions.incomingStorePacket(client, stored);
      routing.reserveNumber(packet);
      return sessions.receive(client, stored, packet).catch((error: unknown) => {
        routing.releaseNumber(packet);
        throw error;
      });
    },
    /** aedes calls it for PUBREL before PUBCOMP. */
    incomingDelPacket: (client: Client, packet: PublishPacket): Promise<void> =>
      releaseQos2(sessions, connectionOf(client), client, packet),
    /** aedes also calls it for a client that was refused or has ended. Such a client must not delete the state of the id's holder. */
    async cleanIncoming(client: Client): Promise<void> {
      if (parts.presence().isRegistered(client)) await sessions.cleanIncoming(client);
    },
    /** aedes calls it before it accepts a client, whose new will is already stored, and for wills of an earlier process. */
    async delWill(will: { readonly id: string; readonly brokerId?: string }) {
      const stored = await sessions.getWill(will);
      return stored?.brokerId === will.brokerId ? sessions.delWill(will) : undefined;
    },
  });
}
