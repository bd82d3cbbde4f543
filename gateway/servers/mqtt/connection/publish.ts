import type { UpTopic } from '#contract/fleet/ingest.ts';

/** A PUBLISH that the connection filter has read. */
export interface Publish {
  /** The device's own topic; undefined for any other topic; null for an oversize packet, whose payload is empty. */
  readonly topic: UpTopic | undefined | null;
  /** The topic name. */
  readonly name: Buffer;
  /** A view of the bytes that the socket delivered; nobody overwrites them. */
  readonly payload: Buffer;
  readonly qos: number;
  readonly dup: boolean;
  readonly retain: boolean;
  /** The packet id; 0 for QoS 0. */
  readonly id: number;
}
