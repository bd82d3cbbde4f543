/**
 * An S3 service that is not ours, for tests: `moto_server` (`pip install 'moto[s3,server]'`). It keeps everything in memory. Without it the
 * tests that need a service are skipped by name.
 */
import { spawn, spawnSync } from 'node:child_process';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { lastingPort } from './gateway.ts';
import { until } from './until.ts';

/** Why tests that need an S3 service are skipped; false if they are not. */
export const noService: string | false =
  spawnSync('moto_server', ['--help']).status === 0 ? false : 'skipped: no moto_server';

/** The variables with which programs sign in to S3 services. */
export const S3_KEYS = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test-secret',
  AWS_REGION: 'us-east-1',
} as const;

export interface S3Service extends AsyncDisposable {
  readonly port: number;
  readonly endpoint: string;
  /** A client with path-style addresses. */
  readonly client: S3Client;
  /** Makes a bucket and returns its name. */
  bucket(): Promise<string>;
}

let buckets = 0;

export async function startS3Service(): Promise<S3Service> {
  const port = await lastingPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(
    () =>
      fetch(endpoint).then(
        ({ ok }) => ok,
        () => false,
      ),
    'moto_server answers',
  );
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: region } = S3_KEYS;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  return {
    port,
    endpoint,
    client,
    async bucket() {
      const Bucket = `files-${++buckets}`;
      await client.send(new CreateBucketCommand({ Bucket }));
      return Bucket;
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      child.kill('SIGKILL');
      await ended;
    },
  };
}
