/** The bucket that loggers upload to: what an object is, which objects are the logger's own, and what a log is called. Shapes and names only. */
import type { DeviceIdentity } from './ingest.ts';

export const BUCKET = 'headframe';
export const REGION = 'us-east-1';

/** A key pair at rest; the bucket checks signatures, so it must be able to read the secret. */
export interface HmacData {
  /** Record id. */
  device: string;
  device_id: string;
  project_id: string;
  access_key_id: string;
  /** Empty once the pair has ended. */
  sealed: string;
  /** Absent in pairs of earlier builds. */
  made_at?: string;
  /** Of a pair that was rolled: it works until then. */
  ends_ms?: number | null;
  /** Of a pair whose secret is gone. */
  ended_at?: string;
}

/** When a key pair was used last, to within ten minutes. */
export interface HmacUse {
  access_key_id: string;
  last_used_at: string;
}

/** Id of the note of when a key pair was used last. */
export function useId(access_key_id: string): string {
  return `use_${access_key_id}`;
}

/** The device behind a key pair, and the names under which its objects may lie: `<name>/...`. */
export interface BucketDevice extends DeviceIdentity {
  /** The first is the one that lists show. */
  readonly prefixes: readonly string[];
  /** Of the key pair that the request was signed with. */
  readonly access_key_id: string;
}

export const CHECKSUMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type ChecksumName = (typeof CHECKSUMS)[number];

/** What a sender proved of its content beside the digest: base64; of an upload in parts, `-n` follows unless it is of the whole. */
export interface Checksum {
  readonly algorithm: ChecksumName;
  readonly value: string;
}

/** Header fields of an object that are kept and told again. */
export const KEPT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const;

/** One object of a device. */
export interface BucketObject {
  /** Without the device's prefix. */
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Without quotes: the MD5 in hex, or `md5-n` of an upload in n parts. */
  readonly etag: string;
  readonly content_type: string;
  readonly modified_ms: number;
  /** `x-amz-meta-*` without the prefix. */
  readonly meta: Readonly<Record<string, string>>;
  /** Of `KEPT_HEADERS`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksum: Checksum | null;
  /** The record of the file; null for the logger's own objects. */
  readonly artifact_id: string | null;
}

/** An object whose content is on disk and is to become one. */
export type NewObject = Omit<BucketObject, 'artifact_id' | 'modified_ms'>;

/** What must hold of the object that is there now. */
export interface Precondition {
  /** This ETag, or `*` for any. */
  readonly match?: string | undefined;
  /** Not this ETag, or `*` for none. */
  readonly noneMatch?: string | undefined;
}

/** The object that was there does not meet what the sender asked for. */
export class PreconditionFailed extends Error {
  /** There is no object, and the sender expects one. */
  readonly absent: boolean;
  constructor(absent = false) {
    super('the object is not as its sender expects');
    this.name = 'PreconditionFailed';
    this.absent = absent;
  }
}

/** The objects of all devices; each call sees those of one. */
export interface BucketObjects {
  get(device: BucketDevice, key: string): Promise<BucketObject | undefined>;
  /** In byte order of the keys: those that begin with `prefix` and come after `after`, `limit` at most. */
  list(device: BucketDevice, prefix: string, after: string, limit: number): Promise<BucketObject[]>;
  /** Resolves once the object, and the record of the file where it is one, are on disk; throws `PreconditionFailed`. */
  put(device: BucketDevice, object: NewObject, sent: string, when?: Precondition): Promise<BucketObject>;
  /** Takes the names away; the records of files stay. With an ETag it must be that of what is there; throws `PreconditionFailed`. */
  remove(device: BucketDevice, keys: readonly string[], match?: string): Promise<void>;
}

/** An upload in parts that is not complete. */
export interface BucketUpload {
  readonly id: string;
  readonly key: string;
  readonly initiated_ms: number;
  readonly expires_ms: number;
  readonly content_type: string;
  readonly meta: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** What its parts are proved by, and whether the whole is proved by it too. */
  readonly checksum: { readonly algorithm: ChecksumName; readonly whole: boolean } | null;
}

/** Uploads in parts of all devices. */
export interface BucketUploads {
  /** At the bound the oldest of the device gives way. */
  begin(device: BucketDevice, upload: Omit<BucketUpload, 'id' | 'initiated_ms' | 'expires_ms'>): Promise<BucketUpload>;
  get(device: BucketDevice, id: string): Promise<BucketUpload | undefined>;
  list(device: BucketDevice): Promise<BucketUpload[]>;
  end(device: BucketDevice, id: string): Promise<void>;
}

/** The logger's own objects and the most bytes of each; they are no recordings and have no record. */
const OWN: readonly (readonly [name: RegExp, bytes: number])[] = [
  [/^device\.json$/, 65_536],
  [/^config-\d{2}\.\d{2}\.json$/, 1_048_576],
  [/^schema-\d{2}\.\d{2}\.json$/, 4_194_304],
  [/^firmware\.bin$/, 67_108_864],
  [/^certs_server\.p7b$/, 1_048_576],
];

/** The most bytes of a logger's own object; undefined for a key that is none. */
export function ownObjectBytes(key: string): number | undefined {
  return OWN.find(([name]) => name.test(key))?.[1];
}

const LOG = /^([0-9A-Fa-f]{8})\/([0-9A-Fa-f]{8})-[0-9A-Fa-f]{1,16}\.(MF4|MFC|MFE|MFM)$/i;

/** Session and split of a log by its key; undefined for a key that is none. The time in the name is that of the upload and tells logs not apart. */
export function logOf(key: string): { session: string; split: string } | undefined {
  const [, session, split] = LOG.exec(key) ?? [];
  return session === undefined || split === undefined
    ? undefined
    : { session: session.toUpperCase(), split: split.toUpperCase() };
}
