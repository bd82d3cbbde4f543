/**
 * Clients of people's machines against the bucket, unchanged: each uploads a log and a large file, lists, reads both back and deletes.
 * Those that this machine has not are named.
 *
 *   node test/faults/bucket-clients.ts [NAME...]      npm run clients:bucket
 *
 * Debian has them as s3cmd, rclone, awscli, python3-boto3, curl and restic.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addLogger } from '#test/support/bucket.ts';
import { startGateway } from '#test/support/gateway.ts';

const run = promisify(execFile);
const LIMIT_MS = 120_000;
const LOG_BYTES = 300_000;
/** More than one part for those that upload in parts. */
const LARGE_BYTES = 20 << 20;

interface Site {
  readonly port: number;
  readonly access: string;
  readonly secret: string;
  /** Bucket and prefix: `headframe/FCBF0606`. */
  readonly root: string;
  readonly folder: string;
  readonly log: string;
  readonly large: string;
}

interface ClientRow {
  readonly name: string;
  /** Says its version, or fails where it is missing. */
  readonly version: readonly string[];
  /** Uploads, lists and reads back into `back-log` and `back-large`; what it prints when it lists. */
  go(site: Site, call: (command: string, ...args: string[]) => Promise<string>): Promise<string>;
}

const BOTO3 = `
import sys, boto3
from botocore.config import Config
port, access, secret, root, folder, log, large = sys.argv[1:]
bucket, prefix = root.split('/')
for style in ('path', 'auto'):
    s3 = boto3.client('s3', endpoint_url=f'http://127.0.0.1:{port}', region_name='us-east-1', aws_access_key_id=access,
                      aws_secret_access_key=secret, config=Config(s3={'addressing_style': style}))
    s3.upload_file(log, bucket, f'{prefix}/boto3/log.MF4', ExtraArgs={'Metadata': {'fw': '01.09.01'}})
    s3.upload_file(large, bucket, f'{prefix}/boto3/large.bin')
    s3.put_object(Bucket=bucket, Key=f'{prefix}/boto3/small', Body=b'small')
    for page in s3.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix=f'{prefix}/boto3/', PaginationConfig={'PageSize': 1}):
        for one in page.get('Contents', []): print(one['Key'])
    assert s3.head_object(Bucket=bucket, Key=f'{prefix}/boto3/log.MF4')['Metadata'] == {'fw': '01.09.01'}
    s3.download_file(bucket, f'{prefix}/boto3/log.MF4', f'{folder}/back-log')
    s3.download_file(bucket, f'{prefix}/boto3/large.bin', f'{folder}/back-large')
    s3.delete_objects(Bucket=bucket, Delete={'Objects': [{'Key': f'{prefix}/boto3/{name}'} for name in ('log.MF4', 'large.bin', 'small')]})
    assert s3.list_objects(Bucket=bucket, Prefix=f'{prefix}/boto3/').get('Contents', []) == []
`;

