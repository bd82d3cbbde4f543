/**
 * Types of the messages that devices send, before the gateway parses them, and of the data that the gateway keeps about recent and refused
 * messages.
 */

/** MQTT topics to which a device publishes, below `v1/devices/{device_id}/`. Points sent over HTTP get the topic `telemetry`. */
export const UP_TOPICS = ['can', 'telemetry', 'events', 'status'] as const;
export type UpTopic = (typeof UP_TOPICS)[number];
/**
 * Topics of messages in the journal (the files with all accepted messages). The gateway itself writes `recording` (parts of log files),
 * `picture` (camera pictures) and `meter` (meter readings of people; the sender is then the machine and not a device).
 */
export const JOURNAL_TOPICS = [...UP_TOPICS, 'recording', 'picture', 'meter'] as const;
export type JournalTopic = (typeof JOURNAL_TOPICS)[number];
/** How a device reaches the gateway: over MQTT, over HTTP with its key, or by uploading files to the bucket. */
export const TRANSPORTS = ['mqtt', 'http', 'upload'] as const;
export type Transport = (typeof TRANSPORTS)[number];
export const DOWN_TOPICS = ['config', 'commands', 'alerts', 'time'] as const;

export interface IngestMessage {
  /** Record id of the device; for the topic `meter` the record id of the machine. */
  readonly device: string;
  readonly project_id: string;
  /** The `device_id`, for health and logs. */
  readonly device_id: string;
  readonly topic: JournalTopic;
  readonly payload: Uint8Array;
  /** Time of receipt in milliseconds since 1970, by the clock of the gateway. */
  readonly received_at_ms: number;
  /** True if the DUP flag of MQTT is set: the device sends this message again [MQTT-3.3.1-1]. */
  readonly dup?: boolean;
  /** MQTT packet identifier, to recognise a repeated message. */
  readonly packet_id?: number;
  /** How the message arrived. Absent: over MQTT. */
  readonly via?: Exclude<Transport, 'mqtt'>;
  /** True if the device sends nothing more before it gets the answer. The journal then syncs without waiting for more messages. */
  readonly waits?: boolean;
}

/** Error: the gateway did not accept a message because disk space or memory is short. The device may send the message again later. */
export class NotTaken extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NotTaken';
  }
}

/** The device that a key belongs to: its record id, its `device_id` and its project. */
export interface DeviceIdentity {
  readonly device: string;
  readonly device_id: string;
  readonly project_id: string;
}

/** Why the key of an HTTP request is refused: the request has a wrong key, or no key. */
export type RequestFault = 'wrong_key' | 'no_key';

/** A refused HTTP request: its path names a device, but it has no valid key of this device. */
export interface RefusedRequest {
  /** The id of the device in the path: a record id or a `device_id`. */
  readonly named: string;
  readonly address: string;
  readonly path: string;
  /** Why the request was refused. `sender` is the record id of another device, if the request has the key of that device. */
  readonly reason: RequestFault | { readonly sender: string };
}

/** A message or request of a known device that a server refused. The diagnosis of the device shows it. */
export type Refusal = {
  readonly device: string;
} /** A request to the bucket that is not signed with its key pair. */ & (
  | { readonly what: 'signature'; readonly address: string }
  /** An HTTP request with a wrong key or without one. */
  | { readonly what: 'request'; readonly address: string; readonly reason: RequestFault }
  /** The device used a topic, a bucket key or an HTTP path of another device. */
  | { readonly what: 'place'; readonly place: string }
  | { readonly what: 'size' }
);

/** When a device last sent data, in milliseconds since 1970. */
export interface Heard {
  /** Time of the last message of each topic. */
  readonly topics: Partial<Record<JournalTopic, number>>;
  /** Time of the last message that contained frames, values or a picture; null if there was none. */
  usable_ms: number | null;
  /** The last part of a message that the gateway could not parse, with the reason; null if there was none. */
  unusable: { readonly reason: string; readonly at_ms: number } | null;
}

/** Recent messages and refusals of a device, for its diagnosis. The gateway keeps refusals in memory, so a restart clears them. */
export interface DeviceTrail extends Readonly<Heard> {
  readonly refused_login: { readonly at_ms: number; readonly address: string; readonly count: number } | null;
  /** Requests to the bucket with a wrong signature. */
  readonly refused_signature: { readonly at_ms: number; readonly address: string; readonly count: number } | null;
  /** Refused HTTP requests: the path named this device, but the request had no valid key of this device. */
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
