/**
 * Handles PUBLISH packets of QoS 0 and 1, and oversize PUBLISH packets of any QoS. The connection filter calls this handler directly and
 * does not pass these packets to aedes, the MQTT library.
 */

import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';
import { type BrokerParts, clientOf } from './broker-parts.ts';

export function createPublishHandler(parts: BrokerParts) {
  const { options, intake, refusals, routing, publishAcks, deferredAcks } = parts;

  /** Routes a message from one client to others; resolves when the broker may acknowledge the message. */
  function route(connection: ConnectionFilter, publish: Publish): Promise<void> {
    const routed = routing.routePublish(publish, clientOf(connection));
    connection.blockUntilRouted(routed);
    return intake.takeRouted(routed);
  }

  return function onPublish(connection: ConnectionFilter, publish: Publish): void {
    const { device } = connection;
    if (device === undefined || parts.stopping) return;
    const { identity } = device;
    const { topic } = publish;
    if (topic === undefined && options.access?.publish(identity, publish.name.toString()))
      publishAcks.add(route(connection, publish), connection, publish);
    else if (topic === undefined || topic === null) {
      if (topic === null) refusals.oversizePublish(identity);
      else refusals.foreignPublish(identity, publish.name.toString());
      // Acknowledge the refused message: without an acknowledgement its sender would resend it for ever.
      publishAcks.add(intake.last, connection, publish);
    } else if (deferredAcks.mustWait(connection, topic)) {
      // Do not acknowledge the message. The client resends it over its next connection, after the earlier unacknowledged messages.
      intake.notTaken++;
      connection.dropUnacknowledged(publish);
    } else publishAcks.add(intake.take(identity, topic, publish), connection, publish);
  };
}