const CLIENTS: readonly ClientRow[] = [
  {
    name: 's3cmd',
    version: ['s3cmd', '--version'],
    async go({ port, access, secret, root, folder, log, large }, call) {
      const config = join(folder, 's3cfg');
      const host = `127.0.0.1:${port}`;
      writeFileSync(
        config,
        `[default]\naccess_key = ${access}\nsecret_key = ${secret}\nhost_base = ${host}\nhost_bucket = ${host}\nuse_https = False\nmultipart_chunk_size_mb = 5\n`,
      );
      const s3 = (...args: string[]) => call('s3cmd', '-c', config, '--no-progress', ...args);
      await s3('put', log, `s3://${root}/s3cmd/log.MF4`);
      await s3('put', large, `s3://${root}/s3cmd/large.bin`);
      const listed = await s3('ls', `s3://${root}/s3cmd/`);
      await s3('get', '--force', `s3://${root}/s3cmd/log.MF4`, join(folder, 'back-log'));
      await s3('get', '--force', `s3://${root}/s3cmd/large.bin`, join(folder, 'back-large'));
      await s3('mv', `s3://${root}/s3cmd/log.MF4`, `s3://${root}/s3cmd/moved.MF4`);
      await s3('del', '--recursive', '--force', `s3://${root}/s3cmd/`);
      return listed;
    },
  },
  {
    name: 'rclone',
    version: ['rclone', 'version'],
    async go({ port, access, secret, root, folder, log, large }, call) {
      const config = join(folder, 'rclone.conf');
      writeFileSync(
        config,
        `[s3]\ntype = s3\nprovider = Other\naccess_key_id = ${access}\nsecret_access_key = ${secret}\nendpoint = http://127.0.0.1:${port}\nregion = us-east-1\nchunk_size = 5M\nupload_cutoff = 10M\n`,
      );
      const s3 = (...args: string[]) => call('rclone', '--config', config, '--retries', '1', ...args);
      await s3('copyto', log, `s3:${root}/rclone/log.MF4`);
      await s3('copyto', large, `s3:${root}/rclone/large.bin`);
      const listed = await s3('lsf', '-R', `s3:${root}/rclone`);
      await s3('copyto', `s3:${root}/rclone/log.MF4`, join(folder, 'back-log'));
      await s3('copyto', `s3:${root}/rclone/large.bin`, join(folder, 'back-large'));
      await s3('check', '--download', `s3:${root}/rclone`, `s3:${root}/rclone`);
      await s3('purge', `s3:${root}/rclone`);
      return listed;
    },
  },
  {
    name: 'aws',
    version: ['aws', '--version'],
    async go({ port, root, folder, log, large }, call) {
      const s3 = (...args: string[]) =>
        call('aws', '--endpoint-url', `http://127.0.0.1:${port}`, '--region', 'us-east-1', 's3', ...args);
      await s3('cp', log, `s3://${root}/aws/log.MF4`);
      await s3('cp', large, `s3://${root}/aws/large.bin`);
      const listed = await s3('ls', `s3://${root}/aws/`);
      await s3('cp', `s3://${root}/aws/log.MF4`, join(folder, 'back-log'));
      await s3('cp', `s3://${root}/aws/large.bin`, join(folder, 'back-large'));
      await s3('mv', `s3://${root}/aws/log.MF4`, `s3://${root}/aws/moved.MF4`);
      await s3('rm', '--recursive', `s3://${root}/aws/`);
      return listed;
    },
  },
  {
    name: 'boto3',
    version: ['python3', '-c', 'import boto3; print(boto3.__version__)'],
    go: ({ port, access, secret, root, folder, log, large }, call) =>
      call('python3', '-c', BOTO3, String(port), access, secret, root, folder, log, large),
  },
  {
    name: 'curl',
    version: ['curl', '--version'],
    async go({ port, access, secret, root, folder, log, large }, call) {
      const url = (name: string) => `http://127.0.0.1:${port}/${root}/curl/${name}`;
      // curl of Debian 12 signs the hash of the body and does not send it.
      const signed = (hash: string, ...args: string[]) =>
        call(
          'curl',
          '-sSf',
          '--aws-sigv4',
          'aws:amz:us-east-1:s3',
          '-u',
          `${access}:${secret}`,
          '-H',
          `x-amz-content-sha256: ${hash}`,
          ...args,
        );
      for (const [name, file] of [
        ['log.MF4', log],
        ['large.bin', large],
      ] as const)
        await signed(digest(file), '-X', 'PUT', '--data-binary', `@${file}`, url(name));
      const empty = createHash('sha256').digest('hex');
      await signed(empty, '-o', join(folder, 'back-log'), url('log.MF4'));
      await signed(empty, '-o', join(folder, 'back-large'), url('large.bin'));
      const listed = await signed(empty, `http://127.0.0.1:${port}/headframe`);
      for (const name of ['log.MF4', 'large.bin']) await signed(empty, '-X', 'DELETE', url(name));
      return listed;
    },
  },
  {
    name: 'restic',
    version: ['restic', 'version'],
    async go({ port, root, folder, log, large }, call) {
      const restic = (...args: string[]) =>
        call('restic', '--no-cache', '-r', `s3:http://127.0.0.1:${port}/${root}/restic`, ...args);
      await restic('init');
      await restic('backup', log, large);
      const listed = await restic('ls', 'latest');
      await restic('check', '--read-data');
      writeFileSync(join(folder, 'back-log'), '');
      for (const [name, file] of [
        ['back-log', log],
        ['back-large', large],
      ] as const) {
        const { stdout } = await run(
          'restic',
          ['--no-cache', '-r', `s3:http://127.0.0.1:${port}/${root}/restic`, 'dump', 'latest', file],
          { env: environment, timeout: LIMIT_MS, encoding: 'buffer', maxBuffer: 2 * LARGE_BYTES },
        );
        writeFileSync(join(folder, name), stdout);
      }
      return listed;
    },
  },
];

const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const environment: Record<string, string | undefined> = {
  ...process.env,
  RESTIC_PASSWORD: 'x',
  AWS_EC2_METADATA_DISABLED: 'true',
  // rclone ends where a bundle is named that it does not need here
  AWS_CA_BUNDLE: undefined,
};

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'headframe-clients-'));
const log = join(folder, '00000001-655EA0B1.MF4');
const large = join(folder, 'large.bin');
writeFileSync(log, randomBytes(LOG_BYTES));
writeFileSync(large, randomBytes(LARGE_BYTES));
let failed = 0;
let passed = 0;
{
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'Quarry' });
  const logger = await addLogger(gateway, project.id, 'FCBF0606');
  environment.AWS_ACCESS_KEY_ID = logger.access;
  environment.AWS_SECRET_ACCESS_KEY = logger.secret;
  const site: Site = {
    port: gateway.node.bucketPort,
    access: logger.access,
    secret: logger.secret,
    root: `headframe/${logger.device_id}`,
    folder,
    log,
    large,
  };
  for (const client of CLIENTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const [command = '', ...args] = client.version;
    const version = await run(command, args, { env: environment }).then(
      ({ stdout }) => stdout.split('\n')[0],
      () => undefined,
    );
    if (version === undefined) {
      console.log(`${client.name}: not on this machine`);
      continue;
    }
    const started = Date.now();
    try {
      for (const name of ['back-log', 'back-large']) rmSync(join(folder, name), { force: true });
      const listed = await client.go(site, async (program, ...rest) => {
        const { stdout } = await run(program, rest, { env: environment, timeout: LIMIT_MS, maxBuffer: 64 << 20 });
        return stdout;
      });
      for (const name of ['large.bin', client.name === 'restic' ? '655EA0B1' : 'log.MF4'])
        if (!listed.includes(name)) throw new Error(`its list lacks ${name}: ${listed}`);
      if (digest(join(folder, 'back-log')) !== digest(log)) throw new Error('the log came back changed');
      if (digest(join(folder, 'back-large')) !== digest(large)) throw new Error('the large file came back changed');
      passed++;
      console.log(`${client.name}: ok in ${((Date.now() - started) / 1000).toFixed(1)} s (${version})`);
    } catch (error) {
      failed++;
      const { message, stderr = '' } = error as Error & { stderr?: string };
      console.log(`${client.name}: FAILED (${version}): ${message.slice(0, 500)} ${stderr.slice(0, 2_000)}`);
    }
  }
}
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} clients passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
