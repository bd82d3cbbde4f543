/** PUBLISH of QoS 0 and 1, and oversize ones of any QoS. The connection filter calls this; aedes does not see these packets. */

import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Publish } from '#servers/mqtt/connection/publish.ts';
import { type BrokerParts, clientOf } from './broker-parts.ts';

export function createPublishHandler(parts: BrokerParts) {
  const { options, intake, refusals, routing, publishAcks, deferredAcks } = parts;

  /** Routes a message from client to client; resolves when it may be acknowledged. */
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
      // Acknowledge the message all the same: without an acknowledgement its sender would resend it for ever.
      publishAcks.add(intake.last, connection, publish);
    } else if (deferredAcks.mustWait(connection, topic)) {
      // The client resends this message after the deferred ones, over its next connection.
      intake.notTaken++;
      connection.dropUnacknowledged(publish);
    } else publishAcks.add(intake.take(identity, topic, publish), connection, publish);
  };
}
