import type { DeviceIdentity, UpTopic } from '#contract/fleet/ingest.ts';
import type { Share } from './device-shares.ts';

/** The device of a connection whose key was correct. */
export interface AuthenticatedDevice {
  readonly identity: DeviceIdentity;
  /** The topics that the device may publish to. */
  readonly topics: readonly { readonly name: Buffer; readonly topic: UpTopic }[];
  /** The device's share of the broker; all connections of the device have the same object. */
  share: Share;
}
