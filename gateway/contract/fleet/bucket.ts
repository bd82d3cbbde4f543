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
  /** The secret key, encrypted with the key file of the gateway. Empty after the pair has ended. */
  sealed: string;
  /** Time of creation. Absent in pairs that earlier versions of the gateway made. */
  made_at?: string;
  /** The time until which this pair stays valid, in milliseconds since 1970. Set when a new pair replaces this pair. */
  ends_ms?: number | null;
  /** Time at which the gateway deleted the secret, after the pair had ended. */
  ended_at?: string;
}

/** Time of the last use of a key pair, accurate to ten minutes. */
export interface HmacUse {
  access_key_id: string;
  last_used_at: string;
}

/** Returns the id of the document with the time of the last use of a key pair. */
export function useId(access_key_id: string): string {
  return `use_${access_key_id}`;
}

/** The device that signed a request to the bucket. The device may use only object keys that begin with `<prefix>/`. */
export interface BucketDevice extends DeviceIdentity {
  /** Prefixes that the device may use in object keys. Lists of objects show keys with the first prefix. */
  readonly prefixes: readonly string[];
  /** Access key id of the pair that signed the request. */
  readonly access_key_id: string;
}

export const CHECKSUMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumName = (typeof CHECKSUMS)[number];

/**
 * A checksum that the client sent for the content, in base64. For an upload of n parts the value ends with `-n` if it is a checksum of the
 * checksums of the parts.
 */
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
  /** Key of the object without the prefix of the device. */
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  /** ETag without quotes: the MD5 in hexadecimal, or `md5-n` for an upload in n parts. */
  readonly etag: string;
  readonly content_type: string;
  readonly modified_ms: number;
  /** Values of the headers `x-amz-meta-*`, by the name after `x-amz-meta-`. */
  readonly meta: Readonly<Record<string, string>>;
  /** Values of the headers in `KEPT_HEADERS` that the upload had. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksum: Checksum | null;
  /** Id of the artifact record of the file. Null for configuration, schema and firmware objects, which have none. */
  readonly artifact_id: string | null;
}

/** A new object whose content is already on disk. */
export type NewObject = Omit<BucketObject, 'artifact_id' | 'modified_ms'>;

/** The conditions of a request (If-Match, If-None-Match) on the object that is stored now. */
export interface Precondition {
  /** ETag that the stored object must have. `*`: an object must exist. */
  readonly match?: string | undefined;
  /** ETag that the stored object must not have. `*`: no object may exist. */
  readonly noneMatch?: string | undefined;
}

/** Error: the stored object does not meet the conditions of the request. */
export class PreconditionFailed extends Error {
  /** True if the request requires an object and there is none. */
  readonly absent: boolean;
  constructor(absent = false) {
    super('the stored object does not meet the condition of the request');
    this.name = 'PreconditionFailed';
    this.absent = absent;
  }
}

/** Reads and writes the objects of devices. Each call reaches only the objects of one device. */
export interface BucketObjects {
  get(device: BucketDevice, key: string): Promise<BucketObject | undefined>;
  /** Lists at most `limit` objects in byte order of keys, with keys that start with `prefix` and are greater than `after`. */
  list(device: BucketDevice, prefix: string, after: string, limit: number): Promise<BucketObject[]>;
  /** Resolves once the object, and the artifact record if it is a file, are on disk. Throws `PreconditionFailed`. */
  put(device: BucketDevice, object: NewObject, sent: string, when?: Precondition): Promise<BucketObject>;
  /** Deletes keys; artifact records stay. If `match` is given, it must be the current ETag; otherwise throws `PreconditionFailed`. */
  remove(device: BucketDevice, keys: readonly string[], match?: string): Promise<void>;
}

/** A multipart upload that the client has begun and not completed. */
export interface BucketUpload {
  readonly id: string;
  readonly key: string;
  readonly initiated_ms: number;
  readonly expires_ms: number;
  readonly content_type: string;
  readonly meta: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Checksum algorithm. `whole`: true if the checksum of the upload covers the bytes of the whole object, false if it covers the checksums
   * of the parts.
   */
  readonly checksum: { readonly algorithm: ChecksumName; readonly whole: boolean } | null;
}

/** Reads and writes the multipart uploads of devices. */
export interface BucketUploads {
  /** Begins a multipart upload. At the limit of open uploads of the device, the gateway discards the oldest one. */
  begin(device: BucketDevice, upload: Omit<BucketUpload, 'id' | 'initiated_ms' | 'expires_ms'>): Promise<BucketUpload>;
  get(device: BucketDevice, id: string): Promise<BucketUpload | undefined>;
  list(device: BucketDevice): Promise<BucketUpload[]>;
  end(device: BucketDevice, id: string): Promise<void>;
}

/** Names and largest sizes of configuration, schema, firmware and certificate objects. They are not logs and have no artifact record. */
const OWN: readonly (readonly [name: RegExp, bytes: number])[] = [
  [/^device\.json$/, 65_536],
  [/^config-\d{2}\.\d{2}\.json$/, 1_048_576],
  [/^schema-\d{2}\.\d{2}\.json$/, 4_194_304],
  [/^firmware\.bin$/, 67_108_864],
  [/^certs_server\.p7b$/, 1_048_576],
];

/** Returns the largest size in bytes of an object in `OWN`. Undefined for any other key. */
export function ownObjectBytes(key: string): number | undefined {
  return OWN.find(([name]) => name.test(key))?.[1];
}

const LOG = /^([0-9A-Fa-f]{8})\/([0-9A-Fa-f]{8})-[0-9A-Fa-f]{1,16}\.(MF4|MFC|MFE|MFM)$/i;

/**
 * Returns the session and split number in the key of a log file, which identify the log. Undefined for any other key. The key also has the
 * time of the upload, which differs when the logger uploads the same log again.
 */
export function logOf(key: string): { session: string; split: string } | undefined {
  const [, session, split] = LOG.exec(key) ?? [];
  return session === undefined || split === undefined
    ? undefined
    : { session: session.toUpperCase(), split: split.toUpperCase() };
}
