/** The limits of sessions, and the counters that they report. */

/** The part of an aedes client that sessions use. */
export interface SessionClient {
  readonly id: string;
  /** Clean session: the broker deletes its state when the connection ends. */
  readonly clean?: boolean;
}

export interface SessionLimits {
  /** Queued messages of one session, and their bytes. */
  readonly messages: number;
  readonly bytes: number;
  /** Bytes of all queued and retained messages. */
  readonly totalBytes: number;
  readonly retained: number;
  readonly sessions: number;
  /** Sessions of one device. The device_id is the part of a client id before the first `/`. */
  readonly perOwner: number;
  readonly subscriptions: number;
  /**
   * QoS 2 messages of one session that the broker has received and the client has not released. mqtt.js resends its whole backlog
   * before it sends the first PUBREL, so the limit must hold such a backlog.
   */
  readonly received: number;
  /** Hours of running after which the broker drops a queued message, and ends a session that has no connection. */
  readonly messageHours: number;
  readonly sessionHours: number;
  /** The log is rewritten when it is larger than this and than four times its size after the last rewrite. */
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
  /** Queued messages of all sessions. */
  readonly queued: number;
  readonly bytes: number;
  readonly retained: number;
  /** Messages that were dropped because of a limit or their age. */
  readonly dropped_total: number;
  /** Sessions that were ended because of a limit or their age. */
  readonly ended_total: number;
  /** Bytes of the log that were corrupt when this process started. */
  readonly damaged_bytes: number;
}
