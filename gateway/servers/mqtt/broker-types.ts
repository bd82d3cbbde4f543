/** The interface of the broker: its options, its counters and its methods. */
import type { DeviceIdentity, DOWN_TOPICS, IngestMessage, Refusal } from '#contract/fleet/ingest.ts';
import type { SessionCounters, SessionLimits } from '#servers/mqtt/sessions/session-limits.ts';
import type { AdmissionLimits } from './admission.ts';

/** The last level of a topic that a device may subscribe to. */
export type DownTopic = (typeof DOWN_TOPICS)[number];

/** Allows topics between clients, in addition to the topics of the gateway. */
export interface Access {
  readonly publish: (device: DeviceIdentity, topic: string) => boolean;
  readonly subscribe: (device: DeviceIdentity, filter: string) => boolean;
}

/** The limits of one broker. */
export interface BrokerLimits extends SessionLimits, AdmissionLimits {
  /** Connections of one device. */
  readonly connections: number;
  /** How long a connection with messages that were not taken stays open at least, in milliseconds. */
  readonly holdMs: number;
}

export interface BrokerOptions {
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  /** Resolves with undefined when the device does not exist or the key is wrong. Rejects when keys cannot be looked up now. */
  readonly authenticate: (username: string, password: Uint8Array) => Promise<DeviceIdentity | undefined>;
  /**
   * Resolves when the message is on disk. Rejects with `NotTaken` if the gateway has no space now: the sender keeps the message, and the
   * broker keeps the connection. Rejects with another error if the broker must close the connection.
   */
  readonly accept: (message: IngestMessage) => Promise<void>;
  /** True if `accept` takes messages again after it rejected one with `NotTaken`. Default: always true. */
  readonly accepting?: () => boolean;
  readonly connected: (device: DeviceIdentity, address: string) => void;
  readonly disconnected: (device: DeviceIdentity) => void;
  /** Called when the broker refuses a connection or message. `source` is a device_id or an address; `of` is set if the device is known. */
  readonly refused: (source: string, reason: string, of?: Refusal) => void;
  /** Called for a login with an unknown device_id or a wrong key. */
  readonly loginRefused: (username: string, address: string, reason: string) => void;
  /** The folder of the session log. Default: sessions and retained messages are kept in memory only. */
  readonly folder?: string;
  readonly limits?: Partial<BrokerLimits>;
  /** The topics that clients may use besides the device's own ones. Default: none. */
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
  /** Messages that were not taken for lack of space. */
  readonly not_taken_total: number;
  /** Open connections with such messages. */
  readonly deferred_connections: number;
}

export interface Broker extends AsyncDisposable {
  readonly port: number;
  /** Publishes to a device: `config` and `commands` with QoS 1, `time` with QoS 0. Rejects when the device's queue is full. */
  publish(device_id: string, topic: DownTopic, payload: string | Uint8Array, retain?: boolean): Promise<void>;
  counters(): BrokerCounters;
  /** Ends all connections of a device whose key was revoked, without publishing their last wills. */
  drop(device_id: string): void;
  /** The problems that health reports. */
  problems(): { readonly code: string; readonly message: string }[];
  /** Limits the number of sockets from now on. New sockets above it are refused; open ones stay. */
  limitSockets(count: number): void;
}
