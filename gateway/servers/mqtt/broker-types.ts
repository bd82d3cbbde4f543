/** The interface of the broker: its options, its counters and its methods. */
import type { DeviceIdentity, DOWN_TOPICS, IngestMessage, Refusal } from '#contract/fleet/ingest.ts';
import type { SessionCounters, SessionLimits } from '#servers/mqtt/sessions/session-limits.ts';
import type { IsExposed } from '#servers/tls/exposure.ts';
import type { Tls } from '#servers/tls/tls.ts';
import type { AdmissionLimits } from './admission.ts';
import type { WebSockets } from './web-sockets.ts';

/** The last part of a topic to which a device may subscribe: `config`, `commands`, `alerts` or `time`. */
export type DownTopic = (typeof DOWN_TOPICS)[number];

/** Functions that allow a device to use topics other than its own, so that clients can exchange messages with each other. */
export interface Access {
  readonly publish: (device: DeviceIdentity, topic: string) => boolean;
  readonly subscribe: (device: DeviceIdentity, filter: string) => boolean;
}

/** The limits of one broker. */
export interface BrokerLimits extends SessionLimits, AdmissionLimits {
  /** The largest number of open connections of one device. */
  readonly connections: number;
  /**
   * The shortest time, in milliseconds, for which the broker keeps a connection open after the gateway had no space to store one of its
   * messages.
   */
  readonly holdMs: number;
}

export interface BrokerOptions {
  readonly host: string;
  /** The TCP port of the broker. If it is 0, the operating system chooses a free port. */
  readonly port: number;
  /** A listener with TLS beside the one without. Default: none. */
  readonly secure?: { readonly tls: Tls; readonly port: number } | undefined;
  /** True if the broker starts with TLS only, except for clients on its own computer. Default: false. */
  readonly encryptedOnly?: boolean;
  /** Decides whether a socket is exposed. Default: by its addresses. */
  readonly isExposed?: IsExposed | undefined;
  /** Looks up a device. Resolves with undefined if the device does not exist or the key is wrong; rejects if the lookup fails. */
  readonly authenticate: (username: string, password: Uint8Array) => Promise<DeviceIdentity | undefined>;
  /**
   * Stores a message; resolves when the message is on disk. Rejects with `NotTaken` if the gateway has no space for the message: the broker
   * then keeps the connection open and sends no acknowledgement. After any other error the broker closes the connection.
   */
  readonly accept: (message: IngestMessage) => Promise<void>;
  /** Returns true if `accept` has space for messages again, after it has rejected a message with `NotTaken`. Default: always true. */
  readonly accepting?: () => boolean;
  readonly connected: (device: DeviceIdentity, address: string) => void;
  readonly disconnected: (device: DeviceIdentity) => void;
  /** Called when a device has connected without TLS from another computer, and when this connection ends. */
  readonly exposed?: ((device: DeviceIdentity, address: string) => void) | undefined;
  /**
   * The broker calls this function when it refuses a connection or a message. `source` is a device_id or an IP address. `of` describes the
   * device and what the broker refused, if the device is known.
   */
  readonly refused: (source: string, reason: string, of?: Refusal) => void;
  /** Called when a client logs in with an unknown device_id or a wrong key. */
  readonly loginRefused: (username: string, address: string, reason: string) => void;
  /** The folder of the session log. Default: sessions and retained messages are kept in memory only. */
  readonly folder?: string;
  readonly limits?: Partial<BrokerLimits>;
  /** Allows topics in addition to the device's own topics. Default: no other topics are allowed. */
  readonly access?: Access;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
}

export interface BrokerCounters extends SessionCounters {
  readonly connections: number;
  readonly connections_total: number;
  readonly messages_total: number;
  readonly bytes_total: number;
  readonly refused_connections_total: number;
  readonly refused_messages_total: number;
  readonly malformed_total: number;
  readonly sent_total: number;
  /** Connections that ended because their client did not read. */
  readonly frozen_total: number;
  /** QoS 0 messages that a client did not get because it read too slowly. */
  readonly shed_total: number;
  /** Messages that the gateway did not store because it had no space. */
  readonly not_taken_total: number;
  /** Open connections on which the gateway received at least one message that it had no space to store. */
  readonly deferred_connections: number;
}

export interface Broker extends AsyncDisposable {
  readonly port: number;
  /** Port of the listener with TLS; 0 if there is none. */
  readonly tlsPort: number;
  /** Takes WebSockets that the HTTP server accepted. */
  readonly webSockets: WebSockets;
  /**
   * Publishes a message to a device: `config`, `commands` and `alerts` with QoS 1, `time` with QoS 0. The promise rejects when the device's queue is
   * full, and when the broker stops.
   */
  publish(device_id: string, topic: DownTopic, payload: string | Uint8Array, retain?: boolean): Promise<void>;
  counters(): BrokerCounters;
  /** The open connections without TLS from other computers, whose devices have logged in. */
  exposed(): readonly { readonly device: DeviceIdentity; readonly address: string }[];
  /** Accepts connections without TLS from this computer only, or from every computer. Open connections stay open. */
  restrict(on: boolean): void;
  /** Closes connections without TLS from other computers: all of them, or only WebSockets. */
  closeExposed(which: 'all' | 'web_sockets'): void;
  /** Ends all connections of a device without publishing their last wills. Call it when the key of the device was revoked. */
  drop(device_id: string): void;
  /**
   * Returns the problems of the session log (the file that stores MQTT sessions). The gateway shows these problems in `GET /api/v1/health`.
   */
  problems(): { readonly code: string; readonly message: string }[];
  /** Sets the largest number of open sockets. The broker refuses new sockets above this number, and closes no open socket. */
  limitSockets(count: number): void;
}
