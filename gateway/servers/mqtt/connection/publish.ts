import type { UpTopic } from '#contract/fleet/ingest.ts';

/** A PUBLISH packet that the connection filter has read. */
export interface Publish {
  /** The last part of the topic, for example `can`. Undefined if the device may not publish to the topic; null for an oversize packet. */
  readonly topic: UpTopic | undefined | null;
  /** The full topic name in UTF-8. */
  readonly name: Buffer;
  /** The payload. It is a view of the received bytes, and no code changes these bytes. It is empty for an oversize packet. */
  readonly payload: Buffer;
  readonly qos: number;
  readonly dup: boolean;
  readonly retain: boolean;
  /** The packet id; 0 for QoS 0. */
  readonly id: number;
}
