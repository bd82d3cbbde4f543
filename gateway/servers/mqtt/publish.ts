/** A PUBLISH as the broker gets it, and who sent it. */
import type { DeviceIdentity, UpTopic } from '#contract/fleet/ingest.ts';
import type { Share } from './device-shares.ts';

/** Who is behind a connection once the key was right. */
export interface Session {
  readonly identity: DeviceIdentity;
  /** The topics that it may publish to. */
  readonly topics: readonly { readonly name: Buffer; readonly topic: UpTopic }[];
  /** Its device's share of the broker. */
  share: Share;
}

/** A PUBLISH as it stands in the socket's bytes; the payload is a view that nobody overwrites. */
export interface Publish {
  /** Undefined: a foreign topic, `name` says which; null: over the limit, the payload is empty. */
  readonly topic: UpTopic | undefined | null;
  readonly name: Buffer;
  readonly payload: Buffer;
  readonly qos: number;
  readonly dup: boolean;
  readonly retain: boolean;
  readonly id: number;
}
