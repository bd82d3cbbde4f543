/** The parts of a running broker that the packet handlers share. */
import type { Duplex } from 'node:stream';
import type { Client } from 'aedes';
import type { ConnectionFilter } from '#servers/mqtt/connection/connection-filter.ts';
import type { Sessions } from '#servers/mqtt/sessions/sessions.ts';
import type { Admission } from './admission.ts';
import type { BrokerLimits, BrokerOptions } from './broker-types.ts';
import type { ConnectedDevices } from './connected-devices.ts';
import type { DeferredAcks } from './deferred-acks.ts';
import type { MessageIntake } from './message-intake.ts';
import type { Presence } from './presence.ts';
import type { PublishAcks } from './publish-acks.ts';
import type { Refusals } from './refusals.ts';
import type { Routing } from './routing.ts';
import type { Wills } from './wills.ts';

/** Logs the warning `kind` with its data. The same `kind` is logged at most once a minute. */
export type Warn = (kind: string, data: object) => void;

export interface BrokerParts {
  readonly options: BrokerOptions;
  readonly limits: BrokerLimits;
  readonly admission: Admission;
  readonly sessions: Sessions;
  readonly devices: ConnectedDevices;
  readonly intake: MessageIntake;
  readonly refusals: Refusals;
  readonly publishAcks: PublishAcks;
  readonly deferredAcks: DeferredAcks;
  readonly routing: Routing;
  readonly presence: Presence;
  readonly wills: Wills;
  readonly warn: Warn;
  /** `sent`: messages that the gateway published to devices. `shed`: QoS 0 messages that the broker did not send to a slow client. */
  readonly outgoing: { sent: number; shed: number };
  /** All open connections, including connections with a client that has not sent CONNECT yet. */
  readonly connections: Set<ConnectionFilter>;
  /** The open connections without TLS from other computers. */
  readonly exposed: Map<ConnectionFilter, 'socket' | 'web_socket'>;
  /** True after the broker has begun to stop. */
  stopping: boolean;
}

/** Returns the connection filter of a client of aedes, the MQTT library. */
export function connectionOf(client: Client): ConnectionFilter {
  return client.conn as Duplex as ConnectionFilter;
}

/** Returns the aedes client of a connection filter. aedes sets the property `client` on each stream that it handles. */
export function clientOf(connection: ConnectionFilter): Client {
  return (connection as unknown as { client: Client }).client;
}
