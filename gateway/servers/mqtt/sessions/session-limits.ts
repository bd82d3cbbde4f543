/** What sessions may hold, and what they count. */

/** A connection, as far as sessions care; aedes' own client. */
export interface SessionClient {
  readonly id: string;
  /** True: nothing of it outlives the connection. */
  readonly clean?: boolean;
}

export interface SessionLimits {
  /** Messages that wait for one session, and their bytes. */
  readonly messages: number;
  readonly bytes: number;
  /** Bytes of all queued and retained messages. */
  readonly totalBytes: number;
  readonly retained: number;
  readonly sessions: number;
  /** Sessions of one owner, which is what stands before the first / of a client id. */
  readonly perOwner: number;
  readonly subscriptions: number;
  /**
   * QoS 2 messages of one session that came and are not released. A client that sends all it has kept before it reads an answer (mqtt.js)
   * must fit: its PUBRELs come behind.
   */
  readonly received: number;
  /** Hours of running after which a waiting message, and a session that nobody opens, is dropped. */
  readonly messageHours: number;
  readonly sessionHours: number;
  /** The log is written anew beyond this, when it is four times what it was then. */
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
  readonly queued: number;
  readonly bytes: number;
  readonly retained: number;
  /** Messages that gave way to a bound or to their age. */
  readonly dropped_total: number;
  /** Sessions that did. */
  readonly ended_total: number;
  /** Bytes of the log that could not be read when this process began. */
  readonly damaged_bytes: number;
}
