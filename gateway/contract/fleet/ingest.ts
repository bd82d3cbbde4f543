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

/** What is wrong with the key of a request. */
export type RequestFault = 'wrong_key' | 'no_key';

/** A request over HTTP that names a device and does not have its key. */
export interface RefusedRequest {
  /** What the request names: the id of a record, or a device_id. */
  readonly named: string;
  readonly address: string;
  readonly path: string;
  /** A sender has a good key, of another device: the id of its record. */
  readonly reason: RequestFault | { readonly sender: string };
}

/** What a door refused of a device that it knows, for the diagnosis of the device. */
export type Refusal = {
  readonly device: string;
} /** A request to the bucket that is not signed with its key pair. */ & (
  | { readonly what: 'signature'; readonly address: string }
  /** A request over HTTP for it with a wrong key, or with none. */
  | { readonly what: 'request'; readonly address: string; readonly reason: RequestFault }
  /** A topic, a name in the bucket, or an address over HTTP that is not the device's own. */
  | { readonly what: 'place'; readonly place: string }
  | { readonly what: 'size' }
);

/** What came from a device last, of each kind; in milliseconds since 1970. */
export interface Heard {
  /** When it sent on each topic. */
  readonly topics: Partial<Record<JournalTopic, number>>;
  /** When a message held something that could be used: frames, values or a picture. */
  usable_ms: number | null;
  /** The last part of a message that could not be used. */
  unusable: { readonly reason: string; readonly at_ms: number } | null;
}

/** What the gateway remembers of a device for its diagnosis; what was refused is known since the process began. */
export interface DeviceTrail extends Readonly<Heard> {
  readonly refused_login: { readonly at_ms: number; readonly address: string; readonly count: number } | null;
  /** Requests to the bucket that were not signed with its key pair. */
  readonly refused_signature: { readonly at_ms: number; readonly address: string; readonly count: number } | null;
  /** Requests over HTTP for it that did not have its key. */
  readonly refused_request: {
    readonly at_ms: number;
    readonly address: string;
    readonly count: number;
    readonly reason: RequestFault;
  } | null;
  readonly refused_place: { readonly at_ms: number; readonly place: string; readonly count: number } | null;
  readonly refused_size: { readonly at_ms: number; readonly count: number } | null;
  /** Frames of groups that the J1939 table does not have. */
  readonly unknown_frames: number;
}
