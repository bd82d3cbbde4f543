import type { Client, PublishPacket } from 'aedes';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';

/**
 * Handles PUBREL, which a client sends after it got the PUBREC of its QoS 2 message. Deletes the packet id of the message, and resolves
 * when the deletion is on disk; then aedes (the MQTT library) sends PUBCOMP. Rejects for an unknown packet id; aedes sends PUBCOMP in this
 * case too. [MQTT-4.3.3-2]
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
