/**
 * S3 features that this bucket does not have, by the form of their requests. Each is refused with 501 `NotImplemented` and its name.
 * None is accepted and ignored, so that nobody believes that an object is public, encrypted, locked or versioned.
 */
import { BucketError } from './errors.ts';

const ACLS = 'access control lists: a key pair sees the objects of its own device, and nobody else does';
const VERSIONS = 'versions: a name has one object, and the file of each upload stays under /api/v1/artifacts';
const ENCRYPTION = 'encryption by the server: encrypt before you upload';
const LOCKS = 'retention and locks of objects';
const TAGS = 'tags; metadata (x-amz-meta-...) is kept';
const PART_COPY = 'parts copied from objects: send the bytes of the part, or copy the object as a whole';

/** Features by query parameter. */
const PARAMETERS: ReadonlyMap<string, string> = new Map(
  (
    [
      [ACLS, 'acl ownershipControls publicAccessBlock'],
      [VERSIONS, 'versionId versions'],
      [ENCRYPTION, 'encryption'],
      [LOCKS, 'legal-hold object-lock retention'],
      [TAGS, 'tagging'],
      ['attributes of objects beyond what HEAD tells', 'attributes'],
      ['policies', 'abac policy policyStatus'],
      ['storage classes', 'intelligent-tiering restore'],
      ['queries in objects', 'select select-type'],
      ['renaming: copy the object, then delete it', 'renameObject'],
      ['sessions: sign each request', 'session'],
      ['web pages', 'cors website'],
      [
        'such a configuration',
        'accelerate analytics inventory lifecycle logging metadataConfiguration metadataInventoryTable metadataJournalTable metadataTable metrics notification replication requestPayment torrent',
      ],
    ] as const
  ).flatMap(([what, names]) => names.split(' ').map((name) => [name, what] as const)),
);

/** Features by header field or its prefix. */
const FIELDS: readonly (readonly [field: string, what: string])[] = [
  ['x-amz-grant-', ACLS],
  ['x-amz-server-side-encryption', ENCRYPTION],
  ['x-amz-copy-source-server-side-encryption', ENCRYPTION],
  ['x-amz-object-lock-', LOCKS],
  ['x-amz-copy-source-range', PART_COPY],
  ['x-amz-website-redirect-location', 'web pages'],
  ['x-amz-write-offset-bytes', 'appending to objects'],
];
/** ACL values that describe the behaviour of this bucket. Some clients send one with every request. */
const OWN_ACLS: ReadonlySet<string> = new Set(['private', 'bucket-owner-full-control']);

function absentPart(
  method: string,
  query: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, string>,
): string | undefined {
  for (const name of query.keys()) {
    const what = PARAMETERS.get(name);
    if (what !== undefined) return what;
  }
  if (query.has('versioning') && method !== 'GET') return VERSIONS;
  if (query.has('partNumber') && !query.has('uploadId')) return 'the parts of an object apart: read a range of it';
  if (query.has('uploadId') && headers.has('x-amz-copy-source')) return PART_COPY;
  if (!OWN_ACLS.has(headers.get('x-amz-acl') ?? 'private')) return ACLS;
  if (headers.has('x-amz-tagging')) return TAGS;
  for (const name of headers.keys()) {
    const what = FIELDS.find(([field]) => name.startsWith(field))?.[1];
    if (what !== undefined) return what;
  }
  return undefined;
}

/** Throws `NotImplemented` for a request for a missing feature. */
export function refuseAbsent(
  method: string,
  query: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, string>,
): void {
  const what = absentPart(method, query, headers);
  if (what !== undefined) throw new BucketError('NotImplemented', `This bucket has not: ${what}.`);
}
