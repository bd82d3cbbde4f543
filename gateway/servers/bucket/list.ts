/** Lists of objects, versions 1 and 2, and the deletion of many. */

import { LIMITS } from '#contract/base/limits.ts';
import type { BucketDevice, BucketObject, BucketObjects } from '#contract/fleet/bucket.ts';
import { BUCKET } from '#contract/fleet/bucket.ts';
import { type BucketCall, sendXml, takeXml, xmlTime } from './call.ts';
import { BucketError } from './errors.ts';
import { innerKey } from './keys.ts';
import { percentEncode } from './sigv4.ts';
import { readXml, textOf } from './xml.ts';

/** Behind every name that begins like this, in byte order. */
const LAST = '\u{10ffff}';
const MOST = LIMITS.bucket_list.value;
/** What an object of a deletion may be asked to be. */
const CONDITIONS = ['ETag', 'Size', 'LastModifiedTime', 'VersionId'] as const;
/** Objects read at a time where names are gathered under a common prefix. */
const STEP = 200;

interface Page {
  readonly objects: readonly (BucketObject & { readonly name: string })[];
  readonly prefixes: readonly string[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

interface Wanted {
  readonly prefix: string;
  readonly delimiter: string;
  /** Only what comes after this name. */
  readonly after: string;
  readonly limit: number;
}

const before = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

/** The part of a name that lists gather under; undefined for a name of its own. */
function commonPrefix(name: string, { prefix, delimiter }: Wanted): string | undefined {
  const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : name.slice(0, at + delimiter.length);
}

/** One page of the names of a device. */
async function readPage(objects: BucketObjects, device: BucketDevice, wanted: Wanted): Promise<Page> {
  const { prefix, limit } = wanted;
  const root = device.prefixes
    .map((name) => `${name}/`)
    .find((name) => name.startsWith(prefix) || prefix.startsWith(name));
  if (root === undefined || limit === 0) return { objects: [], prefixes: [], next: undefined };
  const inner = prefix.length > root.length ? prefix.slice(root.length) : '';
  let after = wanted.after;
  let shown = '';
  const told = commonPrefix(after, wanted);
  // What stands under a prefix that was told already was told with it.
  if (told !== undefined && told === after && after.startsWith(prefix)) {
    after = `${told}${LAST}`;
    shown = told;
  }
  const found: (BucketObject & { name: string })[] = [];
  const prefixes: string[] = [];
  let last = '';
  for (;;) {
    if (!after.startsWith(root) && before(root, after)) break;
    const from = after.startsWith(root) ? after.slice(root.length) : '';
    const step = wanted.delimiter === '' ? Math.min(limit + 1, MOST) : STEP;
    const some = await objects.list(device, inner, from, step);
    for (const one of some) {
      const name = `${root}${one.key}`;
      if (shown !== '' && name.startsWith(shown)) continue;
      if (found.length + prefixes.length === limit) return { objects: found, prefixes, next: last };
      const common = commonPrefix(name, wanted);
      if (common === undefined) found.push({ ...one, name });
      else prefixes.push(common);
      shown = common ?? '';
      last = common ?? name;
    }
    const end = some.at(-1);
    if (end === undefined || some.length < step) break;
    const name = `${root}${end.key}`;
    after = shown !== '' && name.startsWith(shown) ? `${shown}${LAST}` : name;
  }
  return { objects: found, prefixes, next: undefined };
}

function limitOf(text: string | undefined): number {
  if (text === undefined || text === '') return MOST;
  if (!/^\d{1,10}$/.test(text)) throw new BucketError('InvalidArgument', 'max-keys is a whole number.');
  return Math.min(MOST, Number(text));
}

/** The bytes of a query as text. */
function textOfBytes(bytes: string | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes ?? '', 'latin1'));
  } catch {
    throw new BucketError('InvalidArgument', 'A parameter is not UTF-8.');
  }
}

function tokenOf(text: string | undefined): string | undefined {
  // An empty one is how some say that they have none.
  if (text === undefined || text === '') return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text)
    throw new BucketError('InvalidArgument', 'The continuation token provided is incorrect');
  return bytes.toString();
}

/** The routes that see many objects. */
export function createListRoutes(objects: BucketObjects) {
  return {
    async list(call: BucketCall): Promise<void> {
      const { query, device } = call;
      const second = query.get('list-type') === '2';
      const encoding = query.get('encoding-type');
      if (encoding !== undefined && encoding !== 'url')
        throw new BucketError('InvalidArgument', 'encoding-type is url.');
      const text = (name: string) => textOfBytes(query.get(name));
      const token = second ? tokenOf(query.get('continuation-token')) : undefined;
      const asked = query.get('max-keys');
      const wanted: Wanted = {
        prefix: text('prefix'),
        delimiter: text('delimiter'),
        after: token ?? text(second ? 'start-after' : 'marker'),
        limit: limitOf(asked),
      };
      const page = await readPage(objects, device, wanted);
      const shown = (name: string) =>
        encoding === 'url' ? percentEncode(Buffer.from(name).toString('latin1'), true) : name;
      const owner = { ID: device.device, DisplayName: device.device_id };
      const told = (parameter: string) => (query.has(parameter) ? shown(text(parameter)) : undefined);
      sendXml(call.response, 200, 'ListBucketResult', {
        Name: BUCKET,
        Prefix: shown(wanted.prefix),
        ...(second
          ? {
              KeyCount: page.objects.length + page.prefixes.length,
              ContinuationToken: query.get('continuation-token'),
              NextContinuationToken: page.next && Buffer.from(page.next).toString('base64url'),
              StartAfter: told('start-after'),
            }
          : {
              Marker: shown(wanted.after),
              NextMarker: page.next !== undefined && wanted.delimiter !== '' ? shown(page.next) : undefined,
            }),
        MaxKeys: wanted.limit,
        Delimiter: wanted.delimiter === '' ? undefined : shown(wanted.delimiter),
        EncodingType: encoding,
        IsTruncated: page.next !== undefined,
        Contents: page.objects.map((one) => ({
          Key: shown(one.name),
          LastModified: xmlTime(one.modified_ms),
          ETag: `"${one.etag}"`,
          Size: one.bytes,
          ...(second && query.get('fetch-owner') !== 'true' ? {} : { Owner: owner }),
          StorageClass: 'STANDARD',
        })),
        CommonPrefixes: page.prefixes.map((one) => ({ Prefix: shown(one) })),
      });
    },

    async removeMany(call: BucketCall): Promise<void> {
      const { device, response } = call;
      const root = readXml(await takeXml(call));
      const named = root.children.filter(({ name }) => name === 'Object');
      if (named.some((one) => CONDITIONS.some((name) => textOf(one, name) !== undefined)))
        throw new BucketError('NotImplemented', 'Many objects are deleted without conditions.');
      const names = named.map((one) => textOf(one, 'Key'));
      if (root.name !== 'Delete' || names.length === 0 || names.length > LIMITS.bucket_delete.value)
        throw new BucketError('MalformedXML');
      const keys = names.map((name) => {
        if (name === undefined || name === '') throw new BucketError('MalformedXML');
        return name;
      });
      // Another device's objects are told like those that are not there: gone.
      const own = keys.flatMap((name) => innerKey(device, name) ?? []);
      await objects.remove(device, own);
      const quiet = textOf(root, 'Quiet')?.trim() === 'true';
      sendXml(response, 200, 'DeleteResult', { Deleted: quiet ? [] : keys.map((Key) => ({ Key })) });
    },
  };
}
