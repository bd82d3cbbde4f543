/** The limits and the counters of MQTT sessions. */

/** The fields of an aedes client that the session code reads. */
export interface SessionClient {
  readonly id: string;
  /** The flag "clean session" of CONNECT. If it is true, the broker deletes the state of the client when the connection ends. */
  readonly clean?: boolean;
}

export interface SessionLimits {
  /** The largest number of queued messages of one session. */
  readonly messages: number;
  /** The largest number of bytes of the queued messages of one session. */
  readonly bytes: number;
  /** The largest number of bytes of all queued and retained messages together. */
  readonly totalBytes: number;
  /** The largest number of retained messages. */
  readonly retained: number;
  /** The largest number of sessions of all devices together. */
  readonly sessions: number;
  /** The largest number of sessions of one device. The device_id is the part of a client id before the first `/`. */
  readonly perOwner: number;
  /** The largest number of subscriptions of one session. */
  readonly subscriptions: number;
  /**
   * The largest number of QoS 2 messages of one session for which the client has not sent PUBREL. After a reconnect mqtt.js resends all its
   * stored messages before it sends the first PUBREL, so the limit must be large.
   */
  readonly received: number;
  /** Hours after which the broker drops a queued message. Only hours in which the gateway runs count. */
  readonly messageHours: number;
  /** Hours without a connection after which the broker ends a session. Only hours in which the gateway runs count. */
  readonly sessionHours: number;
  /**
   * The broker rewrites the session log (the file with all changes of sessions) when two conditions are true. The file has more bytes than
   * this number, and the file is more than four times as large as after its last rewrite.
   */
  readonly logBytes: number;
}

export const SESSION_LIMITS: SessionLimits = {
  messages: 100,
  bytes: 4 << 20,
  totalBytes: 32 << 20,
  retained: 20_000,
  sessions: 10_000,
  perOwner: 4,
  subscriptions: 100,
  received: 10_000,
  messageHours: 7 * 24,
  sessionHours: 30 * 24,
  logBytes: 4 << 20,
};

export interface SessionCounters {
  readonly sessions: number;
  /** Number of queued messages of all sessions. */
  readonly queued: number;
  readonly bytes: number;
  readonly retained: number;
  /** Number of messages that the broker dropped because of a limit or their age. */
  readonly dropped_total: number;
  /** Number of sessions that the broker ended because of a limit or their age. */
  readonly ended_total: number;
  /** Number of corrupt bytes that the broker found in the session log at its start. */
  readonly damaged_bytes: number;
}
