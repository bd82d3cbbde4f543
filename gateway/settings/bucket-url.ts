/** The bucket that has the files of head office. */
import { readCloudUrl } from './cloud-url.ts';

/** A bucket of an S3 service. */
export interface BucketSetting {
  readonly bucket: string;
  /** Empty, or a path without a slash at its ends. */
  readonly prefix: string;
  /** Null: the service of Amazon in the region. */
  readonly endpoint: string | null;
  readonly region: string;
}

/** A bucket by the rules of Amazon, and a path whose parts need no encoding. */
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,8})\/?$/;
/** The region that most services other than Amazon's expect. */
const USUAL_REGION = 'us-east-1';

export const isBucketUrl = (text: string): boolean => BUCKET.test(text);

/** True for an address without a path, and with TLS unless it is in the own network. */
export function isServiceUrl(text: string): boolean {
  const read = readCloudUrl(text);
  return 'url' in read && new URL(read.url).origin === read.url;
}

/** Reads the address of a bucket, and of its service; empty: that of Amazon. */
export function readBucket(
  text: string,
  endpoint: string,
  env: Readonly<Record<string, string | undefined>>,
): BucketSetting {
  const [, bucket = '', path = ''] = BUCKET.exec(text) ?? [];
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || USUAL_REGION;
  return { bucket, prefix: path.slice(1), endpoint: endpoint === '' ? null : new URL(endpoint).origin, region };
}
