/** Looks up the key pairs of the bucket. A key pair is an access key id of a device and the secret that verifies its signatures. */

import { NODE_PROJECT } from '#contract/base/view.ts';
import type { Sealer } from '#contract/context.ts';
import { type BucketDevice, type HmacData, useId } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { Store } from '#store/open-store.ts';

/**
 * Largest number of key pairs in each cache. If a key pair was removed from the cache, the next request with this pair reads the store
 * again.
 */
const CACHED = 1_000;
/** Shortest time in milliseconds between two writes of the time of last use, while a device uses the same key pair. */
const USE_PAUSE_MS = 10 * 60_000;
/**
 * Shortest time in milliseconds between two of these writes when the device changes to another key pair. The time is short, because a key
 * roll (the replacement of a key pair) waits until the device uses its new pair.
 */
const CHANGE_PAUSE_MS = 5_000;

interface KeyPair {
  readonly device: BucketDevice;
  /**
   * The secret; null if a new key pair has replaced this pair and this pair is no longer valid. The bucket then refuses requests with this
   * pair.
   */
  readonly secret: string | null;
}

interface CachedPair {
  readonly device: BucketDevice;
  readonly secret: string;
  /**
   * If a new key pair has replaced this pair, the time until which this pair remains valid, in milliseconds since 1970; otherwise infinity.
   */
  readonly until: number;
}

export interface BucketCredentials extends Disposable {
  /** Returns the key pair of an access key id; undefined if the id is unknown or revoked. */
  find(access_key_id: string): Promise<KeyPair | undefined>;
  /** Stores the time of the last use of the pair, at most every ten minutes. The request does not wait for this write. */
  used(device: BucketDevice): void;
}

/**
 * Returns the prefixes that the object keys of a device may have. A logger uses the id in its configuration as prefix: its serial or its
 * `device_id`. People enter that id in upper or lower case, so the bucket accepts both.
 */
function prefixesOf({ device_id }: HmacData, serial: string | null): string[] {
  const names = [device_id, ...(serial !== null && /^[A-Za-z0-9._:-]{1,64}$/.test(serial) ? [serial] : [])];
  return [...new Set(names.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]))];
}

/**
 * Looks up key pairs in the store. When a commit revokes a key pair, the pair is unknown at once. A key pair that a new pair has replaced
 * remains valid until its `ends_ms`.
 */
export function createBucketCredentials(options: {
  store: Pick<Store, 'find' | 'view' | 'changes' | 'commit'>;
  sealer: Sealer;
  clock: () => number;
}): BucketCredentials {
  const { store, sealer, clock } = options;
  const cached = new Map<string, CachedPair>();
  /** Time of the last stored use of each pair. */
  const stored = new Map<string, number>();
  /** For each device, the key pair for which a use was stored last. */
  const latest = new Map<string, string>();
  let generation = 0;
  const unwatch = store.changes((changes) => {
    for (const { collection, document } of changes) {
      const { object } = document;
      // Clear the cache only for changes of these documents. Other documents, such as the live state of devices, change every few seconds.
      if (
        !(collection === 'local' && object === 'hmac_credential') &&
        !(collection === 'records' && object === 'device')
      )
        continue;
      generation++;
      cached.clear();
    }
  });

  async function read(access_key_id: string): Promise<CachedPair | undefined> {
    const where = { 'data.access_key_id': access_key_id };
    const [found] = await store.find<HmacData>('local', { object: 'hmac_credential', where, limit: 1 });
    if (found === undefined) return undefined;
    const { device, device_id, project_id, sealed, ends_ms } = found.data;
    const record = await store.view(project_id).get<DeviceData>('records', device);
    if (record?.object !== 'device' || record.data.quarantine != null) return undefined;
    const prefixes = prefixesOf(found.data, record.data.serial);
    const secret = sealed === '' ? '' : sealer.tryOpen(sealed, access_key_id);
    // After a restore without the key file the gateway cannot verify signatures of this pair.
    if (secret === undefined) return undefined;
    return {
      device: { device, device_id, project_id, prefixes, access_key_id },
      secret,
      until: sealed === '' ? 0 : (ends_ms ?? Number.POSITIVE_INFINITY),
    };
  }

  function toPair({ device, secret, until }: CachedPair): KeyPair {
    return { device, secret: until > clock() ? secret : null };
  }

  return {
    async find(access_key_id) {
      const hit = cached.get(access_key_id);
      if (hit !== undefined) return toPair(hit);
      const before = generation;
      const found = await read(access_key_id);
      // Do not cache the key pair if a commit may have changed it during the read.
      if (found !== undefined && before === generation) {
        if (cached.size === CACHED) cached.delete(cached.keys().next().value as string);
        cached.set(access_key_id, found);
      }
      return found && toPair(found);
    },
    used({ device, access_key_id }) {
      const now = clock();
      const before = stored.get(access_key_id);
      const pause = latest.get(device) === access_key_id ? USE_PAUSE_MS : CHANGE_PAUSE_MS;
      // Compare the absolute difference. If somebody set the clock back by hours, the stored time is in the future, and the pause would
      // last hours.
      if (before !== undefined && Math.abs(now - before) < pause) return;
      for (const map of [stored, latest]) if (map.size >= CACHED) map.delete(map.keys().next().value as string);
      stored.set(access_key_id, now);
      latest.set(device, access_key_id);
      const id = useId(access_key_id);
      const data = { access_key_id, last_used_at: new Date(now).toISOString() };
      const write = { project_id: NODE_PROJECT, collection: 'local', id, object: 'hmac_use', data } as const;
      // If this write fails, for example on a full disk, the request still succeeds. The next request with this key pair tries the write
      // again.
      store.commit([write]).catch(() => stored.delete(access_key_id));
    },
    [Symbol.dispose]: unwatch,
  };
}
