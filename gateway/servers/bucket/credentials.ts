/** Key pairs of the bucket: which device an access key is of, and the secret that its signatures are checked with. */

import { NODE_PROJECT } from '#contract/base/view.ts';
import type { Sealer } from '#contract/context.ts';
import { type BucketDevice, type HmacData, useId } from '#contract/fleet/bucket.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { Store } from '#store/open-store.ts';

/** Key pairs that are remembered, and whose use is; the rest are read, and noted, again. */
const REMEMBERED = 1_000;
/** How often it is noted that a pair is used. */
const USE_NOTED_MS = 10 * 60_000;
/** The same when another pair of the device was used before: a roll has to know which one the logger holds. */
const CHANGE_NOTED_MS = 5_000;

interface KeyPair {
  readonly device: BucketDevice;
  /** Null: the pair has ended by a roll, and nothing is taken under it. */
  readonly secret: string | null;
}

interface Known {
  readonly device: BucketDevice;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface BucketCredentials extends Disposable {
  /** The key pair of an access key; undefined for one that is unknown or revoked. */
  find(access_key_id: string): Promise<KeyPair | undefined>;
  /** Leaves a note that a request was signed with the pair, now and then, off the path of the request. */
  used(device: BucketDevice): void;
}

/**
 * Names under which the objects of a device may lie. A logger uses the id that is burnt into it, which is the serial here or the
 * device_id, and people write it in either case.
 */
function prefixesOf({ device_id }: HmacData, serial: string | null): string[] {
  const names = [device_id, ...(serial !== null && /^[A-Za-z0-9._:-]{1,64}$/.test(serial) ? [serial] : [])];
  return [...new Set(names.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]))];
}

/** The key pairs over the store; a revoked one is unknown from its commit on, a rolled one ends at its time. */
export function createBucketCredentials(options: {
  store: Pick<Store, 'find' | 'view' | 'changes' | 'commit'>;
  sealer: Sealer;
  clock: () => number;
}): BucketCredentials {
  const { store, sealer, clock } = options;
  const known = new Map<string, Known>();
  /** When the use of a pair was noted last. */
  const noted = new Map<string, number>();
  /** The pair of a device that was noted last. */
  const latest = new Map<string, string>();
  let generation = 0;
  const unwatch = store.changes((changes) => {
    for (const { collection, document } of changes) {
      const { object } = document;
      // What machinery writes of a device every few seconds changes neither its key nor its names.
      if (
        !(collection === 'local' && object === 'hmac_credential') &&
        !(collection === 'records' && object === 'device')
      )
        continue;
      generation++;
      known.clear();
    }
  });

  async function read(access_key_id: string): Promise<Known | undefined> {
    const where = { 'data.access_key_id': access_key_id };
    const [found] = await store.find<HmacData>('local', { object: 'hmac_credential', where, limit: 1 });
    if (found === undefined) return undefined;
    const { device, device_id, project_id, sealed, ends_ms } = found.data;
    const record = await store.view(project_id).get<DeviceData>('records', device);
    if (record?.object !== 'device' || record.data.quarantine != null) return undefined;
    const prefixes = prefixesOf(found.data, record.data.serial);
    return {
      device: { device, device_id, project_id, prefixes, access_key_id },
      secret: sealed === '' ? '' : sealer.open(sealed, access_key_id),
      until: sealed === '' ? 0 : (ends_ms ?? Number.POSITIVE_INFINITY),
    };
  }

  function toPair({ device, secret, until }: Known): KeyPair {
    return { device, secret: until > clock() ? secret : null };
  }

  return {
    async find(access_key_id) {
      const remembered = known.get(access_key_id);
      if (remembered !== undefined) return toPair(remembered);
      const before = generation;
      const found = await read(access_key_id);
      // What changed while we looked must not be remembered as it was.
      if (found !== undefined && before === generation) {
        if (known.size === REMEMBERED) known.delete(known.keys().next().value as string);
        known.set(access_key_id, found);
      }
      return found && toPair(found);
    },
    used({ device, access_key_id }) {
      const now = clock();
      const before = noted.get(access_key_id);
      const pause = latest.get(device) === access_key_id ? USE_NOTED_MS : CHANGE_NOTED_MS;
      // A clock that was set back has waited long enough.
      if (before !== undefined && Math.abs(now - before) < pause) return;
      for (const map of [noted, latest]) if (map.size >= REMEMBERED) map.delete(map.keys().next().value as string);
      noted.set(access_key_id, now);
      latest.set(device, access_key_id);
      const id = useId(access_key_id);
      const data = { access_key_id, last_used_at: new Date(now).toISOString() };
      const write = { project_id: NODE_PROJECT, collection: 'local', id, object: 'hmac_use', data } as const;
      // A disk that takes nothing now, or a store that closes, is no reason to refuse the request; it is noted next time.
      store.commit([write]).catch(() => noted.delete(access_key_id));
    },
    [Symbol.dispose]: unwatch,
  };
}
