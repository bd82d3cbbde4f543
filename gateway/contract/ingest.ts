/** What enters the straight line: one message of one device, before anyone has looked inside. */

/** The topics a device publishes (`v1/devices/{device_id}/...`); `http` telemetry points arrive as `telemetry`. */
export const UP_TOPICS = ['can', 'telemetry', 'events', 'status'] as const;
export type UpTopic = (typeof UP_TOPICS)[number];
/** What the journal holds besides, made by the gateway itself: parts of files that a device recorded, and pictures of a camera. */
export const JOURNAL_TOPICS = [...UP_TOPICS, 'recording', 'picture'] as const;
export type JournalTopic = (typeof JOURNAL_TOPICS)[number];
/** How a device reaches the gateway: over MQTT, over HTTP with its key, or by uploading files to the bucket. */
export const TRANSPORTS = ['mqtt', 'http', 'upload'] as const;
export type Transport = (typeof TRANSPORTS)[number];
export const DOWN_TOPICS = ['config', 'commands', 'time'] as const;

export interface IngestMessage {
  /** Record id of the device. */
  readonly device: string;
  readonly project_id: string;
  /** Hardware-facing id, for health and logs. */
  readonly device_id: string;
  readonly topic: JournalTopic;
  readonly payload: Uint8Array;
  /** Milliseconds since 1970 by the gateway's clock. */
  readonly received_at_ms: number;
  /** MQTT: set on a message that its sender marked as a repeat [MQTT-3.3.1-1]. */
  readonly dup?: boolean;
  /** MQTT packet identifier, for recognising the repeat. */
  readonly packet_id?: number;
  /** Set where the message did not come over MQTT. */
  readonly via?: Exclude<Transport, 'mqtt'>;
  /** Its sender is known to send nothing more before it is answered: it need not wait for company. */
  readonly waits?: boolean;
}

/** A message was not taken for want of room, and may be later: its sender keeps it. Every other failure to accept is for good. */
export class NotTaken extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NotTaken';
  }
}

/** The device record behind a credential. */
export interface DeviceIdentity {
  readonly device: string;
  readonly device_id: string;
  readonly project_id: string;
}
