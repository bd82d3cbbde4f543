/** Key pairs of the bucket: which device an access key is of, and the secret that its signatures are checked with. */
import type { BucketDevice, HmacData } from '#contract/bucket.ts';
import type { Sealer } from '#contract/context.ts';
import type { DeviceData } from '#contract/device.ts';
import type { Store } from '#store/open-store.ts';

/** Key pairs that are remembered; the rest are read again. */
const REMEMBERED = 1_000;

interface KeyPair {
  readonly device: BucketDevice;
  readonly secret: string;
}

export interface BucketCredentials extends Disposable {
  /** The key pair of an access key; undefined for one that is unknown or revoked. */
  find(access_key_id: string): Promise<KeyPair | undefined>;
}

/**
 * Names under which the objects of a device may lie. A logger uses the id that is burnt into it, which is the serial here or the
 * device_id, and people write it in either case.
 */
function prefixesOf({ device_id }: HmacData, serial: string | null): string[] {
  const names = [device_id, ...(serial !== null && /^[A-Za-z0-9._:-]{1,64}$/.test(serial) ? [serial] : [])];
  return [...new Set(names.flatMap((name) => [name, name.toUpperCase(), name.toLowerCase()]))];
}

/** The key pairs over the store; a revoked one is unknown from its commit on. */
export function createBucketCredentials(options: {
  store: Pick<Store, 'find' | 'view' | 'changes'>;
  sealer: Sealer;
}): BucketCredentials {
  const { store, sealer } = options;
  const known = new Map<string, KeyPair>();
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

  async function read(access_key_id: string): Promise<KeyPair | undefined> {
    const where = { 'data.access_key_id': access_key_id };
    const [found] = await store.find<HmacData>('local', { object: 'hmac_credential', where, limit: 1 });
    if (found === undefined) return undefined;
    const { device, device_id, project_id, sealed } = found.data;
    const record = await store.view(project_id).get<DeviceData>('records', device);
    if (record?.object !== 'device') return undefined;
    const prefixes = prefixesOf(found.data, record.data.serial);
    return { device: { device, device_id, project_id, prefixes }, secret: sealer.open(sealed) };
  }

  return {
    async find(access_key_id) {
      const remembered = known.get(access_key_id);
      if (remembered !== undefined) return remembered;
      const before = generation;
      const found = await read(access_key_id);
      // What changed while we looked must not be remembered as it was.
      if (found !== undefined && before === generation) {
        if (known.size === REMEMBERED) known.delete(known.keys().next().value as string);
        known.set(access_key_id, found);
      }
      return found;
    },
    [Symbol.dispose]: unwatch,
  };
}
