/** What feeds need besides a store and live facts, as the gateway gives it. */
import { randomBytes } from 'node:crypto';
import { makeId } from '#contract/base/ids.ts';
import { qrCode } from '#gateway/qr.ts';
import { openSealer } from '#gateway/sealer.ts';
import type { FeedServices } from '#screens/feed.ts';
import type { createFeeds } from '#screens/feeds.ts';
import type { Rig } from './handler-rig.ts';

type Services = Pick<FeedServices, 'sealer' | 'shifts' | 'days' | 'attention' | 'qr' | 'baseUrl'> &
  Pick<Parameters<typeof createFeeds>[0], 'newId' | 'displays'>;

/** Services over the keys of a rig. */
export function feedServices(
  rig: Pick<Rig, 'folder' | 'clock' | 'shifts' | 'days' | 'attention' | 'displays'>,
): Services {
  return {
    sealer: openSealer(rig.folder),
    shifts: rig.shifts,
    days: rig.days,
    attention: rig.attention,
    qr: qrCode,
    baseUrl: () => 'http://gateway.test',
    displays: rig.displays,
    newId: (kind) => makeId(kind, rig.clock(), new Uint8Array(randomBytes(10))),
  };
}
