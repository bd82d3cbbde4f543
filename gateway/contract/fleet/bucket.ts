/** The S3 bucket for logger uploads: types of objects and uploads, keys reserved for the logger itself, and names of log files. */
import type { DeviceIdentity } from './ingest.ts';

export const BUCKET = 'headframe';
export const REGION = 'us-east-1';

/** A stored key pair. The bucket verifies signatures, so it must be able to decrypt the secret. */
export interface HmacData {
  /** Record id. */
  device: string;
  device_id: string;
  project_id: string;
  access_key_id: string;
  /** The sealed secret; empty once the pair has ended. */
  sealed: string;
  /** Absent in pairs of earlier builds. */
  made_at?: string;
  /** For a rolled pair: the time until which it remains valid. */
  ends_ms?: number | null;
  /** For an ended pair: the time at which its secret was deleted. */
  ended_at?: string;
}

/** Time of the last use of a key pair, accurate to ten minutes. */
export interface HmacUse {
  access_key_id: string;
  last_used_at: string;
}

/** Id of the document that holds the last use of a key pair. */
export function useId(access_key_id: string): string {
  return `use_${access_key_id}`;
}

/** The device of a key pair, and the prefixes that its object keys may have: `<prefix>/...`. */
export interface BucketDevice extends DeviceIdentity {
  /** Allowed prefixes. Lists show the first one. */
  readonly prefixes: readonly string[];
  /** Access key id of the pair that signed the request. */
  readonly access_key_id: string;
}

export const CHECKSUMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumName = (typeof CHECKSUMS)[number];

/** A checksum that the sender gave for the content, in base64. For a multipart upload `-n` follows, unless it covers the whole object. */
export interface Checksum {
  readonly algorithm: ChecksumName;
  readonly value: string;
}

/** Header fields that are stored with an object and returned with it. */
export const KEPT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const;

/** One object of a device. */
export interface BucketObject {
  /** Key without the prefix of the device. */
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  /** ETag without quotes: the MD5 in hexadecimal, or `md5-n` for an upload in n parts. */
  readonly etag: string;
  readonly content_type: string;
  readonly modified_ms: number;
  /** `x-amz-meta-*` without the prefix. */
  readonly meta: Readonly<Record<string, string>>;
  /** Values of `KEPT_HEADERS`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksum: Checksum | null;
  /** The record of the file; null for the logger's own objects. */
  readonly artifact_id: string | null;
}

/** A new object whose content is already on disk. */
export type NewObject = Omit<BucketObject, 'artifact_id' | 'modified_ms'>;

/** Conditions on the current object (If-Match, If-None-Match). */
export interface Precondition {
  /** Required ETag, or `*` for any object. */
  readonly match?: string | undefined;
  /** Excluded ETag, or `*` if no object may exist. */
  readonly noneMatch?: string | undefined;
}

/** The current object does not meet the conditions of the request. */
export class PreconditionFailed extends Error {
  /** True if the request requires an object and there is none. */
  readonly absent: boolean;
  constructor(absent = false) {
    super('the object is not as its sender expects');
    this.name = 'PreconditionFailed';
    this.absent = absent;
  }
}

/** Reads and writes the objects of devices. Each call is limited to one device. */
export interface BucketObjects {
  get(device: BucketDevice, key: string): Promise<BucketObject | undefined>;
  /** Lists at most `limit` objects in byte order of keys, with keys that start with `prefix` and are greater than `after`. */
  list(device: BucketDevice, prefix: string, after: string, limit: number): Promise<BucketObject[]>;
  /** Resolves once the object, and the artifact record if it is a file, are on disk. Throws `PreconditionFailed`. */
  put(device: BucketDevice, object: NewObject, sent: string, when?: Precondition): Promise<BucketObject>;
  /** Deletes keys; artifact records stay. With `match`, the current ETag must be equal; otherwise throws `PreconditionFailed`. */
  remove(device: BucketDevice, keys: readonly string[], match?: string): Promise<void>;
}

/** A multipart upload that is not complete. */
export interface BucketUpload {
  readonly id: string;
  readonly key: string;
  readonly initiated_ms: number;
  readonly expires_ms: number;
  readonly content_type: string;
  readonly meta: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Checksum algorithm of its parts, and whether it also covers the whole object. */
  readonly checksum: { readonly algorithm: ChecksumName; readonly whole: boolean } | null;
}

/** Reads and writes the multipart uploads of devices. */
export interface BucketUploads {
  /** Begins an upload. At the limit, the oldest open upload of the device is discarded. */
  begin(device: BucketDevice, upload: Omit<BucketUpload, 'id' | 'initiated_ms' | 'expires_ms'>): Promise<BucketUpload>;
  get(device: BucketDevice, id: string): Promise<BucketUpload | undefined>;
  list(device: BucketDevice): Promise<BucketUpload[]>;
  end(device: BucketDevice, id: string): Promise<void>;
}

/** Objects that the logger writes for itself, and their largest sizes. They are not recordings and have no artifact record. */
const OWN: readonly (readonly [name: RegExp, bytes: number])[] = [
  [/^device\.json$/, 65_536],
  [/^config-\d{2}\.\d{2}\.json$/, 1_048_576],
  [/^schema-\d{2}\.\d{2}\.json$/, 4_194_304],
  [/^firmware\.bin$/, 67_108_864],
  [/^certs_server\.p7b$/, 1_048_576],
];

/** Largest size in bytes of a logger's own object; undefined for any other key. */
export function ownObjectBytes(key: string): number | undefined {
  return OWN.find(([name]) => name.test(key))?.[1];
}

const LOG = /^([0-9A-Fa-f]{8})\/([0-9A-Fa-f]{8})-[0-9A-Fa-f]{1,16}\.(MF4|MFC|MFE|MFM)$/i;

/** Session and split number in the key of a log file; undefined for any other key. The time in the key is the upload time, so it does not identify the log. */
export function logOf(key: string): { session: string; split: string } | undefined {
  const [, session, split] = LOG.exec(key) ?? [];
  return session === undefined || split === undefined
    ? undefined
    : { session: session.toUpperCase(), split: split.toUpperCase() };
}
