/** Routes for many objects: ListObjects, ListObjectsV2 and DeleteObjects. */

import { LIMITS } from '#contract/base/limits.ts';
import type { BucketDevice, BucketObject, BucketObjects } from '#contract/fleet/bucket.ts';
import { BUCKET } from '#contract/fleet/bucket.ts';
import { type BucketCall, sendXml, takeXml, xmlTime } from './call.ts';
import { BucketError } from './errors.ts';
import { innerKey } from './keys.ts';
import { percentEncode } from './sigv4.ts';
import { readXml, textOf } from './xml.ts';

/** The last character of Unicode. In byte order, the text `prefix + LAST` comes after every key with this prefix. */
const LAST = '\u{10ffff}';
const MOST = LIMITS.bucket_list.value;
/** Conditions that S3 allows for each object of a DeleteObjects request. This bucket refuses a request with one of them. */
const CONDITIONS = ['ETag', 'Size', 'LastModifiedTime', 'VersionId'] as const;
/** Number of objects that a list with a delimiter reads at a time. */
const STEP = 200;

interface Page {
  readonly objects: readonly (BucketObject & { readonly name: string })[];
  readonly prefixes: readonly string[];
  /** Last key or common prefix of this page, after which the next page continues; undefined on the last page. */
  readonly next: string | undefined;
}

interface Wanted {
  readonly prefix: string;
  readonly delimiter: string;
  /** The page has only keys that come after this text in byte order. */
  readonly after: string;
  readonly limit: number;
}

const before = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

/** Returns the start of a key up to the first delimiter after `prefix`, as S3 groups keys; undefined if the key has no such delimiter. */
function commonPrefix(name: string, { prefix, delimiter }: Wanted): string | undefined {
  const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : name.slice(0, at + delimiter.length);
}

/** Reads one page of the object keys of a device. */
async function readPage(objects: BucketObjects, device: BucketDevice, wanted: Wanted): Promise<Page> {
  const { prefix, limit } = wanted;
  const root = device.prefixes
    .map((name) => `${name}/`)
    .find((name) => name.startsWith(prefix) || prefix.startsWith(name));
  if (root === undefined || limit === 0) return { objects: [], prefixes: [], next: undefined };
  const inner = prefix.length > root.length ? prefix.slice(root.length) : '';
  let after = wanted.after;
  let shown = '';
  const common = commonPrefix(after, wanted);
  // The previous page ended with a common prefix, so skip all keys under that prefix.
  if (common !== undefined && common === after && after.startsWith(prefix)) {
    after = `${common}${LAST}`;
    shown = common;
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
  if (!/^\d{1,10}$/.test(text)) throw new BucketError('InvalidArgument', 'max-keys must be a whole number.');
  return Math.min(MOST, Number(text));
}

/** Decodes a query parameter, which is bytes, as UTF-8; throws `InvalidArgument`. */
function textOfBytes(bytes: string | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes ?? '', 'latin1'));
  } catch {
    throw new BucketError('InvalidArgument', 'A query parameter is not UTF-8.');
  }
}

function tokenOf(text: string | undefined): string | undefined {
  // Some clients send an empty token for the first page.
  if (text === undefined || text === '') return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text)
    throw new BucketError('InvalidArgument', 'The continuation token is not valid. Start the list again without it.');
  return bytes.toString();
}

/** Creates the routes for many objects. */
export function createListRoutes(objects: BucketObjects) {
  return {
    async list(call: BucketCall): Promise<void> {
      const { query, device } = call;
      const second = query.get('list-type') === '2';
      const encoding = query.get('encoding-type');
      if (encoding !== undefined && encoding !== 'url')
        throw new BucketError('InvalidArgument', 'The only supported encoding-type is url.');
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
      const echoed = (parameter: string) => (query.has(parameter) ? shown(text(parameter)) : undefined);
      sendXml(call.response, 200, 'ListBucketResult', {
        Name: BUCKET,
        Prefix: shown(wanted.prefix),
        ...(second
          ? {
              KeyCount: page.objects.length + page.prefixes.length,
              ContinuationToken: query.get('continuation-token'),
              NextContinuationToken: page.next && Buffer.from(page.next).toString('base64url'),
              StartAfter: echoed('start-after'),
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
        throw new BucketError('NotImplemented', 'This bucket does not support conditions in DeleteObjects.');
      const names = named.map((one) => textOf(one, 'Key'));
      if (root.name !== 'Delete' || names.length === 0 || names.length > LIMITS.bucket_delete.value)
        throw new BucketError('MalformedXML');
      const keys = names.map((name) => {
        if (name === undefined || name === '') throw new BucketError('MalformedXML');
        return name;
      });
      // The answer lists keys of other devices as deleted, as S3 does for unknown keys. So a client cannot learn whether they exist.
      const own = keys.flatMap((name) => innerKey(device, name) ?? []);
      await objects.remove(device, own);
      const quiet = textOf(root, 'Quiet')?.trim() === 'true';
      sendXml(response, 200, 'DeleteResult', { Deleted: quiet ? [] : keys.map((Key) => ({ Key })) });
    },
  };
}
