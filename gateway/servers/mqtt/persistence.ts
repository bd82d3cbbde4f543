/** The persistence that aedes calls: our sessions, with the checks that aedes expects of its persistence. */
import type { Client, PublishPacket } from 'aedes';
import { NO_PAYLOAD } from '#servers/mqtt/protocol/packet-check.ts';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';
import type { ConnectionFilter } from './connection-filter.ts';
import type { Presence } from './presence.ts';
import type { Routing } from './routing.ts';

/** Wraps the sessions; `routing` and `presence` are made after the broker, which needs this. */
export function createPersistence(
  sessions: Sessions,
  of: { connectionOf(client: Client): ConnectionFilter; routing(): Routing; presence(): Presence },
): Sessions {
  return Object.assign(Object.create(sessions), {
    incomingStorePacket(client: Client, packet: PublishPacket): Promise<void> {
      // It is handed on before PUBREC; until it is released only its number is needed.
      const number = { ...(packet as object), payload: NO_PAYLOAD };
      const routing = of.routing();
      if (!routing.carries(client, packet)) return sessions.incomingStorePacket(client, number);
      routing.number(packet);
      return sessions.receive(client, number, packet).catch((error: unknown) => {
        routing.forget(packet);
        throw error;
      });
    },
    async incomingDelPacket(client: Client, packet: PublishPacket): Promise<void> {
      await sessions.incomingDelPacket(client, packet);
      of.connectionOf(client).completes();
    },
    /** aedes also calls it for a client that never came in, or that has ended: neither may clean what belongs to the holder of the id. */
    async cleanIncoming(client: Client): Promise<void> {
      if (of.presence().holds(client)) await sessions.cleanIncoming(client);
    },
    /** aedes calls it before a client comes in, whose will is kept by then, and for wills that an earlier process left. */
    async delWill(will: { readonly id: string; readonly brokerId?: string }) {
      const kept = await sessions.getWill(will);
      return kept?.brokerId === will.brokerId ? sessions.delWill(will) : undefined;
    },
  });
}
