import type { Client, PublishPacket } from 'aedes';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';

/**
 * PUBREL: the client has the PUBREC of a QoS 2 message. Deletes the packet id of the message; aedes sends PUBCOMP when this resolves,
 * which is when the change is on disk. Rejects for an unknown id; aedes then sends PUBCOMP too. [MQTT-4.3.3-2]
 */
export async function releaseQos2(
  sessions: Sessions,
  connection: ConnectionFilter,
  client: Client,
  packet: PublishPacket,
): Promise<void> {
  await sessions.incomingDelPacket(client, packet);
  connection.qos2.completed();
}
