/**
 * The documents of multipart uploads to the bucket. A document describes the object that the upload will create. Each uploaded part is a
 * file. The name of the file contains the number of the part and its checksums.
 */

import { makeId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import type { BucketDevice, BucketUpload, BucketUploads } from '#contract/fleet/bucket.ts';
import type { Store } from '#store/open-store.ts';

type UploadData = Omit<BucketUpload, 'id'> & { device: string };

const HOUR_MS = 3_600_000;
const PAGE = 200;

/** Creates the multipart uploads over the store. */
export function createBucketUploads(options: {
  store: Pick<Store, 'node'>;
  clock: () => number;
  random: (bytes: number) => Uint8Array;
}): BucketUploads & {
  /** Deletes expired uploads and returns their number. */
  sweep(): Promise<number>;
} {
  const { store, clock, random } = options;
  const { node } = store;
  const toUpload = ({ id, data: { device: _, ...upload } }: Stored<UploadData>): BucketUpload => ({ id, ...upload });

  async function open(device: BucketDevice): Promise<Stored<UploadData>[]> {
    const where = { 'data.device': device.device };
    const found = await node.find<UploadData>('local', { object: 'bucket_upload', where, order: 'asc', limit: PAGE });
    return found.filter(({ data }) => data.expires_ms > clock());
  }

  async function own(device: BucketDevice, id: string): Promise<Stored<UploadData> | undefined> {
    const found = await node.get<UploadData>('local', id);
    return found?.object === 'bucket_upload' && found.data.device === device.device && found.data.expires_ms > clock()
      ? found
      : undefined;
  }

  const end = ({ id, data }: Stored<UploadData>) =>
    ({ collection: 'local', id, object: 'bucket_upload', project_id: NODE_PROJECT, data, deleted: true }) as const;

  return {
    async begin(device, upload) {
      const most = LIMITS.bucket_uploads.value;
      // A logger that starts a new upload after each failure leaves old uploads open. Discard the oldest upload; a periodic job deletes its
      // parts later.
      const before = await open(device);
      const given_up = before.slice(0, Math.max(0, before.length - most + 1)).map(end);
      const id = makeId('upload', clock(), random(10));
      const initiated_ms = clock();
      const expires_ms = initiated_ms + LIMITS.upload_time.value * HOUR_MS;
      const data = { ...upload, device: device.device, initiated_ms, expires_ms };
      await node.commit([{ collection: 'local', id, object: 'bucket_upload', data, expected: 0 }, ...given_up]);
      return { id, ...upload, initiated_ms, expires_ms };
    },
    async get(device, id) {
      const found = await own(device, id);
      return found && toUpload(found);
    },
    async list(device) {
      return (await open(device)).map(toUpload);
    },
    async end(device, id) {
      const found = await own(device, id);
      if (found !== undefined) await node.commit([end(found)]);
    },
    async sweep() {
      for (let ended = 0; ; ) {
        const where = { 'data.expires_ms': { lt: clock() } };
        const old = await node.find<UploadData>('local', { object: 'bucket_upload', where, limit: PAGE });
        await node.commit(old.map(end));
        ended += old.length;
        if (old.length < PAGE) return ended;
      }
    },
  };
}
