/**
 * Recognises requests for S3 features that this bucket does not have, by query parameter and header field. The bucket refuses each of these
 * requests with 501 `NotImplemented` and the name of the feature. If the bucket ignored the parameter or header, the client would believe,
 * for example, that its object is encrypted or locked.
 */
import { BucketError } from './errors.ts';

const ACLS = 'access control lists. A key pair can use the objects of its own device only';
const VERSIONS = 'object versions. A key has one object; the file of each upload stays at /api/v1/artifacts';
const ENCRYPTION = 'server-side encryption. Encrypt the content before you upload it';
const LOCKS = 'object lock and retention';
const TAGS = 'object tags. Use metadata (x-amz-meta-...) instead';
const PART_COPY = 'UploadPartCopy. Send the bytes of the part, or copy the whole object';

/** Names of missing features, by the query parameter that requests them. */
const PARAMETERS: ReadonlyMap<string, string> = new Map(
  (
    [
      [ACLS, 'acl ownershipControls publicAccessBlock'],
      [VERSIONS, 'versionId versions'],
      [ENCRYPTION, 'encryption'],
      [LOCKS, 'legal-hold object-lock retention'],
      [TAGS, 'tagging'],
      ['GetObjectAttributes. Use HEAD instead', 'attributes'],
      ['bucket policies', 'abac policy policyStatus'],
      ['storage classes', 'intelligent-tiering restore'],
      ['queries on the content of objects', 'select select-type'],
      ['renaming. Copy the object, then delete it', 'renameObject'],
      ['sessions. Sign each request', 'session'],
      ['static websites and CORS', 'cors website'],
      [
        'this bucket configuration',
        'accelerate analytics inventory lifecycle logging metadataConfiguration metadataInventoryTable metadataJournalTable metadataTable metrics notification replication requestPayment torrent',
      ],
    ] as const
  ).flatMap(([what, names]) => names.split(' ').map((name) => [name, what] as const)),
);

/** Names of missing features, by the header field that requests them, or by the prefix of that field. */
const FIELDS: readonly (readonly [field: string, what: string])[] = [
  ['x-amz-grant-', ACLS],
  ['x-amz-server-side-encryption', ENCRYPTION],
  ['x-amz-copy-source-server-side-encryption', ENCRYPTION],
  ['x-amz-object-lock-', LOCKS],
  ['x-amz-copy-source-range', PART_COPY],
  ['x-amz-website-redirect-location', 'static websites'],
  ['x-amz-write-offset-bytes', 'appending to objects'],
];
/**
 * Values of `x-amz-acl` that the bucket accepts, because they describe what the bucket does with every object. Some clients send one of
 * these values with every request.
 */
const OWN_ACLS: ReadonlySet<string> = new Set(['private', 'bucket-owner-full-control']);

function absentFeature(
  method: string,
  query: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, string>,
): string | undefined {
  for (const name of query.keys()) {
    const what = PARAMETERS.get(name);
    if (what !== undefined) return what;
  }
  if (query.has('versioning') && method !== 'GET') return VERSIONS;
  if (query.has('partNumber') && !query.has('uploadId'))
    return 'reading an object by part number. Read a range instead';
  if (query.has('uploadId') && headers.has('x-amz-copy-source')) return PART_COPY;
  if (!OWN_ACLS.has(headers.get('x-amz-acl') ?? 'private')) return ACLS;
  if (headers.has('x-amz-tagging')) return TAGS;
  for (const name of headers.keys()) {
    const what = FIELDS.find(([field]) => name.startsWith(field))?.[1];
    if (what !== undefined) return what;
  }
  return undefined;
}

/** Throws `NotImplemented` if a request asks for a feature that the bucket does not have. */
export function refuseAbsent(
  method: string,
  query: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, string>,
): void {
  const feature = absentFeature(method, query, headers);
  if (feature !== undefined) throw new BucketError('NotImplemented', `This bucket does not support ${feature}.`);
}
