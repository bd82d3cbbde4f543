import type { DeviceIdentity, UpTopic } from '#contract/fleet/ingest.ts';
import type { Share } from './device-shares.ts';

/** The device of an authenticated connection. */
export interface AuthenticatedDevice {
  readonly identity: DeviceIdentity;
  /** The topics that the device may publish to. */
  readonly topics: readonly { readonly name: Buffer; readonly topic: UpTopic }[];
  /** How much the device sent recently. All connections of the device use the same object. */
  share: Share;
}
