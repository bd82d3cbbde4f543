/** The input of ingest: one message of one device, not yet parsed. */

/** The topics a device publishes (`v1/devices/{device_id}/...`); `http` telemetry points arrive as `telemetry`. */
export const UP_TOPICS = ['can', 'telemetry', 'events', 'status'] as const;
export type UpTopic = (typeof UP_TOPICS)[number];
/** All topics of the journal. The gateway itself writes `recording` (parts of log files) and `picture` (camera pictures). */
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
  /** The `device_id`, for health and logs. */
  readonly device_id: string;
  readonly topic: JournalTopic;
  readonly payload: Uint8Array;
  /** Milliseconds since 1970 by the gateway's clock. */
  readonly received_at_ms: number;
  /** The DUP flag of MQTT: the sender repeats this message [MQTT-3.3.1-1]. */
  readonly dup?: boolean;
  /** MQTT packet identifier, to recognise a repeated message. */
  readonly packet_id?: number;
  /** The transport, if it is not MQTT. */
  readonly via?: Exclude<Transport, 'mqtt'>;
  /** True if the sender waits for the answer before it sends more. The journal then syncs at once instead of waiting for further messages. */
  readonly waits?: boolean;
}

/** The gateway did not accept a message because space is short. The sender keeps it and may send it again later. Any other error is final. */
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

/** Fault of the key of a request. */
export type RequestFault = 'wrong_key' | 'no_key';

/** An HTTP request that names a device but has no valid key of it. */
export interface RefusedRequest {
  /** The id in the request: a record id or a device_id. */
  readonly named: string;
  readonly address: string;
  readonly path: string;
  /** `sender`: the request has a valid key of another device, with this record id. */
  readonly reason: RequestFault | { readonly sender: string };
}

/** A message or request of a known device that a server refused. Used by the diagnosis of the device. */
export type Refusal = {
  readonly device: string;
} /** A request to the bucket that is not signed with its key pair. */ & (
  | { readonly what: 'signature'; readonly address: string }
  /** An HTTP request with a wrong key or without one. */
  | { readonly what: 'request'; readonly address: string; readonly reason: RequestFault }
  /** A topic, a bucket key or an HTTP path that does not belong to the device. */
  | { readonly what: 'place'; readonly place: string }
  | { readonly what: 'size' }
);

/** Times of the last data of a device by kind, in milliseconds since 1970. */
export interface Heard {
  /** Time of the last message by topic. */
  readonly topics: Partial<Record<JournalTopic, number>>;
  /** Time of the last message with usable content: frames, values or a picture. */
  usable_ms: number | null;
  /** The last unusable part of a message. */
  unusable: { readonly reason: string; readonly at_ms: number } | null;
}

/** Recent activity of a device, for its diagnosis. Refusals are known since the start of the process. */
export interface DeviceTrail extends Readonly<Heard> {
  readonly refused_login: { readonly at_ms: number; readonly address: string; readonly count: number } | null;
  /** Requests to the bucket with a wrong signature. */
  readonly refused_signature: { readonly at_ms: number; readonly address: string; readonly count: number } | null;
  /** HTTP requests for the device without a valid key of it. */
  readonly refused_request: {
    readonly at_ms: number;
    readonly address: string;
    readonly count: number;
    readonly reason: RequestFault;
  } | null;
  readonly refused_place: { readonly at_ms: number; readonly place: string; readonly count: number } | null;
  readonly refused_size: { readonly at_ms: number; readonly count: number } | null;
  /** Number of frames whose parameter group is not in the J1939 table. */
  readonly unknown_frames: number;
}
